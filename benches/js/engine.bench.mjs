// Sends the requests of a run, with each strategy, to a model on this machine, and measures the tokens that are evaluated
// because the cache does not have them, and the time to the first token. Compares with the prediction of `bill` for such a cache.
// `npm run bench -- engine 8` sends only the first eight requests of each run.

import { Conversation, clearToolResults, digest, lastNMessages, toMessages } from "turnfold";

import { bill } from "turnfold/audit";
import { applyPlan, countMessages, planHistory } from "turnfold/chat";

import { openai } from "turnfold/formats/openai";
import { INSTALL, modelIsInstalled, weights } from "../../scripts/model.mjs";
import { recorded } from "../../tests/js/recorded-chats.mjs";
import { missions, recordedStep } from "./missions.mjs";

const CONTEXT = 8192;
/** Maximum tokens of the chat, so that its last request fits the context without compression. */
const CHAT = 7000;
/** A prefix cache with steps of one token that never expires. Reading is not free: the model attends to the cached tokens. */
const PRICES = {
  cacheRead: 0.1,
  cacheWrite: 1,
  output: 0,
  minimum: 1,
  granularity: 1,
  lifetime: Number.POSITIVE_INFINITY,
};
const SUMMARY = "The user asked about the files, and the assistant read them and answered. ".repeat(4);

const TURNS = {
  none: false,
  "single-user-coalesced": true,
  "rolling-window": "rolling-window",
  "per-turn-summary": "per-turn-summary",
  "aggressive, 500": ["aggressive", { budget: 500 }],
  journal: ["journal", { prices: PRICES }],
};

const worthIt = { when: "worthIt", prices: PRICES };
const CHATS = {
  none: {},
  "clearToolResults, worthIt": { compressionStrategy: clearToolResults(), ...worthIt },
  "digest, worthIt": { compressionStrategy: digest(), ...worthIt },
  "lastNMessages(4), worthIt": { compressionStrategy: lastNMessages(4), ...worthIt },
  "the same, behind": { compressionStrategy: lastNMessages(4), ...worthIt, summaryRequest: "behind" },
  "lastNMessages(4), always": { compressionStrategy: lastNMessages(4) },
};

if (modelIsInstalled()) await measure(Number(process.argv[2] ?? Number.POSITIVE_INFINITY));
else console.log(`\nThe model for the benchmark \`engine\` is not installed: run \`${INSTALL}\`, which takes 210 MB.`);

async function measure(max) {
  // The packages of the model may be missing until here.
  const { serveModel } = await import("../../tests/model/served.mjs");
  const { loadCounter } = await import("../../tests/model/engine/engine.mjs");
  const counter = await loadCounter(weights);
  const server = await serveModel({ context: CONTEXT });
  try {
    // The longest of the recorded missions.
    const step = await recordedStep(
      missions.reduce((left, right) => (left.replies.length < right.replies.length ? right : left)),
    );
    const turns = step.turns.slice(0, max);
    console.log(`\nA recorded mission of ${turns.length} turns`);
    await compare(server, counter, TURNS, (compression) =>
      turns.map((_, index) => toMessages(step.turns.slice(0, index), null, { ...step.request, compression }).messages),
    );
    const messages = beginningOf(recorded.find(({ name }) => name === "research").conversation.messages, counter);
    const requests = Math.min(max, messages.filter(({ role }) => role === "assistant").length);
    console.log(`\nA recorded research with tools, ${requests} requests; those for summaries are sent too`);
    await compare(server, counter, CHATS, (parameters) => chatRequests(messages, { counter, ...parameters }, max));
  } finally {
    await server.close();
  }
}

/** The first messages up to an answer, with at most that many tokens. */
function beginningOf(messages, counter) {
  let tokens = 0;
  const sizes = countMessages(messages, { counter }).messages;
  const fitting = messages.filter((_, index) => {
    tokens += sizes[index];
    return tokens <= CHAT;
  });
  return fitting.slice(0, fitting.findLastIndex(({ role }) => role === "assistant") + 1);
}

/** The requests of a chat in their order, those for summaries included. */
function chatRequests(messages, parameters, max) {
  const requests = [];
  let managed = new Conversation();
  let left = max;
  for (const message of messages) {
    if (message.role === "assistant") {
      if (left-- === 0) break;
      const plan = planHistory(managed, parameters);
      for (const { messages } of plan.requests) requests.push(messages);
      managed = applyPlan(
        plan,
        plan.requests.map(() => SUMMARY),
      ).conversation;
      requests.push(managed.messages);
    }
    managed = managed.append(message);
  }
  return requests;
}

/** Sends the requests of each strategy, and prints how many tokens were evaluated. */
async function compare(server, counter, strategies, requestsOf) {
  const rows = {};
  let none;
  for (const [name, strategy] of Object.entries(strategies)) {
    const requests = requestsOf(strategy);
    const predicted = bill(requests, PRICES, { counter });
    // Fills the cache with another text, so that it has nothing of the previous strategy.
    await send(server, [{ role: "system", content: `Before ${name}.` }]);
    const total = { sent: 0, evaluated: 0, seconds: 0 };
    const begun = (await server.stats()).cpuSeconds;
    for (const messages of requests) {
      const { sent, cached, seconds } = await send(server, openai.to(new Conversation({ messages })));
      total.sent += sent;
      total.evaluated += sent - cached;
      total.seconds += seconds;
    }
    total.processor = (await server.stats()).cpuSeconds - begun;
    none ??= total;
    rows[name] = {
      requests: requests.length,
      "tokens sent": total.sent,
      evaluated: total.evaluated,
      predicted: predicted.written + predicted.fresh,
      "evaluated, to none": (total.evaluated / none.evaluated).toFixed(2),
      "first tokens, s": total.seconds.toFixed(1),
      "time, to none": (total.seconds / none.seconds).toFixed(2),
      "processor, to none": (total.processor / none.processor).toFixed(2),
    };
    console.log(`${name}: ${total.evaluated} of ${total.sent} tokens in ${total.seconds.toFixed(1)} s`);
  }
  console.table(rows);
}

/** Sends a request; returns its tokens, the cached tokens, and the time to the first token. */
async function send({ client }, messages) {
  const start = performance.now();
  const stream = await client.chat.completions.create({
    model: "smollm2-135m",
    messages,
    max_tokens: 1,
    temperature: 0,
    stream: true,
    stream_options: { include_usage: true },
  });
  let [seconds, usage] = [null, null];
  for await (const chunk of stream) {
    seconds ??= (performance.now() - start) / 1000;
    usage ??= chunk.usage;
  }
  return { sent: usage.prompt_tokens, cached: usage.prompt_tokens_details.cached_tokens, seconds };
}

// Trimming long histories to half of their tokens, beside trimMessages of @langchain/core and pruneMessages of ai.
// Medians of one run in a warm process, and ratios. Mastra's TokenLimiter is omitted: it takes 239 MB to install.
//
// The messages are converted to the form that each library takes before the clock starts; "from plain messages" includes that,
// which is necessary only once.

import assert from "node:assert/strict";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage, trimMessages } from "@langchain/core/messages";
import { pruneMessages } from "ai";
import { applyPlan, Conversation, countMessages, estimate, planHistory } from "turnfold/chat";
import { aiSdk } from "turnfold/formats/ai-sdk";
import { history } from "./chats.mjs";

const SIZES = [100, 1_000, 10_000];

/** An estimate that users of langchain often make. */
const quarter = { name: "chars/4", method: "estimate", count: (text) => Math.ceil(text.length / 4) };

/** Tokens of the framing of a message, and of a request. */
const [MESSAGE, REQUEST] = [4, 3];

/** The median time of `work` in milliseconds over the second half of as many runs as fit in a second, at least three. */
async function median(work) {
  const times = [];
  const begin = performance.now();
  for (let round = 0; times.length < 3 || (performance.now() - begin < 1000 && times.length < 2000); round++) {
    const start = performance.now();
    await work(round);
    times.push(performance.now() - start);
  }
  const warm = times.slice(times.length >> 1).sort((left, right) => left - right);
  return warm[warm.length >> 1];
}

/** Messages of langchain; the `id` of each is the number of our message. */
function langchain({ role, content, toolCalls = [], toolCallId }, index) {
  const id = String(index);
  if (role === "system") return new SystemMessage({ content, id });
  if (role === "user") return new HumanMessage({ content, id });
  if (role === "tool") return new ToolMessage({ content, tool_call_id: toolCallId, id });
  return new AIMessage({ content, id, tool_calls: toolCalls.map((call) => ({ ...call, type: "tool_call" })) });
}

/**
 * Counts messages of langchain as ours are counted. trimMessages counts all remaining messages again for each message that it
 * drops, so the counts of calls and, where counting takes more than reading a length, of texts are kept.
 */
function counterOf({ name, count }) {
  const known = new Map();
  const once = (key, make) => {
    let tokens = known.get(key);
    if (tokens === undefined) {
      tokens = make();
      known.set(key, tokens);
    }
    return tokens;
  };
  const text = name === quarter.name ? count : (content) => once(content, () => count(content));
  const ofCall = ({ name, args }) => MESSAGE + count(name) + count(JSON.stringify(args));
  return (messages) => {
    let sum = REQUEST;
    for (const { content, tool_calls } of messages) {
      sum += MESSAGE + text(content);
      if (tool_calls === undefined) continue;
      for (const call of tool_calls) {
        call.tokens ??= ofCall(call);
        sum += call.tokens;
      }
    }
    return sum;
  };
}

const question = (round) => [
  { role: "user", content: `And what about the ${round}th part?` },
  { role: "assistant", content: "It is like the one before." },
];

const problems = (messages) => new Conversation({ messages }).lint().length;
const tokensOf = (messages, counter) => countMessages(messages, { counter }).total;

const rows = [];
for (const size of SIZES) {
  const plain = history(size);
  const conversation = new Conversation({ messages: plain });
  assert.deepEqual(conversation.lint(), []);
  const fromLangchain = (messages) => messages.map(({ id }) => plain[Number(id)]);
  const ofAISDK = aiSdk.to(conversation);
  const add = (name, time, messages, counter, before) => {
    const [torn, tokens] = [problems(messages), tokensOf(messages, counter)];
    rows.push({ name, size, time, torn, kept: tokens / before, messages: messages.length });
  };

  for (const counter of [quarter, estimate]) {
    const before = tokensOf(plain, counter);
    const parameters = { maxTokens: Math.floor(before / 2), counter };
    const trim = (of) => applyPlan(planHistory(of, parameters), []).conversation;
    const ours = trim(conversation).messages;
    assert.deepEqual(new Conversation({ messages: ours }).lint(), []);

    const perCall = await median((round) => trim(conversation.append(...question(round))));
    add(`Turnfold, two messages more (${counter.name})`, perCall, ours, counter, before);
    const cold = await median(() => trim(new Conversation({ messages: plain })));
    add(`Turnfold, from plain messages (${counter.name})`, cold, ours, counter, before);

    const options = { maxTokens: parameters.maxTokens, strategy: "last", includeSystem: true };
    const tokenCounter = counterOf(counter);
    // New messages for each counter, because the counts of calls are kept with them.
    const ofLangchain = plain.map(langchain);
    let trimmed;
    const time = await median(async () => {
      trimmed = await trimMessages(ofLangchain, { ...options, tokenCounter });
    });
    add(`trimMessages (${counter.name})`, time, fromLangchain(trimmed), counter, before);
    const converted = await median(() => trimMessages(plain.map(langchain), { ...options, tokenCounter }));
    add(`trimMessages, from plain messages (${counter.name})`, converted, fromLangchain(trimmed), counter, before);
  }

  const before = tokensOf(plain, quarter);
  let pruned;
  const half = { messages: ofAISDK, toolCalls: `before-last-${ofAISDK.length >> 1}-messages` };
  const time = await median(() => {
    pruned = pruneMessages(half);
  });
  add("pruneMessages, older calls (counts nothing)", time, aiSdk.from(pruned).messages, quarter, before);
}

const names = [...new Set(rows.map(({ name }) => name))];
const cell = (name, size) => rows.find((row) => row.name === name && row.size === size);
const width = Math.max(...names.map((name) => name.length));
console.log(`\nTrimming to half of the tokens, milliseconds (in brackets: how many times faster than trimMessages)`);
console.log(
  `${"messages".padEnd(width)} ${SIZES.map((size) => String(size).padStart(20)).join("")}   times from 1,000 to 10,000`,
);
for (const name of names) {
  const counter = /\((.*)\)/.exec(name)[1];
  const cells = SIZES.map((size) => {
    const { time } = cell(name, size);
    const from = name.includes(", from plain") ? ", from plain messages" : "";
    const theirs = cell(`trimMessages${from} (${counter})`, size);
    return `${time.toFixed(2)}${theirs ? ` (${(theirs.time / time).toFixed(1)})` : ""}`.padStart(20);
  });
  console.log(
    `${name.padEnd(width)} ${cells.join("")}   ${(cell(name, 10_000).time / cell(name, 1_000).time).toFixed(1)}`,
  );
}
console.log(`\nWhat is left: messages, share of the tokens, problems that our lint finds (torn pairs)`);
for (const name of names) {
  const cells = SIZES.map((size) => {
    const { messages, kept, torn } = cell(name, size);
    return `${messages}, ${(kept * 100).toFixed(1)} %, ${torn}`.padStart(24);
  });
  console.log(`${name.padEnd(width)} ${cells.join("")}`);
}
console.log("Mastra's TokenLimiter is left out: it takes 239 MB to install.");

// The costs of the recorded runs as chats that are managed before every request: with the rule of `worthIt`, with the rules of
// other systems, and with the best choice in hindsight. The sizes and pauses are recorded; a summary has 15 % of the tokens that
// it replaces, at most 800. `RUNS=10` measures the first ten runs only, `PRICES=1/0.02` uses these prices.

import { readFileSync } from "node:fs";
import { Conversation, clearToolResults, lastNMessages } from "turnfold";
import { bill } from "turnfold/audit";
import { applyPlan, planHistory } from "turnfold/chat";
import { cheapestFolds } from "./folds.mjs";

const GRID = [
  [1.25, 0.1],
  [1, 0.1],
  [1, 0.02],
];
const KEPT = 4;
const OUTPUT = 5;
/** Tokens of the instructions for a summary. */
const INSTRUCTION = 250;

/** A counter that reads the count from the text: `#7;` has seven tokens. */
const sizes = {
  name: "sizes",
  method: "exact",
  count: (text) => [...text.matchAll(/#(\d+);/g)].reduce((sum, [, tokens]) => sum + Number(tokens), 0),
};

const SYSTEM = { "claude-code-entire": 20_000, "pi-mono": 3000, openhands: 3000, "tau-bench-airline": 3000 };

/** Segments between the summaries that the recorded client made itself: messages, pauses, and the numbers of equal calls. */
function segments() {
  const file = new URL("../../tests/corpora/recorded-runs.jsonl", import.meta.url);
  const found = [];
  for (const line of readFileSync(file, "utf8").trim().split("\n")) {
    const { source, run, messages } = JSON.parse(line);
    let segment = [];
    for (const message of messages) {
      if (message[5] === 1) {
        found.push({ name: `${source} ${run}`, source, recorded: segment });
        segment = [];
      }
      segment.push(message);
    }
    found.push({ name: `${source} ${run}`, source, recorded: segment });
  }
  return found.filter(({ recorded }) => recorded.filter(([kind]) => kind === "a").length >= 10).map(chatOf);
}

function chatOf({ name, source, recorded }) {
  const messages = [{ role: "system", content: `system #${SYSTEM[source] ?? 0};` }];
  const idle = [0];
  let calls = 0;
  let open = [];
  for (const [index, [kind, tokens, made, callTokens, gap]] of recorded.entries()) {
    const content = `${index} #${tokens};`;
    idle.push(gap ?? 0);
    if (kind === "t" && open.length > 0) {
      const { id, name } = open.shift();
      messages.push({ role: "tool", toolCallId: id, toolName: name, content });
      continue;
    }
    open = [];
    const answered = recorded.slice(index + 1, index + 1 + made.length).every(([next]) => next === "t");
    if (kind !== "a") messages.push({ role: kind === "s" ? "system" : "user", content });
    else if (made.length === 0 || !answered)
      messages.push({ role: "assistant", content: `${index} #${tokens + callTokens};` });
    else {
      const args = { input: `#${Math.round(callTokens / made.length)};` };
      const toolCalls = made.map((number) => ({ id: `c${calls++}`, name: `run${number}`, args }));
      open = toolCalls.slice();
      messages.push({ role: "assistant", content, toolCalls });
    }
  }
  return { name, messages, idle };
}

/** The tokens of each request when the history is managed with these parameters before it, and the cost of summaries. */
function replay({ messages, idle }, parametersAt) {
  const requests = [];
  const summaries = [];
  const folded = new Set();
  let [conversation, at, pause, repeated, asks] = [new Conversation(), 0, 0, 0, 0];
  for (const [index, message] of messages.entries()) {
    at += 1000 * idle[index];
    pause += idle[index];
    if (message.role === "assistant" && requests.length >= 0 && conversation.messages.length > 1) {
      const context = requests.length === 0 ? {} : { idleSeconds: pause };
      const parameters = parametersAt(conversation, requests.length);
      if (parameters !== null) {
        const plan = planHistory(conversation, { minMessages: 0, counter: sizes, ...parameters }, context);
        const texts = plan.requests.map(({ covers, messages: request }) => {
          const covered = covers.reduce((sum, place) => sum + plan.messages[place].tokens, 0);
          const output = Math.min(800, Math.ceil(0.15 * covered));
          const isBehind = request.length > 2;
          if (isBehind) requests.push({ messages: withInstruction(request), at, output });
          else summaries.push({ messages: `summary #${covered + INSTRUCTION};`, output });
          asks++;
          return `#${output};`;
        });
        const applied = applyPlan(plan, texts);
        for (const { fate, index: place } of applied.report.messages) {
          const message = conversation.messages[place];
          if (fate === "stubbed") folded.add(message.toolName);
          else if (fate !== "kept") for (const { name } of message.toolCalls ?? []) folded.add(name);
        }
        conversation = applied.conversation;
      }
      for (const { name } of message.toolCalls ?? []) if (folded.has(name)) repeated++;
      requests.push({ messages: conversation.messages, at });
      pause = 0;
    }
    conversation = conversation.append(message);
  }
  return { requests, summaries, repeated, asks };
}

const withInstruction = (messages) => [...messages.slice(0, -1), { role: "user", content: `#${INSTRUCTION};` }];

const tokensOf = (conversation) =>
  conversation.messages.reduce((sum, { content }) => sum + sizes.count(String(content)), 0);

const strategy = { compressionStrategy: lastNMessages(KEPT) };
const settings = (prices) => ({
  none: () => null,
  "every request": () => strategy,
  "every 10 requests": (_, request) => (request % 10 === 9 ? strategy : null),
  "threshold 150k": (conversation) => (tokensOf(conversation) > 150_000 ? strategy : null),
  "watermark 60k, 0.7": () => ({ maxTokens: { limit: 60_000, target: 0.7 }, onOverflow: "send" }),
  worthIt: () => ({ ...strategy, when: "worthIt", prices }),
  "worthIt, behind": () => ({ ...strategy, when: "worthIt", prices, summaryRequest: "behind" }),
  "clearToolResults, worthIt": () => ({ compressionStrategy: clearToolResults(), when: "worthIt", prices }),
});

const chats = segments().slice(0, Number(process.env.RUNS ?? Number.POSITIVE_INFINITY));
const count = chats.reduce((sum, { messages }) => sum + messages.filter(({ role }) => role === "assistant").length, 0);
console.log(`\n${chats.length} recorded chats, ${count} requests, keep ${KEPT}: cost relative to no compression`);
for (const [cacheWrite, cacheRead] of GRID) {
  if (process.env.PRICES !== undefined && process.env.PRICES !== `${cacheWrite}/${cacheRead}`) continue;
  const prices = { cacheWrite, cacheRead, output: OUTPUT, granularity: 1 };
  const rows = {};
  let none;
  for (const [name, parametersAt] of Object.entries(settings(prices))) {
    const costs = [];
    const total = { read: 0, input: 0, summaries: 0, repeated: 0, requests: 0 };
    for (const chat of chats) {
      const { requests, summaries, repeated, asks } = replay(chat, parametersAt);
      const sent = bill(requests, prices, { counter: sizes });
      const summaryBill = bill(summaries, prices, { counter: sizes });
      costs.push(sent.cost + summaryBill.cost);
      total.read += sent.read;
      total.input += sent.read + sent.written + sent.fresh;
      total.summaries += asks;
      total.repeated += repeated;
    }
    none ??= costs;
    rows[name] = row(costs, none, total);
  }
  const best = chats.map((chat) => bestInHindsight(chat, prices));
  rows["best in hindsight"] = row(best, none, null);
  console.log(`\nwrite ${cacheWrite}, read ${cacheRead}`);
  console.table(rows);
}

function row(costs, none, total) {
  const sum = (numbers) => numbers.reduce((left, right) => left + right, 0);
  const ratios = costs.map((cost, index) => cost / none[index]).sort((left, right) => left - right);
  const digits = (number) => Number(number.toFixed(3));
  const figures = {
    total: digits(sum(costs) / sum(none)),
    median: digits(ratios[ratios.length >> 1]),
    worst: digits(ratios.at(-1)),
    "dearer than none": digits(ratios.filter((ratio) => ratio > 1.0001).length / ratios.length),
  };
  if (total === null) return figures;
  const { input, read, summaries, repeated } = total;
  return { ...figures, known: digits(read / input), summaries, "calls made again": repeated };
}

/** The cheapest folds of a chat with the same strategy, when the whole chat is known beforehand. */
function bestInHindsight({ messages, idle }, prices) {
  const around = 4;
  const size = ({ content, toolCalls = [] }) =>
    around +
    sizes.count(String(content)) +
    toolCalls.reduce((sum, { args }) => sum + sizes.count(args.input) + around, 0);
  const sums = [0];
  for (const message of messages) sums.push(sums.at(-1) + size(message));
  const places = [];
  const pauses = [];
  let pause = 0;
  for (const [index, { role }] of messages.entries()) {
    pause += idle[index];
    if (role !== "assistant" || index < 2) continue;
    places.push(index);
    pauses.push(pause);
    pause = 0;
  }
  const head = 3 + sums[1];
  // The messages that a fold at a request keeps: the last ones by the strategy, before those that wait for an answer.
  const cut = (request) => Math.max(1, places[request] - KEPT - 1);
  const summary = (covered) => Math.min(800, Math.ceil(0.15 * covered));
  return cheapestFolds({
    requests: places.length,
    cold: (request) => request > 0 && 1000 * pauses[request] > 300_000,
    sent: (request, fold) =>
      fold === null
        ? { head, state: 0, tail: sums[places[request]] - sums[1] }
        : {
            head,
            state: around + summary(sums[cut(fold)] - sums[1]),
            tail: sums[places[request]] - sums[cut(fold)],
          },
    price: (fold, before) => {
      const covered =
        before === null
          ? sums[cut(fold)] - sums[1]
          : summary(sums[cut(before)] - sums[1]) + sums[cut(fold)] - sums[cut(before)];
      return prices.cacheWrite * (covered + INSTRUCTION) + OUTPUT * summary(covered);
    },
    canFold: (fold, before) => cut(fold) > (before === null ? 1 : cut(before)),
    prices,
    minimum: 1024,
  });
}

// Builds conversations with the sizes in tests/corpora/recorded-runs.jsonl and replays them: a host that gives the whole
// history each time manages it before each request.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import {
  applyPlan,
  Conversation,
  chunked,
  clearToolResults,
  fromTimestamp,
  lastNMessages,
  planHistory,
  retrieveFacts,
  TurnfoldError,
  wholeHistory,
  wholeHistoryMultipleSystemMessages,
} from "turnfold/chat";

const WORDS = "the of and to in is that for it was on are as with be by this from at or not an but we can".split(" ");

/** A text of about `tokens` tokens, different for each seed. */
function text(tokens, seed) {
  const words = [`${seed}:`];
  for (let index = 2; index < tokens; index++) words.push(WORDS[(seed * 7 + index * index) % WORDS.length]);
  return words.join(" ");
}

/** The recorded runs: `{ name, messages }`. */
export function recordedRuns() {
  const file = new URL("../corpora/recorded-runs.jsonl", import.meta.url);
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line) => {
    const { source, run, messages } = JSON.parse(line);
    return { name: `${source} ${run}`, source, messages: messagesOf(messages).map(timed) };
  });
}

/** Sets the timestamp to a second after the previous message. */
const timed = (message, index) => ({ ...message, timestamp: index * 1000 });

function messagesOf(recorded) {
  let calls = 0;
  const open = [];
  return recorded.map(([kind, tokens, made, callTokens], index) => {
    const content = text(tokens, index);
    if (kind === "t" && open.length > 0) return { role: "tool", toolCallId: open.shift(), toolName: "run", content };
    if (kind !== "a") return { role: kind === "s" ? "system" : "user", content };
    // The next request drops calls without results.
    open.length = 0;
    if (made.length === 0 || !isAnswered(recorded, index, made.length)) return { role: "assistant", content };
    const args = { input: text(Math.max(1, Math.round(callTokens / made.length) - 6), index) };
    const toolCalls = made.map(() => ({ id: `c${calls++}`, name: "run", args }));
    open.push(...toolCalls.map(({ id }) => id));
    return { role: "assistant", content: tokens === 0 ? "" : content, toolCalls };
  });
}

function isAnswered(recorded, index, count) {
  return recorded.slice(index + 1, index + 1 + count).every(([kind]) => kind === "t");
}

/** The parameters of each strategy, by name. */
export const strategies = {
  none: {},
  "clearToolResults(3)": { compressionStrategy: clearToolResults({ keep: 3 }) },
  "lastNMessages(20)": { compressionStrategy: lastNMessages(20) },
  "chunked(20)": { compressionStrategy: chunked(20) },
  "wholeHistory()": { compressionStrategy: wholeHistory() },
  "wholeHistoryMultipleSystemMessages()": { compressionStrategy: wholeHistoryMultipleSystemMessages() },
  "retrieveFacts(2)": {
    compressionStrategy: retrieveFacts([{ name: "files" }, { name: "errors", description: "what failed, and why" }]),
  },
  "fromTimestamp(message 40)": { compressionStrategy: fromTimestamp(40_000) },
  "clearToolResults(3), lastNMessages(20)": { compressionStrategy: [clearToolResults({ keep: 3 }), lastNMessages(20)] },
};

/**
 * Replays a run and checks the properties of every request.
 *
 * @returns the number of requests, of requests that could not fit, of tokens sent, and of those tokens that are a prefix of the
 * previous request.
 */
export function replay({ name, messages }, parameters, { step = 1 } = {}) {
  const total = { requests: 0, refused: 0, sent: 0, shared: 0 };
  let before = [];
  let request = 0;
  let conversation = new Conversation();
  for (const [index, { role }] of messages.entries()) {
    if (role !== "assistant" || index === 0 || request++ % step > 0) continue;
    // Appending shares the messages in memory with the previous conversation.
    conversation = conversation.append(...messages.slice(conversation.messages.length, index));
    const where = `${name}, request ${request}, ${JSON.stringify(parameters)}`;
    const managed = manage(conversation, parameters, where);
    if (managed === null) {
      total.refused++;
      before = [];
      continue;
    }
    check(conversation, managed, parameters, where);
    const now = managed.conversation.messages.map((message) => JSON.stringify(message));
    const sizes = sizesOf(managed);
    const same = now.findIndex((message, place) => message !== before[place]);
    total.requests++;
    total.sent += sum(sizes);
    if (before.length > 0) total.shared += sum(sizes.slice(0, same < 0 ? now.length : same));
    before = now;
  }
  return total;
}

function manage(conversation, parameters, where) {
  try {
    const plan = planHistory(conversation, parameters);
    return applyPlan(
      plan,
      plan.requests.map((_, place) => `Summary ${place}: all is well, and this is what was found.`),
    );
  } catch (error) {
    assert.ok(TurnfoldError.isInstance(error) && error.code === "request_over_budget", `${where}: ${error.stack}`);
    assert.ok(error.details.needed > error.details.most, where);
    return null;
  }
}

function check(conversation, { conversation: after, report }, parameters, where) {
  const { messages } = conversation;
  assert.equal(report.messages.length, messages.length, where);
  const { limit: max = Number.POSITIVE_INFINITY } = parameters.maxTokens ?? {};
  assert.ok(report.tokens.after <= max, `${where}: ${report.tokens.after} of ${max}`);
  const { limit: size = Number.POSITIVE_INFINITY } = parameters.maxHistorySize ?? {};
  assert.ok(after.messages.length <= size, where);
  assert.equal(after.lint().length, 0, where);
  const kept = report.messages.filter(({ fate }) => fate === "kept" || fate === "stubbed").length;
  assert.equal(after.messages.length, kept + report.inserted, where);
  for (const [index, { role }] of messages.entries()) {
    if (role === "system") assert.equal(report.messages[index].fate, "kept", where);
  }
  // The question and the last round stay unchanged.
  const last = messages.length - 1;
  const question = messages.findLastIndex(({ role }) => role === "user");
  if (messages[last].role !== "assistant") {
    assert.equal(report.messages[last].fate, "kept", where);
    if (question >= 0) assert.equal(report.messages[question].fate, "kept", where);
  }
  const first = after.messages.find(({ role }) => role !== "system");
  const isCut = report.messages.some(({ fate }) => fate === "dropped" || fate === "summarized");
  if (isCut && messages.some(({ role }) => role === "user")) assert.equal(first.role, "user", where);
  // Managing the result again changes nothing.
  const again = planHistory(after, parameters);
  if (again.outcome !== "summarize")
    assert.ok(
      again.messages.every(({ fate }) => fate === "kept" || fate === "stubbed"),
      where,
    );
}

/** The tokens of the messages that are sent: from the report for kept messages, estimated for the others. */
function sizesOf({ conversation, report }) {
  const kept = report.messages.filter(({ fate }) => fate === "kept").map(({ tokens }) => tokens);
  return conversation.messages.map(({ summary, content }) =>
    summary === undefined && kept.length > 0 ? kept.shift() : Math.ceil(String(content).length / 4),
  );
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

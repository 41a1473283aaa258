// Properties of managing any history with any strategy and limit, through the package.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  applyPlan,
  Conversation,
  countMessages,
  estimate,
  manageHistory,
  planHistory,
  TurnfoldError,
} from "turnfold/chat";
import { share } from "./random.mjs";
import { pairsOf, randomChat } from "./random-chats.mjs";

const RUNS = share(600);

/** The estimate as a counter of the host. */
const asHost = { name: "estimate", method: "estimate", count: (text) => estimate.count(text) };

const ERRORS = ["missing_timestamp", "max_tokens_below_system", "pins_over_limit", "request_over_budget"];

function managed(conversation, parameters, context) {
  try {
    const plan = planHistory(conversation, parameters, context);
    return {
      plan,
      ...applyPlan(
        plan,
        plan.requests.map(() => "s"),
      ),
    };
  } catch (error) {
    assert.ok(TurnfoldError.isInstance(error), error.stack);
    return { error };
  }
}

const limitOf = (given) => given?.limit ?? given;

/** The members of a message that no stub changes. */
const withoutContent = ({ toolCalls = [], ...message }) => ({
  ...message,
  content: 0,
  toolCalls: toolCalls.map(({ id, name }) => ({ id, name })),
});

const stays = ({ fate }) => fate === "kept" || fate === "stubbed";

function check({ messages, parameters, context }, where) {
  const conversation = new Conversation({ messages });
  const before = JSON.stringify(conversation);
  const made = managed(conversation, parameters, context);
  assert.equal(JSON.stringify(conversation), before, where);
  if (made.error !== undefined) {
    assert.ok(ERRORS.includes(made.error.code), `${where}: ${made.error.message}`);
    return made;
  }
  const { plan, conversation: next, report } = made;
  // Every message has one fate, and messages that stay keep their order.
  assert.deepEqual(
    report.messages.map(({ index }) => index),
    messages.map((_, index) => index),
  );
  const left = report.messages.filter(stays);
  const own = next.messages.filter(
    (message) => message.summary === undefined || conversation.messages.includes(message),
  );
  assert.equal(own.length, left.length, where);
  own.forEach((message, place) => {
    const { index, fate } = left[place];
    const source = conversation.messages[index];
    if (fate === "kept") assert.equal(message, source, where);
    else assert.deepEqual(withoutContent(message), withoutContent(source), where);
  });
  assert.equal(next.messages.length, left.length + report.inserted, where);
  for (const [call, result] of pairsOf(messages)) {
    assert.equal(
      stays(report.messages[call]),
      stays(report.messages[result]),
      `${where}: ${call} and ${result} are torn`,
    );
  }
  messages.forEach(({ role, pinned }, index) => {
    if (role === "system" || role === "developer" || pinned) assert.equal(report.messages[index].fate, "kept", where);
  });
  report.messages.forEach((fate, index) => {
    if (fate.reason !== "maxTokens" && fate.reason !== "maxHistorySize")
      assert.deepEqual(fate, plan.messages[index], where);
  });
  // The report agrees with the messages, which are within the limits.
  const { request = [], tools } = context;
  const requested = Array.isArray(request) ? request : [request];
  const sent = [...next.messages, ...requested];
  assert.equal(countMessages(sent, { tools }).total, report.tokens.after, where);
  assert.equal(countMessages([...messages, ...requested], { tools }).total, report.tokens.before, where);
  assert.ok(!(report.tokens.after > limitOf(parameters.maxTokens)), where);
  assert.ok(!(sent.length > limitOf(parameters.maxHistorySize)), where);
  return made;
}

test("pairs stay whole, messages are accounted for, limits hold, and managing again changes nothing", () => {
  const outcomes = new Map();
  for (let seed = 1; seed <= RUNS; seed++) {
    const chat = randomChat(seed);
    const { error, conversation, report } = check(chat, `seed ${seed}`);
    const outcome = error?.code ?? report.outcome;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    // A message without a timestamp has that of the message before it, which may be removed.
    if (error !== undefined || chat.messages.some(({ timestamp }) => timestamp === undefined)) continue;
    const again = managed(conversation, chat.parameters, chat.context);
    assert.match(again.report?.outcome ?? again.error.message, /^(?:unchanged|skipped)$/, `seed ${seed}`);
    assert.equal(again.conversation, conversation, `seed ${seed}`);
  }
  for (const outcome of ["unchanged", "skipped", "applied", "trimmed", "request_over_budget", "pins_over_limit"]) {
    assert.ok(outcomes.get(outcome) > RUNS / 100, `${outcome}: ${outcomes.get(outcome)}`);
  }
});

test("the result is the same for every counter, with and without caching, and however the conversation was built", async () => {
  for (let seed = 1; seed <= RUNS; seed++) {
    const { random, messages, parameters, context } = randomChat(seed);
    const made = managed(new Conversation({ messages }), parameters, context);
    const facts = ({ plan, conversation, report, error }) => ({
      plan,
      messages: conversation?.messages,
      report,
      error: error && [error.code, error.message],
    });
    const expected = facts(made);
    const half = random.below(messages.length + 1);
    const start = new Conversation({ messages: messages.slice(0, half) });
    start.lint();
    const appended = start.append(...messages.slice(half));
    for (const [conversation, more] of [
      [new Conversation({ messages }), { counter: asHost }],
      [appended, {}],
      [appended, { counter: asHost }],
      [Conversation.fromJSON(JSON.stringify(appended)), {}],
    ]) {
      assert.deepEqual(facts(managed(conversation, { ...parameters, ...more }, context)), expected, `seed ${seed}`);
    }
    assert.deepEqual(appended.lint(), new Conversation({ messages }).lint(), `seed ${seed}`);
    if (made.error !== undefined) continue;
    const driven = await manageHistory(appended, parameters, { ...context, llm: () => "s", onWarning: () => {} });
    assert.deepEqual(facts({ ...driven, plan: made.plan }), expected, `seed ${seed}`);
    // The managed conversation equals a new one of the same messages.
    const { conversation } = driven;
    const fresh = Conversation.fromJSON(JSON.stringify(conversation));
    assert.deepEqual(conversation.lint(), fresh.lint(), `seed ${seed}`);
    assert.equal(
      planHistory(conversation, {}).tokens.before,
      countMessages(conversation.messages).total,
      `seed ${seed}`,
    );
  }
});

test("managing adds no lint problems", () => {
  for (let seed = 1; seed <= RUNS; seed++) {
    const { messages, parameters, context } = randomChat(seed);
    const conversation = new Conversation({ messages });
    const { conversation: next, report } = managed(conversation, parameters, context);
    if (next === undefined) continue;
    const problems = new Set(conversation.lint().map(({ kind, index }) => `${kind} ${index}`));
    const left = report.messages.filter(stays);
    const isNew = (message) => message.summary !== undefined && !conversation.messages.includes(message);
    let place = 0;
    const sources = next.messages.map((message) => (isNew(message) ? null : left[place++].index));
    for (const { kind, index } of next.lint()) {
      const source = sources[index];
      assert.notEqual(source, null, `seed ${seed}`);
      // Which of these rules a result breaks depends on the other messages.
      const rules = kind.includes("result") ? ["orphan_result", "result_before_call", "duplicate_result"] : [kind];
      const known = rules.some((rule) => problems.has(`${rule} ${source}`));
      assert.ok(known, `seed ${seed}: ${kind} at ${source}`);
    }
  }
});

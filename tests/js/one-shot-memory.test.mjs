// Memory of the wasm in loops without tasks, in which garbage collection frees no handles. A file of its own, because
// the memory of an instance never shrinks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Conversation, lastNMessages, Renderer, Turn, toMessages } from "turnfold";
import { applyPlan, countMessages, planHistory } from "turnfold/chat";
import { memoryBytes } from "./wasm-memory.mjs";

const MB = 2 ** 20;
const text = "The order left the warehouse on Monday. ";
const messagesOf = (count, number) =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `${number}.${index}: ${text.repeat(4)}`,
  }));
const turnOf = (number) => Turn.success({ program: `(def x ${number})`, memory: { x: number }, prints: [text] });

/** A call by its number, with what it makes; the number of calls, and the megabytes that all of them may take. */
const LOOPS = {
  countMessages: { call: (number) => countMessages(messagesOf(2, number)), times: 12_000, most: 1 },
  "Conversation.lint": {
    call: (number) => new Conversation({ messages: messagesOf(2, number) }).lint(),
    times: 12_000,
    most: 8,
  },
  planHistory: {
    call: (number) => planHistory(new Conversation({ messages: messagesOf(2, number) }), { maxTokens: 1000 }),
    times: 12_000,
    most: 12,
  },
  applyPlan: {
    call(number) {
      const plan = planHistory(new Conversation({ messages: messagesOf(12, number) }), {
        compressionStrategy: lastNMessages(2),
        minMessages: 0,
      });
      applyPlan(
        plan,
        plan.requests.map(() => "They spoke of an order."),
      ).conversation.lint();
    },
    times: 6000,
    most: 16,
  },
  "toMessages without turns": { call: () => toMessages([], null, { mission: "Find" }), times: 12_000, most: 1 },
  "toMessages of new turns": {
    call: (number) => toMessages([turnOf(number), turnOf(number + 1)], null, { mission: "Find" }),
    times: 12_000,
    most: 12,
  },
  Renderer: {
    call(number) {
      const renderer = new Renderer({ mission: "Find" });
      for (let turn = 0; turn < 5; turn++) renderer.push(turnOf(number));
      renderer.render();
    },
    times: 6000,
    most: 32,
  },
  "Turn.fromJSON": { call: (number) => Turn.fromJSON(JSON.stringify(turnOf(number))), times: 12_000, most: 12 },
  "countMessages of a long list": { call: (number) => countMessages(messagesOf(2000, number)), times: 60, most: 8 },
  "Conversation.lint of long ones": {
    call: (number) => new Conversation({ messages: messagesOf(2000, number) }).lint(),
    times: 300,
    most: 120,
  },
  "append and lint of long ones": {
    call(number) {
      const long = new Conversation({ messages: messagesOf(2000, number) });
      long.lint();
      long.append({ role: "user", content: "Where?" }).lint();
    },
    times: 300,
    most: 32,
  },
};

for (const [name, { call, times, most }] of Object.entries(LOOPS)) {
  test(`a loop without tasks keeps little memory: ${name}`, () => {
    call(-1);
    const before = memoryBytes();
    for (let number = 0; number < times; number++) call(number);
    const grown = (memoryBytes() - before) / MB;
    if (process.env.SHOW) console.log(name, grown.toFixed(1), "MB");
    assert.ok(grown <= most, `it grew by ${grown.toFixed(1)} MB`);
  });
}

test("objects whose handles were freed work as before", () => {
  const conversation = new Conversation({ messages: messagesOf(12, 1) });
  const parameters = { compressionStrategy: lastNMessages(2), minMessages: 0 };
  const plan = planHistory(conversation, parameters);
  const turns = [turnOf(1), turnOf(2)];
  const renderer = new Renderer({ mission: "Find" }, turns);
  const rendered = renderer.render();
  const again = toMessages(turns, null, { mission: "Find" });
  for (let number = 0; number < 4000; number++) {
    planHistory(new Conversation({ messages: messagesOf(12, number) }), parameters);
    toMessages([turnOf(number)], null, { mission: "Find" });
  }
  const applied = applyPlan(
    plan,
    plan.requests.map(() => "They spoke of an order."),
  );
  assert.equal(applied.report.outcome, "applied");
  assert.equal(applied.conversation.messages.length, 3);
  assert.deepEqual(applied.conversation.lint(), []);
  assert.deepEqual(renderer.render().messages, rendered.messages);
  assert.ok(rendered.sections.length > 0);
  assert.deepEqual(rendered.dropped, again.dropped);
  renderer.push(turnOf(3));
  assert.equal(
    renderer.render().messages.length,
    toMessages([...turns, turnOf(3)], null, { mission: "Find" }).messages.length,
  );
});

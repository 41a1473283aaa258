// Applies the strategies to three recorded conversations with summaries written by hand. A hundred messages become fewer than
// ten, and tokens fall by at least 60 % in conversations of fifty messages or more.

import assert from "node:assert/strict";
import { after, suite, test } from "node:test";
import {
  applyPlan,
  chunked,
  clearToolResults,
  fromTimestamp,
  lastNMessages,
  manageHistory,
  planHistory,
  retrieveFacts,
  wholeHistory,
} from "turnfold/chat";
import { recorded } from "./recorded-chats.mjs";

const quiet = { onWarning: () => {} };

/** The strategies for which there are summaries: name, strategy, and the answers to a plan's requests. */
function cases({ summaries }) {
  const { wholeHistory: whole, lastNMessages: before, chunked: chunks, fromTimestamp: since = {} } = summaries;
  const facts = summaries.retrieveFacts;
  return [
    ["wholeHistory()", wholeHistory(), () => [whole]],
    ...Object.keys(before).map((n) => [`lastNMessages(${n})`, lastNMessages(Number(n)), () => [before[n]]]),
    ["chunked(10)", chunked(10), () => chunks[10]],
    ["chunked(20)", chunked(20), (requests) => inPairs(chunks[10], requests.length)],
    ...Object.keys(since).map((time) => [
      `fromTimestamp(${time.slice(5, 16)})`,
      fromTimestamp(time),
      () => [since[time]],
    ]),
    [
      "retrieveFacts()",
      retrieveFacts(facts.map(({ facts: _, ...concept }) => concept)),
      () => facts.map((it) => it.facts),
    ],
    ["clearToolResults(), wholeHistory()", [clearToolResults(), wholeHistory()], () => [whole]],
  ];
}

/** Joins the summaries of two chunks as that of one chunk of twice the size. */
function inPairs(texts, count) {
  assert.equal(Math.ceil(texts.length / 2), count);
  return Array.from({ length: count }, (_, index) => texts.slice(2 * index, 2 * index + 2).join("\n"));
}

/** The strategies that leave fewer than ten of a hundred messages; the others keep ten, or summarize every ten. */
const MAKES_FEW = ["wholeHistory()", "lastNMessages(5)", "chunked(20)", "retrieveFacts()"];

const rows = [];

for (const chat of recorded) {
  const { name, conversation, backAndForth } = chat;
  const { length } = conversation.messages;
  suite(`the ${name} conversation, ${length} messages`, () => {
    test("is valid, and its summaries name no id that it does not have", () => {
      assert.ok(length >= 50);
      assert.deepEqual(conversation.lint(), []);
      const said = JSON.stringify(conversation.messages);
      const ids = JSON.stringify(chat.summaries).match(/\b[A-Z]{1,5}-\d[\w-]*/g) ?? [];
      for (const id of ids) assert.ok(said.includes(id), id);
    });

    for (const [label, strategy, answersOf] of cases(chat)) {
      test(label, async () => {
        const parameters = { compressionStrategy: strategy };
        const plan = planHistory(conversation, parameters);
        const answers = answersOf(plan.requests);
        assert.equal(answers.length, plan.requests.length);
        const { conversation: shorter, report } = applyPlan(plan, answers);
        const saved = 1 - report.tokens.after / report.tokens.before;
        rows.push([name, label, length, shorter.messages.length, report.tokens.before, report.tokens.after, saved]);

        assert.equal(report.outcome, "applied");
        if (name === "support" && MAKES_FEW.includes(label)) {
          assert.equal(length, 100);
          assert.ok(shorter.messages.length < 10, `${shorter.messages.length} messages`);
        }
        assert.ok(saved >= 0.6, `${report.tokens.before} tokens became ${report.tokens.after}`);
        assert.deepEqual(shorter.lint(), []);
        assert.deepEqual(backAndForth(shorter).lint(), []);
        assert.deepEqual(
          report.messages.map(({ index }) => index),
          conversation.messages.map((_, index) => index),
        );
        // The current question is kept.
        assert.equal(shorter.messages.at(-1), conversation.messages.at(-1));

        const keyOf = (messages) => JSON.stringify(messages);
        const known = new Map(plan.requests.map(({ messages }, index) => [keyOf(messages), answers[index]]));
        const llm = ({ messages }) => known.get(keyOf(messages));
        const managed = await manageHistory(conversation, parameters, { llm, ...quiet });
        assert.deepEqual(managed.conversation.messages, shorter.messages);
        assert.deepEqual(managed.report, { ...report, llmCalls: plan.requests.length });
      });
    }

    test("maxTokens of half of its tokens holds without a model", () => {
      const before = planHistory(conversation, { maxHistorySize: 1000 }).tokens.before;
      const { conversation: shorter, report } = applyPlan(
        planHistory(conversation, { maxTokens: Math.floor(before / 2) }),
        [],
      );
      assert.equal(report.outcome, "trimmed");
      assert.ok(report.tokens.after <= before / 2);
      assert.deepEqual(shorter.lint(), []);
      assert.deepEqual(backAndForth(shorter).lint(), []);
    });
  });
}

after(() => {
  const cells = ([name, label, messages, left, tokens, kept, saved]) =>
    `${name.padEnd(9)} ${label.padEnd(35)} ${`${messages} → ${left}`.padStart(10)} messages ` +
    `${`${tokens} → ${kept}`.padStart(14)} tokens, ${(saved * 100).toFixed(1)} % less`;
  console.log(rows.map(cells).join("\n"));
});

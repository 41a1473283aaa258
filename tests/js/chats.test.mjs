// Runs the case files of chats through the package.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { applyPlan, Conversation, estimate, manageHistory, planHistory, TurnfoldError } from "turnfold/chat";
import { chats, errorText, linesOf, parametersOf, planText, resultOf, summariesFor } from "./chats.mjs";

/** The estimate as a counter of the host. */
const asHost = { name: "estimate", method: "estimate", count: (text) => estimate.count(text) };

function attempt(act) {
  try {
    return { value: act() };
  } catch (error) {
    assert.ok(TurnfoldError.isInstance(error), error.stack);
    return { error };
  }
}

/** Plans and applies; returns what succeeded and the error. */
function attempted(conversation, parameters, context, summaries) {
  const { value: plan, error } = attempt(() => planHistory(conversation, parameters, context));
  if (error !== undefined) return { error };
  const texts = plan.requests.length === 0 ? [] : summariesFor(plan.requests.length, summaries);
  const { value: managed, error: refused } = attempt(() => applyPlan(plan, texts));
  return { plan, texts, managed, error: refused };
}

/** The parts of a result that do not depend on the counter. */
function facts({ plan, managed, error }) {
  const { counter, ...tokens } = plan?.tokens ?? {};
  return {
    plan: plan && { ...plan, tokens },
    messages: managed?.conversation.messages,
    fates: managed?.report.messages,
    error: error && errorText(error),
  };
}

for (const { name, title, lines: first, context, tries } of chats()) {
  suite(`${name}: ${title}`, () => {
    let lines = first;
    for (const one of tries) {
      const start = one.isContinued ? null : first;
      test(one.heading, async () => {
        lines = start ?? lines;
        lines = lines.concat(linesOf(one.added, lines.at(-1)?.message.timestamp));
        const conversation = new Conversation({ messages: lines.map(({ message }) => message) });
        lines = lines.map((line, index) => ({ ...line, sent: conversation.messages[index] }));
        const before = JSON.stringify(conversation);
        const parameters = parametersOf(one.given);
        const made = attempted(conversation, parameters, context, one.summaries);
        const { plan, texts, managed, error } = made;
        assert.equal(plan && planText(plan), one.plan);
        assert.equal(error && errorText(error), one.error);
        if (one.requests.length > 0) {
          assert.deepEqual(
            plan.requests.map(({ messages }) => messages[1].content),
            one.requests,
          );
        }
        const result = managed && resultOf(lines, managed, plan);
        assert.equal(result?.text, one.result);

        const warned = [];
        const sentRequests = [];
        const llm = ({ messages, purpose }) => {
          sentRequests.push({ messages, purpose });
          return texts[plan.requests.findIndex((request, place) => place >= sentRequests.length - 1 && request)];
        };
        const options = { ...context, llm, onWarning: (warning) => warned.push(warning) };
        const driven = await manageHistory(conversation, parameters, options).catch((error) => ({ error }));
        if (error === undefined) {
          assert.deepEqual(driven, managed);
          assert.deepEqual(warned, managed.report.warnings);
          assert.deepEqual(
            sentRequests.map(({ messages }) => messages),
            plan.requests.map(({ messages }) => messages),
          );
        } else {
          assert.equal(driven.error.code, error.code, driven.error.message);
          assert.equal(driven.error.details.problem, error.details.problem);
        }

        // The result is the same with a host's counter, and for a conversation built in two steps or from JSON.
        const others = [
          [conversation, parameters.counter === undefined ? { counter: asHost } : {}],
          [
            new Conversation({ messages: lines.slice(0, 3).map(({ message }) => message) }).append(
              ...conversation.messages.slice(3),
            ),
            {},
          ],
          [Conversation.fromJSON(JSON.parse(before)), {}],
        ];
        for (const [same, more] of others) {
          const again = attempted(same, { ...parameters, ...more }, context, one.summaries);
          assert.deepEqual(facts(again), facts(made));
        }
        assert.equal(JSON.stringify(conversation), before);
        lines = result?.lines ?? lines;
      });
    }
  });
}

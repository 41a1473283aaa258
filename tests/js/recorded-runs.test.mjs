// Replays one recorded run of each source, request by request. `npm run bench` replays all runs.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { applyPlan, Conversation, planHistory } from "turnfold/chat";
import { recordedRuns, replay, strategies } from "./recorded-runs.mjs";

const runs = recordedRuns();
const sample = [...new Map(runs.toReversed().map((run) => [run.source, run])).values()];
const requestsOf = ({ messages }) => messages.filter(({ role }) => role === "assistant").length;

const limits = {
  "maxTokens 16,000": { maxTokens: { limit: 16_000 } },
  "maxHistorySize 40": { maxHistorySize: { limit: 40 } },
};

for (const [strategy, parameters] of Object.entries(strategies)) {
  suite(strategy, () => {
    for (const [limit, more] of Object.entries(limits)) {
      for (const run of sample) {
        test(`${limit}: ${run.name}`, () => {
          const { requests, refused } = replay(
            run,
            { ...parameters, ...more },
            { step: Math.ceil(requestsOf(run) / 25) },
          );
          assert.ok(requests + refused > 0);
          assert.ok(refused <= requests / 4, `${refused} of ${requests + refused} did not fit`);
        });
      }
    }
  });
}

test("requests share their prefix with the previous request, although the host gives the whole history each time", () => {
  for (const run of sample) {
    const before = replay(run, { maxTokens: { limit: 16_000, target: 1 } });
    const now = replay(run, { maxTokens: { limit: 16_000 } });
    const known = now.shared / now.sent;
    assert.ok(known >= before.shared / before.sent, run.name);
    assert.ok(known >= 0.7, `${run.name}: ${known}`);
  }
});

test("a cut leaves at least half of maxTokens, unless the last dropped message has more than half", () => {
  const max = 16_000;
  let cuts = 0;
  for (const { name, messages } of sample) {
    let conversation = new Conversation();
    for (const [index, { role }] of messages.entries()) {
      if (role !== "assistant" || index % 3 > 0) continue;
      conversation = conversation.append(...messages.slice(conversation.messages.length, index));
      const { report } = applyPlan(planHistory(conversation, { maxTokens: max }), []);
      if (report.outcome !== "trimmed") continue;
      cuts++;
      const last = report.messages.findLast(({ fate }) => fate === "dropped");
      assert.ok(2 * report.tokens.after >= max || 2 * last.tokens > max, `${name} at ${index}: ${report.tokens.after}`);
    }
  }
  assert.ok(cuts > 50, `${cuts} cuts`);
});

// The usage that replies report, and its sums.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Agent, Predict, Step, SubAgent } from "turnfold";

/** The usage of a chat whose replies report these usages one after the other; all but the last reply call a tool. */
async function usageOf(...usages) {
  let requestCount = 0;
  const agent = new Agent({
    tools: { now: () => "12:00" },
    llm: () => {
      const usage = usages[requestCount++];
      const toolCalls = requestCount < usages.length ? [{ id: `${requestCount}`, name: "now", args: {} }] : [];
      return { content: "Noon.", toolCalls, usage };
    },
  });
  return (await agent.chat("What time is it?")).usage;
}

suite("usage", () => {
  test("counts of several replies are added", async () => {
    assert.deepEqual(
      await usageOf(
        { inputTokens: 100, outputTokens: 5, cacheWriteTokens: 90 },
        { inputTokens: 120, outputTokens: 6, cacheReadTokens: 90, cacheWriteTokens: 20 },
        { inputTokens: 140, cacheReadTokens: 110 },
      ),
      { inputTokens: 360, outputTokens: 11, cacheWriteTokens: 110, cacheReadTokens: 200 },
    );
  });

  test("counts that are not numbers are ignored", async () => {
    const broken = { inputTokens: "9", outputTokens: -1, cacheReadTokens: null, cacheWriteTokens: Number.NaN };
    assert.deepEqual(await usageOf(broken), {});
    assert.deepEqual(await usageOf({ ...broken, cacheReadTokens: 3 }), { cacheReadTokens: 3 });
  });

  test("counts that no request can have are ignored, and the next call works", async () => {
    const agent = new Agent({ llm: () => ({ content: "Noon.", usage: { inputTokens: 1e308, outputTokens: 3 } }) });
    for (let call = 0; call < 2; call++) {
      const { usage, report } = await agent.chat("What time is it?");
      assert.deepEqual([usage, report.tokens.fixed], [{ outputTokens: 3 }, 0]);
    }
  });

  test("counts of a stream may be in several chunks", async () => {
    const llm = async function* () {
      yield { usage: { inputTokens: 100, cacheReadTokens: 60 } };
      yield "Noon.";
      yield { usage: { outputTokens: 4 } };
    };
    const { usage } = await new Agent({ llm }).chat("What time is it?");
    assert.deepEqual(usage, { inputTokens: 100, cacheReadTokens: 60, outputTokens: 4 });
  });

  test("SubAgent and Predict report cached tokens, also after saving", async () => {
    const usage = { inputTokens: 100, cacheReadTokens: 60, cacheWriteTokens: 30 };
    const step = await new SubAgent({ mission: "m", llm: () => ({ content: "(return 1)", usage }) }).run();
    for (const one of [step, Step.fromJSON(JSON.stringify(step))]) {
      const { cacheReadTokens, cacheWriteTokens } = one.usage;
      assert.deepEqual([cacheReadTokens, cacheWriteTokens], [60, 30]);
    }
    const predicted = await new Predict("question -> answer", {
      llm: () => ({ content: '{"answer": "noon"}', usage }),
    }).run({ question: "?" });
    assert.equal(predicted.usage.cacheReadTokens, 60);
  });
});

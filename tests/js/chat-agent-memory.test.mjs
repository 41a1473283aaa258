// Agents leave no memory allocated in the wasm. A file of its own, because the memory of an instance never shrinks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Agent, lastNMessages } from "turnfold";
import { memoryBytes } from "./wasm-memory.mjs";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

const counter = { name: "chars/4", method: "estimate", count: (text) => Math.ceil(text.length / 4) };

test("two thousand managed calls use no more memory than the first five hundred", { timeout: 240_000 }, async () => {
  const page = "The order left the warehouse on Monday. ".repeat(40);
  let answers = 0;
  const llm = ({ purpose, messages }) => {
    if (purpose !== "answer") return "The orders were looked up, all of them have left.";
    if (messages.at(-1).role === "tool") return `It has left, as number ${++answers} says.`;
    return { content: "", toolCalls: [{ id: `call-${answers}`, name: "lookUp", args: { order: answers } }] };
  };
  const agent = new Agent({ system: "You help.", llm, tools: { lookUp: async () => page }, onWarning: () => {} });
  const outcomes = new Set();
  const some = async (count) => {
    for (let call = 0; call < count; call++) {
      // Both token counters, a strategy, and both limits.
      const parameters =
        call % 100 < 50
          ? { compressionStrategy: lastNMessages(6), maxTokens: 4000 }
          : { maxTokens: 3000, maxHistorySize: 20, counter };
      const { report } = await agent.chat(`Where is order ${call}?`, parameters);
      outcomes.add(report.outcome);
      if (call % 100 === 0) {
        collect();
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    }
    return memoryBytes();
  };
  const before = await some(500);
  const after = await some(1500);
  assert.ok(answers >= 2000);
  assert.ok(outcomes.has("applied") && outcomes.has("trimmed"), [...outcomes].join());
  assert.ok(after <= before, `${before} bytes became ${after}`);
});

// The audit of a recording: what was billed, the fit of the tokens to the usage, and what strategies would have cost.

import assert from "node:assert/strict";
import { test } from "node:test";
import { audit, readConversation } from "turnfold/audit";

/**
 * A session of Claude Code with `rounds` calls, whose provider counts `factor` tokens for an estimated one and `fixed` tokens that are
 * in no message: `sizes` are the estimated tokens of the messages.
 */
function session(rounds, { model = "claude-opus-4-5-20251101", pause = 10_000, usageOf }) {
  let at = Date.parse("2026-01-01T10:00:00Z");
  const lines = [];
  const line = (type, message) => {
    at += pause;
    lines.push({ type, sessionId: "s", uuid: `u${lines.length}`, timestamp: new Date(at).toISOString(), message });
  };
  line("user", { role: "user", content: "Look at all parts." });
  for (let round = 0; round < rounds; round++) {
    const call = { type: "tool_use", id: `c${round}`, name: "Read", input: { file_path: `src/part-${round}.ts` } };
    line("assistant", { id: `m${round}`, model, role: "assistant", content: [call], usage: usageOf?.(round) });
    const content = `part ${round}: ${`word${round} `.repeat(400)}`;
    line("user", { role: "user", content: [{ type: "tool_result", tool_use_id: `c${round}`, content }] });
  }
  return lines.map((each) => JSON.stringify(each)).join("\n");
}

const usage = (fresh, read, written, output, hour = 0) => ({
  input_tokens: fresh,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: written,
  output_tokens: output,
  cache_creation: { ephemeral_1h_input_tokens: hour },
});

test("the bill is that of the recorded usage, at the prices of the model", () => {
  const usages = [usage(10, 0, 20_000, 100), usage(0, 20_000, 1_000, 200), usage(0, 21_000, 1_000, 100, 1_000)];
  const { billed, models, source, unpriced } = audit(readConversation(session(3, { usageOf: (at) => usages[at] })));
  assert.equal(source, "recorded");
  assert.deepEqual(unpriced, []);
  assert.deepEqual([billed.fresh, billed.read, billed.written, billed.output], [10, 41_000, 22_000, 400]);
  // Opus 4.5: input 5, read 0.5, written 6.25, written for an hour 10, output 25, for a million tokens.
  const dollars = (10 * 5 + 41_000 * 0.5 + 21_000 * 6.25 + 1_000 * 10 + 400 * 25) / 1e6;
  assert.ok(Math.abs(billed.dollars - dollars) < 1e-9);
  assert.deepEqual([models[0].model, models[0].requests], ["claude-opus-4-5-20251101", 3]);
});

test("a model without a known price has no dollars, and is named", () => {
  const text = session(3, { model: "best-model-9", usageOf: () => usage(10, 0, 20_000, 100) });
  const { billed, unpriced, unit, assumptions } = audit(readConversation(text));
  assert.deepEqual([billed.dollars, unpriced, unit], [null, ["best-model-9"], "tokens"]);
  assert.match(assumptions.join("\n"), /No price is known for best-model-9/);
});

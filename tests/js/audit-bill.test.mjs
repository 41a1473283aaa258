// The audit of a recording: what was billed, the fit of the tokens to the usage, and what strategies would have cost.

import assert from "node:assert/strict";
import { test } from "node:test";
import { audit, clearToolResults, countMessages, readConversation } from "turnfold/audit";

/**
 * A session of Claude Code with `rounds` calls, whose provider counts `factor` tokens for an estimated one and `fixed` tokens that are
 * in no message: `sizes` are the estimated tokens of the messages.
 */
function session(
  rounds,
  { model = "claude-opus-4-5-20251101", pause = 10_000, says = "", words = 400, signed, usageOf },
) {
  let at = Date.parse("2026-01-01T10:00:00Z");
  const lines = [];
  const line = (type, message) => {
    at += pause;
    lines.push({ type, sessionId: "s", uuid: `u${lines.length}`, timestamp: new Date(at).toISOString(), message });
  };
  line("user", { role: "user", content: "Look at all parts." });
  for (let round = 0; round < rounds; round++) {
    const call = { type: "tool_use", id: `c${round}`, name: "Read", input: { file_path: `src/part-${round}.ts` } };
    const said = says === "" ? [] : [{ type: "text", text: says }];
    if (signed !== undefined) said.unshift({ type: "thinking", thinking: "", signature: "s".repeat(signed(round)) });
    line("assistant", { id: `m${round}`, model, role: "assistant", content: [...said, call], usage: usageOf?.(round) });
    const content = `part ${round}: ${`word${round} `.repeat(words)}`;
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

/** The estimated tokens of the messages of each request, and the calls before it. */
function sizesOf({ chats: [{ conversation, requests }] }) {
  const { messages } = countMessages(conversation.messages);
  return requests.map(({ messages: sent }, calls) => ({
    tokens: messages.slice(0, sent).reduce((sum, size) => sum + size, 0),
    calls,
  }));
}

/** The same session with the usage of a provider that counts its own way. */
function billedSession(rounds, { factor, perCall, fixedAt, readAt, ...options }) {
  const sizes = sizesOf(readConversation(session(rounds, options)));
  let before = 0;
  const usageOf = (round) => {
    const { tokens, calls } = sizes[round];
    const signatures = Array.from({ length: round }, (_, earlier) => options.signed?.(earlier) ?? 0);
    const thinking = 0.175 * signatures.reduce((sum, length) => sum + length, 0);
    const input = Math.round(fixedAt(round) + factor * (tokens + thinking) + perCall * calls);
    const read = readAt?.(round, before) ?? before;
    before = input;
    return usage(0, read, input - read, 50);
  };
  return session(rounds, { ...options, usageOf });
}

test("the provider's tokens, those of calls and those in no message are fitted to the usage", () => {
  const text = billedSession(30, { factor: 1.25, perCall: 90, fixedAt: () => 42_000 });
  const { fit, chats, requests } = audit(readConversation(text));
  assert.equal(fit.within5, 1);
  assert.ok(fit.errors.p99 < 0.001, `${fit.errors.p99}`);
  // Equal growths can't tell the tokens of a call from those of its result: together they are exact.
  const [{ factor }] = fit.factors;
  assert.ok(Math.abs(factor - 1.25) < 0.25, `${factor}`);
  assert.ok(Math.abs(chats[0].unknown - 42_000) < 200, `${chats[0].unknown}`);
  const { parts, fresh, read, written } = requests[20];
  const sum = Object.values(parts).reduce((total, tokens) => total + tokens, 0);
  assert.ok(Math.abs(sum - (fresh + read + written)) <= 6);
  assert.ok(parts.results > parts.calls && parts.unknown > 40_000);
});

test("thinking whose text was not recorded is known by its signature", () => {
  const signed = (round) => ((round * 7) % 13) * 3000;
  const text = billedSession(30, { factor: 1.5, perCall: 0, fixedAt: () => 20_000, signed });
  const { fit, chats, requests } = audit(readConversation(text));
  assert.equal(fit.within5, 1);
  assert.ok(fit.errors.p99 < 0.005, `${fit.errors.p99}`);
  assert.ok(Math.abs(chats[0].unknown - 20_000) < 400, `${chats[0].unknown}`);
  assert.ok(Math.abs(fit.dollarRatio - 1) < 0.02, `${fit.dollarRatio}`);
  assert.ok(requests[29].parts.answers > 50_000, "it is part of the answers");
});

test("tokens in no message that change for good are fitted anew from there on, a single deviation is not", () => {
  const changed = billedSession(30, { factor: 1, perCall: 0, fixedAt: (round) => (round < 12 ? 20_000 : 31_000) });
  assert.equal(audit(readConversation(changed)).fit.within5, 1);
  // One request has 5,000 tokens more, fewer than a round adds.
  const fixedAt = (round) => (round === 4 ? 25_000 : 20_000);
  const deviating = billedSession(12, { factor: 1, perCall: 0, words: 3000, fixedAt });
  const { fit, requests } = audit(readConversation(deviating));
  assert.equal(fit.within5, 11 / 12);
  const { computed, parts, fresh, read, written } = requests[4];
  assert.ok(Math.abs(fresh + read + written - computed - 5_000) < 200, "it is computed without the deviation");
  assert.ok(Math.abs(parts.unknown - 25_000) < 200, "which stays in the tokens that are not known");
});

test("the row without a strategy is what was billed, whatever the rules of the cache give", () => {
  // The cache loses everything before every fifth request, which the times do not explain.
  const readAt = (round, before) => (round % 5 === 0 ? 0 : before);
  const text = billedSession(40, { factor: 1.1, perCall: 60, fixedAt: () => 30_000, readAt });
  const { billed, strategies, fit, requests } = audit(readConversation(text));
  const [none, digested] = strategies;
  assert.equal(none.code, "none");
  assert.ok(Math.abs(none.cost - billed.dollars) < 1e-9);
  assert.equal(none.tokens, billed.fresh + billed.read + billed.written);
  assert.ok(Math.abs(fit.dollarRatio - 1) < 0.02, `${fit.dollarRatio}`);
  // A strategy shortens the messages, never what is in no message.
  for (const [index, tokens] of digested.requests.tokens.entries()) {
    assert.ok(tokens >= 30_000 * 0.98 && tokens <= requests[index].read + requests[index].written + 400);
  }
  assert.ok(digested.cost < none.cost);
  assert.ok(digested.interval[0] <= digested.share && digested.share <= digested.interval[1]);
  assert.deepEqual(
    strategies.map(({ requests }) => requests.cost.length),
    strategies.map(() => 40),
  );
});

test("pauses that the cache survived are no breaks, and its hour is paid for", () => {
  // Ten minutes between requests: with a cache of five minutes everything would be written each time.
  const text = billedSession(20, { factor: 1, perCall: 0, fixedAt: () => 30_000, pause: 300_000 });
  assert.ok(Math.abs(audit(readConversation(text)).fit.dollarRatio - 1) < 0.02);
});

test("without usage the tokens are estimates, the dollars those of the recorded model", () => {
  const { source, billed, fit, assumptions, strategies } = audit(readConversation(session(10, { model: "gpt-5.1" })));
  assert.deepEqual([source, fit.requests, fit.within5, fit.dollarRatio], ["estimated", 0, null, null]);
  assert.match(assumptions[0], /^No usage was recorded: tokens are estimates/);
  const { fresh, read, written, output } = billed;
  // GPT-5.1: input 1.25, read 0.125, output 10; writing to the cache costs what input costs.
  assert.ok(Math.abs(billed.dollars - ((fresh + written) * 1.25 + read * 0.125 + output * 10) / 1e6) < 1e-9);
  assert.ok(Math.abs(strategies[0].cost - billed.dollars) < 1e-9);
});

test("prices that are given replace those of the model, or only the rules of its cache", () => {
  const recording = readConversation(session(3, { usageOf: () => usage(0, 0, 1_000_000, 0) }));
  assert.equal(audit(recording, { prices: { input: 2, cacheWrite: 3 } }).billed.dollars, 9);
  // Writing to Gemini's cache costs what input costs: 5 dollars for Opus 4.5.
  assert.equal(audit(recording, { prices: "gemini" }).billed.dollars, 15);
});

test("a reply that was recorded before it was complete has the output of its text", () => {
  const recording = readConversation(
    session(3, { says: "I look at it. ".repeat(20), usageOf: () => usage(0, 0, 20_000, 1) }),
  );
  const { billed, assumptions } = audit(recording);
  assert.ok(billed.output > 200, `${billed.output}`);
  assert.match(assumptions.join("\n"), /The output of 3 of 3 requests was recorded before the reply was complete/);
});

test("names that a strategy would have removed are counted, and change nothing is recommended where it is best", () => {
  const short = audit(readConversation(session(2, { usageOf: () => usage(0, 0, 20_000, 50) })));
  assert.equal(short.recommendation.code, null);
  assert.equal(short.recommendation.saved, 0);
  const lossy = {
    'compressionStrategy: clearToolResults({ keep: 1 }), when: "always"': {
      compressionStrategy: clearToolResults({ keep: 1 }),
      when: "always",
      minMessages: 0,
    },
  };
  const lines = session(12, { usageOf: () => usage(0, 0, 30_000, 50) })
    .split("\n")
    .map((line) => JSON.parse(line));
  // The last call uses a name of the first result, far behind.
  lines[2].message.content[0].content += " order_W2378156";
  lines.at(-2).message.content[0].input.file_path = "order_W2378156";
  const { strategies } = audit(readConversation(lines.map((line) => JSON.stringify(line)).join("\n")), {
    strategies: lossy,
  });
  const [none, cleared] = strategies;
  assert.deepEqual([none.names.missing, cleared.names.missing], [0, 1]);
  assert.deepEqual(
    cleared.losses.map(({ request, names }) => [request, names]),
    [[11, ["order_W2378156"]]],
  );
  assert.ok(cleared.costWithForgetting > cleared.cost);
});

test("onProgress receives each strategy, and what results could arrive shorter by has the saving of its row", () => {
  const seen = [];
  const records = JSON.stringify(
    Array.from({ length: 80 }, (_, id) => ({ id, status: "sent", city: `City ${id}` })),
    null,
    2,
  );
  const lines = session(8, { usageOf: () => usage(0, 0, 30_000, 50) })
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const line of lines) {
    const [block] = Array.isArray(line.message.content) ? line.message.content : [];
    if (block?.type === "tool_result") block.content = records.replaceAll("City", `City ${line.uuid}`);
    if (block?.type === "tool_use") block.input = { query: line.uuid };
  }
  const { arrival, strategies, tools, files } = audit(
    readConversation(lines.map((line) => JSON.stringify(line)).join("\n")),
    {
      onProgress: (code, number, of) => seen.push([code, number, of]),
    },
  );
  assert.deepEqual(seen[0], ["none", 0, 7]);
  assert.equal(seen.length, 7);
  assert.deepEqual(
    arrival.map(({ kind, results }) => [kind, results]),
    [["records", 8]],
  );
  const row = strategies.find(({ code }) => code === 'arrival: "lossless"');
  assert.ok(Math.abs(arrival[0].cost - (strategies[0].cost - row.cost)) < 1e-9);
  assert.deepEqual(
    tools.map(({ name, calls }) => [name, calls]),
    [["Read", 8]],
  );
  assert.deepEqual(files, []);
});

test("prices are found by the names that recordings give models, and by the day", () => {
  // The price of a million tokens of input, in dollars; null for a name that is not known.
  const prices = {
    "claude-opus-4-5-20251101": 5,
    "us.anthropic.claude-opus-4-5-20251101-v1:0": 5,
    "anthropic/claude-opus-4.5": 5,
    "openrouter/anthropic/claude-sonnet-4.5": 3,
    "claude-3-5-haiku-latest": 0.8,
    "anthropic.claude-3-5-haiku-20241022-v1:0": 0.8,
    "claude-sonnet-4@20250514": 3,
    "claude-4.5-sonnet-thinking": 3,
    "claude-opus-4-0": 15,
    "claude-sonnet-4-5[1m]": 3,
    "gpt-5.1-2025-11-13": 1.25,
    "gpt-5.1-codex-max": 1.25,
    "gpt-5-codex-high": 1.25,
    "openai/gpt-4o": 2.5,
    "models/gemini-2.5-pro": 1.25,
    "gemini-3-pro-preview": 2,
    "gemini-2.5-flash-lite-preview-09-2025": 0.1,
    "xai/grok-code-fast-1": 0.2,
    "grok-4-fast-reasoning": 0.2,
    "mistral-medium": 0.4,
    "deepseek/deepseek-chat": 0.28,
    "claude-opus-9": null,
    "deepseek/deepseek-chat:free": null,
    "my-gpt-5.1": null,
  };
  for (const [model, price] of Object.entries(prices)) {
    const { billed } = audit(readConversation(session(1, { model, usageOf: () => usage(100_000, 0, 0, 20) })), {
      strategies: {},
    });
    if (price === null) assert.equal(billed.dollars, null, model);
    // The 20 tokens of output cost less than a cent.
    else assert.ok(Math.abs(billed.dollars - price / 10) < 0.002, `${model}: ${billed.dollars}`);
  }
  const on = (day) => {
    const lines = session(1, { model: "gpt-5.6-luna", usageOf: () => usage(100_000, 0, 0, 20) }).replaceAll(
      "2026-01-01",
      day,
    );
    return audit(readConversation(lines), { strategies: {} }).billed.dollars;
  };
  assert.ok(Math.abs(on("2026-07-29") - (100_000 * 1 + 20 * 6) / 1e6) < 1e-9);
  assert.ok(Math.abs(on("2026-07-30") - (100_000 * 0.2 + 20 * 1.2) / 1e6) < 1e-9);
});

// Compares token counters in one run: speed, cold and warm, start-up time, and the errors of estimates. Ratios are to
// gpt-tokenizer, or to tokenx for estimates.

import { spawnSync } from "node:child_process";
import { Tokenizer } from "ai-tokenizer";
import * as peerEncoding from "ai-tokenizer/encoding/o200k_base";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { estimateTokenCount } from "tokenx";
import { estimate } from "turnfold/chat";
import { o200k } from "turnfold/tokens/o200k";
import { corpora, messages } from "../../tests/corpora/corpora.mjs";
import { seeded } from "../../tests/js/random.mjs";

const ordinary = { disallowedSpecial: new Set() };
const peer = new Tokenizer(peerEncoding);
const exact = await o200k();
const counters = {
  "turnfold o200k": (text) => exact.count(text),
  "gpt-tokenizer": (text) => countTokens(text, ordinary),
  // Its count() does the same, but refuses texts that look like a special token.
  "ai-tokenizer": (text) => peer.encode(text, [], []).length,
  "turnfold estimate": (text) => estimate.count(text),
  tokenx: (text) => estimateTokenCount(text),
};
const names = Object.keys(counters);
const bytes = (texts) => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

/** Milliseconds that each counter takes for all texts: the first time, and the median of later ones, in turn. */
function times(texts) {
  const run = (name) => {
    const start = performance.now();
    for (const text of texts) counters[name](text);
    return performance.now() - start;
  };
  const cold = names.map(run);
  const rounds = Array.from({ length: 9 }, () => names.map(run));
  const warm = names.map((_, index) => rounds.map((round) => round[index]).sort((a, b) => a - b)[4]);
  return { cold, warm };
}

/** The error that 19 of 20 texts do not exceed. */
function p95(texts, name) {
  const errors = texts.map((text) => Math.abs(counters[name](text) / exact.count(text) - 1));
  return errors.sort((a, b) => a - b)[Math.ceil(errors.length * 0.95) - 1];
}

// Warm-up, so that the engine has compiled the code; on text that is in no corpus.
for (let round = 0; round < 300; round++)
  for (const name of names) counters[name](`${round} warm up: können, 木 {"a": [1]} `);

const samples = Object.entries(corpora()).map(([kind, documents]) => [
  kind,
  messages(documents, seeded(11), { count: 80, min: 400, max: 4000 }),
]);

console.log("MB/s of UTF-8, o200k: first time, and warm; in brackets, times the speed of gpt-tokenizer\n");
console.log(["".padEnd(8), ...names.map((name) => name.padEnd(27))].join(""));
for (const [kind, texts] of samples) {
  const { cold, warm } = times(texts);
  const speed = (ms) => (bytes(texts) / 1000 / ms).toFixed(1);
  const reference = names.indexOf("gpt-tokenizer");
  const cells = names.map((_, index) => {
    const ratios = [cold, warm].map((all) => (all[reference] / all[index]).toFixed(1));
    return `${speed(cold[index])} / ${speed(warm[index])} (${ratios.join(" / ")})`.padEnd(27);
  });
  console.log([kind.padEnd(8), ...cells].join(""));
}

console.log("\nOne piece of 50,000 bytes without a break, ms; in brackets, times as fast as gpt-tokenizer\n");
const random = seeded(3);
const base64 = Array.from({ length: 50_000 }, () =>
  random.pick("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzABC"),
);
for (const [shown, text] of [
  ["50k × a", "a".repeat(50_000)],
  ["50k × =", "=".repeat(50_000)],
  ["50k letters", base64.join("").toLowerCase()],
]) {
  const took = names.map((name) => {
    const start = performance.now();
    counters[name](text);
    return performance.now() - start;
  });
  const reference = took[names.indexOf("gpt-tokenizer")];
  const cells = names.map(
    (name, index) => `${name} ${took[index].toFixed(1)} (${(reference / took[index]).toFixed(0)})`,
  );
  console.log(`${shown.padEnd(13)}${cells.join(", ")}`);
}

console.log("\nError at p95, messages of 400 characters and more, in %\n");
for (const [kind, texts] of samples) {
  const cells = names.map((name) => `${name} ${(p95(texts, name) * 100).toFixed(1)}`);
  console.log(`${kind.padEnd(8)}${cells.join(", ")}`);
}

console.log("\nFrom nothing to the first count, ms in a process of its own, less that of an empty one; median of 7\n");
const starts = {
  nothing: "",
  "turnfold o200k": 'const { o200k } = await import("turnfold/tokens/o200k"); (await o200k()).count("one");',
  "gpt-tokenizer": '(await import("gpt-tokenizer/encoding/o200k_base")).countTokens("one");',
  "ai-tokenizer":
    'const [{ Tokenizer }, encoding] = await Promise.all([import("ai-tokenizer"), import("ai-tokenizer/encoding/o200k_base")]); new Tokenizer(encoding).count("one");',
  tokenx: '(await import("tokenx")).estimateTokenCount("one");',
};
const rounds = Array.from({ length: 7 }, () =>
  Object.values(starts).map((program) => {
    const options = { cwd: import.meta.dirname, encoding: "utf8" };
    const timed = `const start = performance.now(); ${program} console.log(performance.now() - start);`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", timed], options);
    if (status !== 0) throw new Error(stderr);
    return Number(stdout);
  }),
);
const medians = Object.keys(starts).map((_, index) => rounds.map((round) => round[index]).sort((a, b) => a - b)[3]);
const [empty, ...loaded] = medians;
const reference = loaded[Object.keys(starts).indexOf("gpt-tokenizer") - 1] - empty;
for (const [index, name] of Object.keys(starts).slice(1).entries()) {
  const took = loaded[index] - empty;
  console.log(`${name.padEnd(17)}${took.toFixed(0).padStart(5)}   ${(took / reference).toFixed(2)} of gpt-tokenizer`);
}

// What the README tells its readers to copy costs hardly more than no compression, and less on long sessions: its options are read from
// its programs, and recorded sessions are billed with them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Conversation, clearToolResults, compareCosts, digest } from "turnfold/audit";
import { missions, recordedStep } from "../../benches/js/missions.mjs";
import { root } from "../../scripts/tools.mjs";
import { blocksOf } from "./documents/markdown.mjs";
import { recordedRuns } from "./recorded-runs.mjs";

const programs = blocksOf(readFileSync(`${root}/README.md`, "utf8")).filter(({ language }) => language === "js");
/** The options by their names, from the text of the programs. */
const optionsIn = (pattern) => programs.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, option]) => option));

const sum = (numbers) => numbers.reduce((left, right) => left + right, 0);
/** The cost of sessions relative to no compression. */
function relative(comparisons) {
  const cost = (wanted) =>
    sum(comparisons.map(({ strategies }) => strategies.find(({ name }) => name === wanted).cost));
  return cost("advised") / cost("none");
}

const forTurns = optionsIn(/\bcompression: (\S+?),? /g);
const forChats = optionsIn(/\bcompressionStrategy: (digest\(.*?\)|\w+\(.*?\)(?=,\s+when: "worthIt"))/g);

test("every strategy in the README has been found", () => {
  assert.equal(forTurns.length, programs.filter(({ text }) => /\bcompression:/.test(text)).length);
  assert.equal(forChats.length, programs.filter(({ text }) => /\bcompressionStrategy:/.test(text)).length);
  assert.ok(forTurns.length > 0 && forChats.length > 0);
});

for (const option of new Set(forTurns)) {
  const strategies = { none: false, advised: JSON.parse(option) };

  test(`compression: ${option} costs hardly more than no compression on the ten recorded missions`, async () => {
    const steps = await Promise.all(missions.map(recordedStep));
    const cost = relative(steps.map((step) => compareCosts(step, { strategies })));
    assert.ok(cost <= 1.03, `it costs ${cost}`);
  });
}

const make = { clearToolResults, digest };
const runs = recordedRuns().filter(({ source }) => source === "claude-code-entire");

for (const option of new Set(forChats)) {
  const [, name, options] = /^(\w+)\((.*)\)$/.exec(option);
  const given =
    options === "" ? undefined : JSON.parse(options.replace(/(\w+):/g, '"$1":').replace(/^\{ | \}$/g, (at) => at));
  const strategies = { none: {}, advised: { compressionStrategy: make[name](given), when: "worthIt" } };
  const comparisons = (lengths) =>
    runs
      .filter(({ messages }) => messages.length >= lengths)
      .slice(0, 6)
      .map(({ messages }) => compareCosts(new Conversation({ messages: messages.slice(0, lengths) }), { strategies }));

  test(`compressionStrategy: ${option} with worthIt costs at most what no compression costs on the beginnings of recorded sessions`, () => {
    const cost = relative(comparisons(40));
    assert.ok(cost <= 1.03, `it costs ${cost}`);
  });

  test(`compressionStrategy: ${option} with worthIt lowers the bill of recorded sessions of 300 messages`, () => {
    const cost = relative(comparisons(300));
    assert.ok(cost <= 0.9, `it costs ${cost}`);
  });
}

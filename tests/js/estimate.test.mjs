// The error of the estimate, by a table of bounds that may shrink but not grow.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { estimate, estimateCl100k } from "turnfold/chat";
import { cl100k } from "turnfold/tokens/cl100k";
import { o200k } from "turnfold/tokens/o200k";
import { corpora, languages, messages } from "../corpora/corpora.mjs";
import { seeded } from "./random.mjs";

const kinds = corpora();
const bounds = { prose: 0.1, json: 0.1, german: 0.1, agent: 0.1, code: 0.15, cjk: 0.15 };
const counters = [
  { guess: estimate, exact: await o200k() },
  { guess: estimateCl100k, exact: await cl100k() },
];

/** The 95th percentile of the errors. */
function p95(errors) {
  return errors.sort((a, b) => a - b)[Math.ceil(errors.length * 0.95) - 1];
}

const percent = (share) => `${(share * 100).toFixed(1)} %`;

for (const { guess, exact } of counters) {
  describe(`the estimate against ${exact.name}`, () => {
    for (const [kind, bound] of Object.entries(bounds)) {
      test(`messages of ${kind}: within ${percent(bound)}`, (context) => {
        const texts = messages(kinds[kind], seeded(1), { count: 400, min: 400, max: 5000 });
        const counts = texts.map((text) => [guess.count(text), exact.count(text)]);
        const error = p95(counts.map(([guessed, truth]) => Math.abs(guessed / truth - 1)));
        const bias = counts.reduce((sum, [guessed, truth]) => sum + guessed / truth, 0) / counts.length;
        context.diagnostic(`p95 ${percent(error)}, mean ratio ${bias.toFixed(3)}`);
        assert.ok(error <= bound, `p95 ${percent(error)}`);
      });
    }

    for (const text of languages()) {
      test(`a paragraph in another language is within 20 %: ${text.slice(0, 20)}`, (context) => {
        const error = Math.abs(guess.count(text) / exact.count(text) - 1);
        context.diagnostic(percent(error));
        assert.ok(error <= 0.2, percent(error));
      });
    }

    for (const [name, some] of [
      ["agents' turns", ["agent"]],
      ["English", ["prose", "code", "json", "agent"]],
      ["every kind", Object.keys(bounds)],
    ]) {
      const bound = 0.05;
      test(`histories of 20 messages of ${name}: within ${percent(bound)}`, (context) => {
        const random = seeded(2);
        const errors = Array.from({ length: 400 }, () => {
          let [guessed, truth] = [0, 0];
          for (let index = 0; index < 20; index++) {
            const [text] = messages(kinds[random.pick(some)], random, { count: 1, min: 20, max: 5000 });
            guessed += guess.count(text);
            truth += exact.count(text);
          }
          return Math.abs(guessed / truth - 1);
        });
        const error = p95(errors);
        context.diagnostic(`p95 ${percent(error)}`);
        assert.ok(error <= bound, `p95 ${percent(error)}`);
      });
    }
  });
}

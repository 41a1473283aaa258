// Clocks of hosts may go back, jump or stand still, and tests replace clocks and timers.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import { Agent, Lisp, lastNMessages, manageHistory, Predict, Step, SubAgent } from "turnfold";
import { SummaryStore } from "turnfold/chat";

const own = { date: Date.now, performance: performance.now };

/** Replaces both clocks by one that moves by these milliseconds at each look, again and again. */
function setClock(moves) {
  let [time, look] = [own.date(), 0];
  const next = () => {
    time += moves[look++ % moves.length];
    return time;
  };
  Date.now = next;
  performance.now = next;
}

afterEach(() => {
  Date.now = own.date;
  performance.now = own.performance;
});

const CLOCKS = {
  "goes back by 1 ms": [-1],
  "goes back by an hour and on": [-3_600_000, 3_600_001],
  "stands still": [0],
  "jumps by a year": [31_536_000_000, -31_536_000_000],
  "is beyond every date": [1e300],
};

const worthIt = { compressionStrategy: lastNMessages(2), when: "worthIt", maxTokens: 4000 };

for (const [name, moves] of Object.entries(CLOCKS)) {
  test(`every call ends as usual with a clock that ${name}`, async () => {
    setClock(moves);
    const agent = new Agent({
      llm: ({ messages }) =>
        messages.at(-1).role === "user"
          ? { content: "", toolCalls: [{ id: "1", name: "search", args: {} }] }
          : { content: "Done.", usage: { inputTokens: 10 } },
      tools: { search: async () => "found" },
      summaryStore: new SummaryStore(),
      onWarning: () => {},
    });
    for (let call = 0; call < 3; call++) assert.equal((await agent.chat("Where?", worthIt)).text, "Done.");

    const lisp = new Lisp({ tools: { search: async () => "found" } });
    const { ok, error, toolCalls } = await lisp.run("(tool/search {}) (count (str (Date.)))");
    assert.equal(ok || error.kind === "timeout", true, JSON.stringify(error));
    for (const { durationMs = 0 } of toolCalls) assert.ok(durationMs >= 0);

    const run = await new SubAgent({
      mission: "Find",
      tools: { search: async () => "found" },
      compression: "journal",
      maxTurns: 3,
      llm: ({ turn }) => (turn === 1 ? "```clojure\n(def x (tool/search {}))\n```" : "```clojure\n(return x)\n```"),
    }).run();
    // A program whose clock has jumped may have run out of time.
    assert.equal(run.ok || run.fail.reason === "max_turns_exceeded", true, JSON.stringify(run.fail));
    assert.ok(run.usage.durationMs >= 0);
    // What was recorded with such a clock can be read again.
    assert.equal(Step.fromJSON(JSON.stringify(run)).turns.length, run.turns.length);

    const answer = await new Predict("question -> answer", { llm: () => '{"answer": "42"}' }).run({
      question: "6 * 7",
    });
    assert.equal(answer.outputs.answer, "42");
    assert.ok(answer.usage.durationMs >= 0);
  });
}

test("a program yields to other tasks when the clock stands still", async () => {
  setClock([0]);
  const controller = new AbortController();
  setImmediate(() => controller.abort());
  const { error } = await new Lisp({ limits: { fuel: 1e12, loopIterations: 1e12 } }).run(
    "(loop [i 0] (recur (inc i)))",
    { signal: controller.signal },
  );
  assert.equal(error.kind, "aborted");
});

test("calls need no timers", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout", "setInterval", "setImmediate", "Date"] });
  const { value } = await new Lisp({ limits: { loopIterations: 1e9 } }).run(
    "(loop [i 0] (if (< i 1000000) (recur (inc i)) i))",
  );
  assert.equal(value, 1_000_000);
  const agent = new Agent({ llm: () => "Hello.", summaryStore: new SummaryStore(), onWarning: () => {} });
  for (const question of ["A?", "B?", "C?"]) assert.equal((await agent.chat(question, worthIt)).text, "Hello.");
  const { report } = await manageHistory(
    agent.conversation,
    { compressionStrategy: lastNMessages(1), minMessages: 0 },
    { llm: () => "Hi.", summaryStore: new SummaryStore(), onWarning: () => {} },
  );
  assert.equal(report.llmCalls, 1);
});

test("only one module of the package reads clocks", () => {
  const folder = join(import.meta.dirname, "..", "..", "js");
  const readers = readdirSync(folder, { recursive: true }).filter((name) => {
    if (!name.endsWith(".ts")) return false;
    const code = readFileSync(join(folder, name), "utf8").replace(/^\s*(?:\*|\/\/).*$/gm, "");
    return /\bDate\.now\(|\bperformance\.now\(|new Date\(\)/.test(code);
  });
  assert.deepEqual(readers, [join("boundary", "clock.ts")]);
});

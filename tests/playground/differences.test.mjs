// The changes of a plan in messages, line by line.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { countCalls } from "./calls.mjs";
import { load } from "./page.mjs";

const { differencesFrom } = await load("differences", "turns/differences.ts");

const message = (role, content) => ({ role, content, sections: [] });
const shown = ({ blocks }) =>
  blocks.flatMap(({ kind, lines }) =>
    lines.map(({ text, isRole }) => `${{ same: " ", added: "+", removed: "-" }[kind]}${isRole ? "# " : ""}${text}`),
  );

describe("differencesFrom", () => {
  const [system, question, result, last] = [
    message("system", "You help."),
    message("user", "Where?"),
    message("tool", "one\ntwo\nthree"),
    message("assistant", "There."),
  ];

  it("lists kept, removed and new messages, and the changed lines of a message", () => {
    const cleared = message("tool", "one\nthree");
    const summary = message("user", "In short.");
    const made = differencesFrom([system, question, result, last], [system, summary, cleared, last], [0, null, 2, 3]);
    assert.deepEqual(shown(made), [
      " # system",
      " You help.",
      "+# user",
      "+In short.",
      "-# user",
      "-Where?",
      " # tool",
      " one",
      "-two",
      " three",
      " # assistant",
      " There.",
    ]);
    assert.deepEqual([made.added.lines, made.removed.lines, made.isMatched], [1, 2, true]);
  });

  it("marks lines that are at another place, as often as both sides have them", () => {
    const lines = (...texts) => [message("tool", ["first line", ...texts, "last line"].join("\n"))];
    const made = differencesFrom(lines("moved", "moved", "stays", "}"), lines("stays", "}", "moved", "fresh"), [0]);
    const marked = made.blocks.flatMap(({ kind, lines }) =>
      lines.filter(({ isMoved }) => isMoved).map(({ text }) => `${kind} ${text}`),
    );
    assert.deepEqual(marked, ["removed moved", "added moved"]);
    assert.deepEqual([made.added.lines, made.removed.lines, made.moved.lines], [1, 1, 1]);
  });

  it("keeps the order of both sides when lines of one side are between common lines", () => {
    // Some lines occur on one side only, and some are repeated.
    const pick = (seed, own) => Array.from({ length: 60 }, (_, at) => ["a", "b", "}", "", own][((at * seed) % 13) % 5]);
    for (let seed = 1; seed < 12; seed++) {
      const [old, now] = [pick(seed, "old"), pick(seed + 3, "now")].map((lines) => message("tool", lines.join("\n")));
      const { blocks, isMatched } = differencesFrom([old], [now], [0]);
      const textOf = (gone) =>
        blocks
          .filter(({ kind }) => kind !== gone)
          .flatMap(({ lines }) => lines.map(({ text }) => text))
          .join("\n");
      assert.equal(isMatched, true);
      assert.equal(textOf("added"), `tool\n${old.content}`);
      assert.equal(textOf("removed"), `tool\n${now.content}`);
    }
  });

  it("has no difference when every message stayed, and only differences when none did", () => {
    const all = [system, question];
    assert.deepEqual(
      differencesFrom(all, all, [0, 1]).blocks.map(({ kind }) => kind),
      ["same"],
    );
    assert.deepEqual(
      differencesFrom(all, [], []).blocks.map(({ kind }) => kind),
      ["removed"],
    );
    assert.deepEqual(
      differencesFrom([], all, [null, null]).blocks.map(({ kind }) => kind),
      ["added"],
    );
    assert.deepEqual(differencesFrom([], [], []).blocks, []);
  });

  it("compares each of 20,000 messages with its counterpart only", (context) => {
    const before = Array.from({ length: 20_000 }, (_, index) =>
      message("user", `${"Some words.\n".repeat(4)}${index}`),
    );
    const after = before.map((each, index) =>
      index < 10_000 && index % 2 === 0 ? message("user", `cleared ${index}`) : each,
    );
    const { result, calls } = countCalls(() => differencesFrom(before, after, [...before.keys()]));
    context.diagnostic(`${calls} calls`);
    assert.equal(result.added.lines, 5000);
    assert.ok(calls > 0 && calls < 1_200_000, `${calls} calls`);
  });
});

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { formatTrace, printTrace, SubAgent } from "turnfold";
import { refuses } from "./refuses.mjs";
import { scripted } from "./scripted.mjs";

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are escape sequences.
const COLOURS = /\u001B\[\d+m/g;

/** The columns of a line on a terminal, counted independently of the library. */
function columns(line) {
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    if (/^[\u200B\u200D]$/.test(segment)) continue;
    width += /[\u3000-\u9FFF\uAC00-\uD7A3\uFF01-\uFF60]|\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(segment)
      ? 2
      : 1;
  }
  return width;
}

/** Asserts that every line has the width of the boxes. */
function fits(text, width = 80) {
  for (const line of text.replace(COLOURS, "").split("\n")) {
    assert.equal(columns(line), width, line);
    assert.match(line, /^[╭│╰].*[╮│╯]$/u);
  }
}

suite("a trace", () => {
  const agent = new SubAgent({
    mission: "Find a lamp",
    compression: true,
    tools: {
      search: ["(q :string) -> [:string]", async () => ["desk lamp", "wall lamp"]],
      broken: () => {
        throw new Error("out of order");
      },
      free: () => null,
    },
    llm: scripted(
      'I search.\n\n```clojure\n(def found (tool/search "lamp"))\n(println "found" (count found))\n```',
      { content: "```clojure\n(tool/broken)\n```", usage: { inputTokens: 100, outputTokens: 5, cacheReadTokens: 60 } },
      "I do not know.",
      "(tool/free 1 :two) (return found)",
    ),
  });
  let step;
  const lines = (options) => formatTrace(step, options).split("\n");

  test("shows programs and their results", async () => {
    step = await agent.run();
    const text = formatTrace(step);
    fits(text);
    for (const words of [
      "─ Turn 1 ok ─",
      '(def found (tool/search "lamp"))',
      'search({:q "lamp"}) => ["desk lamp" "wall lamp"] (',
      "output:",
      "found 2",
      "─ Turn 2 failed ─",
      "broken()  ; failed: out of order",
      "Hint: to go on without it, catch it: ",
      "(no program)",
      "free(1 :two) => nil",
      "─ Return ─",
    ]) {
      assert.ok(text.includes(words), `${words} is not in\n${text}`);
    }
    assert.ok(!text.includes("I search.") && !text.includes("\u001B") && !text.includes("tokens"));
  });

  test("view compressed shows the messages of the last turn", () => {
    const text = formatTrace(step, { view: "compressed" });
    fits(text);
    assert.deepEqual(
      [...text.matchAll(/╭─ (\w+) /g)].map(([, role]) => role),
      ["system", "user", "assistant", "Return"],
    );
    assert.match(text, /FINAL|Turns left: 2/);
    assert.ok(text.includes(";; Tool calls made:"));
  });

  test("raw adds each unchanged reply once", () => {
    const text = formatTrace(step, { raw: true });
    fits(text);
    assert.ok(text.includes("I search.") && text.includes("I do not know."));
    assert.equal(text.split("(def found").length, 2);
  });

  test("usage adds tokens, times and compression statistics", () => {
    const text = formatTrace(step, { usage: true });
    fits(text);
    for (const row of [
      /turns {13}4 /,
      /tool calls {8}3 /,
      /time {14}\d/,
      /input tokens {6}100 \(60 from the cache\)/,
      /output tokens {5}5 /,
      /compression {7}single-user-coalesced/,
      /prints shown {6}\d of \d/,
    ]) {
      assert.match(text, row);
    }
  });

  test("usage has no row for what the model does not report", async () => {
    const llm = () => ({ content: "(return 1)", usage: { inputTokens: 7 } });
    const text = formatTrace(await new SubAgent({ mission: "m", llm }).run(), { usage: true });
    assert.match(text, /input tokens {6}7 {2}/);
    assert.doesNotMatch(text, /output tokens/);
  });

  test("has the same columns in colour", () => {
    const coloured = formatTrace(step, { color: true, usage: true, raw: true });
    assert.match(coloured, COLOURS);
    assert.equal(coloured.replace(COLOURS, ""), formatTrace(step, { usage: true, raw: true }));
    for (const line of coloured.split("\n")) {
      const codes = line.match(COLOURS) ?? [];
      assert.equal(codes.length % 2, 0, "a colour ends on its line");
    }
  });

  test("is written to the console without colour when it is not a terminal", () => {
    const { log } = console;
    const written = [];
    console.log = (text) => written.push(text);
    try {
      printTrace(step, { color: false });
      printTrace(step, { color: true, usage: true });
    } finally {
      console.log = log;
    }
    assert.deepEqual(
      written.map((text) => text.includes("\u001B")),
      [false, true],
    );
  });

  test("refuses unknown options", () => {
    refuses(() => formatTrace(step, { view: "all" }), "invalid_option");
    refuses(() => formatTrace(step, { raw: "yes" }), "invalid_option");
    refuses(() => formatTrace(step, { colour: true }), "invalid_option");
    refuses(() => formatTrace(step, null), "invalid_option");
    assert.ok(lines({}).length > 20);
  });
});

suite("the columns of a trace", () => {
  const shown = async (print, more = {}) => {
    const llm = scripted(
      `\`\`\`clojure\n(println ${JSON.stringify(print)})\n(return ${JSON.stringify(print.slice(0, 200))})\n\`\`\``,
    );
    return formatTrace(await new SubAgent({ mission: "m", llm, ...more }).run(), { raw: true });
  };

  test("count wide characters, marks and emoji", async () => {
    for (const text of [
      "日本語のとても長い文章です、「引用」もあります。".repeat(10),
      "한국어 문장입니다. ".repeat(20),
      "e\u0301a\u0308o\u0302".repeat(60),
      "👩‍👩‍👧‍👦 family ❤️ 👍🏽 🇫🇷 ".repeat(20),
      "ＦＵＬＬ width！".repeat(20),
      "x".repeat(1000),
      "a\tb\r\nc\rd",
    ]) {
      fits(await shown(text));
    }
  });

  test("escape control sequences of the terminal", async () => {
    const text = await shown("\u001B[31mred\u001B[0m \u001B]0;title\u0007 \b\b\b\u0000 \u202Eesrever \u009B5m");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for control characters.
    assert.doesNotMatch(text, /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/);
    assert.match(text, /␛\[31mred/);
    fits(text);
  });

  test("hold for long titles and long texts", async () => {
    const compression = { name: "roles", toMessages: () => [{ role: "role".repeat(60), content: "日".repeat(300) }] };
    const step = await new SubAgent({
      mission: "m",
      compression,
      llm: scripted("(println (apply str (range 2000))) (return 1)"),
    }).run();
    fits(formatTrace(step, { view: "compressed" }));
    const many = await shown("line\n".repeat(300));
    fits(many);
    assert.match(many, /… \d+ more lines/);
  });
});

suite("a trace of", () => {
  test("nested agents has their turns in inner boxes, in full", async () => {
    const llm = ({ messages, turn }) => {
      const mission = messages[1].content;
      if (mission.startsWith("Inner"))
        return turn < 12 ? `(println "inner turn ${turn} ${"日".repeat(60)}")` : "(return :done)";
      return mission.startsWith("Middle") ? "(return (tool/inner {}))" : "(return (tool/middle {}))";
    };
    const inner = new SubAgent({ mission: "Inner", maxTurns: 12 });
    const middle = new SubAgent({ mission: "Middle", tools: { inner } });
    const step = await new SubAgent({ mission: "Outer", tools: { middle }, llm }).run();
    const text = formatTrace(step, { usage: true, raw: true });
    fits(text);
    assert.equal((text.match(/Turn \d+ ok/g) ?? []).length, 14);
    assert.match(text, /│ │ ╭─ Turn 12 ok ─+╮ │ │/);
  });

  test("a run that failed says why", async () => {
    const step = await new SubAgent({ mission: "m", maxTurns: 1, llm: () => "(foo)" }).run();
    const text = formatTrace(step, { usage: true });
    fits(text);
    assert.match(text, /╭─ Fail ─/);
    assert.match(text, /unbound_var: `foo` is not defined/);
    assert.match(text, /compression {7}off/);
  });

  test("a run without turns has a box for its outcome", async () => {
    const failed = await new SubAgent({ mission: "m", llm: () => "(fail :no)" }).run();
    const offline = () => {
      throw new Error("offline");
    };
    for (const step of [
      await new SubAgent({ mission: "m", llm: offline }).run(),
      await new SubAgent({ mission: "m", llm: offline }).run({ data: failed }),
      await new SubAgent({ mission: "m", signature: "(n :int) -> :int", llm: offline }).run(),
    ]) {
      for (const view of ["turns", "compressed"]) {
        const text = formatTrace(step, { view, raw: true, usage: true });
        fits(text);
        assert.match(text, /╭─ Fail ─/);
      }
    }
  });
});

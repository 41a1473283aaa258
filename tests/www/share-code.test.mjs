// The programs and tests that the page gives run as they are, and give what it shows to the byte.

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts that would be code where they are not escaped.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { root } from "../../scripts/tools.mjs";
import { eventually } from "./eventually.mjs";
import { linkTo } from "./link.mjs";
import { visit } from "./visit.mjs";

const run = promisify(execFile);

/** A project that has installed the package. */
let project;

before(async () => {
  project = await mkdtemp(join(tmpdir(), "turnfold-shared-"));
  await mkdir(join(project, "node_modules"));
  await symlink(root, join(project, "node_modules", "turnfold"), "junction");
  await writeFile(join(project, "package.json"), '{ "type": "module" }');
});

after(() => rm(project, { recursive: true }));

let lastFile = 0;

async function saved(text, ending) {
  const path = join(project, `file-${++lastFile}${ending}`);
  await writeFile(path, text);
  return path;
}

const MARK = "════ end of a program ════";

/** What each of some programs prints that stand alone in the project. */
async function printed(programs) {
  const paths = await Promise.all(programs.map((program) => saved(program, ".mjs")));
  const all = paths.map((path) => `await import(${JSON.stringify(path)});\nconsole.log(${JSON.stringify(MARK)});\n`);
  const main = await saved(all.join(""), ".mjs");
  const { stdout } = await run(process.execPath, [main], { cwd: project, maxBuffer: 1 << 28 });
  return stdout.split(`${MARK}\n`).slice(0, -1);
}

/** Runs test files; fails when one fails. */
async function passes(...tests) {
  const paths = await Promise.all(tests.map((test) => saved(test, ".test.mjs")));
  const { NODE_TEST_CONTEXT, ...env } = process.env;
  const { stdout } = await run(process.execPath, ["--test", "--test-reporter=tap", ...paths], { cwd: project, env });
  assert.match(stdout, new RegExp(`^# pass ${tests.length}$`, "m"));
}

const fails = (...tests) =>
  assert.rejects(passes(...tests), ({ stdout }) => new RegExp(`^# fail ${tests.length}$`, "m").test(stdout));

const textOf = (messages) => messages.map(({ role, text }) => `── ${role}\n${text}\n\n`).join("");

/** Gathers what the page gives for what it shows, and runs all of it at the end. */
class Gathered {
  shown = [];
  programs = [];
  tests = [];

  /** Takes what is shown now, as a program and, where it is wanted, as a test. */
  async take(visitor, isTested = true) {
    this.shown.push(textOf(await visitor.allMessages()));
    this.programs.push(await visitor.share("Copy as code"));
    if (isTested) this.tests.push(await visitor.share("Copy as test"));
  }

  async check() {
    assert.deepEqual(await printed(this.programs), this.shown);
    if (this.tests.length > 0) await passes(...this.tests);
  }
}

const strategies = ["single-user-coalesced", "rolling-window", "per-turn-summary", "aggressive", "none"];

describe("code and tests give the messages of the page to the byte", () => {
  for (const id of ["shopping", "emails", "travel", "logs", "orders", "reviews", "expenses"]) {
    it(`of the example ${id}, with every strategy`, () =>
      visit({ fragment: `#example=${id}&tab=turns` }, async (visitor) => {
        const gathered = new Gathered();
        for (const strategy of strategies) {
          await visitor.choose(strategy);
          await gathered.take(visitor, strategy === "none");
        }
        await gathered.check();
      }));
  }

  it("with every option", () =>
    visit({}, async (visitor, page) => {
      const gathered = new Gathered();
      for (const [label, text] of [
        ["Prints", "1"],
        ["Tool calls", "2"],
        ["Sample items", "1"],
        ["Sample chars", "10"],
        ["Print chars", "20"],
      ]) {
        await visitor.field(label).fill(text);
      }
      await page.getByLabel("Tool results").check();
      await visitor.toggleGroup("System prompt");
      await page.locator("#systemPrompt").fill("Be ``brief``.\r\nUse ${data}, \\n and `code`.");
      await gathered.take(visitor);
      await visitor.choose("rolling-window");
      await visitor.field("Turns kept").fill("3");
      await gathered.take(visitor);
      await visitor.choose("aggressive");
      await visitor.field("Token budget").fill("60");
      await gathered.take(visitor);
      await gathered.check();
    }));

  it("with every kind of value, names of all sorts, and failures", async () => {
    const values = `{:keyword :ab? :set #{1 2 :three "four"} :float 3.0 :negative -0.0 :ratio 2.5 :big 123456789012345678901234567890
 :nothing nil :yes true :text "Zeile 1\\nZeile 2 \`\${x}\` \\\\ \\" 👩‍👩‍👧‍👦" :nested {"string key" [1 [2 {:deep #{}}]] 7 "seven" nil 1}
 :empty [] :map {} :inf ##Inf :date #inst "2026-03-02T10:30:00Z" :__proto__ {:__proto__ 1} :re-x #"a+" :var #'foo :one-1 "one" :a-b {:constructor 1}}`;
    const turns = [
      {
        program: "(def a 1)\n; `${injected}` \\u0041 */ // <!--",
        memory: `{:a ${values} :b 2 :constructor 3}`,
        result: values,
        prints: ["``` and\r\nreturns", "\u0000\u0007\u2028\ufeff\u202e", "single ` ${y}"],
        calls: [
          { name: "look-up", args: values, result: values },
          { name: "look-up", args: "[1 2]", result: "#{}", error: "" },
          { name: "broken", args: "{}", error: "it `failed`\nwith ${this}" },
        ],
        functions: [
          { name: "f?", params: "a & rest", doc: 'Says "yes" or `no`', returns: "boolean" },
          { name: "g", params: "", doc: "", returns: "" },
        ],
      },
      { success: false, reason: "type_error", message: "bad `x`\nsecond ${line}", hint: "do \\ that", program: "(f" },
      { success: false, reason: "", message: "no program", reply: "I can't do that.\n\n```\nnothing\n```" },
      {
        program: "(def b 5)",
        memory: "{:b #{:x} :a 1}",
        functions: [{ name: "f?", params: "b", doc: "Another", returns: "integer" }],
        result: "nil",
        reply: "Here:\n```clojure\n(def b 5)\n```\nDone.",
      },
      { program: "(println 1)", prints: ["1"], result: "nil" },
    ];
    const state = {
      mission: "Mission\r\nwith `ticks` and ${holes}\\",
      data: values,
      tools: [{ name: "look-up", signature: "(of :any) -> :any", description: "Says `${what}`\\" }, { name: "broken" }],
      signature: "() -> {answer :string}",
      fields: [{ path: "answer", description: "One `word`" }],
      toolResults: true,
      turns,
    };
    for (const state_ of [state, { ...state, turns: turns.slice(0, 2) }, { ...state, turns: turns.slice(1, 3) }]) {
      await visit({ fragment: await linkTo(state_) }, async (visitor, page) => {
        await eventually.equal(() => page.locator(".problem-list li").count(), 0);
        const gathered = new Gathered();
        for (const strategy of strategies) {
          await visitor.choose(strategy);
          await gathered.take(visitor, state_ === state);
        }
        await gathered.check();
      });
    }
  });

  it("without turns, and after turns have run", async () => {
    const gathered = new Gathered();
    await visit({ fragment: await linkTo({ mission: "Begin" }) }, (visitor) => gathered.take(visitor));
    await visit({ fragment: "#example=expenses&tab=run" }, async (visitor, page) => {
      await page.locator("#run-agent").click();
      await visitor.sees("The agent returned after 4 turns.");
      await visitor.showTab("Turns");
      for (const strategy of strategies) {
        await visitor.choose(strategy);
        await gathered.take(visitor);
      }
    });
    await gathered.check();
  });

  it("and a test fails for other messages", () =>
    visit({ fragment: "#example=logs" }, async (visitor) => {
      const test = await visitor.share("Copy as test");
      await fails(test.replace("number: 1,", "number: 2,").replace("Worst minutes", "Best minutes"));
      await fails(test.replace("FINAL TURN", "LAST TURN"));
    }));

  it("is refused while something can’t be read", () =>
    visit({}, async (visitor) => {
      await visitor.toggleTurn(1);
      await visitor.write("Memory of turn 1", "{");
      await visitor.press("Share");
      for (const label of ["Copy as code", "Copy as test"]) {
        await visitor.press(label);
        await visitor.sees("Something can’t be read: mend what is marked first.");
      }
    }));
});

describe("a chat as code and as a test gives the result of the page to the byte", () => {
  const take = async (results, visitor) => {
    const code = await visitor.share("Copy as code");
    const test = await visitor.share("Copy as test");
    const shown = await visitor.copies(() => visitor.press("Copy the result as Turnfold"));
    results.shown.push(`${shown}\n`);
    results.programs.push(code);
    results.tests.push(test);
  };

  it("with each strategy, limits, and summaries by hand", () =>
    visit({ fragment: "#example=support&tab=chat" }, async (visitor, page) => {
      const results = new Gathered();
      for (const strategy of [
        "lastNMessages",
        "wholeHistory",
        "chunked",
        "fromTimestamp",
        "wholeHistoryMultipleSystemMessages",
        "retrieveFacts",
        "clearToolResults",
        "none",
      ]) {
        await visitor.choose(strategy);
        await take(results, visitor);
      }
      await visitor.choose("lastNMessages");
      await page.getByLabel("Clear old tool results first").check();
      await visitor.field("Messages kept").fill("11");
      await visitor.toggleGroup("Limits");
      await visitor.field("maxTokens").fill("1200");
      await visitor.field("reserveTokens").fill("100");
      await visitor.field("maxHistorySize").fill("9");
      await visitor.choose("always");
      await visitor.choose("anthropic");
      await visitor.toggleGroup("Summaries");
      await visitor.field("Prompt").fill("Say it `short`,\nin ${one} line.");
      await visitor.choose("assistant");
      await visitor.choose("You");
      await visitor.press("Share");
      await visitor.press("Copy as code");
      await visitor.sees(/1 of 1 summary text is missing/);
      await page.keyboard.press("Escape");
      await visitor.field("Summary for request 1").fill("By hand:\r\n`${all}` \\ of it");
      await take(results, visitor);
      await visitor.choose("a share of the window");
      await visitor.field("Share").fill("0.5");
      await visitor.field("Window").fill("4000");
      await take(results, visitor);
      await results.check();
    }));

  const anthropic = {
    system: "Be brief.",
    messages: [
      { role: "user", content: "Look it up" },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "t1", name: "search", input: { q: "`${x}`", ["__proto__"]: 1 } }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "Found\nit" }] },
      { role: "assistant", content: "Done" },
      { role: "user", content: "Thanks" },
    ],
  };
  const openai = [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "Hello" },
        { type: "image_url", image_url: { url: "https://a.example/b.png" } },
      ],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: '{"a": 1.0}' } }],
    },
    { role: "tool", tool_call_id: "c1", content: "42" },
    { role: "assistant", content: "It is 42" },
  ];
  const vercel = [
    { role: "user", content: "Hello" },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "f", input: { a: 1 } }] },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "c1", toolName: "f", output: { type: "text", value: "42" } }],
    },
    { role: "assistant", content: [{ type: "text", text: "It is 42" }] },
    { role: "user", content: "And now?" },
    { role: "assistant", content: "Still 42" },
    { role: "user", content: "Thanks" },
  ];
  const own = [
    { role: "user", content: "Good morning" },
    { role: "assistant", content: "To you, too" },
    { role: "user", content: "Hello", pinned: true, timestamp: "2026-03-02T10:00:00Z" },
    { role: "assistant", content: "Hi", name: "Bot" },
    { role: "user", content: "And now?" },
    { role: "assistant", content: "Still 42" },
    { role: "user", content: "Thanks" },
  ];
  for (const [shape, messages] of Object.entries({
    anthropic,
    openai,
    body: { model: "m", messages: openai },
    vercel,
    own,
  })) {
    it(`of messages in the shape ${shape}`, async () => {
      const chat = {
        messages: JSON.stringify(messages),
        strategy: "lastNMessages",
        options: { n: "1", minMessages: "1" },
        when: "always",
      };
      await visit({ fragment: await linkTo({ chat }, "chat") }, async (visitor, _page) => {
        const results = new Gathered();
        await take(results, visitor);
        await visitor.press("Use as input");
        await take(results, visitor);
        await results.check();
      });
    });
  }
});

describe("a typed call as code gives the outputs of the page, and as a test its messages", () => {
  const copiedBy = (visitor, name) => visitor.copies(() => visitor.press(name));
  const outputsOf = async (visitor, page) => {
    await page.locator("#call-program").click();
    await visitor.sees("The call gave its outputs.");
    return JSON.parse(await copiedBy(visitor, "Copy outputs as JSON"));
  };
  const telling = (code, expression) => `${code}\nconsole.log(JSON.stringify(${expression}));\n`;
  const told = async (...programs) =>
    (await printed(programs)).map((text) => JSON.parse(text.trimEnd().split("\n").at(-1)));
  const cells = (values) => Object.entries(values).map(([name, text]) => ({ name, text }));
  const turns = (...list) => list.map((values) => ({ values: cells(values) }));

  /** Titles, and words that what is typed has in common with the messages. */
  const examples = {
    "A signature with history": "Golden Gate Bridge",
    "A plain signature": "annual plan",
    "Chain of thought, in Japanese": "乗り換え",
    "ReAct, with a tool": "250 Schweizer",
  };

  it("of every example", () =>
    visit({ fragment: "#tab=programs" }, async (visitor, page) => {
      const outputs = [];
      const programs = [];
      const tests = [];
      for (const title of Object.keys(examples)) {
        await visitor.press(title);
        await visitor.sees(`Opened “${title}”`);
        const code = await visitor.share("Copy as code");
        await eventually.equal(() => copiedBy(visitor, "Copy as code"), code);
        programs.push(telling(code, "outputs"));
        tests.push(await visitor.share("Copy as test"));
        outputs.push(await outputsOf(visitor, page));
      }
      assert.deepEqual(await told(...programs), outputs);
      await passes(...tests);
      const words = Object.values(examples);
      await fails(
        ...tests.map((test, index) => {
          assert.ok(test.split(words[index]).length > 2, words[index]);
          return test.replace(words[index], "something else");
        }),
        ...tests.map((test) => test.replace(/role: "user"(?![\s\S]*role: "user")/, 'role: "assistant"')),
      );
    }));

  const everything = {
    signature: "q: str, odd-name: dict, n: int, past: History -> a: str",
    kind: "react",
    adapter: "json",
    instructions: 'Say "no".\nAlways: `${in}` \\ templates, too.',
    demos: turns({ q: "x", a: "y" }),
    descriptions: cells({ a: "the answer" }),
    inputs: cells({
      q: "`x` \u2028 \\",
      "odd-name": '{"a b": [1, null, {"__proto__": 2}], "minus": -0.0}',
      n: "12345678901234567890",
    }),
    history: turns(...Array.from({ length: 8 }, (_, at) => ({ q: `Question ${at}?`, a: `Answer ${at}.` }))),
    strategy: "chunked",
    options: { size: "04", minMessages: "3", maxSteps: "007", maxRepairs: "2" },
    replies: [
      "no object",
      '{"next_thought": "t", "next_tool_name": "list", "next_tool_args": {}}',
      '{"next_thought": "t", "next_tool_name": "twice", "next_tool_args": {"x": 2}}',
      '{"next_thought": "t", "next_tool_name": "finish", "next_tool_args": {}}',
      '{"a": "done"}',
    ],
  };
  const tools = [
    { name: "list", answer: '[1 2.5 :three {:four "`4`\n${x}"}]' },
    { name: "twice", signature: "(x :int) -> :string", answer: '({ x }) => `${2 * x},\n  as it is` // "twice"' },
    { name: "mute", signature: "(x :int) -> :int", description: "Says nothing" },
  ];

  it("with everything that can be set", async () =>
    visit({ fragment: await linkTo({ programs: everything, tools }, "programs") }, async (visitor, page) => {
      await eventually.deepEqual(() => outputsOf(visitor, page), { a: "done" });
      await visitor.sees(/Applied by chunked: \d summaries inserted/);
      const steps = await page.locator("[data-step] p:last-child").allInnerTexts();
      const code = await visitor.share("Copy as code");
      const replies = everything.replies.slice(1).map((reply) => JSON.stringify(reply));
      const again = `replies.push(${replies});
const { steps } = await program.run({ q: "", "odd-name": {}, n: 1 });`;
      const results = "steps.slice(0, 2).map(({ result }) => result)";
      const [outputs, [list, twice]] = await told(telling(code, "outputs"), telling(`${code}\n${again}`, results));
      assert.deepEqual(outputs, { a: "done" });
      assert.equal(steps[0], `list({}) gave ${JSON.stringify(list)}`);
      assert.equal(twice, "4,\n  as it is");
      await passes(await visitor.share("Copy as test"));
      await visitor.toggleGroup("A long history");
      for (const strategy of ["lastNMessages", "wholeHistory", "none"]) {
        await visitor.choose(strategy);
        const [other] = await told(telling(await visitor.share("Copy as code"), "outputs"));
        assert.deepEqual(other, { a: "done" }, strategy);
      }
    }));

  for (const [what, state, why] of [
    ["a signature", { programs: { signature: "a ->" } }, "The call can’t be made yet: mend what is marked."],
    [
      "a number",
      { programs: { ...everything, kind: "predict", options: { size: "many" } } },
      "The call can’t be made yet: mend what is marked.",
    ],
    [
      "a tool",
      { programs: everything, tools: [{ name: "list", answer: "[1" }] },
      "Tools, data or limits can’t be read: mend what is marked on the Run or REPL tab.",
    ],
  ]) {
    it(`is refused while ${what} can’t be read`, async () =>
      visit({ fragment: await linkTo(state, "programs") }, async (visitor, page) => {
        await eventually.equal(() => page.getByRole("button", { name: "Copy as code", exact: true }).count(), 0);
        await visitor.press("Share");
        for (const label of ["Copy as code", "Copy as test", "Copy as Markdown"]) {
          await visitor.press(label);
          await page.locator('.popover-said[data-done="false"]', { hasText: why }).waitFor();
          await visitor.press("Copy link");
          await page.locator('.popover-said[data-done="true"]', { hasText: "Link copied." }).waitFor();
        }
      }));
  }
});

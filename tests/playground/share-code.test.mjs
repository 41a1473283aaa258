// The programs and tests of “Copy as code” and “Copy as test” run unchanged, and give the messages of the page to the byte.

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts that would be code if they were not escaped.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openExample, openPage, openState } from "./page.mjs";
import { fails, passes, printed } from "./run-code.mjs";

/** The texts of the sections of the page's messages. */
const shownBy = ({ store }) =>
  store.outcome.value.frame.messages
    .map(({ role, sections }) => `── ${role}\n${sections.map(({ text }) => text).join("")}\n\n`)
    .join("");

/** Collects the programs and tests of pages with the expected messages, and runs all of them at the end. */
class Collected {
  shown = [];
  programs = [];
  tests = [];

  /** Adds the current state as a program and, with `isTested`, as a test. */
  turns(page, isTested = true) {
    this.shown.push(shownBy(page));
    this.programs.push(page.turnsCode.turnsCode());
    if (isTested) this.tests.push(page.turnsCode.turnsTest());
  }

  chat({ chatCode, chatSummaries }) {
    this.shown.push(`${JSON.stringify(chatSummaries.result.value.managed.conversation, null, 2)}\n`);
    this.programs.push(chatCode.chatCode());
    this.tests.push(chatCode.chatTest());
  }

  async check() {
    assert.deepEqual(await printed(this.programs), this.shown);
    if (this.tests.length > 0) await passes(...this.tests);
  }
}

const strategies = ["single-user-coalesced", "journal", "rolling-window", "per-turn-summary", "aggressive", "none"];

describe("code and tests give the messages of the page to the byte", () => {
  for (const id of ["shopping", "emails", "travel", "logs", "orders", "reviews", "expenses"]) {
    it(`of the example ${id}, with every strategy`, async () => {
      const page = await openExample(id);
      const collected = new Collected();
      for (const strategy of strategies) {
        page.store.edit({ strategy });
        collected.turns(page, strategy === "none");
      }
      await collected.check();
    });
  }

  it("with every option", async () => {
    const page = await openPage();
    const { edit, state } = page.store;
    const collected = new Collected();
    const setOptions = (options) => edit({ options: { ...state.value.options, ...options } });
    setOptions({
      printlnLimit: "1",
      toolCallLimit: "2",
      sampleLimit: "1",
      samplePrintableLimit: "10",
      printLength: "20",
    });
    edit({ toolResults: true, systemPrompt: "Be ``brief``.\r\nUse ${data}, \\n and `code`." });
    collected.turns(page);
    edit({ strategy: "rolling-window" });
    setOptions({ keep: "3" });
    collected.turns(page);
    edit({ strategy: "aggressive" });
    setOptions({ budget: "60" });
    collected.turns(page);
    await collected.check();
  });

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
      const page = await openState(state_);
      assert.equal(page.store.outcome.value.problems.size, 0);
      const collected = new Collected();
      for (const strategy of strategies) {
        page.store.edit({ strategy });
        collected.turns(page, state_ === state);
      }
      await collected.check();
    }
  });

  it("without turns, and after turns have run", async () => {
    const collected = new Collected();
    collected.turns(await openState({ mission: "Begin" }));
    const page = await openExample("expenses", "run");
    await page.session.runAgent();
    assert.equal(page.store.notice.value.text, "The agent returned after 4 turns.");
    for (const strategy of strategies) {
      page.store.edit({ strategy });
      collected.turns(page);
    }
    await collected.check();
  });

  it("is refused while a field is invalid", async () => {
    const { turnsCode } = await openState({ turns: [{ memory: "{" }] });
    for (const give of [turnsCode.turnsCode, turnsCode.turnsTest])
      assert.throws(give, /Something can’t be read: correct the marked fields first\./);
  });

  it("and a test fails for other messages", async () => {
    const { turnsCode } = await openExample("logs");
    const test = turnsCode.turnsTest();
    await fails(test.replace("number: 1,", "number: 2,").replace("Worst minutes", "Best minutes"));
    await fails(test.replace("FINAL TURN", "LAST TURN"));
  });
});

describe("a chat as code and as a test gives the result of the page to the byte", () => {
  it("with each strategy, limits, and summaries by hand", async () => {
    const page = await openExample("support", "chat");
    const { editChat } = page.chat;
    const setOptions = (options) => editChat({ options: { ...page.chat.chat.value.options, ...options } });
    const collected = new Collected();
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
      editChat({ strategy });
      collected.chat(page);
    }
    editChat({ strategy: "clearToolResults" });
    setOptions({ exclude: "lookup", clearInputs: "find, order" });
    collected.chat(page);
    setOptions({ clearInputs: "*" });
    editChat({ strategy: "lastNMessages", clears: true });
    setOptions({ n: "11", maxTokens: "1200", reserveTokens: "100", maxHistorySize: "9" });
    editChat({
      when: "always",
      provider: "anthropic",
      summaryPrompt: "Say it `short`,\nin ${one} line.",
      summaryRole: "assistant",
      summarizer: "typed",
    });
    assert.throws(() => page.chatCode.chatCode(), /1 of 1 summary text is missing/);
    page.chatSummaries.typeSummary(0, "By hand:\r\n`${all}` \\ of it");
    collected.chat(page);
    editChat({ tokenLimit: "share" });
    setOptions({ share: "0.5", window: "4000" });
    collected.chat(page);
    await collected.check();
  });

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
  const aiSdk = [
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
  const responses = [
    { role: "user", content: "Hello" },
    { type: "function_call", call_id: "c1", name: "f", arguments: '{"a":1}' },
    { type: "function_call_output", call_id: "c1", output: "42" },
    { role: "assistant", content: "It is 42" },
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
    aiSdk,
    responses,
    own,
  })) {
    it(`of messages in the format ${shape}`, async () => {
      const chat = {
        messages: JSON.stringify(messages),
        strategy: "lastNMessages",
        options: { n: "1", minMessages: "1" },
        when: "always",
      };
      const page = await openState({ chat }, "chat");
      const collected = new Collected();
      collected.chat(page);
      const { conversation } = page.chatSummaries.result.value.managed;
      page.chat.editChat({ messages: JSON.stringify(conversation, null, 2), shape: "detect", summaries: [] });
      collected.chat(page);
      await collected.check();
    });
  }
});

describe("a typed call as code gives the outputs of the page, and as a test its messages", () => {
  const outputsOf = async ({ programsCall, store }) => {
    await programsCall.callProgram();
    assert.equal(store.notice.value.text, "The call returned its outputs.");
    return JSON.parse(JSON.stringify(programsCall.callResult.value.prediction.outputs));
  };
  const printing = (code, expression) => `${code}\nconsole.log(JSON.stringify(${expression}));\n`;
  const valuesOf = async (...programs) =>
    (await printed(programs)).map((text) => JSON.parse(text.trimEnd().split("\n").at(-1)));
  const cells = (values) => Object.entries(values).map(([name, text]) => ({ name, text }));
  const turns = (...list) => list.map((values) => ({ values: cells(values) }));

  /** Titles, and words that the inputs share with the messages. */
  const examples = {
    "A signature with history": "Golden Gate Bridge",
    "A plain signature": "annual plan",
    "Chain of thought, in Japanese": "乗り換え",
    "ReAct, with a tool": "250 Schweizer",
  };

  it("of every example", async () => {
    const page = await openPage();
    const outputs = [];
    const programs = [];
    const tests = [];
    for (const title of Object.keys(examples)) {
      page.programs.openProgramExample(page.programs.programExamples.find((example) => example.title === title));
      programs.push(printing(page.programsCode.programsCode(), "outputs"));
      tests.push(page.programsCode.programsTest());
      outputs.push(await outputsOf(page));
    }
    assert.deepEqual(await valuesOf(...programs), outputs);
    await passes(...tests);
    const words = Object.values(examples);
    await fails(
      ...tests.map((test, index) => {
        assert.ok(test.split(words[index]).length > 2, words[index]);
        return test.replace(words[index], "something else");
      }),
      ...tests.map((test) => test.replace(/role: "user"(?![\s\S]*role: "user")/, 'role: "assistant"')),
    );
  });

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

  it("with every setting", async () => {
    const page = await openState({ programs: everything, tools }, "programs");
    assert.deepEqual(await outputsOf(page), { a: "done" });
    const { prediction } = page.programsCall.callResult.value;
    assert.match(
      page.chatWords.reportSentence(prediction.report),
      /^Applied “A summary per group”: \d summaries inserted/,
    );
    const code = page.programsCode.programsCode();
    const replies = everything.replies.slice(1).map((reply) => JSON.stringify(reply));
    const again = `replies.push(${replies});
const { steps } = await program.run({ q: "", "odd-name": {}, n: 1 });`;
    const results = "steps.slice(0, 2).map(({ result }) => result)";
    const [outputs, [list, twice]] = await valuesOf(printing(code, "outputs"), printing(`${code}\n${again}`, results));
    assert.deepEqual(outputs, { a: "done" });
    assert.deepEqual(JSON.parse(JSON.stringify(prediction.steps[0].result)), list);
    assert.equal(twice, "4,\n  as it is");
    await passes(page.programsCode.programsTest());
    for (const strategy of ["lastNMessages", "wholeHistory", "none"]) {
      page.programs.editPrograms({ strategy });
      const [other] = await valuesOf(printing(page.programsCode.programsCode(), "outputs"));
      assert.deepEqual(other, { a: "done" }, strategy);
    }
  });

  for (const [what, state, why] of [
    ["a signature", { programs: { signature: "a ->" } }, "The call can’t be made yet: correct the marked fields."],
    [
      "a number",
      { programs: { ...everything, kind: "predict", options: { size: "many" } } },
      "The call can’t be made yet: correct the marked fields.",
    ],
    [
      "a tool",
      { programs: everything, tools: [{ name: "list", answer: "[1" }] },
      "Tools, data or limits can’t be read: correct the marked fields on the Run or REPL tab.",
    ],
  ]) {
    it(`is refused while ${what} is invalid`, async () => {
      const { programsCode, programsTest, programsMessages } = (await openState(state, "programs")).programsCode;
      for (const give of [programsCode, programsTest, programsMessages])
        assert.throws(give, ({ message }) => message === why);
    });
  }
});

// What the page shows, handed on: links, Markdown, files, and programs that give the same messages.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { root } from "../../scripts/tools.mjs";
import { linkTo, visit } from "./visit.mjs";

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

/** What a program prints that stands alone in the project. */
async function printed(code) {
  const { stdout } = await run(process.execPath, [await saved(code, ".mjs")], { cwd: project, maxBuffer: 1 << 26 });
  return stdout;
}

/** Runs a test file; fails when it fails. */
async function passes(code) {
  const path = await saved(code, ".test.mjs");
  const { NODE_TEST_CONTEXT, ...env } = process.env;
  const { stdout } = await run(process.execPath, ["--test", "--test-reporter=tap", path], { cwd: project, env });
  assert.match(stdout, /^# pass 1$/m);
}

async function fails(code) {
  await assert.rejects(passes(code), ({ stdout }) => /^# fail 1$/m.test(stdout));
}

const textOf = (messages) => messages.map(({ role, text }) => `── ${role}\n${text}\n\n`).join("");

/** The program and the test that the page gives really give what it shows. */
async function sameAsPage(visitor, tests = true) {
  const shown = await visitor.allMessages();
  assert.equal(await printed(await visitor.share("Copy as code")), textOf(shown));
  if (!tests) return;
  await passes(await visitor.share("Copy as test"));
}

const strategies = ["single-user-coalesced", "rolling-window", "per-turn-summary", "aggressive", "none"];

describe("code and tests give the messages of the page to the byte", () => {
  for (const id of ["shopping", "emails", "travel", "logs", "orders", "reviews", "expenses"]) {
    it(`of the example ${id}, with every strategy`, () =>
      visit({ fragment: `#example=${id}&tab=turns` }, async (visitor) => {
        for (const strategy of strategies) {
          await visitor.choose(strategy);
          await sameAsPage(visitor, strategy === strategies[0] || strategy === "none");
        }
      }));
  }

  it("with every option", () =>
    visit({}, async (visitor, page) => {
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
      await sameAsPage(visitor);
      await visitor.choose("rolling-window");
      await visitor.field("Turns kept").fill("3");
      await sameAsPage(visitor);
      await visitor.choose("aggressive");
      await visitor.field("Token budget").fill("60");
      await sameAsPage(visitor);
    }));

  it("with every kind of value, names of all sorts, and failures", async () => {
    const values = `{:keyword :ab? :set #{1 2 :three "four"} :float 3.0 :negative -0.0 :ratio 2.5 :big 123456789012345678901234567890
 :nothing nil :yes true :text "Zeile 1\\nZeile 2 \`\${x}\` \\\\ \\" 👩‍👩‍👧‍👦" :nested {"string key" [1 [2 {:deep #{}}]] 7 "seven" nil 1}
 :empty [] :map {} :inf ##Inf :date #inst "2026-03-02T10:30:00Z" :__proto__ {:__proto__ 1} :re-x #"a+" :var #'foo :one-1 "one" :a-b {:constructor 1}}`;
    const turns = [
      {
        program: '(def a 1)\n; `${injected}` \\u0041 */ // <!--',
        memory: `{:a ${values} :b 2 :constructor 3}`,
        result: values,
        prints: ["``` and\r\nreturns", "\u0000\u0007\u2028\ufeff\u202e", "single ` ${y}"],
        calls: [
          { name: "look-up", args: values, result: values },
          { name: "look-up", args: "[1 2]", result: "#{}", error: "" },
          { name: "broken", args: "{}", error: "it `failed`\nwith ${this}" },
        ],
        functions: [
          { name: "f?", params: "a & rest", doc: "Says \"yes\" or `no`", returns: "boolean" },
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
        assert.equal(await page.locator(".problem-list li").count(), 0);
        for (const strategy of strategies) {
          await visitor.choose(strategy);
          await sameAsPage(visitor);
        }
      });
    }
  });

  it("without turns, and after turns have run", async () => {
    await visit({ fragment: await linkTo({ mission: "Begin" }) }, (visitor) => sameAsPage(visitor));
    await visit({ fragment: "#example=expenses&tab=run" }, async (visitor, page) => {
      await page.locator("#run-agent").click();
      await visitor.sees("The agent returned after 4 turns.");
      await visitor.showTab("Turns");
      for (const strategy of strategies) {
        await visitor.choose(strategy);
        await sameAsPage(visitor);
      }
    });
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
  const sameResult = async (visitor, page) => {
    const code = await visitor.share("Copy as code");
    const test = await visitor.share("Copy as test");
    await page.keyboard.press("Escape");
    await visitor.press("Copy the result as Turnfold");
    await page.waitForFunction(() => document.querySelector(".result-copies").textContent.includes("Copied"));
    const shown = await page.evaluate(() => navigator.clipboard.readText());
    await page.waitForFunction(() => !document.querySelector(".result-copies").textContent.includes("Copied"));
    assert.equal(await printed(code), `${shown}\n`);
    await passes(test);
  };

  it("with each strategy, limits, and summaries by hand", () =>
    visit({ fragment: "#example=support&tab=chat" }, async (visitor, page) => {
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
        await sameResult(visitor, page);
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
      await sameResult(visitor, page);
      await visitor.choose("a share of the window");
      await visitor.field("Share").fill("0.5");
      await visitor.field("Window").fill("4000");
      await sameResult(visitor, page);
    }));

  const anthropic = {
    system: "Be brief.",
    messages: [
      { role: "user", content: "Look it up" },
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "search", input: { q: "`${x}`", ["__proto__"]: 1 } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "Found\nit" }] },
      { role: "assistant", content: "Done" },
      { role: "user", content: "Thanks" },
    ],
  };
  const openai = [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "Hello" }, { type: "image_url", image_url: { url: "https://a.example/b.png" } }] },
    { role: "assistant", content: null, tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{\"a\": 1.0}" } }] },
    { role: "tool", tool_call_id: "c1", content: "42" },
    { role: "assistant", content: "It is 42" },
  ];
  const vercel = [
    { role: "user", content: "Hello" },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "f", input: { a: 1 } }] },
    { role: "tool", content: [{ type: "tool-result", toolCallId: "c1", toolName: "f", output: { type: "text", value: "42" } }] },
    { role: "assistant", content: [{ type: "text", text: "It is 42" }] },
  ];
  const own = [
    { role: "user", content: "Hello", pinned: true, timestamp: "2026-03-02T10:00:00Z" },
    { role: "assistant", content: "Hi", name: "Bot" },
  ];
  for (const [shape, messages] of Object.entries({ anthropic, openai, body: { model: "m", messages: openai }, vercel, own })) {
    it(`of messages in the shape ${shape}`, async () => {
      const chat = { messages: JSON.stringify(messages), strategy: "lastNMessages", options: { n: "2" }, when: "always" };
      await visit({ fragment: await linkTo({ chat }, "chat") }, async (visitor, page) => {
        await sameResult(visitor, page);
        await visitor.press("Use as input").catch(() => {});
        await sameResult(visitor, page);
      });
    });
  }
});

describe("a link", () => {
  it("holds what the page shows at once, and that of an example names it", () =>
    visit({}, async (visitor) => {
      assert.match(await visitor.share("Copy link"), /\/#example=shopping$/);
      await visitor.field("Mission").fill("Just now");
      const link = await visitor.share("Copy link");
      await visit({ fragment: new URL(link).hash }, async (other) => {
        assert.match(await other.userMessage(), /^Just now/);
      });
    }));
});

describe("Markdown", () => {
  it("has a title, the message in a block that nothing in it ends, and the link", async () => {
    const state = { mission: "Write *one* [link](x) in `code` <b>\n```\n````js\nfences\n````\nEnd" };
    await visit({ fragment: await linkTo(state) }, async (visitor) => {
      const message = await visitor.userMessage();
      const markdown = await visitor.share("Copy as Markdown");
      const [title, block, link] = markdown.split("\n\n`````").flatMap((part) => part.split("`````\n\n"));
      assert.equal(title, "### Write \\*one\\* \\[link\\](x) in \\`code\\` \\<b\\>");
      assert.equal(block, `text\n${message}\n`);
      assert.match(link, /^\[Open in the Turnfold playground\]\(http:\/\/[^()]+#v1=[\w-]+\)\n$/);
      const { hash } = new URL(/\((http[^)]*)\)/.exec(link)[1]);
      await visit({ fragment: hash }, async (other) => assert.equal(await other.userMessage(), message));
    });
  });
});

describe("a file", () => {
  const drop = (page, name, text) =>
    page.evaluate(
      ([fileName, content]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([content], fileName, { type: "application/json" }));
        for (const type of ["dragover", "drop"]) {
          document.querySelector("main").dispatchEvent(
            new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }),
          );
        }
      },
      [name, text],
    );

  it("is downloaded, and uploaded or dropped again", () =>
    visit({}, async (visitor, page) => {
      await visitor.field("Mission").fill("In a file");
      await visitor.showTab("Chat");
      await visitor.choose("chunked");
      await visitor.press("Share");
      const [download] = await Promise.all([page.waitForEvent("download"), visitor.press("Download JSON")]);
      assert.equal(download.suggestedFilename(), "turnfold-playground.json");
      const buffer = await readFile(await download.path());
      const { kind, version, tab, state } = JSON.parse(buffer);
      assert.deepEqual([kind, version, tab, state.mission], ["turnfold-playground", 1, "chat", "In a file"]);

      await visitor.showTab("Turns");
      await visitor.openExample("Fifty emails, triaged unseen");
      await visitor.press("Share");
      const [chooser] = await Promise.all([page.waitForEvent("filechooser"), visitor.press("Upload JSON")]);
      await chooser.setFiles({ name: "mine.json", mimeType: "application/json", buffer });
      await visitor.sees("Loaded mine.json.");
      await page.getByRole("tab", { name: "Chat", selected: true }).waitFor();
      assert.equal(await page.getByRole("radio", { name: "chunked" }).isChecked(), true);
      await visitor.press("Undo");
      await visitor.showTab("Turns");
      assert.match(await visitor.userMessage(), /^Triage the inbox/);

      await drop(page, "dropped.json", buffer.toString());
      await visitor.sees("Loaded dropped.json.");
      await visitor.showTab("Turns");
      assert.match(await visitor.userMessage(), /^In a file/);
    }));

  it("that is none says why, and changes nothing", () =>
    visit({}, async (visitor, page) => {
      const before = await visitor.messages();
      const state = (of) => JSON.stringify({ kind: "turnfold-playground", version: 1, state: of });
      for (const [text, why] of [
        ["", "it is no JSON"],
        ["{", "it is no JSON"],
        ["[]", "it holds no object"],
        ["null", "it holds no object"],
        ["{}", 'it was not downloaded here: its "kind" is not "turnfold-playground"'],
        ['{"version": 1, "turns": []}', "it looks like a step: “Load step” on the Run tab takes those"],
        ['{"kind": "turnfold-playground", "version": 2}', "it is of version 2, and this page reads version 1"],
        [state(7), "state is not an object"],
        [state({ mission: 7 }), "state.mission is not a text"],
        [state({ turns: [{ prints: [7] }] }), "state.turns[0].prints[0] is not a text"],
        [state({ strategy: "best" }), /^state\.strategy is none of single-user-coalesced/],
      ]) {
        await drop(page, "bad.json", text);
        const note = page.locator(".notice", { hasText: "Nothing has changed." });
        await note.waitFor();
        const said = /^bad\.json can’t be loaded: (.*)\. Nothing has changed\.$/s.exec(
          await note.locator("span").first().innerText(),
        )[1];
        if (typeof why === "string") assert.equal(said, why);
        else assert.match(said, why);
        await visitor.press("Close this note");
      }
      assert.deepEqual(await visitor.messages(), before);
    }));
});

it("gives what can’t be copied to be copied by hand", () =>
  visit({ permissions: [] }, async (visitor, page) => {
    await page.evaluate(() => {
      navigator.clipboard.write = () => Promise.reject(new DOMException("no", "NotAllowedError"));
    });
    await visitor.press("Share");
    await visitor.press("Copy link");
    await visitor.sees("The browser does not allow it: copy it from the field.");
    assert.match(await visitor.field("To be copied by hand").inputValue(), /#example=shopping$/);
  }));

for (const colorScheme of ["light", "dark"]) {
  it(`gives axe nothing to find and fits 360 px, ${colorScheme}`, async () => {
    for (const width of [1280, 360]) {
      await visit({ width, height: 740, colorScheme }, async (visitor, page) => {
        for (const name of ["Share", "Menu"]) {
          await visitor.press(name);
          await page.locator(".popover-item").first().waitFor();
          assert.deepEqual(await visitor.axeFindings(), []);
          const panel = await page.locator(`#${name.toLowerCase()}-panel`).boundingBox();
          assert.ok(panel.x >= 0 && panel.x + panel.width <= width, `${name} at ${width}`);
          await page.keyboard.press("Escape");
          await page.waitForFunction((id) => document.activeElement.id === id, name.toLowerCase());
        }
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        assert.equal(overflow, 0);
      });
    }
  });
}

it("asks nobody else, and tells nobody", () =>
  visit({}, async (visitor) => {
    await visitor.share("Copy as code");
    await visitor.share("Copy as Markdown");
    assert.deepEqual(visitor.foreignRequests, []);
  }));

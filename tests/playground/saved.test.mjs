// Saved states in links and files, and the input that is refused.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SubAgent } from "turnfold";
import { linkTo, stateIn } from "../www/link.mjs";
import { openExample, openPage } from "./page.mjs";

describe("a link", () => {
  it("brings back the state of each example", async () => {
    const { examples } = (await openPage()).exampleList;
    for (const { id } of examples) {
      const { fragment, saved, store } = await openExample(id);
      const text = saved.savedText(store.state.value);
      const link = await fragment.stateFragment(store.state.value);
      assert.equal(await stateIn(link), text, id);
      const address = await fragment.readFragment(fragment.withTab(link, "chat"));
      assert.deepEqual([address.kind, address.tab], ["state", "chat"], id);
      assert.equal(saved.savedText(address.state), text, id);
    }
  });

  it("contains no default values", async () => {
    const { fragment, saved } = await openPage();
    const blank = saved.fromSaved({});
    assert.equal(await stateIn(await fragment.stateFragment(blank)), "{}");
  });

  it("is refused when it unpacks to more than 16 MB", async () => {
    const { fragment } = await openPage();
    const link = await linkTo({ chat: { messages: " ".repeat(17 * 1024 * 1024) } });
    assert.ok(link.length < 40_000, `${link.length} characters`);
    await assert.rejects(
      () => fragment.readFragment(link),
      /^RangeError: it has more than 16 MB, and a link may have no more$/,
    );
  });

  const rows = (count, row = {}) => Array.from({ length: count }, () => row);
  const messages = (count) => rows(count, { role: "user", content: "a" });
  for (const [what, state, why] of [
    ["turns", { turns: rows(10_001) }, "10,001 turns, and a link may have 10,000"],
    ["prints of a turn", { turns: [{}, { prints: rows(1001, "x") }] }, "1,001 prints, and a link may have 1,000"],
    ["calls of a turn", { turns: [{ calls: rows(1001) }] }, "1,001 calls, and a link may have 1,000"],
    [
      "rows",
      { turns: rows(101, { prints: rows(1000, "x") }) },
      "more than 100,000 rows in its lists, and a link may have no more",
    ],
    ["tools", { tools: rows(1001) }, "1,001 tools, and a link may have 1,000"],
    ["replies", { replies: rows(10_001, "x") }, "10,001 replies, and a link may have 10,000"],
    ["concepts", { chat: { concepts: rows(201) } }, "201 concepts, and a link may have 200"],
    ["summaries", { chat: { summaries: rows(10_001, "x") } }, "10,001 summaries, and a link may have 10,000"],
    [
      "messages",
      { chat: { messages: JSON.stringify(messages(50_001)) } },
      "50,001 messages, and a link may have 50,000",
    ],
    [
      "messages of a request",
      { chat: { messages: JSON.stringify({ model: "m", messages: messages(50_001) }) } },
      "50,001 messages, and a link may have 50,000",
    ],
    [
      "messages, one a line",
      {
        chat: {
          messages: messages(50_001)
            .map((each) => JSON.stringify(each))
            .join("\n"),
        },
      },
      "50,001 messages, and a link may have 50,000",
    ],
    ["demos", { programs: { demos: rows(1001, { values: [] }) } }, "1,001 demos, and a link may have 1,000"],
    [
      "characters",
      { mission: "a".repeat(1_000_001) },
      "a text (mission) of 1,000,001 characters, and a link may have 1,000,000",
    ],
  ])
    it(`has a limit for ${what}, which does not apply to stored states and files`, async () => {
      const { fragment, saved, sharing, store } = await openPage();
      const link = await linkTo(state);
      await assert.rejects(() => fragment.readFragment(link), { name: "RangeError", message: `it has ${why}` });
      const { state: read } = await fragment.readFragment(link, true);
      assert.deepEqual(JSON.parse(saved.savedText(read)), JSON.parse(saved.savedText(saved.fromSaved(state))));
      // The state can't be shared as a link, because no page would open it.
      store.load(read, null, ["chat", "programs"].find((name) => name in state) ?? "turns");
      await assert.rejects(sharing.linkNow, {
        message: `There is no link: it has ${why}. “Download JSON” makes a file with all of it.`,
      });
      assert.equal(await sharing.shortLink(), null);
    });

  it("may be exactly at its limits", async () => {
    const { fragment } = await openPage();
    const state = {
      mission: "a".repeat(1_000_000),
      turns: rows(10_000),
      chat: { messages: JSON.stringify(messages(50_000)), concepts: rows(200) },
    };
    const { state: read } = await fragment.readFragment(await linkTo(state));
    assert.equal(read.turns.length, 10_000);
  });

  for (const [what, link, why] of [
    ["text that is no base64", "#v1=garbage!", /./],
    ["bytes that do not unpack", "#v1=AAAA", /./],
    ["another version", "#v2=abc", /the fragment has an unknown form/],
    ["a tab that does not exist", "#tab=nothing", /there is no tab of this name/],
    ["a chat with an unknown strategy", { chat: { strategy: "guess" } }, /^state\.chat\.strategy is not one of /],
    ["an unknown kind of program", { programs: { kind: "guess" } }, /^state\.programs\.kind is not one of /],
    ["a turn that is a number", { programs: { history: [5] } }, /^state\.programs\.history\[0\] is not an object$/],
    [
      "an input whose name is a number",
      { programs: { inputs: [{ name: 1 }] } },
      /^state\.programs\.inputs\[0\]\.name is not a string$/,
    ],
  ]) {
    it(`with ${what} is refused`, async () => {
      const { fragment } = await openPage();
      const text = typeof link === "string" ? link : await linkTo(link);
      await assert.rejects(fragment.readFragment(text), ({ message }) => why.test(message));
    });
  }

  it("to an unknown example names no example", async () => {
    const { examples, fragment } = await openPage();
    const { kind, id } = await fragment.readFragment("#example=nothing");
    assert.equal(kind, "example");
    assert.equal(await examples.loadExample(id), null);
  });
});

describe("a saved step", () => {
  it("shows the tool parameters as its model read them, and a link keeps them", async () => {
    const inputSchema = {
      type: "object",
      properties: { limit: { type: "integer", maximum: 9 }, near: { type: "string", description: "a city" } },
    };
    const tools = { find: { description: "Find orders", inputSchema, execute: () => 1 } };
    const step = await new SubAgent({ mission: "m", tools, llm: () => "(return 1)", compression: true }).run();
    const { fragment, saved, savedStep, store } = await openPage();
    store.load(savedStep.stateOfStep(step, store.state.value), null, "turns");
    const shown = () => store.outcome.value.frame.messages[1].content;
    assert.equal(shown(), step.messagesAt(1)[1].content);
    assert.match(shown(), /; {3}limit: at most 9\n; {3}near: a city\n/);
    const { state } = await fragment.readFragment(await fragment.stateFragment(store.state.value));
    assert.equal(saved.savedText(state), saved.savedText(store.state.value));
    assert.equal(state.tools[0].parameters, "limit: at most 9\nnear: a city");
  });
});

describe("a file", () => {
  const fileOf = (name, content) => Object.assign(new Blob([content]), { name });

  it("that is downloaded and loaded again restores the state and the tab", async () => {
    const { file, saved, store, tab } = await openExample("emails", "chat");
    const text = saved.savedText(store.state.value);
    const content = file.fileText();
    store.reset();
    store.edit({ mission: "Something else" });
    tab.tab.value = "turns";
    await file.upload(fileOf("mine.json", content));
    assert.equal(store.notice.value.text, "Loaded mine.json.");
    assert.equal(saved.savedText(store.state.value), text);
    assert.equal(tab.tab.value, "chat");
  });

  it("with invalid content is refused with the reason, and changes nothing", async () => {
    const { file, store } = await openPage();
    const before = store.state.value;
    const state = (of) => JSON.stringify({ kind: "turnfold-playground", version: 1, state: of });
    for (const [content, why] of [
      ["", "it is not JSON"],
      ["{", "it is not JSON"],
      ["[]", "it is not a JSON object"],
      ["null", "it is not a JSON object"],
      ["{}", 'it was not downloaded here: its "kind" is not "turnfold-playground"'],
      ['{"version": 1, "turns": []}', "it looks like a step: “Load step” on the Run tab takes those"],
      ['{"kind": "turnfold-playground", "version": 2}', "it is of version 2, and this page reads version 1"],
      [state(7), "state is not an object"],
      [state({ mission: 7 }), "state.mission is not a string"],
      [state({ turns: [{ prints: [7] }] }), "state.turns[0].prints[0] is not a string"],
      [state({ strategy: "best" }), /^state\.strategy is not one of single-user-coalesced/],
    ]) {
      await file.upload(fileOf("bad.json", content));
      const { tone, text } = store.notice.value;
      assert.equal(tone, "problem");
      const [, reason] = /^bad\.json can’t be loaded: (.*)\. Nothing has changed\.$/s.exec(text);
      if (typeof why === "string") assert.equal(reason, why);
      else assert.match(reason, why);
    }
    assert.equal(store.state.value, before);
  });

  it("that loads slowly does not replace a state that was opened after it", async () => {
    const { file, store } = await openPage();
    let read;
    const slow = {
      name: "slow.json",
      size: 1,
      text: () =>
        new Promise((resolve) => {
          read = resolve;
        }),
    };
    const uploaded = file.upload(slow);
    await store.openExample("logs");
    read(JSON.stringify({ kind: "turnfold-playground", version: 1, state: { mission: "Slow" } }));
    await uploaded;
    assert.equal(store.origin.value.id, "logs");
    assert.match(store.state.value.mission, /^Checkout was slow/);
  });

  it("that loads slowly is shown when the file opened after it is unreadable, and ignored otherwise", async () => {
    const { store } = await openPage();
    const slow = Promise.withResolvers?.() ?? withResolvers();
    const shown = [];
    const older = store.loadLater(
      () => slow.promise,
      (text) => shown.push(text),
    );
    await assert.rejects(
      store.loadLater(
        () => Promise.reject(new Error("broken")),
        () => {},
      ),
      /broken/,
    );
    slow.resolve("older");
    await older;
    assert.deepEqual(shown, ["older"]);

    const never = store.loadLater(
      () => new Promise(() => {}),
      () => {},
    );
    const early = Promise.withResolvers?.() ?? withResolvers();
    const held = store.loadLater(
      () => Promise.resolve("held"),
      (text) => shown.push(text),
    );
    const newer = store.loadLater(
      () => early.promise,
      (text) => shown.push(text),
    );
    early.resolve("newer");
    // All of them settle, even the file that is never read.
    await Promise.all([never, held, newer]);
    assert.deepEqual(shown, ["older", "newer"]);
  });
});

/** Node 20 lacks Promise.withResolvers. */
function withResolvers() {
  const made = {};
  made.promise = new Promise((resolve) => {
    made.resolve = resolve;
  });
  return made;
}

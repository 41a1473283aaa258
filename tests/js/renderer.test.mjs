import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizeCompression, Renderer, toMessages } from "turnfold/turns";
import { failureNumbered, historyOf, plain, reloaded, turnNumbered } from "./histories.mjs";
import { seeded } from "./random.mjs";
import { refuses } from "./refuses.mjs";

const compressions = [
  true,
  false,
  "single-user-coalesced",
  ["rolling-window", { keep: 1 }],
  "per-turn-summary",
  ["aggressive", { budget: 60 }],
  "journal",
  ["journal", { keep: 2, prices: "deepseek" }],
  ["journal", { prices: { cacheRead: 0.5, minimum: 0 }, budget: 150 }],
];

test("after any edits a renderer gives the bytes of toMessages", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = seeded(seed);
    let options = { mission: "m", maxTurns: 20 };
    let turns = historyOf(random.below(4));
    const renderer = new Renderer(options, turns);
    for (let step = 0; step < 25; step++) {
      const turn = random.chance(0.3) ? failureNumbered(random.below(9)) : turnNumbered(random.below(9));
      const at = random.below(turns.length + 1);
      const edit = random.pick(["push", "push", "replace", "insert", "remove", "options"]);
      if (edit === "options") {
        const change = random.pick([
          { compression: random.pick(compressions) },
          { printlnLimit: random.below(3) },
          { data: { rows: Array.from({ length: random.below(4) }, (_, index) => ({ index })) } },
          { at: random.below(2) * 1e6 },
          { turnsLeft: random.below(3) },
          { turnsLeft: undefined },
        ]);
        options = { ...options, ...change };
        renderer.setOptions(change);
      } else if (edit === "push") {
        turns = [...turns, turn];
        renderer.push(turn);
      } else if (edit === "insert") {
        turns = [...turns.slice(0, at), turn, ...turns.slice(at)];
        renderer.insert(at, turn);
      } else if (at < turns.length) {
        turns = [...turns.slice(0, at), ...(edit === "replace" ? [turn] : []), ...turns.slice(at + 1)];
        if (edit === "replace") renderer.replace(at, turn);
        else renderer.remove(at);
      }
      const rendered = plain(renderer.render());
      const note = `seed ${seed}, step ${step}: ${edit} at ${at}`;
      assert.deepEqual(rendered, plain(toMessages(turns, null, options)), note);
      assert.deepEqual(rendered, plain(toMessages(reloaded(turns), null, options)), note);
    }
  }
});

test("dropped lists the items of its rendering, whatever is edited later", () => {
  const turns = historyOf(6);
  const options = { mission: "m", printlnLimit: 2, maxTurns: 9 };
  const expected = plain(toMessages(reloaded(turns), null, options)).dropped;
  const later = [
    (renderer) => renderer.push(turnNumbered(7)),
    (renderer) => renderer.remove(0),
    (renderer) => renderer.insert(3, turnNumbered(8)),
    (renderer) => renderer.replace(5, failureNumbered(9)),
    (renderer) => renderer.setOptions({ printlnLimit: 0 }),
    (renderer) => renderer.dispose(),
    () => {},
  ];
  for (const edit of later) {
    const renderer = new Renderer(options, turns);
    const rendered = renderer.render();
    edit(renderer);
    assert.deepEqual(rendered.dropped, expected);
  }
});

test("sections are those of their rendering, whatever is edited later", () => {
  const renderer = new Renderer({ mission: "m" }, historyOf(3));
  const expected = renderer.render().sections;
  const rendered = renderer.render();
  renderer.remove(0);
  assert.deepEqual(rendered.sections, expected);
});

test("sharedPrefix is the length of the prefix shared with the previous messages", () => {
  const renderer = new Renderer({ mission: "m", systemPrompt: "s" }, historyOf(1));
  assert.equal(renderer.render().sharedPrefix, 0);
  const before = renderer.render();
  renderer.push(turnNumbered(2));
  const after = renderer.render();
  const texts = ({ messages }) => messages.map(({ content }) => content).join("");
  assert.equal(before.sharedPrefix, texts(before).length);
  const [old, fresh] = [texts(before), texts(after)];
  assert.equal(fresh.slice(0, after.sharedPrefix), old.slice(0, after.sharedPrefix));
  assert.notEqual(fresh[after.sharedPrefix], old[after.sharedPrefix]);
});

test("options that are refused change nothing", () => {
  const renderer = new Renderer({ mission: "m", printlnLimit: 1 }, historyOf(2));
  const before = plain(renderer.render());
  refuses(() => renderer.setOptions({ printlnLimit: "2" }), "invalid_option");
  refuses(() => renderer.setOptions({ compression: "unknown", printlnLimit: 2 }), "unknown_strategy");
  refuses(() => renderer.setOptions({ mission: undefined }), "invalid_option");
  refuses(() => renderer.setOptions({ data: { x: () => 1 } }), "invalid_value");
  assert.deepEqual(plain(renderer.render()), before);
});

test("the renderer copies its options", () => {
  const data = { rows: [1] };
  const tools = { search: "() -> :int" };
  const renderer = new Renderer(
    { mission: "m", data, tools, compression: ["rolling-window", { keep: 1 }] },
    historyOf(2),
  );
  const before = plain(renderer.render());
  data.rows.push(2);
  tools.other = "() -> :int";
  assert.deepEqual(plain(renderer.render()), before);
  renderer.setOptions({ maxTurns: 5 });
  assert.deepEqual(plain(renderer.render()), before);
  renderer.setOptions({ data });
  assert.match(renderer.render().messages[1].content, /list\[2\]/);
});

test("maxTurns: Infinity is the largest count", () => {
  const renderer = new Renderer({ mission: "m", maxTurns: Infinity }, historyOf(2));
  assert.match(renderer.render().messages.at(-1).content, /\nTurns left: 4294967293$/);
  renderer.setOptions({ maxTurns: 5 });
  assert.match(renderer.render().messages.at(-1).content, /\nTurns left: 3$/);
});

test("indexes out of range are refused", () => {
  const renderer = new Renderer({ mission: "m" }, historyOf(2));
  const turn = turnNumbered(3);
  for (const act of [
    () => renderer.replace(2, turn),
    () => renderer.remove(2),
    () => renderer.remove(-1),
    () => renderer.remove(0.5),
    () => renderer.insert(3, turn),
    () => renderer.remove(undefined),
  ]) {
    assert.equal(refuses(act, "out_of_range").details.length, 2);
  }
  refuses(() => renderer.push({}), "invalid_turn");
  refuses(() => new Renderer({ mission: "m" }, [turn, null]), "invalid_turn", "turns[1]");
});

test("a disposed renderer throws an error with the code disposed", () => {
  const renderer = new Renderer({ mission: "m" }, historyOf(1));
  renderer.dispose();
  renderer.dispose();
  renderer[Symbol.dispose]();
  for (const act of [() => renderer.render(), () => renderer.push(turnNumbered(1)), () => renderer.setOptions({})]) {
    refuses(act, "disposed");
  }
});

test("a renderer works behind a proxy", () => {
  const renderer = new Proxy(new Renderer({ mission: "m" }), {});
  renderer.push(turnNumbered(1));
  assert.deepEqual(renderer.render().messages, toMessages(historyOf(1), null, { mission: "m" }).messages);
});

test("two renderers can share turns", () => {
  const turns = historyOf(3);
  const [a, b] = [new Renderer({ mission: "m" }, turns), new Renderer({ mission: "m" }, turns)];
  a.remove(0);
  a.dispose();
  assert.deepEqual(b.render().messages, toMessages(turns, null, { mission: "m" }).messages);
});

test("changing tools in place does not change the renderer", () => {
  const tools = { search: { description: "old" } };
  const renderer = new Renderer({ mission: "m", tools });
  tools.search.description = "new";
  renderer.setOptions({ maxTurns: 7 });
  assert.match(renderer.render().messages[1].content, /old/);
  renderer.setOptions({ tools });
  assert.match(renderer.render().messages[1].content, /new/);
});

test("unreadable options are refused and do not change the renderer", () => {
  const boom = new Error("boom");
  const throws = {
    get keep() {
      throw boom;
    },
  };
  const fail = () => {
    throw boom;
  };
  const unreadable = new Proxy({}, { get: fail, ownKeys: fail });
  const renderer = new Renderer({ mission: "m" }, historyOf(2));
  const before = renderer.render().messages;
  for (const options of [
    unreadable,
    { compression: ["rolling-window", throws] },
    { compression: ["aggressive", { counter: unreadable }] },
    { compression: unreadable },
    {
      tools: {
        get a() {
          throw boom;
        },
      },
    },
    { mission: unreadable },
  ]) {
    refuses(() => renderer.setOptions(options), "invalid_option");
  }
  assert.equal(
    refuses(() => normalizeCompression(["aggressive", { counter: unreadable }]), "invalid_option").cause,
    boom,
  );
  refuses(() => renderer.remove(Object.create(null)), "out_of_range");
  refuses(() => renderer.push(unreadable), "invalid_turn");
  assert.deepEqual(renderer.render().messages, before);
});

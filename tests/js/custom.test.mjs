import assert from "node:assert/strict";
import { test } from "node:test";
import { fork, Renderer, replay, Step, SubAgent, toMessages } from "turnfold";
import { compareCosts } from "turnfold/audit";
import { Keyword, keyword } from "turnfold/turns";
import { historyOf, turnNumbered } from "./histories.mjs";
import { refuses } from "./refuses.mjs";
import { scripted } from "./scripted.mjs";

const strategy = (toMessages) => ({ name: "own", toMessages });
const said = (content) => [{ role: "user", content }];

test("a strategy of the host writes the messages", () => {
  const turns = historyOf(2);
  let seen;
  const own = strategy((...given) => {
    seen = given;
    return said("hello");
  });
  const data = { status: keyword("open") };
  const { messages, stats, sections, dropped } = toMessages(turns, null, {
    mission: "m",
    data,
    maxTurns: 7,
    compression: [own, { depth: 2 }],
  });
  assert.deepEqual(messages, said("hello"));
  assert.deepEqual(stats, {
    enabled: true,
    strategy: "own",
    turnsCompressed: 2,
    toolCallsTotal: 2,
    toolCallsShown: 2,
    toolCallsDropped: 0,
    printlnsTotal: 2,
    printlnsShown: 2,
    printlnsDropped: 0,
    errorTurnsCollapsed: 0,
  });
  assert.deepEqual([sections, dropped], [[], []]);
  const [given, memory, options] = seen;
  assert.deepEqual(given, turns);
  assert.deepEqual(memory, { "step-1": [1], "step-2": [2] });
  assert.equal(options.mission, "m");
  assert.equal(options.turnsLeft, 5);
  assert.deepEqual(options.strategyOptions, { depth: 2 });
  assert.ok(options.data.status instanceof Keyword);
});

test("a custom strategy gets memory and turnsLeft as given", () => {
  const seen = [];
  const own = strategy((_, memory, { turnsLeft }) => {
    seen.push([memory, turnsLeft]);
    return said("x");
  });
  toMessages(historyOf(6), { x: [1] }, { mission: "m", compression: own });
  toMessages(historyOf(6), {}, { mission: "m", turnsLeft: 9, compression: own });
  toMessages([], null, { mission: "m", compression: own });
  assert.deepEqual(seen, [
    [{ x: [1] }, 0],
    [{}, 9],
    [{}, 5],
  ]);
});

test("a custom strategy can pass its options to a built-in strategy", () => {
  const turns = historyOf(3);
  const options = { mission: "m", data: { x: 1 }, maxTurns: 9 };
  const own = strategy(
    (turns, memory, options) => toMessages(turns, memory, { ...options, compression: true }).messages,
  );
  assert.deepEqual(
    toMessages(turns, null, { ...options, compression: own }).messages,
    toMessages(turns, null, options).messages,
  );
});

test("a custom strategy can return the result of a built-in one, and its requests cost the same", async () => {
  const programs = Array.from({ length: 12 }, (_, index) => `(def fact-${index} "${"found ".repeat(99)}")`);
  const step = await new SubAgent({ mission: "m", maxTurns: 13, llm: scripted(...programs, "(return 1)") }).run();
  for (const prices of ["anthropic", "openai", "deepseek"]) {
    for (const builtIn of [false, "single-user-coalesced", "per-turn-summary", "journal"]) {
      const own = strategy((turns, memory, { strategyOptions, ...options }) =>
        toMessages(turns, memory, {
          ...options,
          compression: builtIn === "journal" ? ["journal", strategyOptions] : builtIn,
        }),
      );
      const { strategies } = compareCosts(step, { prices, strategies: { builtIn, own } });
      const [{ name: _, ...first }, { name: __, ...second }] = strategies;
      assert.deepEqual(first, second, `${builtIn} with the prices of ${prices}`);
      const seen = [];
      for (const compression of [builtIn, own]) {
        compareCosts(step, {
          prices,
          strategies: { it: compression },
          onRequest: (_, { breakpoints }) => seen.push(breakpoints),
        });
      }
      assert.deepEqual(seen.slice(0, 13), seen.slice(13));
      assert.ok(seen.every((places) => places.length > 0));
    }
  }
});

test("breakpoints of a custom strategy are sorted, and end with the text of their messages", () => {
  const at = (given, messages = [...said("ab"), ...said("cde")]) =>
    toMessages([], null, { mission: "m", compression: strategy(() => ({ messages, breakpoints: given })) }).breakpoints;
  assert.deepEqual(at([]), []);
  assert.deepEqual(
    at([
      { message: 1, offset: 9 },
      { message: 1, offset: 1 },
      { message: 0, offset: 2 },
    ]),
    [
      { message: 0, offset: 2 },
      { message: 1, offset: 1 },
      { message: 1, offset: 3 },
    ],
  );
  for (const wrong of [
    "end",
    [1],
    [{ message: 2, offset: 0 }],
    [{ message: -1, offset: 0 }],
    [{ message: 0 }],
    Array(5).fill({ message: 0, offset: 1 }),
  ]) {
    assert.match(refuses(() => at(wrong), "invalid_strategy").message, /at most four/);
  }
});

test("messages of a custom strategy without breakpoints are marked where the next request may repeat them", () => {
  const marked = (...roles) =>
    toMessages([], null, {
      mission: "m",
      compression: strategy(() => roles.map((role) => ({ role, content: "text" }))),
    }).breakpoints.map(({ message }) => message);
  assert.deepEqual(marked("user"), []);
  assert.deepEqual(marked("system", "user"), [0]);
  assert.deepEqual(marked("system", "system"), [1]);
  assert.deepEqual(marked("system", "user", "assistant", "user"), [0, 1, 3]);
  assert.deepEqual(marked("user", "assistant", "user", "assistant", "user"), [2, 4]);
  assert.deepEqual(marked("assistant", "user"), [1]);
});

test("a custom strategy is not called with maxTurns 1", () => {
  const own = strategy(() => assert.fail("not called"));
  const { stats, messages } = toMessages([], null, { mission: "m", maxTurns: 1, compression: own });
  assert.deepEqual([stats.enabled, stats.strategy, messages.length], [false, null, 2]);
});

test("an error in a custom strategy is invalid_strategy", () => {
  const render = (toMessages_) => toMessages(historyOf(1), null, { mission: "m", compression: strategy(toMessages_) });
  const cause = new Error("no");
  const error = refuses(
    () =>
      render(() => {
        throw cause;
      }),
    "invalid_strategy",
  );
  assert.equal(error.cause, cause);
  assert.equal(error.details.strategy, "own");
  assert.match(refuses(() => render(async () => said("x")), "invalid_strategy").message, /promise/);
  for (const wrong of [
    undefined,
    null,
    "text",
    {},
    [],
    [null],
    ["text"],
    [{ role: "user" }],
    [{ content: "x" }],
    [{ role: 5, content: "x" }],
    new Array(1),
  ]) {
    refuses(() => render(() => wrong), "invalid_strategy");
  }
  assert.deepEqual(render(() => [{ role: "user", content: null, extra: 1 }]).messages, [
    { role: "user", content: null, extra: 1 },
  ]);
});

test("the options of a custom strategy are checked", () => {
  const own = strategy(() => said("x"));
  refuses(() => toMessages([], null, { mission: "m", maxTurns: -1, compression: own }), "invalid_option");
  refuses(() => toMessages([], null, { mission: "m", tools: { a: "(q :str" }, compression: own }), "invalid_signature");
});

test("a renderer calls a custom strategy, and can switch to another one", () => {
  const own = strategy((turns) => said(`seen ${turns.length}`));
  const renderer = new Renderer({ mission: "m", compression: own });
  renderer.push(turnNumbered(1));
  assert.deepEqual(renderer.render().messages, said("seen 1"));
  renderer.push(turnNumbered(2));
  const second = renderer.render();
  assert.deepEqual(second.messages, said("seen 2"));
  assert.equal(second.sharedPrefix, "seen ".length);
  renderer.setOptions({ compression: true });
  const folded = renderer.render();
  assert.equal(folded.sharedPrefix, 0);
  assert.deepEqual(folded.messages, toMessages(historyOf(2), null, { mission: "m" }).messages);
  renderer.setOptions({ compression: own });
  renderer.render();
  renderer.setOptions({ compression: true });
  assert.equal(renderer.render().sharedPrefix, 0);
});

test("the aggressive strategy uses a host's counter", () => {
  const turns = historyOf(30);
  const counted = [];
  const counter = {
    name: "units",
    method: "exact",
    count(text) {
      counted.push(text);
      return text.length;
    },
  };
  const options = { mission: "m", maxTurns: 40, compression: ["aggressive", { budget: 300, counter }] };
  const { budget, dropped } = toMessages(turns, null, options);
  assert.ok(counted.length > 0);
  assert.deepEqual([budget.budget, budget.counter, budget.method], [300, "units", "exact"]);
  assert.ok(dropped.length > 0);
  const renderer = new Renderer(options, turns);
  const rendered = renderer.render();
  renderer.push(turnNumbered(31));
  assert.deepEqual(rendered.dropped, dropped);
});

test("an error in a counter is invalid_counter", () => {
  const render = (count) =>
    toMessages(historyOf(3), null, {
      mission: "m",
      compression: ["aggressive", { budget: 1, counter: { name: "own", method: "exact", count } }],
    });
  const cause = new Error("no");
  const thrown = refuses(
    () =>
      render(() => {
        throw cause;
      }),
    "invalid_counter",
  );
  assert.equal(thrown.cause, cause);
  assert.match(thrown.message, /threw: no$/);
  for (const wrong of [undefined, "5", Number.NaN, -1, Infinity, Promise.resolve(1)])
    refuses(() => render(() => wrong), "invalid_counter");
});

test("changes that a custom strategy makes to the options last for one rendering", () => {
  const seen = [];
  const own = strategy((_, __, options) => {
    seen.push(JSON.stringify([options.tools, options.fieldDescriptions, options.strategyOptions, options.compression]));
    options.tools.b = "() -> :string";
    options.fieldDescriptions.x = 1;
    options.strategyOptions.depth = 3;
    options.compression.length = 0;
    return said("x");
  });
  const given = { tools: { a: "() -> :int" }, fieldDescriptions: {}, compression: [own, { depth: 2 }] };
  const renderer = new Renderer({ mission: "m", ...given }, historyOf(1));
  renderer.render();
  renderer.setOptions({ maxTurns: 9 });
  renderer.render();
  assert.equal(seen[0], seen[1]);
  renderer.setOptions({ compression: true });
  assert.ok(!renderer.render().messages[1].content.includes("tool/b"));
});

test("sharedPrefix compares messages as they were, even if the strategy changes them later", () => {
  const messages = said("before");
  const renderer = new Renderer({ mission: "m", compression: strategy(() => messages) });
  renderer.render();
  messages[0].content = "after";
  assert.equal(renderer.render().sharedPrefix, 0);
});

test("a counter that renders the history that it counts for changes nothing", () => {
  const turns = historyOf(3);
  const options = (counter) => ({ mission: "m", compression: ["aggressive", { budget: 50, counter }] });
  const plain = { name: "length", method: "exact", count: (text) => text.length };
  let depth = 0;
  const busy = {
    ...plain,
    count(text) {
      if (depth++ === 0) toMessages(turns.slice(0, 1), null, options(busy));
      return text.length;
    },
  };
  assert.deepEqual(toMessages(turns, null, options(busy)).messages, toMessages(turns, null, options(plain)).messages);
  assert.ok(depth > 1);
  const editing = { ...plain, count: () => renderer.remove(0) };
  const renderer = new Renderer(options(editing), turns);
  const { cause } = refuses(() => renderer.render(), "invalid_counter");
  assert.equal(cause.code, "busy");
  renderer.setOptions(options(plain));
  assert.deepEqual(renderer.render().messages, toMessages(turns, null, options(plain)).messages);
});

test("unreadable messages of a custom strategy are refused", () => {
  const boom = new Error("boom");
  const unreadable = new Proxy([], {
    get() {
      throw boom;
    },
  });
  for (const answer of [unreadable, [unreadable]]) {
    const act = () => toMessages(historyOf(1), null, { mission: "m", compression: strategy(() => answer) });
    assert.equal(refuses(act, "invalid_strategy").cause, boom);
  }
});

test("a run whose strategy writes parts or no content is saved, loaded and replayed", async () => {
  const parts = strategy((turns) => [
    { role: "system", content: null },
    { role: "user", content: [{ type: "text", text: `after ${turns.length}` }] },
  ]);
  const inner = new SubAgent({ mission: "m", llm: () => "(return 1)" });
  const markCache = (reply) => (request) => {
    request.messages[1].content[0].cache_control = { type: "ephemeral" };
    return reply(request);
  };
  const agent = new SubAgent({
    mission: "m",
    compression: parts,
    tools: { inner },
    llm: scripted("(def x (tool/inner {}))", "(return x)"),
  });
  const step = await agent.run({ llm: markCache(scripted("(def x (tool/inner {}))", "(return 1)", "(return x)")) });
  assert.equal(step.return, 1);
  const loaded = Step.fromJSON(JSON.stringify(step));
  assert.deepEqual(loaded.messagesAt(2), step.messagesAt(2));
  loaded.messagesAt(2)[1].content[0].text = "changed";
  assert.deepEqual(loaded.messagesAt(2)[1].content, [{ type: "text", text: "after 1" }]);
  assert.equal(JSON.stringify(await replay(agent, loaded)), JSON.stringify(step));
  assert.equal((await fork(agent, loaded, 2, { program: "(return (+ x 1))" })).return, 2);
});

test("the error of a custom strategy has the message of its cause", async () => {
  const brittle = strategy(() => {
    throw new Error("too long for me");
  });
  const step = await new SubAgent({ mission: "m", compression: brittle, llm: () => "" }).run();
  assert.deepEqual(step.fail, { reason: "invalid_strategy", message: 'the strategy "own" threw: too long for me' });
});

// Changed saved states: an accepted state can be used, any other is refused with a TurnfoldError.

import { sizeOf } from "../../js/random.mjs";
import { finding, fuzz } from "./watch.mjs";

const { formatTrace, Lisp, Step, SubAgent, Turn, toMessages, TurnfoldError } = await import("turnfold");

const lisp = new Lisp({ tools: { echo: (x) => x } });
for (const program of [
  "(def x 1) (def rows [{:a 1 :b [2 3]} {:a 2.5 :c #{1 :k}}])",
  '(defn f "Adds" [a & more] (+ a x)) (def g (let [n 3] (fn [y] (* n y)))) (def r #"a+")',
  '(def d (java.util.Date. 0)) (def big 123456789012345678901) (def m {1 2 "k" nil})',
  "(def lost (f nil nil",
  "(def failed (undefined 1))",
]) {
  await lisp.run(program);
}
const replies = ['(def a (tool/echo {:n 1})) (println "said" a)', "(def b (+ nil 1))", "(return {:a a :t *1})"];
const agent = new SubAgent({
  mission: "m",
  tools: { echo: async (x) => x },
  llm: async ({ turn }) => replies[turn - 1],
});
const step = await agent.run({ data: { rows: [1, 2] } });

const states = {
  sandbox: [lisp.toJSON(), useSandbox],
  step: [JSON.parse(JSON.stringify(step)), useStep],
  turn: [JSON.parse(JSON.stringify(step.turns[0])), useTurn],
};

const JUNK = [
  ...[null, true, false, 0, -1, 1.5, 1e308, "", "x", "$map", "\u0000", "a".repeat(2000), [], {}, [null], [[[[]]]]],
  ...[
    { $map: 3 },
    { $map: [[1]] },
    {
      $map: [
        [1, 2],
        [1, 3],
      ],
    },
    { $set: {} },
    { $set: [1, 1] },
    { $int: "x" },
    { $int: "1e9" },
  ],
  ...[
    { $float: 3 },
    { $float: "NaN" },
    { $keyword: "" },
    { $keyword: "a b" },
    { $date: "x" },
    { $date: 1e300 },
    { $fn: {} },
  ],
  ...[
    { $fn: { params: "[", source: "(" } },
    { $fn: { params: "a", source: "(fn [a] a)", captured: { a: 1 } } },
    { $builtin: "inc" },
  ],
  ...[
    { $builtin: "nothing" },
    { $var: "x" },
    { $var: 3 },
    { $regex: "(" },
    { $regex: "a+" },
    { $unknown: 1 },
    { a: 1, $map: [] },
  ],
  ...["journal", "rolling-window", ["none", {}], ["journal", { budget: -1 }], ["x"], { render: 1 }],
];

/** The size of the largest parts; one state in so many has parts of up to that size, the others are small. */
const LARGEST = 10_000_000;
const LARGE = 2000;

await fuzz("saved", async (random, seed) => {
  const name = random.pick(Object.keys(states));
  const [state, use] = states[name];
  const changed = { root: structuredClone(state) };
  try {
    for (let changes = 1 + random.below(3); changes > 0; changes--) change(changed, random);
  } catch (error) {
    // A part that is nested too deeply to be copied stays as it is.
    if (!(error instanceof RangeError)) throw error;
  }
  const given = random.below(2) === 0 ? changed.root : damaged(textOf(changed.root), random);
  try {
    return `${name} ${await use(given)}`;
  } catch (error) {
    if (TurnfoldError.isInstance(error) && error.code !== "internal") return `${name} refused`;
    finding(`it throws ${error?.code ?? error?.name}: ${error?.stack}`, textOf(given).slice(0, 5000), seed);
  }
});

/** The state as JSON; one that is nested too deeply for `JSON.stringify` is cut to a text that is no JSON. */
function textOf(state) {
  try {
    return JSON.stringify(state) ?? "";
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return "[".repeat(100_000);
  }
}

async function useSandbox(given) {
  const restored = Lisp.fromJSON(given, { tools: { echo: (x) => x }, limits: { fuel: 1e6 } });
  for (const program of [
    "[x rows r d big m *1 *2 *3]",
    "[(f 1) (g 2)]",
    "(str x f g rows)",
    "(def y 1)",
    '(apropos "")',
    "undefined-name",
  ]) {
    const { error } = await restored.run(program);
    if (error?.kind === "internal") throw new Error(error.message);
  }
  const again = Lisp.fromJSON(JSON.stringify(restored.toJSON()));
  for (const program of ["lost", "failed", "(x)", "(g)", "(rowz)"]) {
    const [here, there] = [await restored.run(program), await again.run(program)];
    if (JSON.stringify(here.error) !== JSON.stringify(there.error)) {
      throw new Error(`the hints differ: ${JSON.stringify([here.error, there.error])}`);
    }
  }
  again.dispose();
  restored.dispose();
  return "used";
}

async function useStep(given) {
  const restored = Step.fromJSON(given);
  formatTrace(restored);
  JSON.stringify(restored);
  for (const turn of restored.turns) read([turn.result, turn.memory, turn.toolCalls, turn.prints]);
  read([restored.ok, restored.return, restored.fail, restored.usage, restored.messages]);
  return "used";
}

async function useTurn(given) {
  const turn = Turn.fromJSON(given);
  read([turn.result, turn.memory, turn.toolCalls, turn.prints, turn]);
  for (const compression of [true, false, "journal"]) toMessages([turn], null, { mission: "m", compression });
  return "used";
}

/** Replaces, removes, moves or duplicates a random part. */
function change(holder, random) {
  let [parent, key] = [holder, "root"];
  for (let depth = random.below(9); depth > 0; depth--) {
    const next = parent[key];
    if (typeof next !== "object" || next === null || Object.keys(next).length === 0) break;
    [parent, key] = [next, random.pick(Object.keys(next))];
  }
  switch (random.below(6)) {
    case 0:
      delete parent[key];
      break;
    case 1:
      put(parent, random.pick(["$map", "version", "memory", "x", "0", "__proto__"]), parent[key]);
      break;
    case 2:
      if (Array.isArray(parent)) parent.push(structuredClone(parent[key]));
      break;
    case 3:
      parent[key] = sized(random, sizeOf(random, random.below(LARGE / 6) === 0 ? LARGEST : 300));
      break;
    default:
      parent[key] = structuredClone(random.pick(JUNK));
  }
}

/** A text, list, map or nested value of a size, or one with a long name. */
function sized(random, size) {
  const items = Array.from({ length: Math.ceil(size / 8) }, (_, index) => index);
  switch (random.below(6)) {
    case 0:
      return random.pick(["a", "ä", "\u0000", '"', "(", "👩‍🚀"]).repeat(size);
    case 1:
      return items;
    case 2:
      return Object.fromEntries(items.map((index) => [`k${index}`, index]));
    case 3:
      return { ["n".repeat(size)]: 1 };
    case 4:
      return { $fn: { params: "a", source: `(fn [a] [${"1 ".repeat(size / 2)}])` } };
    default: {
      let nested = null;
      // Deeper data can't be written as JSON.
      for (let level = Math.min(size, 3000); level > 0; level--) nested = [nested];
      return nested;
    }
  }
}

/** Reads every value by writing it as JSON; JSON has no integers as large as programs have. */
function read(values) {
  JSON.stringify(values, (_, value) => (typeof value === "bigint" ? String(value) : value));
}

/** Sets an own member of any name. */
function put(parent, name, value) {
  Object.defineProperty(parent, name, { value, configurable: true, enumerable: true, writable: true });
}

/** Returns the text with a few characters changed. */
function damaged(text, random) {
  let changed = text;
  for (let changes = random.below(3); changes > 0 && changed.length > 0; changes--) {
    const place = random.below(changed.length);
    const put = random.pick(["", '"', "{", "]", ",", "0", "\\", "\ud800", "null"]);
    changed = changed.slice(0, place) + put + changed.slice(place + random.below(3));
  }
  return changed;
}

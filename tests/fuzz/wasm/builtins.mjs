// Programs of every builtin with every kind of value: values that share parts, large, nested and invalid ones. Each program
// ends with a result or an error of its own, within its fuel, its memory and a time limit.

import { threadTime } from "../../../benches/js/thread-time.mjs";
import { sizeOf } from "../../js/random.mjs";
import { finding, fuzz, memories } from "./watch.mjs";

const { Lisp } = await import("turnfold");

const limits = {
  fuel: 100_000,
  heapBytes: 8 << 20,
  collectionSize: 10_000,
  depth: 300,
  prints: 20,
  toolCalls: 20,
  timeoutMs: Number.POSITIVE_INFINITY,
};
/** The limit, plus the work of a builtin within one step, which is counted after it is done. */
const MAX_FUEL = limits.fuel + 20 * limits.collectionSize;
/** Milliseconds after which a small input hangs; a usual input takes a thousandth of that. */
const HANG_MS = 3000;
const MAX_MEMORY = 64 << 20;
/** What a program adds to these limits for each of its bytes: it is read and compiled before its own limits count. */
const MS_PER_BYTE = 1 / 500;
const MEMORY_PER_BYTE = 200;
/** The largest part of a program in bytes; one program in so many has parts of up to that size, the others are small. */
const LARGEST = 10_000_000;
const LARGE = 1000;

const DEFINITIONS = `
(def dag (reduce (fn [v _] [v v]) [1] (range 40)))
(def dagmap (reduce (fn [m _] {:a m :b m}) {:c 1} (range 30)))
(def deep (reduce (fn [v _] [v]) [] (range 900)))
(def wide (vec (range 5000)))
(def texts (mapv str (range 500)))
(def rows (mapv (fn [i] {:id i :name (str "n" i) :tags [i (inc i)]}) (range 300)))
(def pairs (mapv (fn [i] [i (str i)]) (range 300)))
(def table (into {} (map (fn [i] [i i]) (range 1000))))
(def many (set (range 1000)))
(def long-text (apply str (repeat 8000 "ab ")))
(def wide-text (apply str (repeat 3000 "äß👩‍🚀")))
(def spaces (apply str (repeat 5000 " ")))
(def huge (reduce * (repeat 2000 9)))
(def f (fn [x] x))
(def g (fn [& xs] (first xs)))
(def h (fn [x] (throw-nothing x)))`;

const ATOMS = [
  ...[
    "nil",
    "true",
    "false",
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "100",
    "1.5",
    "-0.0",
    "9223372036854775807",
    "-9223372036854775808",
  ],
  ...[
    "123456789012345678901234567890",
    "1e300",
    "(/ 0.0 0.0)",
    "(/ 1.0 0)",
    '""',
    '"a"',
    '"a b,c"',
    '"ä👩‍🚀"',
    '"2024-02-29"',
  ],
  ...[
    '"[1,{\\"a\\":2}]"',
    '"%5d %s"',
    '"$1"',
    ":a",
    ":name",
    ":id",
    ":asc",
    '#"a+"',
    '#"(a)|(b)*"',
    '#""',
    '#"[a-c]+\\s"',
  ],
  ...[
    "[]",
    "[1 2 3]",
    "[[1 2] [3 4]]",
    "[:a :b]",
    '["b" "a"]',
    "{}",
    "{:a 1}",
    '{:a {:b [1]} "k" 2 3 4}',
    "#{}",
    "#{1 2}",
    "[nil]",
  ],
  ...[
    "dag",
    "dagmap",
    "deep",
    "wide",
    "texts",
    "rows",
    "pairs",
    "table",
    "many",
    "long-text",
    "wide-text",
    "spaces",
    "huge",
  ],
  ...[
    "f",
    "g",
    "h",
    "inc",
    "str",
    "+",
    "compare",
    "odd?",
    "identity",
    "vector",
    "first",
    "tool/echo",
    "tool/boom",
    "#'f",
    "%",
  ],
  ...[
    "data/rows",
    "data/text",
    "*1",
    "(java.util.Date.)",
    "(fn [x y] (compare x y))",
    "#(conj [] %)",
    "(partial + 1)",
    "(comp str inc)",
  ],
];

const tools = {
  echo: (...args) => args[0] ?? null,
  boom: () => {
    throw new Error("kaboom");
  },
};
const data = { rows: [{ a: 1 }, { a: 2.5 }], text: "some text" };
const options = { data, tools, limits };
const names = (await new Lisp().run('(apropos "")')).value.map(String);

/** The numbers of arguments that each builtin takes, up to four. */
const arities = new Map(names.map((name) => [name, [0, 1, 2, 3, 4].filter((count) => takes(name, count))]));

function takes(name, count) {
  const { error } = new Lisp().runSync(`(${name}${" nil".repeat(count)})`);
  return !error?.kind.includes("arity");
}

/** Kinds of errors with which no program may end. */
const FORBIDDEN_KINDS = ["internal", "out_of_memory", "timeout", "aborted"];

let lisp = null;
let left = 0;
let longest = 0;

await fuzz("builtins", async (random, seed) => {
  if (left-- <= 0 || lisp === null) {
    lisp?.dispose();
    lisp = new Lisp({ ...options, limits: { ...limits, fuel: 10_000_000, heapBytes: 64 << 20 } });
    for (const definition of DEFINITIONS.split("\n")) lisp.runSync(definition);
    const saved = lisp.toJSON();
    lisp.dispose();
    lisp = Lisp.fromJSON(saved, options);
    left = 3000;
  }
  const program = statement(random);
  const begun = threadTime();
  let result;
  try {
    result = lisp.runSync(program);
  } catch (error) {
    finding(`it throws ${error?.code}: ${error?.message}`, program, seed);
  }
  const milliseconds = threadTime() - begun;
  const shown = program.length > 5000 ? `${program.slice(0, 5000)}… (${program.length} characters)` : program;
  if (milliseconds > HANG_MS + program.length * MS_PER_BYTE)
    finding(`it takes ${milliseconds.toFixed(0)} ms`, shown, seed);
  // Work that costs more than the fuel left is charged and refused before it is done.
  if (result.fuelUsed > MAX_FUEL && result.error?.kind !== "fuel_exceeded")
    finding(`it takes ${result.fuelUsed} steps`, shown, seed);
  const { byteLength } = memories.at(-1).buffer;
  longest = Math.max(longest, program.length);
  if (byteLength > MAX_MEMORY + longest * MEMORY_PER_BYTE) finding(`the memory has ${byteLength} bytes`, shown, seed);
  if (!result.ok && FORBIDDEN_KINDS.includes(result.error.kind)) {
    finding(`it ends with ${result.error.kind}: ${result.error.message}`, shown, seed);
  }
  return result.ok ? "ok" : result.error.kind;
});

function statement(random) {
  switch (random.below(13)) {
    case 12:
      return sized(random, sizeOf(random, random.below(LARGE / 13) === 0 ? LARGEST : 300));
    case 0:
      return `(let [a ${expression(random, 2)} b ${expression(random, 1)}] ${call(random, 1, ["a", "b"])})`;
    case 1:
      return `(map (fn [a] ${call(random, 1, ["a"])}) ${random.pick(["rows", "texts", "pairs", "table", "[1 nil]"])})`;
    case 2:
      return `(loop [a ${expression(random, 1)} n 0] (if (< n 50) (recur ${call(random, 1, ["a"])} (inc n)) a))`;
    case 3:
      return `(reduce (fn [a b] ${call(random, 1, ["a", "b"])}) ${expression(random, 1)} ${random.pick(["texts", "many"])})`;
    case 4:
      return `(pmap (fn [a] ${call(random, 1, ["a"])}) ${random.pick(["[1 2]", "texts", "rows"])})`;
    case 5:
      return `(def kept ${call(random, 2, [])})`;
    case 6:
      return `(println ${call(random, 1, [])})`;
    default:
      return call(random, 3, []);
  }
}

/** A program with a part of a size: a text, a name, arguments, elements, levels or statements. */
function sized(random, size) {
  const name = random.pick(names);
  const parts = (part) => part.repeat(Math.ceil(size / part.length));
  switch (random.below(10)) {
    case 0:
      return `(${name} "${parts(random.pick(["a", "ä ", "👩‍🚀", "\\n", "1,"]))}"${random.pick(["", " 1", ' "a"'])})`;
    case 1:
      return `(def ${parts("n")} 1) ${parts("n")}`;
    case 2:
      return `(${name}${parts(random.pick([" 1", " nil", ' "a"', " [1]"]))})`;
    case 3:
      return `(${name} [${parts(random.pick(["1 ", ":a ", "[] "]))}]${random.pick(["", " 1", " inc"])})`;
    case 4:
      return `${"(inc ".repeat(Math.ceil(size / 6))}1${")".repeat(Math.ceil(size / 6))}`;
    case 5:
      return `(${name} ${"[".repeat(Math.ceil(size / 2))}${"]".repeat(Math.ceil(size / 2))})`;
    case 6:
      return parts(random.pick(["(def a 1)\n", "(f 1) ", "; comment\n", "#_1 ", "(", ")"]));
    case 7:
      return `(${name} ${parts(random.pick(["9", "1e", "0.1", ":k", "'"]))})`;
    case 8:
      return `(${name} {${Array.from({ length: Math.ceil(size / 12) }, (_, index) => `:k${index} ${index}`).join(" ")}})`;
    default:
      return `(let [${Array.from({ length: Math.ceil(size / 10) }, (_, index) => `a${index} ${index}`).join(" ")}] (${name} a0))`;
  }
}

function expression(random, depth, locals = []) {
  if (depth > 0 && random.below(3) === 0) return call(random, depth - 1, locals);
  return locals.length > 0 && random.below(2) === 0 ? random.pick(locals) : random.pick(ATOMS);
}

function call(random, depth, locals) {
  const name = random.pick(names);
  const right = arities.get(name);
  const length = right.length === 0 || random.below(20) === 0 ? random.below(5) : random.pick(right);
  const args = Array.from({ length }, () => expression(random, depth, locals));
  return `(${name} ${args.join(" ")})`;
}

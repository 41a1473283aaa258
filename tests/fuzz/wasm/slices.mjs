// Measures the longest slice of each builtin: the time between two reads of the clock, in which the host is blocked. Arguments
// are one or two values of every kind and several sizes, including collections whose elements are large and shared. Prints the
// longest slices.

import { threadTime } from "../../../benches/js/thread-time.mjs";
import { finding, fuzz } from "./watch.mjs";

const { Lisp } = await import("turnfold");

const SIZES = [30_000, 300_000, 900_000];
const definitions = (size) => `
(def v (vec (range ${size})))
(def w (mapv (fn [i] (mod (* i 7919) 1000003)) v))
(def m (zipmap v v))
(def n (zipmap (map (fn [i] (str "k" i)) (range ${Math.min(size, 300_000)})) v))
(def z (set v))
(def s (apply str (repeat ${size / 3} "ab ")))
(def u (apply str (repeat ${size / 3} "ä b")))
(def t (mapv str w))
(def p (mapv (fn [i] [i (str i)]) (range ${Math.min(size, 300_000)})))
(def o (mapv (fn [i] {:a i :b (str i)}) (range ${size / 3})))
(def d (reduce (fn [v _] [v v]) [1] (range 18)))
(def q [[p] [p]])
(def i (reduce * (repeat 10000 9)))
(def row (vec (range 9000)))
(def long (apply str (repeat ${size} "x")))`;
/** Values with too many bytes to be saved as definitions; the program makes them. */
const LOCALS = {
  rows: "(vec (repeat 20000 row))",
  longs: "(vec (repeat 3000 long))",
  copies: "(mapv (fn [_] (vec (range 9000))) (range 40))",
  integers: "(mapv (fn [n] (+ i n)) (range 300))",
  named: "(zipmap (range 3000) (repeat 3000 long))",
};
const LARGE = ["v", "w", "m", "n", "z", "s", "u", "t", "p", "o", "d", "q", "i", "row", "long", ...Object.keys(LOCALS)];
const SMALL = [
  "inc",
  "str",
  "3",
  "-1",
  ":a",
  '#"[a-c]+"',
  '"a"',
  "odd?",
  "{:a 1}",
  "(fn [& xs] (first xs))",
  "nil",
  "+",
];
/** Builtins that are not measured: they define names or end the program. */
const EXCLUDED = /^(def|return|fail$)/;
/** Milliseconds from which a slice is long on a usual machine: half of the bound for a slow one. */
const LONG_MS = Number(process.env.SLICE_MS ?? 8);

// The sandbox reads the clock after each slice. While a program is measured, the clock returns the processor time of this
// thread, so that other processes do not count.
const realNow = performance.now.bind(performance);
let isMeasuring = false;
let last = 0;
let longest = 0;
performance.now = () => {
  if (!isMeasuring) return realNow();
  const time = threadTime();
  longest = Math.max(longest, time - last);
  last = time;
  return time;
};

const limits = { fuel: 50_000_000, heapBytes: 512 << 20, timeoutMs: Number.POSITIVE_INFINITY, printLength: 100 };
/** Programs that run in a sandbox before it is replaced by one of another size; the memory holds the values of one size. */
const PROGRAMS_PER_SIZE = 400;
let held = { size: 0, lisp: null };
function sandbox(size) {
  if (held.size !== size) {
    held.lisp?.dispose();
    held = { size, lisp: new Lisp({ limits }) };
    const defined = held.lisp.runSync(definitions(size));
    if (!defined.ok) throw new Error(`${defined.error.message} (${size})`);
  }
  return held.lisp;
}

const names = (await sandbox(SIZES[0]).run('(apropos "")')).value.map(String).filter((name) => !EXCLUDED.test(name));
/** The longest slice with its program, by name and size. */
const found = new Map();

let programs = 0;
await fuzz("slices", async (random) => {
  const [name, size] = [random.pick(names), SIZES[Math.floor(programs++ / PROGRAMS_PER_SIZE) % SIZES.length]];
  const args = Array.from({ length: 1 + random.below(2) }, () => random.pick(LARGE));
  if (random.below(2) === 0) args[random.below(args.length)] = random.pick(SMALL);
  const locals = args.filter((arg) => arg in LOCALS).map((arg) => `${arg} ${LOCALS[arg]}`);
  const call = `(nil? (${name} ${args.join(" ")}))`;
  const program = locals.length === 0 ? call : `(let [${locals.join(" ")}] ${call})`;
  let milliseconds = slice(size, program);
  // Another process may have slowed the measurement down.
  for (let again = 0; milliseconds > LONG_MS && again < 3; again++) {
    milliseconds = Math.min(milliseconds, slice(size, program));
  }
  const key = `${name} ${size}`;
  if (milliseconds > (found.get(key)?.milliseconds ?? 0)) found.set(key, { name, size, milliseconds, program });
  return milliseconds > LONG_MS ? "long" : "short";
});

/** Runs a program and returns the longest time between two reads of the clock, in milliseconds. */
function slice(size, program) {
  const lisp = sandbox(size);
  isMeasuring = true;
  performance.now();
  longest = 0;
  lisp.runSync(program);
  performance.now();
  isMeasuring = false;
  return longest;
}

const long = [...found.values()].sort((left, right) => right.milliseconds - left.milliseconds);
for (const { milliseconds, size, program } of long.slice(0, Number(process.env.SHOWN ?? 40))) {
  console.log(`${milliseconds.toFixed(1).padStart(7)} ms ${String(size).padStart(8)}  ${program}`);
}
const max = Number(process.env.SLICE_LIMIT ?? 50);
for (const { milliseconds, program } of long) {
  if (milliseconds > max) finding(`a slice takes ${milliseconds.toFixed(0)} ms`, program, "-");
}

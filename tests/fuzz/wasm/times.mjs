// Measures the time of a step in each builtin, and in the functions that builtins make, with one to three arguments of every
// kind, including large ones: limits on steps and on time agree only if a step takes about the same time everywhere. Short
// calls are repeated, so that uncounted work shows even where it is small. Prints the slowest and the fastest.

import { finding, fuzz } from "./watch.mjs";

const { Lisp } = await import("turnfold");

const ELEMENTS = 60_000;
const DEFINITIONS = `
(def v (vec (range ${ELEMENTS})))
(def w (mapv (fn [i] (mod (* i 7919) 1000003)) v))
(def m (zipmap v v))
(def z (set v))
(def s (apply str (repeat ${ELEMENTS / 3} "ab ")))
(def u (apply str (repeat ${ELEMENTS} "ä")))
(def e (apply str (repeat ${ELEMENTS / 10} "👩‍🚀")))
(def t (mapv str w))
(def p (mapv (fn [i] [i (str i)]) v))
(def o (mapv (fn [i] {:a i :b (str i)}) (range ${ELEMENTS / 3})))
(def d (reduce (fn [v _] [v v]) [1] (range 16)))
(def i (reduce * (repeat 5000 9)))
(def x (parse-double "1.5"))`;
const LARGE = ["v", "w", "m", "z", "s", "u", "e", "t", "p", "o", "d", "i"];
const SMALL = [
  "inc",
  "str",
  "3",
  "-1",
  ":a",
  '#"[a-c]+"',
  '"a"',
  "odd?",
  "compare",
  "[:a]",
  "{:a 1}",
  "{:a v}",
  "{:a s}",
  "(fn [& xs] (first xs))",
  "nil",
  "+",
];
/** Expressions that make functions, measured beside the builtins. */
const MADE = [
  ...["v", "z", "m", "s"].map((place) => `(where :a in ${place})`),
  ...["-1", '"zz"', "v"].map((item) => `(where :a includes ${item})`),
  "(where v)",
  "(where :a = v)",
  "(comp inc count)",
  "(partial + 1)",
  "(juxt count first)",
  "(fnil count 1)",
  "(every-pred some?)",
  "(some-fn nil?)",
  "(any-of nil?)",
  "v",
  "m",
  "z",
  "{v 1}",
];
/** Builtins that are not measured: they define names, end the program, or make a large value of a number. */
const EXCLUDED = /^(def|return|fail$|range$|repeat|iterate|cycle)/;

/** The most nanoseconds of a step, in calls that are long enough to be measured; 10 to 200 are usual. */
const MAX_STEP_NS = 2000;
const MEASURABLE_MS = 10;
/** The repetitions of a short call. */
const REPETITIONS = 300;
/** Milliseconds after which a call hangs; its slices are shorter. */
const HANG_MS = 3000;

const limits = { fuel: 20_000_000, heapBytes: 256 << 20, timeoutMs: Number.POSITIVE_INFINITY };
const lisp = new Lisp({ limits });
const defined = lisp.runSync(DEFINITIONS);
if (!defined.ok) throw new Error(defined.error.message);
const names = (await lisp.run('(apropos "")')).value.map(String).filter((name) => !EXCLUDED.test(name));
const found = [];

await fuzz("times", async (random, seed) => {
  const arity = 1 + random.below(3);
  const args = Array.from({ length: arity }, () => random.pick(random.below(2) === 0 ? LARGE : SMALL));
  const name = random.below(8) === 0 ? random.pick(MADE) : random.pick(names);
  const call = `(${name} ${args.join(" ")})`;
  let program = `(nil? ${call})`;
  let { milliseconds, fuelUsed } = measured(program);
  if (milliseconds > HANG_MS) finding(`it takes ${milliseconds.toFixed(0)} ms`, program, seed);
  if (milliseconds < MEASURABLE_MS) {
    program = `(loop [n 0] (if (< n ${REPETITIONS}) (do ${call} (recur (inc n))) nil))`;
    ({ milliseconds, fuelUsed } = measured(program));
  }
  if (milliseconds < MEASURABLE_MS) return "short";
  let nanoseconds = (milliseconds * 1e6) / fuelUsed;
  // Another process may have slowed the measurement down.
  for (let again = 0; nanoseconds > MAX_STEP_NS && again < 5; again++) {
    const { milliseconds, fuelUsed } = measured(program);
    nanoseconds = Math.min(nanoseconds, milliseconds < MEASURABLE_MS ? 0 : (milliseconds * 1e6) / fuelUsed);
  }
  if (nanoseconds > MAX_STEP_NS) finding(`a step takes ${nanoseconds.toFixed(0)} ns`, program, seed);
  found.push({ program, nanoseconds, milliseconds });
  return "measured";
});

function measured(program) {
  const begun = performance.now();
  const { fuelUsed } = lisp.runSync(program);
  return { milliseconds: performance.now() - begun, fuelUsed };
}

found.sort((left, right) => right.nanoseconds - left.nanoseconds);
for (const { program, nanoseconds, milliseconds } of [...found.slice(0, 10), ...found.slice(-3)]) {
  console.log(`${nanoseconds.toFixed(0).padStart(6)} ns a step ${milliseconds.toFixed(0).padStart(6)} ms  ${program}`);
}

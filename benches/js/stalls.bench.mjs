// The longest time for which a program keeps the thread without a check of its clock, for calls on large collections and
// texts, in milliseconds of processor time (least of three runs), with the time of the whole program.
//
// `node benches/js/stalls.bench.mjs 200000` measures them with another number of elements.

import { Lisp } from "turnfold";
import { threadTime } from "./thread-time.mjs";

const SIZE = Number(process.argv[2] ?? 1_000_000);
const ROUNDS = 3;

const definitions = `
  (def n ${SIZE})
  (def v (vec (range n)))
  (def w (vec (range n)))
  (def t (mapv str v))
  (def m (zipmap v v))
  (def z (set v))
  (def s (apply str (repeat n "a")))
  (def u (apply str (repeat (quot n 2) "ä ")))
  (def p (mapv (fn [i] [i]) v))
  (def l (mapv (fn [i] {:a i}) (range (quot n 20))))
  (def j (json/write-str l))`;

const programs = [
  "(range n)",
  "(repeat n 1)",
  "(reverse v)",
  "(concat v [1])",
  "(conj v 1)",
  "(assoc m -1 1)",
  "(vals m)",
  "(seq m)",
  "(seq s)",
  "(zip v w)",
  "(partition 2 v)",
  "(flatten p)",
  "(interpose 0 (take (quot n 2) v))",
  "(.indexOf v -1)",
  "(= v w)",
  "(set v)",
  "(frequencies t)",
  "(zipmap t v)",
  "(merge m {-1 0})",
  "(sort t)",
  "(group-by odd? v)",
  "(map inc v)",
  "(pmap inc v)",
  '(split s "")',
  "(str/reverse u)",
  "(upper-case u)",
  '(replace s "a" "b")',
  '(re-seq #"[a]" s)',
  "(str (take (quot n 10) v))",
  "(json/write-str l)",
  "(json/parse-string j)",
];

const limits = {
  fuel: Number.POSITIVE_INFINITY,
  timeoutMs: 600_000,
  heapBytes: 2 ** 31,
  collectionSize: 8 * SIZE,
};
const lisp = new Lisp({ limits });
const defined = lisp.runSync(definitions);
if (!defined.ok) throw new Error(defined.error.message);

console.log(`\n${SIZE.toLocaleString("en")} elements or characters${"stall".padStart(18)}${"whole".padStart(10)}`);
for (const program of programs) {
  const measured = Array.from({ length: ROUNDS }, () => measure(`(boolean ${program})`));
  const least = (member) => Math.min(...measured.map((each) => each[member]));
  const cells = [least("stall"), least("whole")].map((time) => time.toFixed(1).padStart(10));
  console.log(`${program.padEnd(44)}${cells.join("")}`);
}

/** The largest time between two readings of the clock: the sandbox reads it after each slice. */
function measure(program) {
  const { now } = performance;
  const begun = threadTime();
  let [last, stall] = [begun, 0];
  performance.now = () => {
    const time = threadTime();
    stall = Math.max(stall, time - last);
    last = time;
    return time;
  };
  try {
    const { ok, error } = lisp.runSync(program);
    if (!ok) throw new Error(`${program}: ${error.message}`);
    const end = threadTime();
    return { stall: Math.max(stall, end - last), whole: end - begun };
  } finally {
    performance.now = now;
    lisp.runSync("1");
  }
}

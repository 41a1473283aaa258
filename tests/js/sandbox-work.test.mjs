// Long operations within one step are charged as fuel: each of these programs exceeds its fuel or is fast.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Lisp } from "turnfold";

const numbers = "(def a (vec (range 100000))) (def b (vec (range 100000)))";
const maps =
  "(def a (into {} (map (fn [i] [i i]) (range 50000)))) (def b (into {} (map (fn [i] [i i]) (range 50000))))";
const texts = '(def a (apply str (repeat 900000 "a"))) (def b (apply str (repeat 900000 "a")))';
const integer = "(def a (reduce * (repeat 5000 9))) (def b (reduce * (repeat 2500 7)))";
const again = (form) => `(loop [i 0] (if (< i 9000) (do ${form} (recur (inc i))) i))`;

/** Programs with much work in few steps. */
const attacks = {
  "equal vectors": `${numbers} ${again("(= a b)")}`,
  "equal maps": `${maps} ${again("(= a b)")}`,
  "maps that differ at their end": `${maps} (def c (assoc (dissoc b 49999) -1 1)) ${again("(= a c)")}`,
  "equal texts in vectors": `${texts} ${again("(= [a] [b])")}`,
  "equal texts": `${texts} ${again("(= a b)")}`,
  "unequal vectors": `${numbers} ${again("(not= a (conj b i))")}`,
  "ordered texts": `${texts} ${again("(< a b)")}`,
  "compared texts": `${texts} ${again("(compare a b)")}`,
  "a copy for each element that is added": `${numbers} ${again("(conj a i)")}`,
  "a copy for each entry that is added": `${maps} ${again("(assoc a i 1)")}`,
  "a copy for each entry that is removed": `${maps} ${again("(dissoc a i)")}`,
  "vectors as keys": `${numbers} ${again("(get {(conj a i) 1} a)")}`,
  "texts as keys": `${texts} ${again("(get {(str a i) 1} b)")}`,
  "sorted texts": `(def a (apply str (repeat 100000 "a"))) (count (sort (map (fn [i] (str a (- i))) (range 500))))`,
  "long texts that are no numbers": `${texts} ${again("(parse-double a)")}`,
  products: `${integer} ${again("(* a a)")}`,
  quotients: `${integer} ${again("(quot a b)")}`,
  "digits that are read": `(def s (apply str (repeat 5000 "7"))) ${again("(parse-long s)")}`,
  "digits that are written": `${integer} ${again("(str a)")}`,
  "patterns that are compiled": again('(re-pattern (str "(?:a{90}){90}" i))'),
};

for (const [name, program] of Object.entries(attacks)) {
  test(`${name} are charged as fuel`, async () => {
    const limits = { fuel: 3_000_000, timeoutMs: Number.POSITIVE_INFINITY };
    const { error, fuelUsed } = await new Lisp({ limits }).run(program);
    assert.equal(error?.kind, "fuel_exceeded", JSON.stringify({ error, fuelUsed }));
  });
}

test("shared parts of values are compared once", async () => {
  const shared = "(loop [a [1] b [1] n 0] (if (< n 60) (recur [a a] [b b] (inc n))";
  const { value, fuelUsed } = await new Lisp().run(`${shared} (compare a b)))`);
  assert.equal(value, 0);
  assert.ok(fuelUsed < 100_000, `${fuelUsed}`);
});

test("regular expressions have a size limit, matching is charged as fuel, and other sandboxes still work", async () => {
  const other = new Lisp();
  await other.run("(def x 1)");
  // On a busy machine the time limit would be reached before the fuel.
  const lisp = new Lisp({ limits: { timeoutMs: Number.POSITIVE_INFINITY } });
  const errorOf = async (program) => (await lisp.run(program)).error;
  const groups = (count) => `(re-find (re-pattern (str (apply str (repeat ${count} "(a?)")) "c")) "a")`;
  for (const count of [101, 3000, 9000]) {
    const { kind, message } = await errorOf(groups(count));
    assert.equal(kind, "invalid_regex");
    assert.match(message, /has more than (100 groups|10000 characters)/);
  }
  assert.equal(await errorOf(groups(100)), null);
  const wide = (length) => `(re-find (re-pattern "(?:a?){1000}c") (apply str (repeat ${length} "a")))`;
  assert.equal(await errorOf(wide(10_000)), null);
  assert.equal((await errorOf(wide(30_000))).kind, "fuel_exceeded");
  assert.equal((await other.run("x")).value, 1);
});

test("apropos does not search for a text that is longer than every name", async () => {
  const { value, fuelUsed } = await new Lisp().run('(apropos (apply str (repeat 900000 "a")))');
  assert.deepEqual(value, []);
  assert.ok(fuelUsed < 3_000_000, `${fuelUsed}`);
});

// heapBytes counts all memory of a program, and an allocation that the instance can't make is an error of the program.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { memories } from "./wasm-memories.mjs";

const { Lisp, SubAgent, TurnfoldError } = await import("turnfold");

const heapBytes = 16 << 20;
const large = Array.from({ length: 50_000 }, (_, index) => `item ${index}`);

function sandbox() {
  return new Lisp({
    tools: {
      wait: async () => 1,
      fit: ["(items [:int], n :int) -> :int", async () => 1],
      large: async () => large,
    },
    limits: { heapBytes, fuel: 1e9, timeoutMs: Number.POSITIVE_INFINITY },
  });
}

const numbers = "(def a (vec (range 100000)))";
/** Programs that exceed the limit, each in its own way. */
const attacks = {
  "stacks of branches that wait": `(defn deep [n]
      (let [a n b n c n d n] (if (zero? n) (do (tool/wait {}) 0) (+ a b c d (deep (dec n))))))
    (pmap (fn [_] (deep 3000)) (range 300))`,
  "names of one collection, which are written one by one": `${numbers}
    ${Array.from({ length: 60 }, (_, index) => `(def a${index} [a ${index}])`).join(" ")}`,
  "arguments of calls that are under way": `${numbers} (pmap (fn [i] (tool/wait {:a a :i i})) (range 100))`,
  "arguments of calls that have ended": `${numbers} (map (fn [i] (tool/fit a i)) (range 300))`,
  "results that arrive together": "(pmap (fn [i] (count (tool/large {}))) (range 60))",
  "results that calls are recorded with": "(loop [i 0] (if (< i 300) (do (count (tool/large {})) (recur (inc i))) i))",
  texts: '(map (fn [i] (str "0123456789abcdef" i)) (range 900000))',
  "values in values": "(reduce (fn [a i] [a (str i) {:a i}]) nil (range 900000))",
  "vectors in a loop": "(loop [v [] i 0] (if (< i 9999) (recur (conj v (vec (range 1000))) (inc i)) (count v)))",
  "definitions, again and again": "(doseq [i (range 9000)] (def v (vec (range 1000))))",
};

for (const [name, program] of Object.entries(attacks)) {
  test(`heapBytes limits a program: ${name}`, async () => {
    const lisp = sandbox();
    await lisp.run("(def kept 1)");
    const before = memories.at(-1).buffer.byteLength;
    const { error } = await lisp.run(program);
    assert.equal(error?.kind, "memory_exceeded", JSON.stringify(error));
    assert.ok(memories.at(-1).buffer.byteLength - before <= 2 * heapBytes);
    assert.equal((await lisp.run("kept")).value, 1);
    assert.equal(memories.length, 1);
    lisp.dispose();
  });
}

test("compiled patterns stay within heapBytes", async () => {
  const before = memories.at(-1).buffer.byteLength;
  const program = `(count (map (fn [i] (re-find (re-pattern (str "(?:a{90}){90}" i)) "a")) (range 900)))`;
  const { ok, error } = await sandbox().run(program);
  assert.ok(ok || error.kind === "memory_exceeded", JSON.stringify(error));
  assert.ok(memories.at(-1).buffer.byteLength - before <= 2 * heapBytes);
});

test("definitions of earlier programs count towards heapBytes, and dropped values do not", async () => {
  const lisp = sandbox();
  for (let round = 0; round < 20; round++) {
    const { ok, error } = await lisp.run(`(def a (vec (range ${300_000 + round}))) (println (count a)) 1`);
    assert.ok(ok, JSON.stringify(error));
  }
  assert.equal((await lisp.run("(def b (vec (range 700000)))")).ok, true);
  assert.equal((await lisp.run("(def c (vec (range 300000)))")).error.kind, "memory_exceeded");
  await lisp.run("(def b nil)");
  assert.equal((await lisp.run("(def c (vec (range 300000)))")).ok, true);
});

test("definitions of a restored sandbox count towards heapBytes", async () => {
  const lisp = sandbox();
  await lisp.run("(def a (vec (range 700000)))");
  const again = Lisp.fromJSON(JSON.stringify(lisp.toJSON()), { limits: { heapBytes } });
  assert.equal((await again.run("(def b (vec (range 500000)))")).error.kind, "memory_exceeded");
  assert.equal((await again.run("(def a nil)")).ok, true);
  assert.equal((await again.run("(def b (vec (range 500000)))")).ok, true);
});

test("texts of the host that are too long are refused with their path before they are copied", async () => {
  const long = "a".repeat(4_000_001);
  const refused = (path) => (error) => {
    assert.ok(TurnfoldError.isInstance(error));
    assert.equal(error.code, "invalid_value");
    assert.equal(error.details.path, path);
    assert.match(error.message, /is a text of 4,000,001 UTF-16 units, and a program can't use more than 4,000,000/);
    return true;
  };
  assert.throws(() => new Lisp({ data: { docs: [{ text: long }] } }), refused("data.docs[0].text"));
  assert.throws(() => new Lisp({ memory: { text: long } }), refused("memory.text"));
  const agent = new SubAgent({ mission: "m", llm: async () => "(return 1)" });
  await assert.rejects(agent.run({ data: { text: long } }), refused("data.text"));
  const { error } = await new Lisp({ tools: { read: async () => ({ text: long }) } }).run("(tool/read {})");
  assert.equal(error.kind, "tool_error");
  assert.match(error.message, /result\.text is a text of 4,000,001 UTF-16 units/);
  const allowed = new Lisp({ data: { text: long }, limits: { collectionSize: 2_000_000 } });
  assert.equal((await allowed.run("(subs data/text 0 1)")).value, "a");
});

/** Runs a module in a process whose WebAssembly memories have at most `pages` pages of 64 kB. */
async function capped(pages, source) {
  const args = [`--wasm-max-mem-pages=${pages}`, "--input-type=module", "--eval", source];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: new URL("../..", import.meta.url) });
  return JSON.parse(stdout);
}

const hog = `(println "seen") (tool/one 1) (def keep (reduce (fn [a i] (conj a (vec (range 1000)))) [] (range 900000)))`;
/** The hint of the error, in a sandbox and in a run. */
const HINT = "keep less: filter and aggregate before collecting, or split the work over several turns";
const limits = { heapBytes: 2 ** 32, fuel: 1e9, timeoutMs: 1e9 };
const setup = `import { Lisp, SubAgent } from "turnfold";
  const hog = ${JSON.stringify(hog)};
  const options = { limits: ${JSON.stringify(limits)}, tools: { one: async (n) => n } };`;

test("a sandbox still works after a program that needs more memory than there is", async () => {
  const { error, toolCalls, x } = await capped(
    1000,
    `${setup}
    const lisp = new Lisp(options);
    await lisp.run("(def x 5)");
    const { error, toolCalls } = await lisp.run(hog);
    console.log(JSON.stringify({ error, toolCalls, x: (await lisp.run("x")).value }));`,
  );
  assert.equal(error.kind, "out_of_memory");
  assert.match(error.message, /^the WebAssembly memory has \d+ MB and can't grow by \d+ MB$/);
  assert.equal(error.hint, HINT);
  assert.deepEqual(
    toolCalls.map(({ name, result }) => [name, result]),
    [["one", 1]],
  );
  assert.equal(x, 5);
});

test("a run continues after a program that needs more memory than there is, with an error for the model", async () => {
  const [step, content] = await capped(
    1000,
    `${setup}
    let seen;
    const llm = async ({ turn, messages }) => {
      seen = messages.at(-1).content;
      return [hog, "(return 7)"][turn - 1];
    };
    console.log(JSON.stringify([await new SubAgent({ mission: "m", ...options, llm }).run(), seen]));`,
  );
  assert.deepEqual([step.ok, step.return, step.turns.length], [true, 7, 2]);
  const [turn] = step.turns;
  assert.deepEqual(
    [turn.success, turn.result.reason, turn.prints, turn.toolCalls.length],
    [false, "out_of_memory", ["seen"], 1],
  );
  assert.match(content, /Error: the WebAssembly memory has \d+ MB and can't grow/);
  assert.ok(content.includes(HINT), content);
});

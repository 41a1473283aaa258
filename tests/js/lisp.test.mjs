// The sandbox through the package.

import assert from "node:assert/strict";
import test from "node:test";
import { Lisp, Turn, TurnfoldError, toMessages } from "turnfold";
import { check, complete, Keyword, Ref, toClojure } from "turnfold/lisp";

const wait = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));

test("a program returns its value, and definitions are kept for the next program", async () => {
  const lisp = new Lisp({ data: { prices: [3, 4] } });
  const first = await lisp.run('(println "sum") (def total "What it costs; in all" (reduce + data/prices))');
  assert.equal(first.ok, true);
  assert.deepEqual(first.prints, ["sum"]);
  assert.deepEqual(first.defined, ["total"]);
  assert.deepEqual(first.docs, { total: "What it costs in all" });
  assert.deepEqual(first.memory, { total: 7 });
  assert.equal((await lisp.run("(* 2 total)")).value, 14);
  assert.equal((await lisp.run("[*1 *2]")).value[0], 14);
  assert.ok(first.fuelUsed > 0);
  lisp.dispose();
});

test("tools may be async, and those of pmap run at the same time", async () => {
  let running = 0;
  let max = 0;
  const tools = {
    square: [
      "(n :int) -> :int",
      async ({ n }) => {
        max = Math.max(max, ++running);
        await wait(5);
        running--;
        return n * n;
      },
    ],
  };
  const lisp = new Lisp({ tools });
  const result = await lisp.run('(pmap #(tool/square %) [1 2 "3"])');
  assert.deepEqual(result.value, [1, 4, 9]);
  assert.equal(max, 3);
  assert.deepEqual(
    result.toolCalls.map(({ name, args, result }) => [name, args, result]),
    [
      ["square", { n: 1 }, 1],
      ["square", { n: 2 }, 4],
      ["square", { n: 3 }, 9],
    ],
  );
  assert.ok(result.toolCalls.every(({ durationMs }) => durationMs > 0));
});

test("tools get named arguments with a signature, and positional ones without", async () => {
  const seen = [];
  const lisp = new Lisp({
    tools: {
      named: ["(query :string, max_results :int?) -> :any", (...args) => seen.push(args)],
      bare: (...args) => seen.push(args),
    },
  });
  await lisp.run('(tool/named "x" 3) (tool/named {:query "y" :max-results 2}) (tool/bare "a" 1) (tool/bare {:k :v})');
  const runId = seen[0].at(-1).callId.slice(0, -2);
  assert.deepEqual(seen, [
    [{ query: "x", max_results: 3 }, { callId: `${runId}/0` }],
    [{ query: "y", max_results: 2 }, { callId: `${runId}/1` }],
    ["a", 1, { callId: `${runId}/2` }],
    [{ k: "v" }, { callId: `${runId}/3` }],
  ]);
});

test("an error says what was wrong, where, and what to do; a failed program changes nothing", async () => {
  const lisp = new Lisp({
    tools: {
      boom() {
        throw new Error("kaboom");
      },
    },
    memory: { x: 1 },
  });
  const failed = await lisp.run('(def x 2)\n(println "é")\n(tool/boom)');
  assert.equal(failed.ok, false);
  assert.equal(failed.value, null);
  assert.equal(failed.error.kind, "tool_error");
  assert.match(failed.error.message, /kaboom/);
  assert.deepEqual([failed.error.span.line, failed.error.span.column], [3, 1]);
  assert.deepEqual(failed.prints, ["é"]);
  assert.equal(failed.toolCalls[0].error, "`boom` failed: kaboom");
  assert.deepEqual(lisp.memory, { x: 1 });
  const { error } = await lisp.run("(redcue + [1])");
  assert.equal(error.kind, "unbound_var");
  assert.match(error.hint, /`reduce`/);
});

test("the error for a name that a failed program defined says why the name is undefined", async () => {
  const lisp = new Lisp({ memory: { kept: 1 } });
  const failed = await lisp.run('(def r 1) (def kept 2) (defn f "doc" [] r) (nope)');
  assert.deepEqual([failed.ok, failed.defined, failed.docs], [false, ["r", "kept", "f"], {}]);
  assert.deepEqual(lisp.memory, { kept: 1 });
  const message = "`r` was defined by a program that failed, so it was not kept";
  const later = async (sandbox) => (await sandbox.run("(inc r)")).error;
  const error = await later(lisp);
  assert.deepEqual(
    [error.kind, error.message, error.hint],
    ["unbound_var", message, "define it again with `(def r …)`"],
  );
  assert.equal((await lisp.run("kept")).value, 1);
  // A saved sandbox keeps these names.
  const loaded = Lisp.fromJSON(JSON.stringify(lisp));
  assert.equal((await later(loaded)).message, message);
  await loaded.run("(def r 41)");
  assert.equal((await loaded.run("(inc r)")).value, 42);
  assert.match((await later(new Lisp())).message, /`r` is not defined/);
});

test("a call that has no answer when the program ends has an error that says so", async () => {
  const slow = ["(n :int) -> :any", () => new Promise(() => {})];
  const lisp = new Lisp({ tools: { slow } });
  const controller = new AbortController();
  const running = lisp.run("(pmap #(tool/slow {:n %}) [1 2])", { signal: controller.signal });
  setTimeout(() => controller.abort());
  assert.deepEqual(
    (await running).toolCalls.map(({ args, error }) => [args.n, error]),
    [1, 2].map((n) => [n, "the program ended before it answered"]),
  );
});

test("an aborted program reports the results of calls that had ended", async () => {
  const controller = new AbortController();
  const tools = {
    saved: ["(n :int) -> :int", async ({ n }) => n * 10],
    refused: ["() -> :any", async () => Promise.reject(new Error("no stock"))],
    // Ends because of the abort.
    reads: [
      "() -> :any",
      (_, { signal }) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("interrupted")))),
    ],
    last: ["() -> :any", () => new Promise(() => setTimeout(() => controller.abort(), 5))],
  };
  const lisp = new Lisp({ tools });
  const source = "(pcalls #(tool/saved 1) #(tool/last) #(tool/refused) #(tool/reads) #(tool/saved 2))";
  const { error, toolCalls } = await lisp.run(source, { signal: controller.signal });
  assert.equal(error.kind, "aborted");
  assert.deepEqual(
    toolCalls.map(({ name, result, error }) => [name, result, error]),
    [
      ["saved", 10, null],
      ["last", null, "the program ended before it answered"],
      ["refused", null, "`refused` failed: no stock"],
      ["reads", null, "`reads` failed: interrupted"],
      ["saved", 20, null],
    ],
  );
  assert.deepEqual((await lisp.run("(+ 1 2)")).value, 3);
});

test("a program whose signal is aborted already has no effects", async () => {
  let calls = 0;
  const lisp = new Lisp({ tools: { save: ["() -> :any", () => ++calls] } });
  await lisp.run("(def kept 1)");
  const { ok, error, prints, toolCalls, defined } = await lisp.run('(println "x") (def kept (tool/save))', {
    signal: AbortSignal.abort(),
  });
  assert.deepEqual([ok, error.kind, prints, toolCalls, defined], [false, "aborted", [], [], []]);
  assert.deepEqual([calls, lisp.memory, (await lisp.run("kept")).value], [0, { kept: 1 }, 1]);
});

test("return and fail end a program with their signal", async () => {
  const lisp = new Lisp();
  const returned = await lisp.run("(map #(if (= % 2) (return {:found %}) %) [1 2 3])");
  assert.deepEqual([returned.ok, returned.signal, returned.value], [true, "return", { found: 2 }]);
  assert.equal((await lisp.run("(fail :no)")).signal, "fail");
});

test("keywords are returned as strings, or with keywords: keep as keywords", async () => {
  assert.deepEqual((await new Lisp().run('{:a :b "c d" 1.0}')).value, { a: "b", "c d": 1 });
  const { value } = await new Lisp({ keywords: "keep" }).run("[:a]");
  assert.ok(value[0] instanceof Keyword);
});

test("runSync fails a call whose tool returns a promise", () => {
  const lisp = new Lisp({ tools: { now: () => 5, later: async () => 5 } });
  assert.equal(lisp.runSync("(inc (tool/now))").value, 6);
  const { error } = lisp.runSync("(tool/later)");
  assert.equal(error.kind, "tool_error");
  assert.match(error.message, /use run\(\)/);
});

test("a sandbox is saved with its functions and restored elsewhere", async () => {
  const lisp = new Lisp();
  await lisp.run('(def rate 2) (defn scale "By the rate" [x] (* rate x)) (def add (let [n 10] (fn [x] (+ n x))))');
  await lisp.run("(scale 4)");
  const saved = JSON.parse(JSON.stringify(lisp.toJSON()));
  const other = Lisp.fromJSON(saved);
  assert.deepEqual((await other.run("[(scale 5) (add 1) *1]")).value, [10, 11, 8]);
  assert.equal(other.memory.scale.returnType, "integer");
  // A function that was saved in a turn still runs.
  const third = new Lisp({ memory: Turn.fromJSON(Turn.success({ memory: other.memory }).toJSON()).memory });
  assert.equal((await third.run("(add 5)")).value, 15);
  for (const wrong of [null, 5, "{", {}, { version: 9, memory: {}, recent: [] }]) {
    assert.throws(() => Lisp.fromJSON(wrong), TurnfoldError);
  }
});

test("the outcome of a program becomes a turn", async () => {
  const lisp = new Lisp({ data: { xs: [1, 2] } });
  const program = '(defn double "Twice x" [x] (* 2 x)) (def ys (map double data/xs))';
  const { value, prints, toolCalls, memory, docs, defined } = await lisp.run(program);
  const turn = Turn.success({ program, result: value, prints, toolCalls, memory, docs, defined });
  const { messages } = toMessages([turn], null, { mission: "Double", data: { xs: [1, 2] } });
  assert.match(messages[1].content, /\(double \[x\]\) +; "Twice x" -> integer\nys +; = list\[2\], sample: \[2 4\]/);
});

test("loops are stopped by loopIterations, fuel, timeoutMs and the signal", async () => {
  const endless = "(loop [i 0] (recur (inc i)))";
  assert.equal((await new Lisp().run(endless)).error.kind, "loop_limit_exceeded");
  const limits = { loopIterations: 1e12, fuel: 1e15 };
  assert.equal((await new Lisp({ limits: { ...limits, timeoutMs: 30 } }).run(endless)).error.kind, "timeout");
  assert.equal(new Lisp({ limits: { ...limits, timeoutMs: 30 } }).runSync(endless).error.kind, "timeout");
  const patient = { loopIterations: 1e12, timeoutMs: 1e9 };
  assert.equal((await new Lisp({ limits: patient }).run(endless)).error.kind, "fuel_exceeded");
  const lisp = new Lisp({ limits: { ...limits, timeoutMs: 1e9 } });
  const { error } = await lisp.run(endless, { signal: AbortSignal.timeout(30) });
  assert.equal(error.kind, "aborted");
  assert.equal((await lisp.run("1")).value, 1);
});

test("an abort while a tool is running ends the program", async () => {
  const lisp = new Lisp({ tools: { never: () => new Promise(() => {}) } });
  const host = new AbortController();
  // A separate timer, because that of AbortSignal.timeout does not keep the process alive.
  setTimeout(() => host.abort(), 20);
  const { error, toolCalls } = await lisp.run("(tool/never)", { signal: host.signal });
  assert.equal(error.kind, "aborted");
  assert.equal(toolCalls.length, 1);
});

test("invalid arguments are refused with a code", async () => {
  const code = (run) => {
    try {
      run();
    } catch (error) {
      return TurnfoldError.isInstance(error) ? error.code : error;
    }
  };
  assert.equal(
    code(() => new Lisp({ limit: {} })),
    "invalid_option",
  );
  assert.equal(
    code(() => new Lisp({ limits: { fuel: -1 } })),
    "invalid_option",
  );
  assert.equal(
    code(() => new Lisp({ limits: { speed: 1 } })),
    "invalid_option",
  );
  assert.equal(
    code(() => new Lisp({ keywords: "drop" })),
    "invalid_option",
  );
  assert.equal(
    code(() => new Lisp({ tools: { t: { description: "no function" } } })),
    "invalid_tool",
  );
  assert.equal(
    code(() => new Lisp({ tools: { t: ["(", () => 1] } })),
    "invalid_signature",
  );
  assert.equal(
    code(() => new Lisp({ data: { f() {} } })),
    "invalid_value",
  );
  const lisp = new Lisp({ tools: { slow: () => wait(20) } });
  const running = lisp.run("(tool/slow)");
  await assert.rejects(lisp.run("1"), { code: "busy" });
  assert.equal((await running).ok, true);
  await assert.rejects(lisp.run(5), { code: "invalid_argument" });
  lisp.dispose();
  lisp.dispose();
  await assert.rejects(lisp.run("1"), { code: "disposed" });
});

test("data keys are converted to the names that programs use", async () => {
  const lisp = new Lisp({ data: { "weird key": 1, user_name: 2, given: null } });
  assert.deepEqual((await lisp.run("[data/weird-key data/weird_key data/user-name data/given]")).value, [
    1,
    1,
    2,
    null,
  ]);
  const { error } = await lisp.run("(+ 1 data/weird-kye)");
  assert.deepEqual([error.kind, error.hint], ["unbound_var", "did you mean `data/weird-key`?"]);
  assert.throws(() => new Lisp({ data: { "": 1 } }), { code: "invalid_value", details: { path: 'data[""]' } });
  assert.throws(() => new Lisp({ tools: { "weird name": () => 1 } }), {
    code: "invalid_tool",
    details: { tool: "weird name" },
    hint: "name it `weird-name`",
  });
  assert.deepEqual(
    check("data/weird-key data/nothing", { data: ["weird key"] }).map(({ message }) => message),
    ["there is no `data/nothing`"],
  );
  assert.deepEqual(
    complete("data/w", 6, { data: ["weird key"] }).map(({ name }) => name),
    ["data/weird-key"],
  );
});

test("a program in a disposed sandbox fails with a code", async () => {
  const lisp = new Lisp({ tools: { slow: () => wait(5) } });
  const running = lisp.run("(tool/slow)");
  lisp.dispose();
  await assert.rejects(running, { code: "disposed" });
});

test("shadowed names and coerced arguments cause warnings", async () => {
  const lisp = new Lisp({
    data: { name: "Ann", age: 5 },
    tools: { count: ["(limit :int) -> :int", ({ limit }) => limit] },
  });
  assert.equal(lisp.warnings.length, 2);
  assert.match(lisp.warnings.join("; "), /`count` alone .* `tool\/count`; `name` alone .* `data\/name`/);
  const { value, warnings } = await lisp.run('(tool/count {:limit "5"})');
  assert.equal(value, 5);
  assert.match(warnings.join(), /tool\/count: limit: string "5" became int 5/);
  assert.deepEqual((await lisp.run("1")).warnings, []);
});

test("a result keeps the memory of its time, and the last three results are kept", async () => {
  const lisp = new Lisp({ memory: { a: 1 } });
  const first = await lisp.run("(def a 2) :one");
  const second = await lisp.run("(def a 3) :two");
  await lisp.run("(foo)");
  assert.deepEqual([first.memory.a, second.memory.a, lisp.memory.a], [2, 3, 3]);
  assert.deepEqual((await Lisp.fromJSON(JSON.stringify(lisp)).run("[*1 *2 *3 a]")).value, ["two", "one", null, 3]);
});

test("a long program yields to the event loop", async () => {
  const lisp = new Lisp({ limits: { loopIterations: 1e9, fuel: 1e12, timeoutMs: 1e6 } });
  let frames = 0;
  const timer = setInterval(() => frames++, 1);
  await lisp.run("(loop [i 0] (if (< i 3000000) (recur (inc i)) i))");
  clearInterval(timer);
  assert.ok(frames >= 2, `${frames} frames`);
});

test("check reports all problems without running", () => {
  const problems = check('(foo 1)\n(inc)\n(tool/serch "x")\n(if)', { tools: ["search"], data: [], memory: [] });
  assert.deepEqual(
    problems.map(({ kind, span }) => [kind, span.line]),
    [
      ["unbound_var", 1],
      ["arity_error", 2],
      ["unknown_tool", 3],
      ["invalid_arity", 4],
    ],
  );
  assert.match(problems[2].hint, /tool\/search/);
  assert.deepEqual(check("(def f (fn [] (g))) (defn g [] 1) (f) x", { memory: ["x"] }), []);
  assert.equal(check("(1")[0].kind, "parse_error");
});

test("complete returns names with their documentation", () => {
  assert.deepEqual(complete("(redu", 5)[0], {
    name: "reduce",
    detail: "(reduce f coll) or (reduce f init coll)",
    doc: complete("(reduce", 7)[0].doc,
  });
  const names = complete("(tool/s", 7, { tools: ["search", "save"] }).map(({ name }) => name);
  assert.deepEqual(names, ["tool/search", "tool/save"]);
  assert.deepEqual(complete("(tool/", 6), []);
  assert.equal(complete("(map inc xs", 11, { memory: ["xs-sum"] })[0].name, "xs-sum");
});

test("a day without a time is text for tools and in results, and a Ref in the memory", async () => {
  const seen = [];
  const book = (on) => {
    seen.push(on);
    return on;
  };
  const lisp = new Lisp({ tools: { book } });
  const { value, memory } = await lisp.run(
    '(def due (.plusDays (LocalDate/parse "2024-02-28") 1)) (tool/book due) {:due due :text (str due)}',
  );
  assert.deepEqual(value, { due: "2024-02-29", text: "2024-02-29" });
  assert.deepEqual(seen, ["2024-02-29"]);
  assert.deepEqual(memory.due, new Ref("date", "2024-02-29"));
  assert.equal(JSON.stringify(memory), '{"due":"2024-02-29"}');
  assert.equal(Lisp.fromJSON(lisp.toJSON()).runSync("(str (.plusDays due 1))").value, "2024-03-01");
  assert.equal(toClojure(memory.due).text, '#time/date "2024-02-29"');
  assert.throws(() => toClojure(new Ref("date", "29.2.2024")), { code: "invalid_value" });
});

test("a result has its value as a text of the language, and JSON that shows maps, sets and big integers", async () => {
  const lookup = () => new Map([[17, { tags: new Set(["a"]) }]]);
  const lisp = new Lisp({ tools: { lookup } });
  const result = await lisp.run("(def found (tool/lookup)) {17 {:tags #{:x}} [1 2] 12345678901234567890 :f 3.0}");
  assert.equal(result.text, "{17 {:tags #{:x}} :f 3.0 [1 2] 12345678901234567890}");
  const saved = JSON.parse(JSON.stringify(result));
  assert.deepEqual(saved.value, { 17: { tags: ["x"] }, "[1,2]": "12345678901234567890", f: 3 });
  assert.deepEqual(saved.memory, { found: { 17: { tags: ["a"] } } });
  assert.deepEqual(saved.toolCalls[0].result, { 17: { tags: ["a"] } });
  assert.deepEqual(Object.keys(saved), Object.keys(result));
  assert.ok(result.value instanceof Map);
  assert.equal((await lisp.run("(first [])")).text, "nil");
  assert.equal((await lisp.run("(+ 1 nil)")).text, "nil");
});

test("JSON of a result that waits is enough to resume", async () => {
  const lisp = new Lisp({ tools: { refund: { needsApproval: true, run: ({ order }) => `${order} was refunded` } } });
  const asked = await lisp.run("(tool/refund {:order 17})");
  const saved = JSON.parse(JSON.stringify(asked));
  assert.equal(saved.status, "waiting");
  assert.deepEqual(saved.records, JSON.parse(JSON.stringify(asked.records)));
  assert.equal((await lisp.resume(saved, { answers: { 0: true } })).value, "17 was refunded");
});

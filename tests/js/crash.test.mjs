import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { withMutants } from "./bundled.mjs";

const root = new URL("../..", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "turnfold-"));
after(() => rmSync(folder, { recursive: true }));

/** Bundles the package together with internal functions that call the wasm directly. */
async function opened(name) {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    absWorkingDir: root,
    stdin: {
      contents: `export * from "./js/index.ts";
        export * from "./js/lisp.ts";
        export * from "./js/chat.ts";
        export { init } from "./js/boundary/wasms/turnfold.ts";
        export { send } from "./js/boundary/wasm.ts";
        import { call as callPart, generation as generationOf, provide, sharedInstance as shared } from "./js/boundary/wasm.ts";
        import { decodeAsciiBytes } from "./js/boundary/ascii-bytes.ts";
        import { turnfoldWasm } from "./js/boundary/wasms/turnfold.ts";
        import * as embedded from "./.cache/wasm/embedded.js";
        provide(turnfoldWasm, () => decodeAsciiBytes(embedded));
        export const call = (run) => callPart("language", run);
        export const generation = () => generationOf("language");
        export const sharedInstance = shared("language");`,
      resolveDir: root,
    },
    outfile,
    bundle: true,
    format: "esm",
    platform: "neutral",
    define: { TURNFOLD_VERSION: '"0.0.0"' },
    plugins: [withMutants],
    logLevel: "error",
  });
  return import(pathToFileURL(outfile));
}

const turnfold = await opened("crash");
const {
  Lisp,
  Renderer,
  replay,
  Step,
  SubAgent,
  Turn,
  TurnfoldError,
  call,
  estimate,
  generation,
  send,
  sharedInstance,
  toMessages,
  typeOf,
} = turnfold;

/** Makes the Rust side panic by an allocation that is too large; hides its report on the console. */
function crash() {
  const { error } = console;
  console.error = () => {};
  try {
    call((wasm) => wasm.scratch(2 ** 32 - 1));
  } catch (thrown) {
    return thrown;
  } finally {
    console.error = error;
  }
  assert.fail("it did not crash");
}

/** Throws what an instance throws that crashes within a call. */
function crashNow() {
  throw new WebAssembly.RuntimeError("unreachable");
}

test("a panic is an error with the code internal and the panic's message", () => {
  const error = crash();
  assert.ok(TurnfoldError.isInstance(error));
  assert.equal(error.code, "internal");
  assert.match(error.details.panic, /capacity overflow|panicked/);
  assert.match(error.message, /capacity overflow|panicked/);
  assert.ok(error.cause instanceof WebAssembly.RuntimeError);
});

test("a panic replaces the instance, and objects continue from their saved state", () => {
  const options = { mission: "m", data: { rows: [1] } };
  const turns = [1, 2, 3].map((number) =>
    Turn.success({ number, program: `(def x ${number})`, memory: { x: number } }),
  );
  const renderer = new Renderer(options, turns);
  const before = renderer.render();
  const remembered = toMessages(turns, null, options).messages;
  const generationBefore = generation();
  crash();
  assert.equal(generation(), generationBefore + 1);
  assert.equal(typeOf([1]), "list[1]");
  const again = renderer.render();
  assert.deepEqual(again.messages, before.messages);
  assert.equal(
    again.sharedPrefix,
    before.messages.reduce((sum, { content }) => sum + content.length, 0),
  );
  assert.deepEqual(again.dropped, before.dropped);
  assert.deepEqual(toMessages(turns, null, options).messages, remembered);
  crash();
  renderer.remove(1);
  renderer.push(turns[1]);
  assert.deepEqual(renderer.render().messages, toMessages([turns[0], turns[2], turns[1]], null, options).messages);
  crash();
  assert.equal(JSON.stringify(Turn.fromJSON(JSON.stringify(turns[0]))), JSON.stringify(turns[0]));
  crash();
  renderer.dispose();
  assert.equal(typeof estimate.count("after"), "number");
});

test("waiting runs continue after a crash at any await", async () => {
  const program = `(def before (mapv inc [1 2]))
    (println "once")
    (def first-answer (tool/ask 1))
    (def sum (reduce + (range 150000)))
    (def more (pmap (fn [n] (tool/ask n)) [2 3]))
    (def last-answer (tool/ask 4))`;
  const run = async (crashAt) => {
    let moment = 0;
    const maybe = async () => {
      await null;
      if (moment++ === crashAt) crash();
    };
    const ask = async (n) => {
      await maybe();
      return n * 10;
    };
    const replies = ["(def x 1) (def *y* 2)", program, "(return [before x sum more last-answer *1])"];
    const llm = async ({ turn }) => {
      await maybe();
      return replies[turn - 1];
    };
    // A tool that a builtin hides causes one warning.
    const agent = new SubAgent({ mission: "m", compression: true, tools: { ask, count: () => 1 }, llm });
    const step = await agent.run();
    assert.equal(JSON.stringify(await replay(agent, Step.fromJSON(JSON.stringify(step)))), JSON.stringify(step));
    const facts = step.turns.map(({ toolCalls, prints, memory, result }) => [
      toolCalls.map(({ args, result }) => [args, result]),
      prints,
      Object.keys(memory),
      result,
    ]);
    return { facts, outcome: [step.ok, step.return, step.fail], warnings: step.warnings };
  };
  const undisturbed = await run(-1);
  assert.deepEqual([undisturbed.outcome[0], undisturbed.warnings.length], [true, 1]);
  for (let moment = 0; moment < 7; moment++) {
    const before = generation();
    assert.deepEqual(await run(moment), undisturbed, `crashed at moment ${moment}`);
    assert.equal(generation(), before + 1);
  }
});

test("a program of a sandbox continues after a crash at any await", async () => {
  const program = `(println "once")
    (def first-answer (tool/ask 1))
    (def sum (reduce + (range 150000)))
    (def more (pmap (fn [n] (tool/ask n)) [2 3]))
    [before sum more (tool/ask 4) *1]`;
  const run = async (crashAt) => {
    let moment = 0;
    const ask = async (n) => {
      await null;
      if (moment++ === crashAt) crash();
      return n * 10;
    };
    const lisp = new Lisp({ tools: { ask }, memory: { before: 7 } });
    lisp.runSync(":recent");
    const { fuelUsed, toolCalls, ...result } = await lisp.run(program);
    const next = await lisp.run("[first-answer more *1]");
    return { ...result, fuelUsed, next: next.value, calls: toolCalls.map(({ durationMs, ...call }) => call), moment };
  };
  const undisturbed = await run(-1);
  assert.deepEqual([undisturbed.ok, undisturbed.prints, undisturbed.moment], [true, ["once"], 4]);
  for (let moment = 0; moment < 4; moment++) {
    const before = generation();
    assert.deepEqual(await run(moment), undisturbed, `crashed at moment ${moment}`);
    assert.equal(generation(), before + 1);
  }
});

test("a crash between two slices of a program, or before its abort, loses nothing", async () => {
  let begin;
  const begun = new Promise((resolve) => {
    begin = resolve;
  });
  const slow = () => {
    begin();
    return new Promise(() => {});
  };
  const lisp = new Lisp({ tools: { ask: () => 1, slow } });
  const running = lisp.run("(tool/ask) (reduce + (range 900000))");
  await new Promise((resolve) => setImmediate(resolve));
  crash();
  const { value, toolCalls } = await running;
  assert.deepEqual([value, toolCalls.length], [404999550000, 1]);
  const controller = new AbortController();
  const waiting = lisp.run('(println "seen") (tool/ask) (tool/slow)', { signal: controller.signal });
  await begun;
  crash();
  controller.abort();
  const aborted = await waiting;
  assert.deepEqual(
    [aborted.error.kind, aborted.prints, aborted.toolCalls.map(({ name, error }) => [name, error])],
    [
      "aborted",
      ["seen"],
      [
        ["ask", null],
        ["slow", "the program ended before it answered"],
      ],
    ],
  );
});

test("a program that crashes its instance ends with an error that has its calls", async () => {
  let isLast = false;
  const tools = {
    ask: () => 1,
    fail: () => {
      throw new Error("offline");
    },
    // The instance crashes each time that the program is run again.
    crash: () => {
      isLast = true;
      return 2;
    },
  };
  const lisp = new Lisp({ tools });
  const step = lisp.step.bind(lisp);
  lisp.step = (take, replies) => step(isLast ? crashNow : take, replies);
  const { ok, error, toolCalls } = await lisp.run("(pcalls #(tool/ask 5) #(tool/crash))");
  assert.deepEqual([ok, error.kind], [false, "internal"]);
  assert.deepEqual(
    toolCalls.map(({ name, args, result, error }) => [name, args, result, error]),
    [
      ["ask", [5], 1, null],
      ["crash", {}, 2, null],
    ],
  );
  isLast = false;
  assert.equal((await lisp.run("(+ 1 2)")).value, 3);
});

test("an isolated sandbox has an instance of its own, which no crash of another touches", async () => {
  const before = generation();
  const limits = { timeoutMs: Number.POSITIVE_INFINITY };
  const isolated = new Lisp({ isolate: true, limits, tools: { ask: async (n) => n } });
  const shared = new Lisp({ limits, tools: { ask: async (n) => n } });
  assert.equal(isolated.runSync("(def x [1 2 3])").ok, true);
  const bytes = sharedInstance.memory.buffer.byteLength;
  assert.equal(isolated.runSync("(def large (mapv str (range 600000)))").ok, true);
  assert.equal(sharedInstance.memory.buffer.byteLength, bytes, "the memory of the others has not grown");
  const [left, right] = await Promise.all(
    [isolated, shared].map(async (lisp, index) => {
      const running = lisp.run("(def before (tool/ask 1)) (reduce + (range 200000))");
      if (index === 1) crash();
      return running;
    }),
  );
  assert.deepEqual([left.value, right.value], [19999900000, 19999900000]);
  assert.ok(generation() > before);
  assert.equal(isolated.runSync("(count large)").value, 600000);
  assert.deepEqual(isolated.memory.x, [1, 2, 3]);
  const copy = Lisp.fromJSON(isolated.toJSON(), { isolate: true, limits });
  assert.equal(copy.runSync("(conj x (count large))").value.at(-1), 600000);
  copy.dispose();
  isolated.dispose();
  isolated.dispose();
  assert.throws(() => isolated.runSync("1"), { code: "disposed" });
  assert.equal(estimate.count("one two"), 2);
  assert.throws(() => new Lisp({ isolate: "yes" }), { code: "invalid_option" });
});

test("an isolated sandbox that exhausts its memory ends alone", async () => {
  const before = generation();
  const isolated = new Lisp({
    isolate: true,
    limits: { heapBytes: Number.POSITIVE_INFINITY, fuel: 1e9, timeoutMs: 60000 },
  });
  assert.match(isolated.warnings[0], /limits\.heapBytes is 2,147,483,648, not ∞/);
  const step = isolated.step.bind(isolated);
  isolated.step = (_, replies) => step(crashNow, replies);
  const { error } = isolated.runSync("(+ 1 2)");
  assert.equal(error.kind, "internal");
  isolated.step = step;
  assert.equal(isolated.runSync("(+ 1 2)").value, 3);
  assert.equal(generation(), before);
  isolated.dispose();
});

test("the programs of an isolated agent run in an instance of their own, those of its inner agents too", async () => {
  const inner = new SubAgent({
    mission: "inner",
    signature: "(n :int) -> :int",
    llm: () => {
      crash();
      return "(return (inc data/n))";
    },
  });
  const agent = new SubAgent({
    mission: "m",
    isolate: true,
    tools: { inner },
    llm: ({ turn }) => (turn === 1 ? "(def x (tool/inner {:n 1}))" : "(return (* x 10))"),
  });
  const step = await agent.run();
  assert.deepEqual([step.ok, step.return, step.turns.length], [true, 20, 2]);
  assert.equal(JSON.stringify(await replay(agent, Step.fromJSON(JSON.stringify(step)))), JSON.stringify(step));
  assert.throws(() => new SubAgent({ mission: "m", isolate: 1 }), { code: "invalid_option" });
});

test("limits that no instance can hold are lowered with a warning", async () => {
  const { warnings } = new Lisp({ limits: { heapBytes: 2 ** 33, collectionSize: 1e12 } });
  assert.equal(warnings.length, 2);
  assert.match(warnings[1], /limits\.collectionSize is 134,217,728, not 1,000,000,000,000/);
  assert.deepEqual(new Lisp({ limits: { heapBytes: 2 ** 31, collectionSize: 2 ** 27 } }).warnings, []);
  const step = await new SubAgent({ mission: "m", limits: { heapBytes: 2 ** 40 }, llm: () => "(return 1)" }).run();
  assert.equal(step.return, 1);
  assert.match(step.warnings[0], /limits\.heapBytes/);
});

test("a run that can't continue after a crash ends with its calls, each with its result or error", async () => {
  const { Instance } = WebAssembly;
  const tools = {
    find: () => [1, 2],
    fetch: () => {
      throw new Error("offline");
    },
    last: () => {
      WebAssembly.Instance = function refuse() {
        throw new RangeError("there is no memory");
      };
      crash();
    },
  };
  const llm = () => "(tool/find) (try (tool/fetch) (catch Exception e nil)) (tool/last)";
  const step = await new SubAgent({ mission: "m", tools, llm }).run().finally(() => {
    WebAssembly.Instance = Instance;
  });
  assert.equal(step.fail.reason, "out_of_memory");
  assert.equal(step.turns.length, 1);
  assert.deepEqual(
    step.turns[0].toolCalls.map(({ name, result, error }) => [name, result, error]),
    [
      ["find", [1, 2], null],
      ["fetch", null, "`fetch` failed: offline"],
      ["last", null, null],
    ],
  );
});

test("a run can be aborted, or its model can fail, after a crash", async () => {
  const controller = new AbortController();
  const tools = {
    slow: () => {
      crash();
      controller.abort();
      return new Promise(() => {});
    },
  };
  const agent = new SubAgent({ mission: "m", tools, llm: () => '(println "seen") (tool/slow)' });
  const step = await agent.run({ signal: controller.signal });
  assert.deepEqual(
    [step.fail.reason, [...step.turns[0].prints], step.turns[0].toolCalls.length],
    ["aborted", ["seen"], 1],
  );
  const lost = await new SubAgent({
    mission: "m",
    llm: () => {
      crash();
      throw new Error("offline");
    },
  }).run();
  assert.equal(lost.fail.reason, "llm_error");
});

test("any other error that the wasm throws is a crash too", () => {
  for (const thrown of [
    new WebAssembly.RuntimeError("unreachable"),
    new RangeError("Maximum call stack size exceeded"),
  ]) {
    const before = generation();
    assert.throws(
      () =>
        call(() => {
          throw thrown;
        }),
      (error) => error.code === "internal" && error.cause === thrown && error.details.panic === null,
    );
    assert.equal(generation(), before + 1);
  }
});

test("an error for invalid input is not a crash", () => {
  const before = generation();
  assert.throws(
    () =>
      call(() => {
        throw { code: "some_code", message: "m", details: { a: 1 }, hint: "h" };
      }),
    (error) =>
      TurnfoldError.isInstance(error) && error.code === "some_code" && error.details.a === 1 && error.hint === "h",
  );
  assert.equal(generation(), before);
});

test("where wasm is forbidden, the first call fails with a hint and a later call may succeed", async () => {
  const { typeOf } = await opened("blocked");
  const { Module } = WebAssembly;
  const blocked = (thrown) => {
    WebAssembly.Module = function refuse() {
      throw thrown;
    };
    try {
      typeOf(1);
    } catch (error) {
      return error;
    } finally {
      WebAssembly.Module = Module;
    }
  };
  const csp = blocked(
    new WebAssembly.CompileError(
      "WebAssembly.Module(): Refused to compile or instantiate WebAssembly module because 'unsafe-eval' is not allowed",
    ),
  );
  assert.equal(csp.code, "wasm_blocked");
  assert.match(csp.hint, /'wasm-unsafe-eval'/);
  assert.equal(
    blocked(new WebAssembly.CompileError("Wasm code generation disallowed by embedder")).code,
    "wasm_blocked",
  );
  assert.equal(typeOf(1), "integer");
});

test("a host without WebAssembly gets an error that says so", async () => {
  const { typeOf } = await opened("missing");
  const { WebAssembly: wasm } = globalThis;
  globalThis.WebAssembly = undefined;
  try {
    assert.throws(
      () => typeOf(1),
      (error) => error.code === "wasm_blocked",
    );
  } finally {
    globalThis.WebAssembly = wasm;
  }
});

test("a plan outlives the instance that made it", async () => {
  const { Conversation, applyPlan, chunked, manageHistory, planHistory } = turnfold;
  const sentence = "The parcel left the depot in Leipzig yesterday and comes before noon.";
  const messages = Array.from({ length: 40 }, (_, index) => ({
    role: index % 2 ? "assistant" : "user",
    content: `${index % 3}. ${sentence}`,
  }));
  let requestCount = 0;
  const mine = {
    name: "mine",
    plan(given) {
      requestCount++;
      const places = given.map((_, index) => index);
      return { keep: places.slice(20), summarize: [{ covers: places.slice(0, 10) }, { covers: places.slice(10, 20) }] };
    },
  };
  const counter = { name: "mine", method: "exact", count: (text) => text.length };
  for (const parameters of [
    { compressionStrategy: chunked(7) },
    { compressionStrategy: mine, counter },
    { maxHistorySize: 9 },
  ]) {
    const act = async (crashAt) => {
      let moment = 0;
      const maybe = () => {
        if (moment++ === crashAt) crash();
      };
      const start = new Conversation({ messages: messages.slice(0, 30) });
      start.lint();
      maybe();
      const conversation = start.append(...messages.slice(30));
      maybe();
      const plan = planHistory(conversation, parameters, { request: [] });
      maybe();
      const texts = plan.requests.map((_, index) => `Part ${index}.`);
      const applied = applyPlan(plan, texts);
      maybe();
      const again = applyPlan(plan, texts);
      const llm = ({ messages: [, { content }] }) => {
        maybe();
        return texts[plan.requests.findIndex(({ messages: [, known] }) => known.content === content)];
      };
      const managed = await manageHistory(conversation, parameters, { request: [], llm });
      maybe();
      const next = managed.conversation.append({ role: "user", content: "And now?" });
      return { plan, applied, again, managed, lint: next.lint(), counted: planHistory(next, {}).tokens };
    };
    const undisturbed = await act(-1);
    for (let moment = 0; moment < 6; moment++) {
      requestCount = 0;
      const before = generation();
      assert.deepEqual(await act(moment), undisturbed, `crashed at moment ${moment}`);
      assert.ok(generation() > before || parameters.maxHistorySize !== undefined);
      // The host's strategy is called once for each plan.
      assert.ok(requestCount <= 2, `asked ${requestCount} times`);
    }
  }
});

test("a program that can't be restored after a crash keeps its tool calls in the turn", () => {
  const sandbox = { tools: "[]", limits: undefined, memory: [], recent: [], rolledBack: [] };
  const options = { sandbox, signature: undefined, validation: "warn", maxTurns: 3, turns: 0 };
  const run = call((wasm) => new wasm.RunHandle(options, send("{}")));
  run.start();
  const calls = '[[0,"search",{"query":"lamp"}],[1,"fetch",{"id":7}],[2,"rate",{}]]';
  const replies = [
    { id: 0, result: "[1,2]", durationMs: 5 },
    { id: 1, error: "offline", durationMs: 2 },
  ];
  const reply = "```clojure\n(tool/search {})\n```";
  const { ask, turns } = call(() =>
    run.skipCrashed(send(reply), calls, replies, "out_of_memory", "there is no memory", "keep less"),
  );
  assert.equal(ask, 2);
  const { toolCalls, success, result } = Turn.fromJSON(turns[0].json);
  assert.equal(success, false);
  assert.equal(result.hint, "keep less");
  assert.deepEqual(
    toolCalls.map(({ name, args, result, error }) => [name, args, result, error ?? null]),
    [
      ["search", { query: "lamp" }, [1, 2], null],
      ["fetch", { id: 7 }, null, "`fetch` failed: offline"],
      ["rate", {}, null, "the program ended before it answered"],
    ],
  );
  run.free();
});

test("the values of a program are freed in pieces, between other tasks", async () => {
  const lisp = new Lisp({ limits: { heapBytes: 256 << 20 } });
  const { ok } = await lisp.run("(count (mapv str (range 500000)))");
  assert.ok(ok);
  assert.ok(
    call((wasm) => wasm.freeSome()),
    "some is left when the result is there",
  );
  // 10,000 values are freed between two tasks.
  for (let tasks = 0; tasks < 200; tasks++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(
    call((wasm) => wasm.freeSome()),
    false,
  );
  assert.equal(lisp.runSync("(count (mapv str (range 500000)))").value, 500000);
  lisp.dispose();
  assert.ok(call((wasm) => wasm.freeSome()));
});

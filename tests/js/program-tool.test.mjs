// One tool that runs programs: what the model reads, whose definitions it has, and how its calls wait.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Conversation, digest, manageHistory, programTool } from "../../dist/index.js";

/** Tools that note their calls. */
function bank() {
  const made = [];
  const orders = Array.from({ length: 60 }, (_, index) => ({ order: index, euros: index * 10 }));
  const tools = {
    orders: ["() -> [{order :int, euros :int}]", () => orders],
    refund: {
      signature: "(order :int) -> :string",
      needsApproval: true,
      run: ({ order }, { callId }) => {
        made.push(`${callId} ${order}`);
        return `refunded ${order}`;
      },
    },
    later: ["(ms :int) -> :int", ({ ms }) => new Promise((resolve) => setTimeout(() => resolve(ms), ms))],
  };
  return { tools, made };
}

const called = (id, ...more) => ({
  role: "assistant",
  content: [id, ...more].map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "run_program", input: {} })),
});
const answered = (toolCallId) => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId, toolName: "run_program", output: { type: "text", value: "" } }],
});

suite("what the model reads", () => {
  const tool = programTool(bank().tools);
  for (const [program, text] of [
    ["(+ 1 2)", ";; Value:\n3"],
    ["nil", ";; Value:\nnil"],
    ['(println "a" 1)', ";; Output:\na 1"],
    ["{:state :open}", ";; Value:\n{:state :open}"],
    ["{1 2}", ";; Value:\n{1 2}"],
    ["(return [1])", ";; Value:\n[1]"],
    ["```clojure\n(inc 1)\n```", ";; Value:\n2"],
    ["(def a 1)", ";; === user/ (your prelude) ===\na                             ; = integer, sample: 1"],
    [
      "(def a 1) (+ a 1)",
      ";; === user/ (your prelude) ===\na                             ; = integer, sample: 1\n\n;; Value:\n2",
    ],
    ["(range 1000)", ";; Value, a sample (the whole is `*1`):\nlist[1000] [0 1 2 ...] (1000 items, showing first 3)"],
    ["(count (tool/orders))", ";; Tool calls made:\n;   orders()\n\n;; Value:\n60"],
  ]) {
    test(program, async () => assert.equal(await tool.execute({ program }), text));
  }

  test("an error has its line, its hint and the calls before it", async () => {
    await assert.rejects(tool.execute({ program: "(tool/orders)\n(+ 1 nil)" }), (error) => {
      assert.equal(error.code, "program_failed");
      assert.match(error.message, /orders\(\) => \[\{/);
      assert.match(error.message, /\nError: `\+` takes numbers, got nil \(line 2\)\nHint: a key may be missing/);
      return true;
    });
    await assert.rejects(tool.execute({ program: '(fail "no stock")' }), {
      code: "program_failed",
      message: 'Error: the program gave up: "no stock"',
    });
  });

  test("the description has the language and the tools, and is the same for each tool object", () => {
    assert.match(tool.description, /^Runs a program .*\n\n# Language\n/);
    assert.match(tool.description, /\n\n;; === tool\/ ===\ntool\/later\(ms :int\) -> :int\n/);
    assert.equal(programTool(bank().tools).description, tool.description);
    assert.deepEqual(Object.keys(tool.inputSchema), ["type", "properties", "required", "additionalProperties"]);
  });
});

test("a budget limits the list of tools, and a program finds the others", async () => {
  const names = Array.from({ length: 300 }, (_, index) => `get-thing-${index}`);
  const tools = Object.fromEntries(
    names.map((name) => [name, { description: `Gets thing of ${name}.`, run: () => 1 }]),
  );
  const [whole, limited] = [programTool(tools), programTool(tools, { toolBudget: 300 })];
  assert.ok(limited.description.length < whole.description.length / 3);
  assert.match(await limited.execute({ program: '(find-doc "thing-299")' }), /tool\/get-thing-299/);
});

suite("whose definitions a program has", () => {
  test("those of its conversation, by its id", async () => {
    const tool = programTool({});
    await tool.execute({ program: "(def secret 1)" }, { conversation: "ann" });
    assert.equal(await tool.execute({ program: "secret" }, { conversation: "ann" }), ";; Value:\n1");
    await assert.rejects(tool.execute({ program: "secret" }, { conversation: "bob" }), { code: "program_failed" });
    await assert.rejects(tool.execute({ program: "secret" }), { code: "program_failed" });
  });

  test("those of the programs in its messages, also when the conversation was branched or shortened", async () => {
    const tool = programTool({});
    const run = (toolCallId, program, messages) => tool.execute({ program }, { toolCallId, messages });
    const question = { role: "user", content: "Look." };
    await run("a", "(def n 1)", [question]);
    await run("b", "(def n (inc n))", [question, called("a")]);
    assert.equal(
      await run("c", "n", [question, called("a"), answered("a"), called("b"), answered("b")]),
      ";; Value:\n2",
    );
    // Another reply to the same question after the first program.
    assert.equal(await run("d", "n", [question, called("a"), answered("a")]), ";; Value:\n1");
    assert.equal(await run("e", "n", [called("b")]), ";; Value:\n2");
    await assert.rejects(run("f", "n", [question]), { code: "program_failed" });
  });

  test("programs that are called at the same time run one after the other", async () => {
    const tool = programTool(bank().tools);
    const messages = [{ role: "user", content: "Look." }];
    const texts = await Promise.all([
      tool.execute({ program: "(def n (tool/later 20))" }, { toolCallId: "a", messages }),
      tool.execute({ program: "(def m (inc n))" }, { toolCallId: "b", messages }),
      tool.execute({ program: "(+ n m)" }, { toolCallId: "c", messages }),
    ]);
    assert.match(texts[2], /41$/);
    const next = { toolCallId: "d", messages: [...messages, called("a", "b", "c")] };
    assert.match(await tool.execute({ program: "[n m]" }, next), /\[20 21\]$/);
  });

  test("those before calls that were refused before they ran", async () => {
    const tool = programTool({});
    await tool.execute({ program: "(def n 1)" }, { toolCallId: "a", messages: [{}] });
    const messages = [{}, called("a"), answered("a"), called("refused"), answered("refused")];
    assert.equal(await tool.execute({ program: "n" }, { toolCallId: "c", messages }), ";; Value:\n1");
  });

  test("those of what the option conversation returns, by what the framework gives its tools", async () => {
    const tool = programTool({}, { conversation: ({ user }) => user });
    const kimi = (user) => ({ user, toolCallId: "functions.run_program:0", messages: [{}] });
    await tool.execute({ program: "(def secret 1)" }, kimi("ann"));
    assert.equal(await tool.execute({ program: "secret" }, kimi("ann")), ";; Value:\n1");
    await assert.rejects(tool.execute({ program: "secret" }, kimi("bob")), { code: "program_failed" });
    await assert.rejects(tool.execute({ program: "1" }, kimi(undefined)), {
      code: "invalid_argument",
      message: "the id of the call, functions.run_program:0, is not unique among conversations",
    });
  });

  test("those of an object that stands for the conversation, and after a call that waited, with a store", async () => {
    const store = new Map();
    const run = { run: 1 };
    const tool = programTool(bank().tools, { store });
    await tool.execute({ program: "(def n 1)" }, { toolCallId: "a", conversation: run });
    const asked = "(def m (inc n)) (tool/refund m)";
    assert.equal(await tool.needsApproval({ program: asked }, { toolCallId: "b", conversation: run }), true);
    await assert.rejects(tool.execute({ program: "n" }, { toolCallId: "c", conversation: {} }));
    const later = programTool(bank().tools, { store: new Map(JSON.parse(JSON.stringify([...store]))) });
    const again = { restored: 1 };
    await later.execute({ program: asked }, { toolCallId: "b", conversation: again });
    assert.equal(
      await later.execute({ program: "[n m]" }, { toolCallId: "d", conversation: again }),
      ";; Value:\n[1 2]",
    );
  });

  test("those of another process, with a store", async () => {
    const store = new Map();
    await programTool({}, { store }).execute({ program: "(defn twice [n] (* 2 n))" }, { conversation: "ann" });
    const copy = new Map(JSON.parse(JSON.stringify([...store])));
    const again = programTool({}, { store: copy });
    assert.equal(await again.execute({ program: "(twice 4)" }, { conversation: "ann" }), ";; Value:\n8");
  });

  test("a store that fails is an error, and says so", async () => {
    const store = { get: () => undefined, set: () => Promise.reject(new Error("disk full")), delete: () => {} };
    await assert.rejects(programTool({}, { store }).execute({ program: "1" }), {
      code: "record_failed",
      message: "set of the store of programs failed: disk full",
    });
  });
});

suite("calls that wait", () => {
  const program = "(def n (count (tool/orders))) [n (tool/refund 17) (tool/refund 23)]";

  test("a framework that asks first: the program runs until it waits, and once", async () => {
    const { tools, made } = bank();
    const tool = programTool(tools);
    const context = { toolCallId: "a", messages: [{ role: "user", content: "Refund." }] };
    assert.equal(await tool.needsApproval({ program }, context), true);
    assert.equal(await tool.needsApproval({ program }, context), true);
    assert.deepEqual(made, []);
    const [waiting] = await tool.waiting("a");
    assert.deepEqual([waiting.tool, waiting.args.order, waiting.reason], ["refund", 17, "approval"]);
    // One call of it waits behind the other.
    const text = await tool.execute({ program }, context);
    assert.deepEqual(made, ["a/1 17"]);
    assert.match(text, /waits for:\n- refund \{:order 23\}: an approval\n.*`\(resume\)`/);
    const next = { toolCallId: "b", messages: [called("a"), answered("a")] };
    assert.equal(await tool.needsApproval({ program: "(resume)" }, next), true);
    assert.match(await tool.execute({ program: "(resume)" }, next), /\[60 "refunded 17" "refunded 23"\]$/);
    assert.deepEqual(made, ["a/1 17", "a/2 23"]);
    const last = { toolCallId: "c", messages: [called("b"), answered("b")] };
    assert.equal(await tool.needsApproval({ program: "n" }, last), false);
    assert.equal(await tool.execute({ program: "n" }, last), ";; Value:\n60");
  });

  test("a program that can't call a tool that asks runs when its framework runs it", async () => {
    const { tools, made } = bank();
    const tool = programTool(tools);
    const messages = [{}];
    const at = (toolCallId) => ({ toolCallId, messages });
    const first = "(def n (count (tool/orders)))";
    assert.equal(await tool.needsApproval({ program: first }, at("a")), false);
    await assert.rejects(tool.execute({ program: "n" }, at("b")), /`n` is not defined/);
    // Programs of a reply run in its order, and each once.
    assert.equal(await tool.needsApproval({ program: "(defn back [] (tool/refund n))" }, at("c")), false);
    assert.match(await tool.execute({ program: first }, at("a")), /^n +; = integer, sample: 60$/m);
    assert.equal(await tool.needsApproval({ program: "(back)" }, at("d")), true);
    assert.match(await tool.execute({ program: "(back)" }, at("d")), /"refunded 60"$/);
    assert.deepEqual(made, ["d/0 60"]);
  });

  test("a framework that does not note approvals in messages says what it knows of them", async () => {
    const { tools, made } = bank();
    const tool = programTool(tools);
    const conversation = {};
    const decisions = new Map([
      ["a", false],
      ["lost", true],
    ]);
    await tool.needsApproval({ program }, { toolCallId: "a", conversation, decisions });
    const next = await tool.execute({ program: "1" }, { toolCallId: "b", conversation, decisions });
    assert.match(next, /^The program before was not approved:[\s\S]*\n\n;; Value:\n1$/);
    await assert.rejects(tool.execute({ program }, { toolCallId: "lost", conversation, decisions }), {
      code: "program_lost",
    });
    assert.deepEqual(made, []);
    const all = { toolCallId: "c", conversation, decisions: new Map([["c", true]]), approvesAll: true };
    assert.match(await tool.execute({ program }, all), /\[60 "refunded 17" "refunded 23"\]$/);
    assert.deepEqual(made, ["c/1 17", "c/2 23"]);
  });

  test("a model that goes on before somebody decided is told to stop", async () => {
    const tool = programTool(bank().tools);
    await tool.execute({ program }, { toolCallId: "a" });
    for (const toolCallId of ["b", "c"]) {
      const text = await tool.execute({ program: "(resume)" }, { toolCallId });
      assert.match(text, /^The program waits for:\n- refund [\s\S]*\nNobody has decided yet\. /);
    }
  });

  test("answers for each call: denied, with a reason, or with other arguments", async () => {
    const { tools, made } = bank();
    const tool = programTool(tools);
    const both = "(pmap (fn [o] (tool/refund o)) [17 23])";
    await tool.needsApproval({ program: both }, { toolCallId: "a" });
    const [first, second] = await tool.waiting("a");
    await tool.answer("a", { [first.id]: { args: { order: 18 } } });
    await tool.answer("a", { [second.id]: "too expensive" });
    await assert.rejects(tool.answer("a", { nobody: true }), { code: "invalid_answer" });
    await assert.rejects(tool.execute({ program: both }, { toolCallId: "a" }), /too expensive/);
    assert.deepEqual(made, ["a/0 18"]);
  });

  test("a program whose call was denied is told to the next one", async () => {
    const { tools, made } = bank();
    const tool = programTool(tools);
    await tool.needsApproval({ program }, { toolCallId: "a", messages: [{}] });
    const text = await tool.execute(
      { program: "(count *calls)" },
      { toolCallId: "b", messages: [called("a"), answered("a")] },
    );
    assert.match(text, /^The program before was not approved:\n;; Tool calls made:\n/);
    assert.match(text, /orders\(\) => \[/);
    assert.match(text, /\n\n;; Value:\n2$/);
    assert.deepEqual(made, []);
  });

  test("without a framework that asks, the model goes on after the host's answer", async () => {
    const { tools } = bank();
    const tool = programTool(tools);
    assert.match(await tool.execute({ program }, { toolCallId: "a" }), /waits for/);
    await assert.rejects(tool.execute({ program: "n" }, { toolCallId: "b" }), { code: "program_failed" });
    const [{ id }] = await tool.waiting("a");
    await tool.answer("a", { [id]: { result: "by hand" } });
    const { waiting } = await tool.run({ program: "(resume)" }, { toolCallId: "c" });
    const outcome = await tool.run({ program }, { toolCallId: "a" }, { [waiting[0].id]: true });
    assert.match(outcome.text, /\[60 "by hand" "refunded 23"\]$/);
    await assert.rejects(tool.execute({ program: "(resume)" }, { toolCallId: "d" }), /no program waits/);
  });

  test("a program that waited in a process that is gone is not run again", async () => {
    const { tools, made } = bank();
    const messages = [
      { role: "user", content: "Refund." },
      { role: "assistant", content: [{ type: "tool-approval-request", approvalId: "x", toolCallId: "a" }] },
    ];
    await assert.rejects(programTool(tools).execute({ program }, { toolCallId: "a", messages }), {
      code: "program_lost",
    });
    assert.deepEqual(made, []);
  });

  test("definitions of programs that ended while it waited stay", async () => {
    const { tools } = bank();
    const tool = programTool(tools);
    const messages = [{}];
    const waits = "(def kept (tool/refund 17))";
    await tool.needsApproval({ program: waits }, { toolCallId: "a", messages });
    await tool.execute({ program: "(def other 2)" }, { toolCallId: "b", messages });
    await tool.execute({ program: waits }, { toolCallId: "a", messages: [called("a", "b")] });
    const next = { toolCallId: "c", messages: [called("a", "b"), answered("a"), answered("b")] };
    assert.match(await tool.execute({ program: "[kept other]" }, next), /\["refunded 17" 2\]$/);
  });

  test("inner calls are told with their ids, and each tool gets the caller's context", async () => {
    const events = [];
    const contexts = [];
    const tool = programTool(
      { twice: ["(n :int) -> :int", ({ n }, { context }) => contexts.push(context.user) && 2 * n] },
      { onToolCall: (each) => events.push(each), onToolResult: (each) => events.push(each) },
    );
    await tool.execute({ program: "(tool/twice 4)" }, { toolCallId: "a", user: "ann" });
    assert.deepEqual(contexts, ["ann"]);
    assert.deepEqual(events[0], { id: "a/0", parentId: "a", name: "twice", args: { n: 4 } });
    const { durationMs, ...result } = events[1];
    assert.deepEqual(result, { id: "a/0", parentId: "a", name: "twice", result: 8, error: null });
    assert.equal(typeof durationMs, "number");
  });

  test("telemetry makes a span of each inner call, active while its tool runs", async () => {
    const spans = [];
    let active = null;
    const tracer = {
      startActiveSpan(name, { attributes }, run) {
        const span = { name, attributes: { ...attributes }, parent: active };
        spans.push(span);
        active = span;
        const end = () => {
          span.hasEnded = true;
          active = span.parent;
        };
        return run({
          setAttribute: (key, value) => Object.assign(span.attributes, { [key]: value }),
          recordException: ({ message }) => Object.assign(span, { exception: message }),
          setStatus: (status) => Object.assign(span, { status }),
          end,
        });
      },
    };
    const tools = {
      twice: ["(n :int) -> :int", async ({ n }) => (active?.name === "execute_tool twice" ? 2 * n : null)],
      broken: () => Promise.reject(new TypeError("it broke: 17")),
    };
    const tool = programTool(tools, { telemetry: { isEnabled: true, tracer, functionId: "shop" } });
    await assert.rejects(tool.execute({ program: "[(tool/twice 4) (tool/broken)]" }, { toolCallId: "a" }), /it broke/);
    const common = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.type": "function" };
    assert.deepEqual(spans, [
      {
        name: "execute_tool twice",
        attributes: {
          ...common,
          "gen_ai.tool.name": "twice",
          "gen_ai.tool.call.id": "a/0",
          "gen_ai.tool.call.arguments": '{"n":4}',
          "gen_ai.tool.call.result": "8",
        },
        parent: null,
        hasEnded: true,
      },
      {
        name: "execute_tool broken",
        attributes: {
          ...common,
          "gen_ai.tool.name": "broken",
          "gen_ai.tool.call.id": "a/1",
          "gen_ai.tool.call.arguments": "{}",
          "error.type": "TypeError",
        },
        exception: "it broke: 17",
        status: { code: 2, message: "it broke: 17" },
        parent: null,
        hasEnded: true,
      },
    ]);
    spans.length = 0;
    const secret = programTool(tools, { telemetry: { tracer, recordInputs: false, recordOutputs: false } });
    const program = "[(tool/twice 4) (tool/broken)]";
    await assert.rejects(secret.execute({ program }, { toolCallId: "b" }), /it broke/);
    assert.equal(spans.length, 2);
    assert.doesNotMatch(JSON.stringify(spans), /arguments|result|17/);
    await programTool(tools, { telemetry: { tracer, isEnabled: false } }).execute({ program: "(tool/twice 4)" });
    assert.equal(spans.length, 2);
  });

  test("an abort ends the program", async () => {
    const { tools } = bank();
    const abort = new AbortController();
    const running = programTool(tools).execute({ program: "(tool/later 5000)" }, { abortSignal: abort.signal });
    abort.abort();
    await assert.rejects(running, { code: "program_failed" });
  });
});

test("a digest has what programs left, without the programs", async () => {
  const { tools } = bank();
  const tool = programTool(tools);
  const messages = [{ role: "user", content: "Look." }];
  const programs = [
    "(def all (tool/orders))\n(def large (filter (fn [o] (> (:euros o) 300)) all))\n(count large)",
    '(println "sum:" (sum-by :euros large))',
    "(def by-tens (group-by (fn [o] (quot (:order o) 10)) large))\nby-tens",
    "(count by-tens)",
  ];
  for (const [index, program] of programs.entries()) {
    const id = `c${index}`;
    const content = await tool.execute({ program }, { toolCallId: id });
    messages.push({ role: "assistant", content: "", toolCalls: [{ id, name: "run_program", args: { program } }] });
    messages.push({ role: "tool", content, toolCallId: id });
  }
  messages.push({ role: "assistant", content: "Done." }, { role: "user", content: "And now?" });
  const { messages: sent } = await manageHistory(new Conversation({ messages }), {
    compressionStrategy: digest({ atLeast: 0 }),
    when: "always",
  });
  const text = sent.map(({ content }) => content).join("\n");
  assert.match(
    text,
    /run_program\(\(count large\)\) → all = list\[60\].* large = list\[29\].* called orders\(\) ¶ value 29/,
  );
  assert.match(text, /sum: 13050/);
  assert.match(text, /run_program\(…\) → by-tens = map\[3\]/);
  assert.doesNotMatch(text, /group-by|\(def /);
});

suite("calls that are made again", () => {
  const context = { toolCallId: "a", conversation: "ann", messages: [], mayRepeat: true };
  const program = "(def n (count (tool/orders))) [n (pmap #(tool/refund %) [17 23]) (tool/later 0)]";

  /** A store that notes what it has after each change, and what was done by then. */
  function noting(made) {
    const store = new Map();
    const moments = [];
    const note = () => moments.push({ json: JSON.stringify([...store]), made: [...made] });
    return {
      moments,
      store: {
        get: (key) => store.get(key),
        set: (key, value) => note(store.set(key, JSON.parse(JSON.stringify(value)))),
        delete: (key) => note(store.delete(key)),
      },
      size: () => store.size,
    };
  }

  /** Tools that count the calls that have ended. */
  function counting(made) {
    const noted = (name, result) => async (args) => {
      await null;
      made.push(`${name} ${args.order ?? ""}`);
      return result(args);
    };
    return {
      orders: ["() -> [:int]", noted("orders", () => [17, 23])],
      refund: {
        signature: "(order :int) -> :string",
        needsApproval: true,
        run: noted("refund", ({ order }) => `${order}`),
      },
      later: ["(ms :int) -> :int", noted("later", ({ ms }) => ms)],
    };
  }

  /** Answers whatever waits until the program ends: a call that may have run is given its result. */
  async function finish(tool, made) {
    let outcome = await tool.run({ program }, context);
    while (outcome.status === "waiting") {
      const decide = ({ id, tool: name, args, reason }) => {
        const hasRun = made.includes(`${name} ${args.order ?? ""}`);
        const result = { orders: [17, 23], refund: `${args.order}`, later: 0 }[name];
        return [id, reason === "interrupted" && hasRun ? { result } : true];
      };
      const answers = Object.fromEntries(outcome.waiting.map(decide));
      outcome = await tool.run({ program }, context, answers);
    }
    return outcome;
  }

  test("killed at any moment, each call of a program ends once, and its result is the same", async () => {
    const made = [];
    const noted = noting(made);
    const whole = await finish(programTool(counting(made), { store: noted.store }), made);
    assert.match(whole.text, /\[2 \["17" "23"\] 0\]$/);
    const all = made.toSorted();
    assert.equal(all.length, 4);
    assert.ok(noted.moments.length > 15, `${noted.moments.length} moments`);
    for (const [number, moment] of noted.moments.entries()) {
      const again = [...moment.made];
      const tool = programTool(counting(again), { store: new Map(JSON.parse(moment.json)) });
      const outcome = await finish(tool, again);
      assert.deepEqual([again.toSorted(), outcome.text], [all, whole.text], `moment ${number}`);
      const next = { toolCallId: "b", conversation: "ann", messages: [{ type: "tool", tool_call_id: "a" }] };
      assert.equal(await tool.execute({ program: "n" }, next), ";; Value:\n2", `moment ${number}`);
    }
    const last = programTool(counting(made), { store: noted.store });
    await last.execute(
      { program: "n" },
      { ...context, toolCallId: "b", messages: [{ type: "tool", tool_call_id: "a" }] },
    );
    await last.execute(
      { program: "n" },
      { ...context, toolCallId: "c", messages: [{ type: "tool", tool_call_id: "b" }] },
    );
    // The state of the conversation and the last outcome are left.
    assert.equal(noted.size(), 2);
  });

  test("after an abort, a call that has ended is not made again, and one that was aborted waits", async () => {
    const { tools, made } = bank();
    const tool = programTool({ ...tools, refund: { ...tools.refund, needsApproval: false } });
    const both = "[(tool/refund 17) (tool/later 5000)]";
    const abort = new AbortController();
    const running = tool.run({ program: both }, { ...context, abortSignal: abort.signal });
    setTimeout(() => abort.abort(), 20);
    assert.equal((await running).status, "failed");
    const again = await tool.run({ program: both }, context);
    assert.deepEqual(
      again.waiting.map(({ tool: name, reason }) => [name, reason]),
      [["later", "interrupted"]],
    );
    const { text } = await tool.run({ program: both }, context, { [again.waiting[0].id]: { result: 1 } });
    assert.match(text, /\["refunded 17" 1\]$/);
    assert.deepEqual(made, ["a/0 17"]);
    assert.equal((await tool.run({ program: both }, context)).text, text);
    assert.deepEqual(made, ["a/0 17"]);
  });

  test("an id that a model uses again, in another conversation or for another program, is another call", async () => {
    const { tools } = bank();
    const tool = programTool(tools);
    await tool.run({ program: "(tool/refund 17)" }, context);
    assert.equal((await tool.run({ program: "(tool/refund 17)" }, { ...context, conversation: "bob" })).rounds, 0);
    assert.equal((await tool.waiting("a", "bob")).length, 1);
    assert.equal((await tool.waiting("a", "cid")).length, 0);
    await tool.answer("a", { 0: true }, "bob");
    const { text, rounds } = await tool.run({ program: "(tool/refund 17)" }, { ...context, conversation: "bob" });
    assert.deepEqual([text.slice(-12), rounds], ['refunded 17"'.slice(-12), 1]);
    assert.equal((await tool.waiting("a", "ann")).length, 1);
    assert.equal((await tool.run({ program: "(+ 1 2)" }, context)).text, ";; Value:\n3");
  });
});

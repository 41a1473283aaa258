// Runs that wait: for approvals, for results that come later, and after a process has ended.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { fork, later, replay, Step, SubAgent, TurnfoldError } from "turnfold";
import { Lisp } from "turnfold/lisp";
import { readSignedState, signState } from "turnfold/turns";
import { seeded, share } from "./random.mjs";
import { randomRun } from "./random-runs.mjs";
import { same, timeless } from "./same-texts.mjs";
import { scripted } from "./scripted.mjs";

const fenced = (program) => `\`\`\`clojure\n${program}\n\`\`\``;
/** Changes of saved states; `CHANGES=100000` in front of the command tries more. */
const CHANGES = Number(process.env.CHANGES ?? 3000);
/** Random runs that wait at every call; `WAITING_RUNS=10000` in front of the command makes more. */
const RUNS = Number(process.env.WAITING_RUNS ?? share(600));
const KEY = "a key of thirty-two characters, or more";

/** Data as another process has it. */
const elsewhere = (data) => JSON.parse(JSON.stringify(data));

/** Tools that note what runs. */
function shop() {
  const ran = [];
  const note =
    (name, result) =>
    (args, { callId } = {}) => {
      ran.push([name, args, callId]);
      return result(args);
    };
  const tools = {
    refund: {
      signature: "(order :int) -> :string",
      needsApproval: true,
      run: note("refund", ({ order }) => `refunded ${order}`),
    },
    ask: ["(question :string) -> :string", note("ask", ({ question }) => later({ question }))],
    price: ["(order :int) -> :int", note("price", ({ order }) => 10 * order)],
  };
  return { tools, ran, names: () => ran.map(([name, args]) => `${name} ${Object.values(args)}`) };
}

/** An agent that refunds the order `n`. */
const clerkWith = (tools) =>
  new SubAgent({
    mission: "Refund {{n}}.",
    signature: "(n :int) -> :string",
    tools,
    llm: () => fenced("(return (tool/refund {:order data/n}))"),
  });

/** Everything that is recorded of a run. */
async function recorded(agent) {
  const records = [];
  const step = await agent.run({ onRecord: (record) => void records.push(elsewhere(record)) });
  return { records, step };
}

const PROGRAM = `(println "begins")
(def paid (pmap (fn [order] [(tool/price {:order order}) (tool/refund {:order order})]) [1 2]))
(def why (tool/ask {:question (str paid)}))
[paid why]`;

suite("a program", () => {
  test("is saved with each call once, and refused where it would make another one", async () => {
    const { tools, names } = shop();
    const { records } = await new Lisp({ tools }).run("(tool/price {:order 5}) (tool/refund {:order 7})");
    const saved = elsewhere(records);
    assert.deepEqual(
      saved.map(({ type }) => type),
      ["start", "result", "waiting", "suspended"],
    );
    assert.equal((await new Lisp({ tools }).resume(saved, { answers: { 1: true } })).value, "refunded 7");
    saved[1].call.order = 6;
    await assert.rejects(new Lisp({ tools }).resume(saved, { answers: { 1: true } }), { code: "replay_diverged" });
    assert.deepEqual(names(), ["price 5", "refund 7"]);
  });

  test("waits for approvals and later results, and goes on elsewhere without calling a tool again", async () => {
    const { tools, names } = shop();
    let result = await new Lisp({ tools }).run(PROGRAM);
    assert.deepEqual([result.ok, result.status, result.error.kind], [false, "waiting", "waiting"]);
    assert.deepEqual(result.prints, ["begins"]);
    assert.deepEqual(
      result.toolCalls.map(({ name }) => name),
      ["price", "price"],
    );
    const refund = { tool: "refund", reason: "approval", info: null, path: [] };
    assert.deepEqual(elsewhere(result.waiting), [
      { id: "2", ...refund, args: { order: 1 } },
      { id: "3", ...refund, args: { order: 2 } },
    ]);
    result = await new Lisp({ tools }).resume(elsewhere(result), { answers: { 3: true } });
    assert.deepEqual(
      result.waiting.map(({ id }) => id),
      ["2"],
    );
    result = await new Lisp({ tools }).resume(elsewhere(result), { answers: { 2: { result: "by hand" } } });
    assert.deepEqual(elsewhere(result.waiting), [
      {
        id: "4",
        tool: "ask",
        reason: "later",
        args: { question: '[[10 "by hand"] [20 "refunded 2"]]' },
        info: { question: '[[10 "by hand"] [20 "refunded 2"]]' },
        path: [],
      },
    ]);
    const lisp = new Lisp({ tools });
    result = await lisp.resume(elsewhere(result), { answers: { 4: { result: "because" } } });
    assert.deepEqual([result.status, result.error], ["done", null]);
    assert.deepEqual(result.value[1], "because");
    assert.deepEqual(Object.keys(lisp.memory), ["paid", "why"]);
    assert.deepEqual(names(), ["price 1", "price 2", "refund 2", 'ask [[10 "by hand"] [20 "refunded 2"]]']);
  });

  test("has an error where nothing can wait", () => {
    const { tools } = shop();
    const { error } = new Lisp({ tools }).runSync('(tool/ask {:question "q"})');
    assert.equal(error.message, "`ask` failed: ask answers later, and runSync() can't wait; use run()");
  });

  test("that waits leaves the sandbox as it was, which can run others", async () => {
    const { tools } = shop();
    const lisp = new Lisp({ tools, memory: { x: 1 } });
    const asked = await lisp.run("(def x 2) (tool/refund {:order x})");
    assert.deepEqual(Object.entries(lisp.memory), [["x", 1]]);
    assert.equal((await lisp.run("x")).value, 1);
    await lisp.run("(def y 1)");
    await assert.rejects(lisp.resume(asked, { answers: { 0: true } }), { code: "replay_diverged" });
  });

  test("gets denials as errors that it can't take for success", async () => {
    const { tools, ran } = shop();
    const lisp = new Lisp({ tools });
    for (const [answer, text] of [
      [false, "The call was not approved."],
      ["ask Ann", "ask Ann"],
    ]) {
      const asked = await lisp.run('(try (tool/refund {:order 1}) (catch Exception e "all is well"))');
      const { error } = await lisp.resume(asked, { answers: { 0: answer } });
      assert.deepEqual([error.kind, error.message], ["tool_denied", `\`refund\` failed: denied: ${text}`]);
    }
    const asked = await lisp.run("(try (tool/refund {:order 1}) (catch Exception e (ex-message e)))");
    const { value } = await lisp.resume(asked, { answers: { 0: { error: "the bank is closed" } } });
    assert.deepEqual([value, ran], ["`refund` failed: the bank is closed", []]);
  });

  test("refuses answers that fit no call, before anything runs", async () => {
    const { tools, ran } = shop();
    const lisp = new Lisp({ tools });
    const asked = await lisp.run("(tool/refund {:order 1})");
    const problems = [
      [{ 7: true }, 'no call "7" waits'],
      [{ 0: 1 }, "the answer to refund (0) is 1"],
      [{ 0: { result: 1, error: "both" } }, "the answer to refund (0) is an object"],
      [{ 0: { args: { order: "many" } } }, "the arguments for refund (0): order: expected int, got string"],
      ["yes", 'answers must be an object by the ids of calls, got "yes"'],
    ];
    for (const [answers, message] of problems) {
      await assert.rejects(lisp.resume(asked, { answers }), (error) => {
        assert.equal(error.code, "invalid_answer");
        assert.ok(error.message.startsWith(message.slice(0, 40)), error.message);
        return true;
      });
    }
    const later = await lisp.run('(tool/ask {:question "q"})');
    await assert.rejects(lisp.resume(later, { answers: { 0: true } }), { code: "invalid_answer" });
    assert.equal(ran.length, 1);
  });

  test("waits for an agent that is one of its tools", async () => {
    const { tools, names } = shop();
    const clerk = clerkWith(tools);
    const asked = await new Lisp({ tools: { clerk } }).run("[(tool/clerk {:n 1}) (tool/clerk {:n 2})]");
    const [call] = asked.waiting;
    assert.deepEqual([call.id, call.tool, call.path], ["0/1.0", "refund", ["clerk"]]);
    const wrong = { "0/1.0": { args: { order: "x" } } };
    await assert.rejects(new Lisp({ tools: { clerk } }).resume(asked, { answers: wrong }), { code: "invalid_answer" });
    const second = await new Lisp({ tools: { clerk } }).resume(elsewhere(asked), { answers: { [call.id]: true } });
    // The answer is the agent's, in whose step it is.
    assert.ok(second.records.every(({ type }) => type !== "answer"));
    const { value } = await new Lisp({ tools: { clerk } }).resume(elsewhere(second), { answers: { "1/1.0": "no" } });
    assert.equal(value, null);
    assert.deepEqual(names(), ["refund 1"]);
  });

  test("would go another way: nothing is called", async () => {
    const { tools, ran } = shop();
    const asked = await new Lisp({ tools }).run("(tool/refund {:order (tool/price {:order 3})})");
    ran.length = 0;
    const changed = elsewhere(asked);
    changed.records[0].program = "(tool/refund {:order 5})";
    await assert.rejects(new Lisp({ tools }).resume(changed, { answers: { 1: true } }), { code: "replay_diverged" });
    assert.deepEqual(ran, []);
  });
});

/** An agent whose program in the second turn refunds two orders. */
function refunding() {
  const { tools, ran, names } = shop();
  const replies = [
    "(def total (tool/price {:order 5}))",
    "(return (pmap (fn [o] (tool/refund {:order o})) [total 7]))",
  ];
  let asked = 0;
  const llm = ({ turn }) => {
    asked++;
    return { content: fenced(replies[turn - 1]), usage: { inputTokens: 10, outputTokens: 5 } };
  };
  const agent = new SubAgent({ mission: "Refund.", tools, llm });
  return { agent, ran, names, asked: () => asked };
}

suite("a mission", () => {
  test("waits, is saved, and goes on in another process; no model is asked and no tool called again", async () => {
    const { agent, names, asked } = refunding();
    const events = [];
    const step = await agent.run({ onEvent: ({ type }) => events.push(type) });
    assert.deepEqual([step.status, step.ok, step.return, events.at(-1)], ["waiting", false, null, "waiting"]);
    assert.deepEqual([step.fail.reason, step.turns.length], ["waiting", 1]);
    assert.deepEqual(
      step.waiting.map(({ id, args }) => [id, args.order]),
      [
        ["2.0", 50],
        ["2.1", 7],
      ],
    );
    const loaded = Step.fromJSON(JSON.stringify(step));
    assert.deepEqual(loaded.toJSON(), step.toJSON());
    assert.deepEqual(loaded.waiting, step.waiting);
    const half = await agent.resume(elsewhere(step), { answers: { "2.0": true } });
    assert.deepEqual([half.status, half.waiting.map(({ id }) => id)], ["waiting", ["2.1"]]);
    const done = await agent.resume(half, { answers: { 2.1: true } });
    assert.deepEqual([done.status, done.return, done.waiting], ["done", ["refunded 50", "refunded 7"], []]);
    assert.deepEqual([names(), asked()], [["price 5", "refund 50", "refund 7"], 2]);
    assert.equal(done.usage.inputTokens, 20);
    assert.deepEqual((await replay(agent, done)).toJSON(), done.toJSON());
  });

  test("has edited arguments in its record, with who gave them", async () => {
    const { agent, names } = refunding();
    const step = await agent.run();
    const answers = { "2.0": { args: { order: 51 }, by: "Ann" }, 2.1: "not that one" };
    const done = await agent.resume(step, { answers });
    assert.deepEqual(names(), ["price 5", "refund 51"]);
    const [first, second] = done.turns[1].toolCalls;
    assert.deepEqual([first.args, second.error], [{ order: 51 }, "`refund` failed: denied: not that one"]);
    assert.deepEqual(done.toJSON().log[1].edited, { 0: { args: { order: 50 }, by: "Ann" } });
    // The model goes on after the denial, until its replies are over.
    assert.equal((await replay(agent, done)).status, "failed");
  });

  test("keeps who edited arguments while other calls go on waiting", async () => {
    const { agent, names } = refunding();
    let step = await agent.resume(await agent.run(), { answers: { "2.0": { args: { order: 51 }, by: "Ann" } } });
    const saved = elsewhere(step);
    assert.deepEqual(
      saved.waiting.records.map(({ type, call }) => (call === undefined ? type : [type, call])),
      ["reply", "waiting", "waiting", "suspended", "answer", ["result", { order: 50 }], "suspended"],
    );
    step = await agent.resume(saved, { answers: { 2.1: true } });
    assert.deepEqual(step.return, ["refunded 51", "refunded 7"]);
    assert.deepEqual(step.toJSON().log[1].edited, { 0: { args: { order: 50 }, by: "Ann" } });
    assert.deepEqual(names(), ["price 5", "refund 51", "refund 7"]);
  });

  test("that has ended has nothing to resume; one that waits can be forked", async () => {
    const { agent } = refunding();
    const step = await agent.run();
    const other = await fork(agent, step, 1, { program: '(return "nothing")' });
    assert.deepEqual([other.status, other.return], ["done", "nothing"]);
    await assert.rejects(agent.resume(other), { code: "nothing_to_resume" });
  });

  test("waits for a nested agent, whose calls have its path", async () => {
    const { tools, names } = shop();
    const clerk = clerkWith(tools);
    const program = "(return (pmap (fn [n] (tool/clerk {:n n})) [1 2]))";
    const outer = new SubAgent({ mission: "Refund all.", tools: { clerk }, llm: scripted(fenced(program)) });
    let step = await outer.run();
    assert.deepEqual(
      step.waiting.map(({ id, tool, path, args }) => [id, tool, path, args.order]),
      [
        ["1.0/1.0", "refund", ["clerk"], 1],
        ["1.1/1.0", "refund", ["clerk"], 2],
      ],
    );
    await assert.rejects(outer.resume(step, { answers: { "1.0/1.0": { args: { order: "x" } } } }), {
      code: "invalid_answer",
    });
    step = await outer.resume(elsewhere(step), { answers: { "1.1/1.0": true } });
    assert.deepEqual(
      step.waiting.map(({ id }) => id),
      ["1.0/1.0"],
    );
    step = await outer.resume(elsewhere(step), { answers: { "1.0/1.0": { args: { order: 8 } } } });
    assert.deepEqual(
      [step.return, names()],
      [
        ["refunded 8", "refunded 2"],
        ["refund 2", "refund 8"],
      ],
    );
    assert.equal(step.turns[0].toolCalls[0].step.return, "refunded 8");
  });

  test("counts the turns of agents that had ended when it waited", async () => {
    const { tools } = shop();
    const inner = new SubAgent({ mission: "m", signature: "() -> :int", llm: scripted(fenced("(return 1)")) });
    const programs = ["(tool/inner) (tool/ask {:question 1})", "(println 2)", "(println 3)"].map(fenced);
    const outer = new SubAgent({ mission: "m", tools: { ...tools, inner }, turnBudget: 3, llm: scripted(...programs) });
    const { records, step } = await recorded(outer);
    assert.deepEqual(
      step.waiting.map(({ id }) => id),
      ["1.1"],
    );
    for (const from of [elsewhere(step), records]) {
      const { fail, turns } = await outer.resume(from, { answers: { 1.1: { result: "fine" } } });
      assert.deepEqual([fail.reason, turns.length], ["turn_budget_exhausted", 2]);
    }
  });

  test("waits for the approval of an agent that is a tool", async () => {
    const clerk = new SubAgent({
      mission: "Refund.",
      signature: "(n :int) -> :string",
      needsApproval: ({ n }) => n > 10,
      llm: () => fenced('(return (str "done " data/n))'),
    });
    const program = "(return [(tool/clerk {:n 1}) (tool/clerk {:n 11})])";
    const outer = new SubAgent({ mission: "All.", tools: { clerk }, llm: scripted(fenced(program)) });
    const step = await outer.run();
    assert.deepEqual(
      step.waiting.map(({ id, tool, reason, path }) => [id, tool, reason, path]),
      [["1.1", "clerk", "approval", []]],
    );
    assert.deepEqual((await outer.resume(step, { answers: { 1.1: true } })).return, ["done 1", "done 11"]);
  });

  test("waits when approve says later", async () => {
    const { tools } = shop();
    const agent = new SubAgent({
      mission: "m",
      tools,
      approve: ({ args }) => args.order < 5 || later({ asked: "Ann" }),
      llm: scripted(fenced("(return [(tool/refund {:order 1}) (tool/refund {:order 9})])")),
    });
    const step = await agent.run();
    assert.deepEqual(
      step.waiting.map(({ reason, info, args }) => [reason, info, args.order]),
      [["approval", { asked: "Ann" }, 9]],
    );
  });
});

suite("records", () => {
  test("are enough to go on at any point", async () => {
    const { agent, names } = refunding();
    const { records, step } = await recorded(agent);
    assert.deepEqual(
      records.map(({ type }) => type),
      ["start", "reply", "call", "result", "turn", "reply", "waiting", "waiting", "suspended"],
    );
    const done = await agent.resume(records, { answers: { "2.0": true, 2.1: true } });
    const whole = await agent.resume(step, { answers: { "2.0": true, 2.1: true } });
    assert.equal(timeless(done), timeless(whole));
    assert.deepEqual(names().slice(0, 1), ["price 5"]);
    assert.equal(names().filter((name) => name === "price 5").length, 1);
  });

  test("that are none begin a run", async () => {
    const { tools } = shop();
    const agent = clerkWith(tools);
    const records = [];
    const asked = await agent.resume([], {
      data: { n: 4 },
      onRecord: (record) => void records.push(elsewhere(record)),
    });
    assert.deepEqual([asked.status, records[0].data], ["waiting", { n: 4 }]);
    const done = await agent.resume(records, { data: { n: 5 }, answers: { "1.0": true } });
    assert.equal(done.return, "refunded 4");
    await assert.rejects(agent.resume([], { data: { n: 4 }, answers: { "1.0": true } }), { code: "invalid_answer" });
  });

  test("of answers go on, and each call takes one answer", async () => {
    const { tools, ran } = shop();
    const clerk = clerkWith({ ...tools, refund: { ...tools.refund, run: () => later({}) } });
    const program = "(return [(tool/clerk {:n 1}) (tool/ask {:question 7})])";
    const outer = new SubAgent({
      mission: "m",
      tools: { clerk, ask: { signature: "(question :any) -> :any", needsApproval: true, run: tools.ask[1] } },
      llm: scripted(fenced(program)),
    });
    const { records } = await recorded(outer);
    const answer = async (answers) => records.push(...elsewhere(await outer.answer(elsewhere(records), answers)));
    const goOn = () => outer.resume(elsewhere(records), { onRecord: (record) => void records.push(elsewhere(record)) });
    assert.deepEqual(await outer.answer(records, {}), []);
    assert.deepEqual(await outer.answer([], {}), []);
    await assert.rejects(outer.answer([], { "1.0/1.0": true }), { code: "invalid_answer" });
    await assert.rejects(outer.answer(records, { "1.0/1.0": { args: { order: "x" } } }), { code: "invalid_answer" });
    await answer({ "1.0/1.0": true });
    assert.deepEqual(records.at(-1), { in: "1.0", type: "answer", id: "1.0", answer: true });
    await assert.rejects(outer.answer(records, { "1.0/1.0": false }), { code: "invalid_answer" });
    assert.deepEqual(
      (await goOn()).waiting.map(({ id, reason }) => [id, reason]),
      [["1.0/1.0", "later"]],
    );
    await answer({ "1.0/1.0": { result: "refunded by hand" } });
    assert.deepEqual(
      (await goOn()).waiting.map(({ id, reason }) => [id, reason]),
      [["1.1", "approval"]],
    );
    await answer({ 1.1: { args: { question: "when?" }, by: "Ann" } });
    assert.deepEqual(
      (await goOn()).waiting.map(({ id, reason, info }) => [id, reason, info]),
      [["1.1", "later", { question: "when?" }]],
    );
    await answer({ 1.1: { result: { $map: 1n } } });
    assert.deepEqual((await goOn()).return, ["refunded by hand", { $map: 1 }]);
    assert.equal(ran.length, 1);
  });

  test("are asked for answers once, where calls wait", async () => {
    const { tools } = shop();
    const agent = clerkWith(tools);
    const asked = [];
    const answers = async (waiting) => {
      asked.push(waiting.map(({ id, reason }) => `${id} ${reason}`));
      return waiting.length > 1 ? {} : { [waiting[0].id]: true };
    };
    const records = [];
    const onRecord = (record) => void records.push(elsewhere(record));
    await agent.resume([], { data: { n: 1 }, answers, onRecord });
    const lookUp = () => {
      throw new Error("the bank is closed");
    };
    await assert.rejects(agent.resume(records, { answers: lookUp }), { message: "the bank is closed" });
    await assert.rejects(agent.resume(records, { answers: () => true }), { code: "invalid_answer" });
    assert.equal((await agent.resume(records, { answers, onRecord })).return, "refunded 1");
    assert.equal((await agent.resume(records, { answers })).return, "refunded 1");
    assert.deepEqual(asked, [["1.0 approval"]]);
    const lisp = new Lisp({ tools });
    const waiting = await lisp.run("(tool/refund {:order 1})");
    assert.equal((await lisp.resume(waiting, { answers: ([{ id }]) => ({ [id]: true }) })).value, "refunded 1");
  });

  test("of agents and of idempotent tools that had begun need no answer", async () => {
    const ran = [];
    const look = { signature: "(n :int) -> :int", idempotent: true, run: ({ n }, { callId }) => ran.push([n, callId]) };
    const clerk = new SubAgent({
      mission: "m",
      signature: "(n :int) -> :int",
      tools: { look },
      llm: () => fenced("(return (tool/look {:n data/n}))"),
    });
    const outer = new SubAgent({
      mission: "m",
      tools: { clerk },
      llm: scripted(...Array.from({ length: 9 }, () => fenced("(return (tool/clerk {:n 7}))"))),
    });
    const { records } = await recorded(outer);
    for (const [length, { type, tool }] of records.map((record, index) => [index + 1, record])) {
      if (type !== "call") continue;
      const begun = records.slice(0, length);
      const answers = () => assert.fail("it asks");
      assert.equal((await outer.resume(begun, { answers })).status, "done", tool);
      await assert.rejects(outer.answer(begun, { "1.0": true }), { code: "invalid_answer" });
    }
    assert.equal(ran.length, 3);
    assert.equal(new Set(ran.map(String)).size, 1);
  });

  test("of a fork are complete, with the program that replaces a reply", async () => {
    const { agent, names } = refunding();
    const first = await agent.run();
    const records = [];
    const program = "(tool/price {:order 8}) (tool/refund {:order 9})";
    const onRecord = (record) => void records.push(elsewhere(record));
    const step = await fork(agent, first, 2, { program, onRecord });
    assert.deepEqual(
      records.map(({ type }) => type),
      ["start", "turn", "reply", "call", "result", "waiting", "suspended"],
    );
    const resumed = await agent.resume(records, { answers: { 2.1: "no" } });
    assert.deepEqual([step.status, resumed.turns[1].success], ["waiting", false]);
    assert.deepEqual(names(), ["price 5", "price 8"]);
  });

  test("of nested agents are in the list once", async () => {
    const { tools } = shop();
    const clerk = clerkWith(tools);
    const outer = new SubAgent({
      mission: "m",
      tools: { clerk },
      llm: scripted(fenced("(return (tool/clerk {:n 1}))")),
    });
    const { records } = await recorded(outer);
    assert.deepEqual(
      records.map(({ type, in: within = "" }) => `${within} ${type}`.trim()),
      [
        "start",
        "reply",
        "call",
        ...["start", "reply", "waiting", "suspended"].map((type) => `1.0 ${type}`),
        "waiting",
        "suspended",
      ],
    );
    assert.equal(records.at(-2).step, undefined);
    assert.equal((await outer.resume(records, { answers: { "1.0/1.0": true } })).return, "refunded 1");
  });

  test("of a run that has ended give its step", async () => {
    const agent = new SubAgent({ mission: "m", llm: scripted(fenced("(def a 1)"), fenced("(return {:a a})")) });
    const { records, step } = await recorded(agent);
    assert.equal(records.at(-1).type, "end");
    assert.deepEqual((await agent.resume(records)).toJSON(), step.toJSON());
  });

  test("a call that had begun waits for a decision, unless its tool is idempotent", async () => {
    const ran = [];
    const tools = {
      pay: { signature: "(n :int) -> :int", run: ({ n }, { callId }) => ran.push(["pay", n, callId]) },
      look: {
        signature: "(n :int) -> :int",
        idempotent: true,
        run: ({ n }, { callId }) => ran.push(["look", n, callId]),
      },
    };
    const program = "(return (pcalls (fn [] (tool/pay {:n 1})) (fn [] (tool/look {:n 2}))))";
    const agent = new SubAgent({ mission: "m", tools, llm: scripted(fenced(program)) });
    const { records } = await recorded(agent);
    const begun = records.filter(({ type }) => !["result", "turn", "end"].includes(type));
    const [[, , pay], [, , look]] = ran.splice(0);
    const step = await agent.resume(begun);
    assert.deepEqual(
      step.waiting.map(({ id, tool, reason }) => [id, tool, reason]),
      [["1.0", "pay", "interrupted"]],
    );
    assert.deepEqual(ran, [["look", 2, look]]);
    assert.deepEqual((await agent.resume(step, { answers: { "1.0": { result: 7 } } })).return, [7, 1]);
    const again = await agent.resume(begun, { answers: { "1.0": true } });
    assert.deepEqual(
      ran
        .slice(1)
        .map(([name, , callId]) => [name, callId])
        .sort(),
      [
        ["look", look],
        ["pay", pay],
      ],
    );
    assert.equal(again.status, "done");
  });

  test("that can't be stored end the run before the next effect", async () => {
    for (const failing of ["start", "reply", "call", "result"]) {
      const { agent, names } = refunding();
      const store = ({ type }) => {
        if (type === failing) throw new Error("the disk is full");
      };
      const ending = agent.run({ onRecord: store });
      if (failing === "start") await assert.rejects(ending, { code: "record_failed" });
      else assert.equal((await ending).fail.reason, "record_failed", failing);
      assert.deepEqual(names(), failing === "result" ? ["price 5"] : [], failing);
    }
  });

  test("do not grow with the history", async () => {
    const program = (turn) => fenced(`(def value-${turn} (vec (range 50)))`);
    const agent = new SubAgent({ mission: "m", maxTurns: 60, turnBudget: 100, llm: ({ turn }) => program(turn) });
    const { records } = await recorded(agent);
    const sizes = records.filter(({ type }) => type === "turn").map((record) => JSON.stringify(record).length);
    assert.equal(sizes.length, 60);
    assert.ok(sizes.at(-2) < 1.1 * sizes[1], `${sizes.at(-2)} and ${sizes[1]}`);
  });
});

test("a waiting call that can't be one is refused when its step is read", async () => {
  const saved = (await refunding().agent.run()).toJSON();
  let deep = 1;
  for (let level = 0; level < 1200; level++) deep = [deep];
  for (const change of [{ path: "refund" }, { info: deep }, { id: 3 }]) {
    const step = structuredClone(saved);
    Object.assign(step.waiting.calls[0], change);
    assert.throws(
      () => Step.fromJSON(step).waiting,
      (error) => TurnfoldError.isInstance(error),
      Object.keys(change)[0],
    );
  }
});

test("a signed state is read with its key, unchanged and in time", async () => {
  const { agent } = refunding();
  const step = await agent.run();
  const signed = await signState(step, KEY);
  assert.deepEqual(Step.fromJSON(await readSignedState(signed, KEY, { maxAgeMs: 60_000 })).toJSON(), step.toJSON());
  const changed = signed.replace("refund", "revoke");
  await assert.rejects(readSignedState(changed, KEY), { code: "untrusted_state", details: { problem: "changed" } });
  await assert.rejects(readSignedState(signed, KEY.toUpperCase()), { code: "untrusted_state" });
  await assert.rejects(readSignedState("", KEY), { code: "untrusted_state" });
  const early = signed.replace(/\.\d+\./, ".9.");
  await assert.rejects(readSignedState(early, KEY), { code: "untrusted_state" });
  await assert.rejects(signState(step, "short"), (error) => !error.message.includes("short"));
  await new Promise((resolve) => setTimeout(resolve, 5));
  const late = { code: "untrusted_state", details: { problem: "expired" } };
  await assert.rejects(readSignedState(signed, KEY, { maxAgeMs: 1 }), late);
});

test("random runs that wait at every call, saved and loaded at each, end like those that never waited", async () => {
  let suspensions = 0;
  for (let seed = 1; seed <= RUNS; seed++) {
    const plain = randomRun(seed);
    const expected = await plain.agent.run({ ...plain.options(), data: plain.data });
    const reasons = expected.turns.map(({ result }) => Object(result).reason);
    // An abort and a timeout depend on when they happen.
    if (expected.fail?.reason === "aborted" || reasons.some((reason) => /aborted|timeout/.test(reason))) continue;
    const outcomes = [];
    const waits =
      (run) =>
      async (...args) => {
        const outcome = { place: outcomes.length };
        outcomes.push(outcome);
        try {
          outcome.answer = { result: (await run(...args)) ?? null };
        } catch (error) {
          const { message, name } = Object(error);
          outcome.error = message || name || (typeof error === "string" ? error : undefined);
          if (outcome.error === undefined) throw error;
          outcome.answer = { error: outcome.error };
        }
        return later(outcome.place);
      };
    const { agent, data, options } = randomRun(seed, waits);
    const given = options();
    let step = await agent.run({ ...given, data });
    while (step.status === "waiting") {
      suspensions += step.waiting.length;
      const answers = Object.fromEntries(step.waiting.map(({ id, info }) => [id, outcomes[info].answer]));
      step = await agent.resume(Step.fromJSON(JSON.stringify(step)), { ...given, answers });
    }
    same(timeless(step), timeless(expected), `seed ${seed}`);
  }
  assert.ok(suspensions > RUNS / 2, `${suspensions} suspensions`);
  if (process.env.WAITING_RUNS !== undefined) console.log(`${suspensions} suspensions`);
});

/** A copy of JSON in which one value, chosen at random, is another, or is gone. */
function mutated(json, { below, pick }) {
  const copy = elsewhere(json);
  const places = [];
  const visit = (held) => {
    if (typeof held !== "object" || held === null) return;
    for (const key of Object.keys(held)) {
      places.push([held, key]);
      visit(held[key]);
    }
  };
  visit(copy);
  const [holder, key] = places[below(places.length)];
  const other = [null, 7, -1, 1e300, "text", "2.0", [], {}, [null], { $int: "x" }, { $map: 1 }, true, pick(places)[0]];
  if (below(4) > 0) holder[key] = elsewhere(pick(other.filter((value) => !contains(value, holder))));
  else if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
  return copy;
}

const contains = (value, part) =>
  value === part ||
  (typeof value === "object" && value !== null && Object.values(value).some((each) => contains(each, part)));

test("changed records, steps and results are refused before anything is called, or are what they say", async () => {
  const random = seeded(59);
  const { tools, ran } = shop();
  const clerk = clerkWith(tools);
  const program = "(def a (tool/price {:order 1})) (return [(pmap (fn [n] (tool/clerk {:n n})) [1 2]) (tool/ask a)])";
  const agent = new SubAgent({ mission: "m", tools: { ...tools, clerk }, llm: () => fenced(program) });
  const records = [];
  const step = await agent.run({ onRecord: (record) => void records.push(elsewhere(record)) });
  const lisp = new Lisp({ tools });
  const result = await lisp.run(PROGRAM);
  const states = [
    [records, (state) => agent.resume(state, { answers: { "1.1/1.0": true } })],
    [elsewhere(step), (state) => agent.resume(state, { answers: { "1.1/1.0": true } })],
    [elsewhere(result.records), (state) => new Lisp({ tools }).resume(state, { answers: { 2: true } })],
  ];
  const counts = { refused: 0, read: 0 };
  for (let number = 0; number < share(CHANGES); number++) {
    const [state, resume] = random.pick(states);
    ran.length = 0;
    const changed = mutated(state, random);
    try {
      await resume(changed);
      counts.read++;
    } catch (error) {
      assert.ok(TurnfoldError.isInstance(error), `change ${number}: ${error.stack}`);
      assert.notEqual(error.code, "internal", `change ${number}: ${error.stack}`);
      assert.deepEqual(ran, [], `change ${number}: ${error.message}`);
      counts.refused++;
    }
  }
  assert.ok(counts.refused > 50 && counts.read > 50, JSON.stringify(counts));
});

suite("a tool that suspends itself", () => {
  /** A tool of Mastra that asks twice, and what it was run with. */
  function asking() {
    const runs = [];
    const review = {
      requireApproval: true,
      inputSchema: { type: "object", properties: { order: { type: "number" } } },
      execute: async ({ order }, { resumeData, suspend }) => {
        runs.push([order, resumeData]);
        if (resumeData?.sure !== true) return suspend({ ask: resumeData === undefined ? "right?" : "sure?" });
        return resumeData.at;
      },
    };
    return { runs, lisp: new Lisp({ tools: { review } }) };
  }
  const program = "[(tool/review {:order 1})]";

  test("asks with what it suspended itself with, and goes on with the answers, in other processes", async () => {
    const at = new Date(0);
    const first = await asking().lisp.run(program);
    const answers = [{ args: { order: 2 } }, { resume: { note: "yes" } }, { resume: { sure: true, at } }];
    const seen = [];
    let result = first;
    for (const answer of answers) {
      const { runs, lisp } = asking();
      const [{ id, reason, info }] = result.waiting;
      seen.push([reason, info]);
      result = await lisp.resume(elsewhere(result), { answers: { [id]: answer } });
      seen.push(runs.at(-1)[0]);
    }
    assert.deepEqual(seen, [
      ["approval", null],
      2,
      ["suspended", { ask: "right?" }],
      2,
      ["suspended", { ask: "sure?" }],
      2,
    ]);
    assert.deepEqual(result.value, [at]);
  });

  test("is interrupted like any other call, with what it was given", async () => {
    const records = [];
    const { lisp } = asking();
    const first = await lisp.run(program);
    const second = await lisp.resume(first, { answers: { 0: true } });
    const onRecord = (record) => void records.push(elsewhere(record));
    await lisp.resume(second, { answers: { 0: { resume: { sure: true, at: 5 } } }, onRecord });
    // The process ended after the call had begun again.
    const begun = records.slice(0, records.findIndex(({ type }) => type === "call") + 1);
    const { runs, lisp: other } = asking();
    const again = await other.resume([...elsewhere(second.records), ...begun]);
    assert.equal(again.waiting[0].reason, "interrupted");
    assert.deepEqual((await other.resume(again, { answers: { 0: true } })).value, [5]);
    assert.deepEqual(runs, [[1, { sure: true, at: 5 }]]);
  });

  test("gets no answer that it can't use, and others none of its own", async () => {
    const { runs, lisp } = asking();
    const first = await lisp.run(program);
    await assert.rejects(lisp.resume(first, { answers: { 0: { resume: 1 } } }), { code: "invalid_answer" });
    const second = await lisp.resume(first, { answers: { 0: true } });
    for (const answer of [true, { args: { order: 1 } }]) {
      await assert.rejects(lisp.resume(second, { answers: { 0: answer } }), { code: "invalid_answer" });
    }
    const denied = await lisp.resume(second, { answers: { 0: "no" } });
    assert.match(denied.error.message, /no/);
    assert.equal(runs.length, 1);
  });
});

// Tool calls of a ReAct that wait, and its records.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { later, SubAgent } from "turnfold";
import { ReAct } from "turnfold/predict";

const json = (data) => JSON.parse(JSON.stringify(data));
const step = (tool, args) => `Next_thought: so\nNext_tool_name: ${tool}\nNext_tool_args: ${JSON.stringify(args)}`;

/** A ReAct that looks, pays, which needs an approval, and asks, which is answered later. */
function desk(options = {}) {
  const made = { ran: [], asked: 0 };
  const ran = (name, args, callId) => made.ran.push([name, args, callId]);
  const tools = {
    look: ["(n :int) -> :int", ({ n }, { callId }) => ran("look", n, callId) && n + 1],
    pay: {
      signature: "(euros :int) -> :string",
      needsApproval: true,
      run: ({ euros }, { callId }) => ran("pay", euros, callId) && `${euros} euros`,
    },
    ask: (_, { callId }) => ran("ask", null, callId) && later({ ticket: 5 }),
  };
  const replies = [step("look", { n: 1 }), step("pay", { euros: "120" }), step("ask", {}), step("finish", {})];
  const llm = ({ messages, purpose }) => {
    made.asked++;
    const { content } = messages.at(-1);
    const number = content.match(/"thought":/g)?.length ?? 0;
    return purpose === "extraction" ? `Answer: ${/"observation":"([^"]*euros)"/.exec(content)?.[1]}` : replies[number];
  };
  return Object.assign(made, { react: new ReAct("question -> answer", { tools, llm, ...options }) });
}

const world = ({ reason, tool }) =>
  reason === "approval" ? true : { result: { look: 2, pay: "120 euros", ask: "fine" }[tool] };

async function finish(react, prediction, options = {}) {
  let last = prediction;
  while (last.status === "waiting") {
    const answers = Object.fromEntries(last.waiting.map((call) => [call.id, world(call)]));
    last = await react.resume(JSON.stringify(last), { ...options, answers });
  }
  return last;
}

suite("a ReAct whose call waits", () => {
  test("has what waits, and goes on in another process", async () => {
    const first = desk();
    const asked = await first.react.run({ question: "x" });
    assert.equal(asked.status, "waiting");
    assert.deepEqual(asked.waiting, [
      { id: "2", tool: "pay", args: { euros: "120" }, reason: "approval", info: null, path: [] },
    ]);
    assert.deepEqual(asked.steps.length, 1);
    assert.throws(() => asked.outputs, { code: "calls_waiting" });
    await assert.rejects(desk().react.call({ question: "x" }), { code: "calls_waiting" });

    const second = desk();
    const saved = JSON.stringify(asked);
    assert.deepEqual((await second.react.resume(saved)).waiting, asked.waiting);
    await assert.rejects(second.react.resume(saved, { answers: { 2: { args: { euros: "many" } } } }), {
      code: "invalid_answer",
    });
    assert.deepEqual([second.ran, second.asked], [[], 0]);
    const again = await second.react.resume(saved, { answers: { 2: { args: { euros: 60 }, by: "Ada" } } });
    const ticket = { id: "3", tool: "ask", args: {}, reason: "later", info: { ticket: 5 }, path: [] };
    assert.deepEqual(again.waiting, [ticket]);
    assert.deepEqual(again.steps[1].args, { euros: 60 });
    const done = await desk().react.resume(again, { answers: { 3: { result: "fine" } } });
    assert.deepEqual([done.status, done.waiting, done.outputs], ["done", [], { answer: "60 euros" }]);
    assert.deepEqual(
      done.steps.map(({ tool, result, error }) => [tool, result, error]),
      [
        ["look", 2, null],
        ["pay", "60 euros", null],
        ["ask", "fine", null],
        ["finish", null, null],
      ],
    );
    assert.deepEqual(
      second.ran.map(([name]) => name),
      ["pay", "ask"],
    );
  });

  test("a denied call has an error", async () => {
    const { react } = desk();
    const asked = await react.run({ question: "x" });
    const { steps } = await react.resume(asked, { answers: { 2: "No." } });
    assert.deepEqual([steps[1].result, steps[1].error], [null, "denied: No."]);
  });

  test("goes on from its records at any point", async () => {
    const records = [];
    const calm = desk();
    const { outputs, steps } = await finish(calm.react, await calm.react.run({ question: "x" }));
    const made = desk({ onRecord: (record) => void records.push(json(record)) });
    const first = await made.react.run({ question: "x" });
    await finish(made.react, first);
    assert.deepEqual(
      records.map(({ type }) => type).join(" "),
      "start reply call result reply waiting suspended answer call result reply call waiting suspended answer result reply end",
    );
    for (const count of records.keys()) {
      const known = records.slice(0, count + 1);
      const other = desk();
      if (records[count].type === "end") {
        await assert.rejects(other.react.resume(known), { code: "nothing_to_resume" });
        continue;
      }
      const done = await finish(other.react, await other.react.resume(known));
      assert.deepEqual([done.outputs, done.steps], [outputs, steps]);
      const finished = known.filter(({ type }) => type === "result").map(({ tool }) => tool);
      for (const [name] of other.ran) assert.ok(!finished.includes(name), `after ${count}: ${name} ran twice`);
      assert.equal(other.asked + known.filter(({ type }) => type === "reply").length, 5);
    }
  });

  test("of an agent that is a tool", async () => {
    const ran = [];
    const make = () => {
      const clerk = new SubAgent({
        mission: "Pay",
        signature: "(n :int) -> :string",
        tools: {
          pay: { signature: "(n :int) -> :string", needsApproval: true, run: ({ n }) => ran.push(n) && `${n} euros` },
        },
        llm: () => "(return (tool/pay {:n data/n}))",
      });
      const replies = [step("clerk", { n: 7 }), step("finish", {})];
      const llm = ({ messages, purpose }) =>
        purpose === "extraction" ? "Answer: yes" : replies[messages.at(-1).content.match(/"thought":/g)?.length ?? 0];
      return new ReAct("question -> answer", { tools: { clerk }, llm });
    };
    const asked = await make().run({ question: "x" });
    assert.deepEqual(
      asked.waiting.map(({ tool, path, args }) => [tool, path, args]),
      [["pay", ["clerk"], { n: 7 }]],
    );
    assert.match(asked.waiting[0].id, /^1\//);
    const done = await make().resume(JSON.stringify(asked), { answers: { [asked.waiting[0].id]: true } });
    assert.deepEqual([done.steps[0].result, ran], ["7 euros", [7]]);
  });

  test("refuses records that it can't read", async () => {
    const { react } = desk();
    for (const saved of [
      "{",
      "7",
      null,
      [],
      {},
      [{ type: "start" }],
      [{ type: "start", version: 1, run: "r", at: 0 }],
    ]) {
      await assert.rejects(react.resume(saved), { code: "invalid_argument" });
    }
    const records = json(await react.run({ question: "x" }));
    const step = { type: "reply", at: 1, usage: {}, step: 7 };
    await assert.rejects(react.resume([records[0], step]), { code: "invalid_argument" });
  });
});

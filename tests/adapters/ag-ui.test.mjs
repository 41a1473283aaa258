// Calls that wait as interrupts of AG-UI, validated by the schemas and the types of the protocol's own package.

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { ResumeEntrySchema, RunAgentInputSchema, RunFinishedEventSchema } from "@ag-ui/core/schemas";
import { answersFromResume, interruptsOf } from "../../dist/adapters/ag-ui.js";
import { Agent, later, programTool, Step, SubAgent } from "../../dist/index.js";
import { pack } from "../packaging/tarball.mjs";
import { app } from "./frameworks.mjs";

function shop() {
  const made = [];
  const refund = {
    signature: "(order :int, euros :int) -> :string",
    needsApproval: true,
    run: ({ order, euros }) => {
      made.push([order, euros]);
      return `refunded ${order}`;
    },
  };
  const review = ["(text :string) -> :string", ({ text }) => later({ ticket: text.length })];
  return { made, tools: { refund, review } };
}

/** The outcome of a run as a client reads it from the stream. */
function streamed(waiting, options) {
  const outcome = { type: "interrupt", interrupts: interruptsOf(waiting, options) };
  const event = { type: "RUN_FINISHED", threadId: "t", runId: "r", outcome };
  const read = RunFinishedEventSchema.parse(JSON.parse(JSON.stringify(event)));
  assert.deepEqual(JSON.parse(JSON.stringify(read.outcome)), JSON.parse(JSON.stringify(outcome)));
  return read.outcome.interrupts;
}

/** The responses as the next run gets them. */
const resumed = (...entries) =>
  RunAgentInputSchema.parse({
    threadId: "t",
    runId: "r2",
    messages: [],
    tools: [],
    context: [],
    resume: entries.map((entry) => ResumeEntrySchema.parse(entry)),
  }).resume;

const program = '(return [(pmap (fn [o] (tool/refund o 900)) [1 2 3]) (tool/review "Dear Ann")])';

suite("interrupts of AG-UI", () => {
  test("a step of a SubAgent: approved, with edited arguments, denied with a reason", async () => {
    const { made, tools } = shop();
    const agent = new SubAgent({ mission: "Refund.", tools, llm: () => program, maxTurns: 1 });
    const step = await agent.run();
    const interrupts = streamed(step.waiting, { run: "r" });
    assert.deepEqual(
      interrupts.map(({ id, reason, message }) => [id, reason, message]),
      [
        ["r/1.0", "confirmation", 'Run refund {"order":1,"euros":900}?'],
        ["r/1.1", "confirmation", 'Run refund {"order":2,"euros":900}?'],
        ["r/1.2", "confirmation", 'Run refund {"order":3,"euros":900}?'],
      ],
    );
    assert.deepEqual(interrupts[0].metadata.turnfold, {
      tool: "refund",
      args: { order: 1, euros: 900 },
      reason: "approval",
      info: null,
      path: [],
    });
    const resume = resumed(
      { interruptId: "r/1.0", status: "resolved", payload: { approved: true } },
      { interruptId: "r/1.1", status: "resolved", payload: { approved: true, editedArgs: { order: 2, euros: 5 } } },
      { interruptId: "r/1.2", status: "resolved", payload: true },
    );
    const restored = Step.fromJSON(JSON.stringify(step));
    const next = await agent.resume(restored, { answers: answersFromResume(resume, step.waiting, { run: "r" }) });
    assert.deepEqual(made, [
      [1, 900],
      [2, 5],
      [3, 900],
    ]);
    const [open] = streamed(next.waiting, { run: "r" });
    assert.deepEqual([open.reason, open.message], ["input_required", 'The result of review {"text":"Dear Ann"}']);
    const last = resumed({ interruptId: open.id, status: "resolved", payload: { result: "fine" } });
    const done = await agent.resume(next, { answers: answersFromResume(last, next.waiting, { run: "r" }) });
    assert.deepEqual(done.return, [["refunded 1", "refunded 2", "refunded 3"], "fine"]);
  });

  test("a reply of an Agent: interrupts are bound to the calls of the stream, and a denial has its reason", async () => {
    const { made, tools } = shop();
    let replies = 0;
    const toolCalls = [{ id: "c1", name: "refund", args: { order: 7, euros: 9 } }];
    const agent = new Agent({ tools, llm: () => (replies++ === 0 ? { content: "", toolCalls } : "Done.") });
    const reply = await agent.chat("Refund 7.");
    const options = { toolCallId: ({ id }) => id.split("/")[0] };
    const [interrupt] = streamed(reply.waiting, options);
    assert.deepEqual([interrupt.id, interrupt.reason, interrupt.toolCallId], ["c1", "tool_call", "c1"]);
    const resume = resumed({
      interruptId: "c1",
      status: "resolved",
      payload: { approved: false, reason: "Too late." },
    });
    const done = await agent.resume({ answers: answersFromResume(resume, reply.waiting, options) });
    assert.equal(done.text, "Done.");
    assert.equal(agent.conversation.messages.find(({ toolCallId }) => toolCallId === "c1").content, "Too late.");
    assert.deepEqual(made, []);
  });

  test("a program: interrupts are bound to its call, and one that was cancelled denies its call", async () => {
    const { made, tools } = shop();
    const tool = programTool(tools);
    const input = { program: "[(tool/refund 1 2)]" };
    const { waiting } = await tool.run(input, { toolCallId: "call_1" });
    const options = { run: "call_1", toolCallId: "call_1" };
    const [interrupt] = streamed(waiting, options);
    assert.deepEqual([interrupt.id, interrupt.reason, interrupt.toolCallId], ["call_1/0", "tool_call", "call_1"]);
    const answers = answersFromResume(resumed({ interruptId: "call_1/0", status: "cancelled" }), waiting, options);
    const done = await tool.run(input, { toolCallId: "call_1" }, answers);
    assert.match(done.text, /denied: The call was not approved/);
    assert.deepEqual(made, []);
  });

  test("responses that are no answers are refused, and so are missing ones", async () => {
    const { tools } = shop();
    const agent = new SubAgent({ mission: "Refund.", tools, llm: () => program, maxTurns: 1 });
    const { waiting } = await agent.run();
    const [{ id: first }, ...rest] = waiting;
    const others = rest.map(({ id }) => ({ interruptId: id, status: "cancelled" }));
    const refused = (resume, message) =>
      assert.throws(() => answersFromResume(resume, waiting), { code: "invalid_answer", message });
    refused(undefined, "the response to these interrupts is missing: 1.0, 1.1, 1.2");
    refused(others, "the response to these interrupts is missing: 1.0");
    refused([{ interruptId: "9", status: "cancelled" }], 'no interrupt "9" is open');
    for (const payload of [undefined, null, {}, "yes", { approved: "yes" }, { approved: true, editedArgs: [1] }]) {
      refused([{ interruptId: first, status: "resolved", payload }, ...others], /^the response to refund \(1\.0\) is /);
    }
  });

  suite("types", () => {
    let turnfold;
    before(() => {
      turnfold = pack();
    });
    after(() => turnfold.remove());

    test("interrupts and responses have the types of the protocol", () => {
      app(turnfold, "ag-ui", {
        "main.ts": `
import type { Interrupt, ResumeEntry, RunAgentInput, RunFinishedEvent } from "@ag-ui/core";
import type { Answers, Step } from "turnfold";
import { answersFromResume, interruptsOf } from "turnfold/adapters/ag-ui";
declare const step: Step<unknown>;
declare const input: RunAgentInput;
export const interrupts: Interrupt[] = interruptsOf(step.waiting, { run: input.runId });
export const outcome: RunFinishedEvent["outcome"] = { type: "interrupt", interrupts };
export const answers: Answers = answersFromResume(input.resume, step.waiting, { run: input.runId });
export const entries: readonly ResumeEntry[] = input.resume ?? [];
`,
      });
    });
  });
});

// One tool that runs programs, in real runs: approvals as interruptions, definitions, the context of the run, and spans.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  Agent,
  BatchTraceProcessor,
  MemorySession,
  type RunContext,
  RunState,
  run,
  type Span,
  setTraceProcessors,
  setTracingDisabled,
  tool,
  withFunctionSpan,
  withTrace,
} from "@openai/agents";
import { type ProgramToolOptions, programTool } from "turnfold";
import { programToolOptions } from "turnfold/adapters/openai-agents";
import { z } from "zod";
import { called, type OutputItem, ScriptedModel, said, textOf } from "./scripted.js";

interface App {
  user: string;
  chat?: string;
}

/** Tools of the SDK, and what they were called with. */
function shop() {
  const made: string[] = [];
  const search = tool({
    name: "search",
    description: "Finds orders",
    parameters: z.object({ query: z.string() }),
    execute: ({ query }, context?: RunContext<App>, details?) => {
      made.push(`search ${context?.context.user} ${details?.toolCall?.callId.replace(/^call_\d+/, "call")}`);
      return [
        { order: 17, what: query, euros: 20 },
        { order: 23, what: query, euros: 900 },
      ];
    },
  });
  const refund = tool({
    name: "refund",
    description: "Refunds an order",
    parameters: z.object({ order: z.number(), euros: z.number() }),
    needsApproval: async (_, { euros }) => euros > 50,
    execute: ({ order }) => {
      made.push(`refund ${order}`);
      return `refunded ${order}`;
    },
  });
  return { made, tools: { search, refund } };
}

/** A model that writes these programs, each reply a list of them, and then ends. */
function writing(...replies: string[][]) {
  let at = 0;
  return new ScriptedModel((): OutputItem[] => {
    const programs = replies[at++];
    return programs?.map((program) => called("run_program", { program })) ?? [said("Done.")];
  });
}

const outputs = (model: ScriptedModel): string[] =>
  (model.inputs.at(-1) ?? []).filter(({ type }) => type === "function_call_result").map(textOf);

/** An agent of a process. */
function clerk(model: ScriptedModel, options: ProgramToolOptions = {}) {
  const { made, tools } = shop();
  const program = programTool(tools, options);
  const run_program = tool(programToolOptions(program));
  const agent = new Agent<App>({ name: "clerk", model, tools: [run_program] });
  return { agent, made, program };
}

/** A store whose data another process reads. */
function store() {
  const rows = new Map<string, string>();
  return {
    get: async (key: string) => JSON.parse(rows.get(key) ?? "null"),
    set: async (key: string, value: unknown) => void rows.set(key, JSON.stringify(value)),
    delete: async (key: string) => void rows.delete(key),
  };
}

const refunds =
  '(def orders (tool/search {:query "lamp"})) (pmap #(tool/refund (select-keys % [:order :euros])) orders)';
const context: App = { user: "ann" };

test("the tools of the SDK are called, and each gets the context of the run", async () => {
  const model = writing(['(def orders (tool/search {:query "lamp"}))'], ["(sum-by :euros orders)", "(nope)"]);
  const { agent, made } = clerk(model);
  const { finalOutput } = await run(agent, "How much?", { context });
  assert.equal(finalOutput, "Done.");
  const [defined, sum, failed] = outputs(model);
  assert.match(defined ?? "", /^orders +; = list\[2\], sample: \[\{:euros 20/m);
  assert.equal(sum, ";; Value:\n920");
  assert.match(failed ?? "", /^Error: `nope` is not defined/);
  assert.deepEqual(made, ["search ann call/0"]);
});

test("a program that waits is an interruption, which another process approves", async () => {
  const model = writing(["(def seen 1)"], [refunds], ["[seen (count orders)]"]);
  const shared = store();
  const first = clerk(model, { store: shared });
  const asked = await run(first.agent, "Refund them.", { context });
  assert.deepEqual(
    asked.interruptions.map(({ name }) => name),
    ["run_program"],
  );
  const [item] = asked.interruptions;
  const { rawItem } = item ?? {};
  assert.ok(rawItem?.type === "function_call");
  const open = await first.program.waiting(rawItem.callId);
  assert.deepEqual(
    open.map(({ tool: name, args }) => [name, args]),
    [["refund", { order: 23, euros: 900 }]],
  );
  assert.deepEqual(first.made.slice(1), ["refund 17"]);
  const saved = asked.state.toString();
  const second = clerk(model, { store: shared });
  const state = await RunState.fromString(second.agent, saved);
  for (const each of state.getInterruptions()) state.approve(each);
  const done = await run(second.agent, state);
  assert.equal(done.finalOutput, "Done.");
  assert.deepEqual(second.made, ["refund 23"]);
  const [, , after] = outputs(model);
  assert.equal(after, ";; Value:\n[1 2]");
});

test("a rejection reaches the program, and the model reads what the program had done", async () => {
  const model = writing([refunds], ["(count *calls)"]);
  const shared = store();
  const asked = await run(clerk(model, { store: shared }).agent, "Refund them.", { context });
  const { agent, made } = clerk(model, { store: shared });
  const state = await RunState.fromString(agent, asked.state.toString());
  for (const each of state.getInterruptions()) state.reject(each, { message: "Not today." });
  await run(agent, state);
  const [rejected, next] = outputs(model);
  assert.equal(rejected, "Not today.");
  assert.match(next ?? "", /^The program before was not approved:\n;; Tool calls made:\n/);
  assert.match(next ?? "", /refund\(\{:euros 20 :order 17\}\) => "refunded 17"/);
  assert.match(next ?? "", /;; Value:\n3$/);
  assert.deepEqual(made, []);
});

test("parallel programs: each is decided in a process of its own, and all definitions stay", async () => {
  const replies = ["(def a (tool/refund {:order 1 :euros 100}))", "(def b (tool/refund {:order 2 :euros 100}))"];
  const model = writing([...replies, "(def c 3)"], ["[a c]"]);
  const shared = store();
  const asked = await run(clerk(model, { store: shared }).agent, "Refund them.", { context });
  assert.equal(asked.interruptions.length, 2);
  const second = clerk(model, { store: shared });
  const half = await RunState.fromString(second.agent, asked.state.toString());
  for (const each of half.getInterruptions().slice(0, 1)) half.approve(each);
  const still = await run(second.agent, half);
  assert.deepEqual(second.made, ["refund 1"]);
  assert.equal(still.interruptions.length, 1);
  const third = clerk(model, { store: shared });
  const rest = await RunState.fromString(third.agent, still.state.toString());
  for (const each of rest.getInterruptions()) rest.reject(each);
  const done = await run(third.agent, rest, { stream: true });
  await done.completed;
  assert.equal(done.finalOutput, "Done.");
  assert.deepEqual(third.made, []);
  const next = outputs(model).at(-1) ?? "";
  assert.match(
    next,
    /^The program before was not approved:\n;; Tool calls made:\n; {3}refund\(\{:euros 100 :order 2\}\)/,
  );
  assert.match(next, /;; Value:\n\["refunded 1" 3\]$/);
});

test("each call can be answered by itself, and a second wave is another interruption", async () => {
  const program = "[(tool/refund {:order 1 :euros 100}) (tool/refund {:order 2 :euros 100})]";
  const model = writing([program], ["(resume)"]);
  const { agent, made, program: runs } = clerk(model);
  const asked = await run(agent, "Refund them.", { context });
  const [item] = asked.interruptions;
  assert.ok(item?.rawItem.type === "function_call");
  const { callId } = item.rawItem;
  const [call] = await runs.waiting(callId);
  await runs.answer(callId, { [call?.id ?? ""]: { args: { order: 1, euros: 10 }, by: "Ann" } });
  asked.state.approve(item);
  const again = await run(agent, asked.state);
  assert.deepEqual(made, ["refund 1"]);
  const [second] = again.interruptions;
  assert.ok(second);
  again.state.approve(second);
  const done = await run(agent, again.state);
  assert.equal(done.finalOutput, "Done.");
  assert.match(outputs(model)[1] ?? "", /\["refunded 1" "refunded 2"\]$/);
});

test("a program that waited in a process without its store is not run again", async () => {
  const model = writing([refunds]);
  const asked = await run(clerk(model).agent, "Refund them.", { context });
  const { agent, made } = clerk(model);
  const state = await RunState.fromString(agent, asked.state.toString());
  for (const each of state.getInterruptions()) state.approve(each);
  await assert.rejects(run(agent, state), /the program of the call call_\d+ is not in the store/);
  assert.deepEqual(made, []);
});

test("an agent of the SDK is a tool, and one whose own call needs an approval is an error", async () => {
  const { tools } = shop();
  for (const [args, expected] of [
    [{ order: 17, euros: 20 }, /;; Value:\n"It is refunded\."$/],
    [{ order: 23, euros: 900 }, /failed: it returned nothing; if its own tools ask for approvals/],
  ] as const) {
    let replies = 0;
    const own = new ScriptedModel(() => (replies++ === 0 ? [called("refund", args)] : [said("It is refunded.")]));
    const agent = new Agent<App>({ name: "cashier", model: own, tools: [tools.refund] });
    const cashier = agent.asTool({ toolName: "cashier", toolDescription: "Refunds" });
    const model = writing(['(tool/cashier {:input "Refund it."})']);
    const program = programTool({ cashier });
    assert.deepEqual(program.warnings, []);
    const run_program = tool(programToolOptions(program));
    await run(new Agent<App>({ name: "clerk", model, tools: [run_program] }), "Refund it.", { context });
    assert.match(outputs(model)[0] ?? "", expected);
  }
});

test("who approves all programs approves their calls", async () => {
  const model = writing([refunds], [refunds]);
  const { agent, made } = clerk(model);
  const asked = await run(agent, "Refund them.", { context });
  const [item] = asked.interruptions;
  assert.ok(item);
  asked.state.approve(item, { alwaysApprove: true });
  const done = await run(agent, asked.state);
  assert.equal(done.finalOutput, "Done.");
  assert.equal(made.filter((each) => each === "refund 23").length, 2);
});

test("definitions stay in the conversation that the host names, and in a run's context that is given again", async () => {
  const conversation = (given: Readonly<Record<string, unknown>>) => (given.context as App).chat;
  const model = writing(["(def n 1)"]);
  const { agent } = clerk(model, { conversation });
  const session = new MemorySession();
  const at = (chat: string) => ({ context: { user: "ann", chat }, session });
  await run(agent, "Remember 1.", at("one"));
  for (const [chat, expected] of [
    ["one", /;; Value:\n1$/],
    ["two", /`n` is not defined/],
  ] as const) {
    const next = writing(["n"]);
    await run(agent.clone({ model: next }), "And now?", at(chat));
    assert.match(outputs(next).at(-1) ?? "", expected);
  }
  const other = clerk(writing(["(def n 2)"]));
  const first = await run(other.agent, "Remember 2.", { context });
  for (const [given, expected] of [
    [first.runContext, /;; Value:\n2$/],
    [context, /`n` is not defined/],
  ] as const) {
    const next = writing(["n"]);
    const input = [...first.history, { role: "user" as const, content: "And now?" }];
    await run(other.agent.clone({ model: next }), input, { context: given as App });
    assert.match(outputs(next).at(-1) ?? "", expected);
  }
});

test("an abort ends the program", async () => {
  const slow = tool({
    name: "slow",
    description: "Waits",
    parameters: z.object({}),
    execute: (_, __, details) =>
      new Promise((_resolve, reject) => details?.signal?.addEventListener("abort", () => reject(new Error("stopped")))),
  });
  const run_program = tool(programToolOptions(programTool({ slow })));
  const agent = new Agent<App>({ name: "clerk", model: writing(["(tool/slow {})"]), tools: [run_program] });
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 50);
  await assert.rejects(run(agent, "Go.", { context, signal: abort.signal }));
});

test("withFunctionSpan makes a span of each inner call, below that of the program", async () => {
  const spans: Span<never>[] = [];
  const processor = new BatchTraceProcessor({ export: async () => {} });
  processor.onSpanEnd = async (span) => void spans.push(span as never);
  setTraceProcessors([processor]);
  setTracingDisabled(false);
  const { tools } = shop();
  const named = () =>
    spans.map(({ spanData, spanId, parentId }) => ({
      ...(spanData as { type: string; name: string }),
      spanId,
      parentId,
    }));
  for (const traceIncludeSensitiveData of [true, false]) {
    spans.length = 0;
    const options = programToolOptions(programTool(tools), { withFunctionSpan, traceIncludeSensitiveData });
    const run_program = tool(options);
    const model = writing(['(count (tool/search {:query "secret lamp"}))']);
    const agent = new Agent<App>({ name: "clerk", model, tools: [run_program] });
    await withTrace("shop", () => run(agent, "How many?", { context }));
    const inner = named().find(({ name }) => name === "search");
    const outer = named().find(({ name }) => name === "run_program");
    assert.ok(inner && outer);
    assert.equal(inner.type, "function");
    assert.equal(inner.parentId, outer.spanId);
    const { input, output } = inner as unknown as { input: string; output: string };
    if (traceIncludeSensitiveData) assert.match(input + output, /secret lamp.*"order":17/);
    else assert.doesNotMatch(`${input}${output}`, /lamp|17/);
  }
  setTracingDisabled(true);
});

test("programToolOptions checks its options", () => {
  const program = programTool({});
  assert.throws(() => programToolOptions(program, { withFunctionSpan: 1 as never }), { code: "invalid_option" });
  assert.throws(() => programToolOptions(program, { spans: 1 } as never), { code: "invalid_option" });
});

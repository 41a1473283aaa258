// turnfoldInputFilter as callModelInputFilter of real runs.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  Agent,
  type AgentInputItem,
  type CallModelInputFilter,
  handoff,
  MemorySession,
  protocol,
  Runner,
  run,
  tool,
  withTrace,
} from "@openai/agents";
import { OpenAIChatCompletionsModel, OpenAIResponsesModel } from "@openai/agents-openai";
import OpenAI from "openai";
import { agentsModel, turnfoldInputFilter } from "turnfold/adapters/openai-agents";
import {
  countMessages,
  digest,
  type HistoryReport,
  lastNMessages,
  SummaryStore,
  Agent as TurnfoldAgent,
  TurnfoldError,
  wholeHistory,
} from "turnfold/chat";
import { aiSdk } from "turnfold/formats/ai-sdk";
import { z } from "zod";
import { answered, type Body, clientOf } from "./api.js";
import { called, problemsOf, ScriptedModel, said, textOf, thought } from "./scripted.js";

const ROUNDS = 12;

/** An agent that looks up orders one after the other, and thinks before each. */
function orders(rounds = ROUNDS) {
  let round = 0;
  const model = new ScriptedModel(() => {
    round++;
    if (round > rounds) return [thought("Done."), said("All were found.")];
    return [thought(`I look for ${round}.`), called("lookup", { order: round })];
  });
  const lookup = tool({
    name: "lookup",
    description: "Finds an order",
    parameters: z.object({ order: z.number() }),
    execute: async ({ order }) => `order ${order} is in Leipzig. `.repeat(30),
  });
  return { model, agent: new Agent({ name: "clerk", instructions: "You find orders.", model, tools: [lookup] }) };
}

const tokensOf = (input: readonly AgentInputItem[]) =>
  countMessages(input.map((item) => ({ role: "user", content: textOf(item) }))).total;

test("a tool loop stays under maxTokens, and calls, results and reasoning stay together", async () => {
  const { agent, model } = orders();
  const reports: HistoryReport[] = [];
  const filter: CallModelInputFilter = turnfoldInputFilter({
    maxTokens: 1500,
    onReport: (report) => reports.push(report),
  });
  const result = await run(agent, "Where are my orders?", { maxTurns: 20, callModelInputFilter: filter });
  assert.equal(result.finalOutput, "All were found.");
  assert.equal(model.inputs.length, ROUNDS + 1);
  for (const input of model.inputs) {
    assert.deepEqual(problemsOf(input), []);
    assert.equal(textOf(input[0]), "Where are my orders?");
    assert.ok(tokensOf(input) < 1500);
  }
  assert.ok(reports.some(({ outcome }) => outcome === "trimmed"));
  assert.ok(reports.every(({ tokens }) => tokens.after <= 1500));
  // The run's own history has all items.
  assert.equal(result.history.filter((item) => item.type === "function_call_result").length, ROUNDS);
});

test("items that stay are the original objects, with their ids and encrypted content", async () => {
  const { agent, model } = orders();
  const filter = turnfoldInputFilter({ maxTokens: 1500 });
  const { history } = await run(agent, "Where are my orders?", { maxTurns: 20, callModelInputFilter: filter });
  const known = new Set(history.map((item) => JSON.stringify(item)));
  for (const input of model.inputs.slice(1)) {
    for (const item of input)
      if (item.type === "reasoning") assert.ok(known.has(JSON.stringify(item)), JSON.stringify(item));
  }
});

test("clearToolResults clears old results in place and keeps the name of their tool", async () => {
  const { agent, model } = orders();
  const { clearToolResults } = await import("turnfold/chat");
  const filter = turnfoldInputFilter({ compressionStrategy: clearToolResults({ keep: 2 }), minMessages: 0 });
  await run(agent, "Where are my orders?", { maxTurns: 20, callModelInputFilter: filter });
  const results = (model.inputs.at(-1) ?? []).filter((item) => item.type === "function_call_result");
  assert.equal(results.length, ROUNDS);
  const cleared = results.filter((item) => !textOf(item).includes("Leipzig"));
  assert.ok(cleared.length >= ROUNDS - 4, `${cleared.length} were cleared`);
  for (const item of results) assert.deepEqual([item.name, item.status], ["lookup", "completed"]);
});

test("a summary is requested once, from the agent's model unless llm is given, and is stored in no session", async () => {
  let summaries = 0;
  let answers = 0;
  const model = new ScriptedModel(({ systemInstructions }) => {
    if (systemInstructions === "You talk.") return [said(`Answer ${++answers}`)];
    return [said(`Summary ${++summaries}`)];
  });
  const agent = new Agent({ name: "talker", instructions: "You talk.", model });
  const session = new MemorySession();
  const filter = turnfoldInputFilter({ compressionStrategy: lastNMessages(4), maxHistorySize: 12 });
  for (let turn = 1; turn <= 9; turn++) {
    await run(agent, `Question ${turn}`, { session, callModelInputFilter: filter });
  }
  assert.equal(answers, 9);
  assert.ok(summaries >= 1 && summaries <= 3, `${summaries} summaries`);
  const last =
    model.inputs.filter((_, index) => model.requests[index]?.systemInstructions === "You talk.").at(-1) ?? [];
  assert.match(textOf(last[0]), /^Summary of \d+ earlier messages:\n\nSummary \d$/);
  assert.equal(textOf(last.at(-1)), "Question 9");
  // The session has all items, without the summary.
  const items = await session.getItems();
  assert.deepEqual(
    items.map(textOf),
    Array.from({ length: 9 }, (_, index) => [`Question ${index + 1}`, `Answer ${index + 1}`]).flat(),
  );
});

test("a streamed run is managed like any other", async () => {
  const { agent, model } = orders();
  const filter = turnfoldInputFilter({ compressionStrategy: digest(), maxTokens: 1500 });
  const stream = await run(agent, "Where are my orders?", { stream: true, maxTurns: 20, callModelInputFilter: filter });
  let text = "";
  for await (const piece of stream.toTextStream()) text += piece;
  await stream.completed;
  assert.equal(text, "All were found.");
  for (const input of model.inputs) assert.deepEqual(problemsOf(input), []);
});

test("handoffs stay whole, and the next agent continues with the managed history", async () => {
  const inputs: AgentInputItem[][] = [];
  const last = new ScriptedModel(({ input }) => {
    inputs.push(input as AgentInputItem[]);
    return [said("Refunded.")];
  });
  const refunds = new Agent({ name: "refunds", instructions: "You refund.", model: last });
  const { agent, model } = orders(6);
  let requestCount = 0;
  const clerk = new Agent({
    name: "clerk",
    instructions: "You find orders.",
    model: new ScriptedModel(async (request) => {
      requestCount++;
      if (requestCount <= 6) return model.reply(request);
      return [called("transfer_to_refunds", {})];
    }),
    tools: agent.tools,
    handoffs: [handoff(refunds)],
  });
  const filter = turnfoldInputFilter({ maxTokens: 1200 });
  const result = await run(clerk, "Refund my orders", { maxTurns: 20, callModelInputFilter: filter });
  assert.equal(result.finalOutput, "Refunded.");
  assert.equal(result.lastAgent?.name, "refunds");
  assert.equal(inputs.length, 1);
  const [input] = inputs as [AgentInputItem[]];
  assert.deepEqual(problemsOf(input), []);
  assert.ok(input.some((item) => item.type === "function_call_result" && item.name === "transfer_to_refunds"));
});

test("instructions and tools of the agent count towards the limits", async () => {
  const { agent } = orders(1);
  const reports: HistoryReport[] = [];
  const filter = turnfoldInputFilter({ maxTokens: 5000, onReport: (report) => reports.push(report) });
  await run(agent, "Where?", { callModelInputFilter: filter });
  await run(new Agent({ ...agent, instructions: "You find orders. ".repeat(50) }), "Where?", {
    callModelInputFilter: filter,
  });
  const [short, , long] = reports.map(({ tokens }) => tokens.before);
  assert.ok(Number(short) > 40, `${short} with tools`);
  assert.ok(Number(long) > Number(short) + 150, `${long} with long instructions`);
  // The report has a fate for each item.
  assert.deepEqual(
    reports.at(0)?.messages.map(({ index }) => index),
    [0],
  );
});

test("a summary that fails ends the run, or with onSummaryError: send is omitted with a warning", async () => {
  const { agent, model } = orders();
  const failing = async () => {
    throw new Error("the summarizer is down");
  };
  const parameters = { compressionStrategy: wholeHistory(), maxTokens: 1500 };
  const stops = turnfoldInputFilter({ ...parameters, llm: failing, onWarning: () => {} });
  await assert.rejects(run(agent, "Where?", { maxTurns: 20, callModelInputFilter: stops }), (error: unknown) => {
    assert.ok(TurnfoldError.isInstance(error));
    assert.equal(error.code, "compression_failed");
    return true;
  });
  assert.ok(model.inputs.length < ROUNDS);

  const again = orders();
  const warnings: string[] = [];
  const sends = turnfoldInputFilter({
    ...parameters,
    llm: failing,
    onSummaryError: "send",
    onWarning: (text) => warnings.push(text),
  });
  const result = await run(again.agent, "Where?", { maxTurns: 20, callModelInputFilter: sends });
  assert.equal(result.finalOutput, "All were found.");
  assert.ok(warnings.some((text) => text.includes("the summarizer is down")));
  for (const input of again.model.inputs) assert.deepEqual(problemsOf(input), []);
});

test("several filters share summaries through summaryStore", async () => {
  const summaryStore = new SummaryStore();
  let summaries = 0;
  const llm = async () => `Summary ${++summaries}`;
  const input: AgentInputItem[] = Array.from({ length: 12 }, (_, index) =>
    index % 2 === 0 ? { role: "user", content: `Question ${index}` } : (said(`Answer ${index}`) as AgentInputItem),
  );
  const model = new ScriptedModel(() => [said("Yes.")]);
  const agent = new Agent({ name: "talker", model });
  for (let time = 0; time < 3; time++) {
    const filter = turnfoldInputFilter({ compressionStrategy: wholeHistory(), llm, summaryStore });
    await new Runner({ callModelInputFilter: filter }).run(agent, [...input, { role: "user", content: "Go on" }]);
  }
  assert.equal(summaries, 1);
  for (const sent of model.inputs) assert.equal(sent.length, 2);
});

test("OpenAI's own model sends the filtered input in the form that the API accepts", async () => {
  const bodies: Body[] = [];
  let round = 0;
  const client = clientOf((body) => {
    bodies.push(body);
    round++;
    const reasoning = { type: "reasoning", id: `rs_${round}`, summary: [], encrypted_content: `secret ${round}` };
    if (round > 8) return [reasoning, answered("All were found.")];
    const call = { type: "function_call", id: `fc_${round}`, call_id: `call_${round}`, name: "lookup" };
    return [reasoning, { ...call, status: "completed", arguments: `{"order":${round}}` }];
  });
  const { agent } = orders();
  const own = new Agent({
    name: "clerk",
    instructions: "You find orders.",
    tools: agent.tools,
    model: new OpenAIResponsesModel(client as never, "gpt-5.4-mini"),
    modelSettings: { store: false },
  });
  const result = await run(own, "Where are my orders?", {
    maxTurns: 20,
    callModelInputFilter: turnfoldInputFilter({ maxTokens: 1200 }),
  });
  assert.equal(result.finalOutput, "All were found.");
  assert.equal(bodies.length, 9);
  const last = bodies.at(-1)?.input ?? [];
  assert.ok(last.length < 20, `${last.length} items`);
  for (const [index, item] of last.entries()) {
    if (item.type !== "reasoning") continue;
    assert.equal(item.encrypted_content, `secret ${item.id?.slice(3)}`);
    assert.equal(last[index + 1]?.id, `fc_${item.id?.slice(3)}`);
    assert.equal(last[index + 2]?.call_id, `call_${item.id?.slice(3)}`);
  }
  // The same model writes the summaries.
  round = 99;
  const messages = [
    { role: "system", content: "You summarize." },
    { role: "user", content: "Everything" },
  ];
  const model = own.model as OpenAIResponsesModel;
  const llm = agentsModel(model, { withTrace });
  const summary = await llm({ messages, purpose: "summary" });
  assert.equal((summary as { content: string }).content, "All were found.");
  const body = bodies.at(-1);
  assert.deepEqual([body?.store, body?.instructions], [false, "You summarize."]);
});

test("agentsModel passes on tools, schemas, results and the finish reason of a reply", async () => {
  const model = new ScriptedModel(({ tools, outputType }) => {
    if (outputType !== "text") return [said('{"a":1}')];
    return tools.length > 0 ? [called("add", { a: 40, b: 2 })] : [{ ...said("Cut"), status: "incomplete" } as never];
  });
  const llm = agentsModel(model, { modelSettings: { temperature: 0 } });
  const tools = [{ name: "add", schema: { type: "object" as const } }];
  const messages = [{ role: "user", content: "Go" }];
  const asked = (more: object) =>
    llm({ messages, purpose: "answer", ...more }) as Promise<{
      content: string;
      toolCalls: { name: string; args: unknown }[];
      finishReason: string | null;
      usage: { inputTokens?: number };
    }>;
  const reply = await asked({ tools });
  assert.deepEqual(
    reply.toolCalls.map(({ name, args }) => [name, args]),
    [["add", { a: 40, b: 2 }]],
  );
  assert.equal(reply.usage.inputTokens, 100);
  assert.equal((await asked({ schema: { type: "object" } })).content, '{"a":1}');
  assert.equal((await asked({})).finishReason, "incomplete");
  assert.deepEqual(model.requests[0]?.modelSettings, { store: false, temperature: 0 });
  await asked({ tools, toolChoice: "none" });
  assert.deepEqual(model.requests.at(-1)?.modelSettings, { store: false, temperature: 0, toolChoice: "none" });
  await asked({
    messages: [
      ...messages,
      { role: "assistant", content: "", toolCalls: [{ id: "c", name: "add", args: { a: 1 } }] },
      { role: "tool", toolCallId: "c", content: "3" },
    ],
  });
  assert.deepEqual(
    model.inputs.at(-1)?.map(({ type }) => type),
    ["message", "function_call", "function_call_result"],
  );
  await asked({ messages: [{ role: "developer", content: "Be brief." }, ...messages] });
  assert.equal(model.requests.at(-1)?.systemInstructions, "Be brief.");
});

test("a summary that a model of Chat Completions or of the AI SDK cut off or could not complete is not used", async () => {
  const items = Array.from({ length: 12 }, (_, index) => ({ role: "user" as const, content: `Question ${index}` }));
  const problemWith = async (llm: ReturnType<typeof agentsModel>) => {
    const filter = turnfoldInputFilter({ compressionStrategy: wholeHistory(), llm });
    const failure = await filter({ modelData: { input: items }, agent: {} }).catch((error: unknown) => error);
    return TurnfoldError.isInstance(failure) ? failure.details.problem : null;
  };
  const client = (finish_reason: string) =>
    new OpenAI({
      apiKey: "key",
      fetch: async () => {
        const message = { role: "assistant", content: "The user asked about" };
        return Response.json({ id: "c", object: "chat.completion", choices: [{ index: 0, message, finish_reason }] });
      },
    });
  const completions = (reason: string) =>
    agentsModel(new OpenAIChatCompletionsModel(client(reason) as never, "some-model"), { withTrace });
  assert.equal(await problemWith(completions("length")), "cut_off");
  assert.equal(await problemWith(completions("content_filter")), "refused");
  assert.equal(await problemWith(completions("stop")), null);
  for (const finishReason of ["length", { unified: "length", raw: "MAX_TOKENS" }]) {
    const model = { getResponse: async () => ({ output: [said("They")], usage: {}, providerData: { finishReason } }) };
    assert.equal(await problemWith(agentsModel(model)), "cut_off");
  }
});

test("agentsModel sends images, files, and calls and results that are parts of messages", async () => {
  const model = new ScriptedModel(() => [said("A lamp.")]);
  const image = { type: "image" as const, image: png, mediaType: "image/png" };
  const history = aiSdk.from([
    { role: "user", content: [{ type: "text", text: "What is it?" }, image] },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I look." },
        { type: "tool-call", toolCallId: "c1", toolName: "look", input: { lamp: 1 } },
      ],
    },
    {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "c1", toolName: "look", output: { type: "json", value: { on: true } } },
      ],
    },
    { role: "assistant", content: "A lamp." },
  ]);
  const file = { type: "file", data: new URL("https://lamps.example/lamp.pdf"), mediaType: "application/pdf" };
  const agent = new TurnfoldAgent({ llm: agentsModel(model), conversation: history });
  await agent.chat([{ role: "user", content: [{ type: "text", text: "And here?" }, file] }]);
  const [input = []] = model.inputs;
  for (const item of input) assert.ok(protocol.ModelItem.safeParse(item).success, JSON.stringify(item));
  const dataURL = `data:image/png;base64,${png}`;
  assert.deepEqual(input, [
    {
      type: "message",
      role: "user",
      content: [
        { type: "input_text", text: "What is it?" },
        { type: "input_image", image: dataURL },
      ],
    },
    {
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "I look." }],
    },
    { type: "function_call", callId: "c1", name: "look", arguments: '{"lamp":1}', status: "completed" },
    { type: "function_call_result", callId: "c1", name: "look", status: "completed", output: '{"on":true}' },
    {
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "A lamp." }],
    },
    {
      type: "message",
      role: "user",
      content: [
        { type: "input_text", text: "And here?" },
        { type: "input_file", file: { url: "https://lamps.example/lamp.pdf" } },
      ],
    },
  ]);
});

test("a request for a summary behind the conversation has its calls and results, and integers of any size", async () => {
  const model = new ScriptedModel(() => [said("They worked.")]);
  const exact: AgentInputItem[] = [
    { type: "function_call", callId: "c9", name: "find", arguments: '{"order":9007199254740993}' },
    { type: "function_call_result", callId: "c9", name: "find", status: "completed", output: "found" },
  ];
  const filter = turnfoldInputFilter({ compressionStrategy: wholeHistory(), summaryRequest: "behind", minMessages: 0 });
  await filter({ modelData: { input: [...kinds, ...exact, { role: "user", content: "Thanks" }] }, agent: { model } });
  const [input = []] = model.inputs;
  for (const item of input) assert.ok(protocol.ModelItem.safeParse(item).success, JSON.stringify(item));
  assert.deepEqual(problemsOf(input), []);
  const call = input.find((item) => item.type === "function_call" && item.name === "find");
  assert.match(JSON.stringify(call), /9007199254740993/);
});

test("a summary without a model is refused with missing_llm", async () => {
  const items = Array.from({ length: 12 }, (_, index) => ({ role: "user" as const, content: `Question ${index}` }));
  const filter = turnfoldInputFilter({ compressionStrategy: wholeHistory() });
  const asked = filter({ modelData: { input: items }, agent: new Agent({ name: "talker", model: "gpt-5.4-mini" }) });
  await assert.rejects(asked, { code: "missing_llm" });
});

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB";

/** Items of every kind that the SDK knows. */
const kinds: AgentInputItem[] = [
  { role: "system", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "input_text", text: "See" },
      { type: "input_image", image: `data:image/png;base64,${png}` },
      { type: "input_file", file: { id: "file-1" } },
      { type: "audio", audio: "AAAA", format: "wav" },
    ],
  },
  { type: "reasoning", id: "rs_1", content: [], rawContent: [{ type: "reasoning_text", text: "Hm." }] },
  { type: "computer_call", id: "cu_1", callId: "c1", status: "completed", action: { type: "screenshot" } },
  { type: "computer_call_result", callId: "c1", output: { type: "computer_screenshot", data: png } },
  { type: "shell_call", callId: "c2", action: { commands: ["ls"] } },
  {
    type: "shell_call_output",
    callId: "c2",
    output: [{ stdout: "a long list ".repeat(50), stderr: "", outcome: { type: "exit", exitCode: 0 } }],
  },
  { type: "apply_patch_call", callId: "c3", status: "completed", operation: { type: "delete_file", path: "a" } },
  { type: "apply_patch_call_output", callId: "c3", status: "failed", output: "no such file ".repeat(50) },
  {
    type: "hosted_tool_call",
    id: "ws_1",
    name: "web_search_call",
    status: "completed",
    providerData: { type: "web_search_call", id: "ws_1", action: { type: "search", query: "lamps" } },
  },
  { type: "hosted_tool_call", id: "ig_1", name: "image_generation_call", output: png.repeat(1000), providerData: {} },
  {
    type: "hosted_tool_call",
    id: "ma_1",
    name: "mcp_approval_request",
    providerData: { id: "ma_1", name: "f", arguments: "{}", server_label: "s" },
  },
  {
    type: "hosted_tool_call",
    name: "mcp_approval_response",
    providerData: { approve: true, approval_request_id: "ma_1" },
  },
  { type: "tool_search_call", callId: "c4", arguments: { q: "f" }, execution: "client" },
  { type: "tool_search_output", callId: "c4", tools: [{ type: "function", name: "f" }], execution: "client" },
  { type: "program", id: "pr_1", callId: "c5", code: "f()", fingerprint: "x" },
  { type: "function_call", callId: "c6", name: "f", arguments: "{}", caller: { type: "program", callerId: "c5" } },
  {
    type: "function_call_result",
    callId: "c6",
    name: "f",
    status: "completed",
    output: { type: "text", text: "six ".repeat(200) },
  },
  { type: "program_output", callId: "c5", output: "done ".repeat(200), status: "completed" },
  { type: "function_call", callId: "c7", name: "see", arguments: "{}" },
  {
    type: "function_call_result",
    callId: "c7",
    name: "see",
    status: "completed",
    output: [
      { type: "input_text", text: "a picture ".repeat(100) },
      { type: "input_image", image: `data:image/png;base64,${png}` },
    ],
  },
  { type: "unknown", providerData: { type: "future_call", id: "fu_1" } },
  said("All is well.") as AgentInputItem,
  { role: "user", content: "Go on" },
];

test("items of every kind are counted, and stay the same objects", async () => {
  const reports: HistoryReport[] = [];
  const ask = async (parameters: Parameters<typeof turnfoldInputFilter>[0]) => {
    const filter = turnfoldInputFilter({
      ...parameters,
      onReport: (report) => reports.push(report),
      onWarning: () => {},
    });
    const { input } = await filter({ modelData: { input: kinds }, agent: {} });
    return input;
  };
  const same = await ask({ maxTokens: 100_000 });
  assert.deepEqual(same, kinds);
  // The data of images is not counted.
  assert.ok(Number(reports[0]?.tokens.before) < 8000, `${reports[0]?.tokens.before} tokens`);

  const short = await ask({ maxTokens: 3000 });
  assert.ok(short.length < kinds.length);
  for (const item of short) assert.ok(kinds.includes(item));
  const ids = (of: (type: string) => boolean) =>
    short.flatMap((item) => ("callId" in item && of(item.type) ? [item.callId] : [])).sort();
  const isResult = (type: string) => type.endsWith("_output") || type.endsWith("_result");
  assert.deepEqual(
    ids(isResult),
    ids((type) => !isResult(type)),
  );
});

test("an image that is the output of a function counts 1,000 tokens, in a list of parts too", async () => {
  const image = `data:image/png;base64,${png}`;
  for (const output of [{ type: "image" as const, image }, [{ type: "input_image" as const, image }]]) {
    let counted = 0;
    const onReport = ({ tokens }: HistoryReport) => {
      counted = tokens.before;
    };
    const items: AgentInputItem[] = [
      { role: "user", content: "Look" },
      { type: "function_call", callId: "c", name: "see", arguments: "{}" },
      { type: "function_call_result", callId: "c", name: "see", status: "completed", output },
      { role: "user", content: "Go on" },
    ];
    await turnfoldInputFilter({ onReport })({ modelData: { input: items }, agent: {} });
    assert.ok(counted > 1000 && counted < 1100, `${counted} tokens`);
  }
});

test("cleared results of every kind are items of the SDK", async () => {
  const { clearToolResults } = await import("turnfold/chat");
  const strategy = clearToolResults({ keep: 0, atLeast: 0 });
  const filter = turnfoldInputFilter({ compressionStrategy: strategy, minMessages: 0 });
  const { input } = await filter({ modelData: { input: kinds }, agent: {} });
  assert.equal(input.length, kinds.length);
  const changed = input.filter((item, index) => item !== kinds[index]);
  for (const item of changed) assert.ok(protocol.ModelItem.safeParse(item).success, JSON.stringify(item));
  const types = changed.map(({ type }) => type);
  for (const type of ["shell_call_output", "apply_patch_call_output", "program_output", "function_call_result"]) {
    assert.ok(types.includes(type as never), `${type} among ${types}`);
  }
  assert.doesNotMatch(JSON.stringify(changed), /no such file|six six|done done|a picture/);
});

test("turnfoldInputFilter checks its options when it is called", () => {
  const refused = (make: () => unknown, message: RegExp) =>
    assert.throws(make, (error: unknown) => {
      assert.ok(TurnfoldError.isInstance(error));
      assert.match(error.message, message);
      return true;
    });
  refused(() => turnfoldInputFilter({ maxTokens: -1 }), /maxTokens/);
  refused(() => turnfoldInputFilter(undefined as never), /the options must be an object/);
  refused(() => turnfoldInputFilter({ llm: "gpt" as never }), /llm must be a function/);
  refused(
    () => turnfoldInputFilter({ onSummaryError: "wait" as never }),
    /onSummaryError must be "throw", "send" or "trim"/,
  );
  refused(() => turnfoldInputFilter({ onReport: 5 as never }), /onReport must be a function/);
  refused(() => turnfoldInputFilter({ summaryStore: {} as never }), /summaryStore must be an object with get/);
  refused(() => turnfoldInputFilter({ signal: 5 } as never), /the options have no "signal"/);
  refused(() => agentsModel("gpt-5" as never), /model must be a model of the SDK/);
});

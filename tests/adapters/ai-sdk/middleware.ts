// turnfoldMiddleware around a model, under generateText, streamText and objects.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  generateObject,
  generateText,
  type LanguageModelMiddleware,
  type ModelMessage,
  Output,
  stepCountIs,
  streamText,
  tool,
  wrapLanguageModel,
} from "ai";
import { type MiddlewareOptions, turnfoldMiddleware } from "turnfold/adapters/ai-sdk";
import {
  clearToolResults,
  type HistoryReport,
  lastNMessages,
  type RequestParameters,
  TurnfoldError,
  wholeHistory,
} from "turnfold/chat";
import { z } from "zod";
import {
  chat,
  looking,
  pairsIn,
  REPORT,
  type Reply,
  type Request,
  rolesOf,
  scripted,
  textOf,
  tools,
} from "./scripted.js";

/** A scripted model behind the middleware. */
function managed(
  parameters: RequestParameters,
  options: MiddlewareOptions = {},
  reply: (request: Request, number: number) => Reply = () => ({ text: "Yes." }),
  summary?: (request: Request, number: number) => Reply,
) {
  const { model, requests, summaries } = summary === undefined ? scripted(reply) : scripted(reply, summary);
  const middleware = turnfoldMiddleware({ ...parameters, ...options });
  return { model: wrapLanguageModel({ model, middleware }), requests, summaries };
}

test("the wrapped model writes a summary once for all calls of a conversation", async () => {
  const { model, requests, summaries } = managed({ compressionStrategy: lastNMessages(4) });
  const messages = chat(10);
  for (const question of ["Sure?", "Really?", "And tomorrow?"]) {
    const { text } = await generateText({ model, system: "You know lamps.", messages });
    messages.push({ role: "assistant", content: text }, { role: "user", content: question });
  }
  assert.equal(summaries.length, 1);
  assert.equal(summaries[0]?.prompt[0]?.role, "system");
  for (const { prompt } of requests) {
    assert.deepEqual([prompt[0]?.role, prompt[0]?.content], ["system", "You know lamps."]);
    assert.deepEqual(prompt[1], {
      role: "user",
      content: [{ type: "text", text: "Summary of 16 earlier messages:\n\nSummary 1." }],
    });
  }
  assert.deepEqual(
    requests.map(({ prompt }) => prompt.length),
    [7, 9, 11],
  );
});

test("a loop of many steps stays under maxTokens with whole pairs", async () => {
  const reports: HistoryReport[] = [];
  const { model, requests, summaries } = managed(
    { compressionStrategy: lastNMessages(4), maxTokens: 1500, minMessages: 0 },
    { onReport: (report) => reports.push(report) },
    looking(15),
  );
  const { text } = await generateText({ model, tools, prompt: "Look at all.", stopWhen: stepCountIs(30) });
  assert.equal(text, "Done.");
  assert.equal(requests.length, 16);
  assert.ok(summaries.length > 1 && summaries.length < 8, `${summaries.length} summaries`);
  for (const [index, request] of requests.entries()) {
    const { calls, results } = pairsIn(request);
    assert.deepEqual(calls, results);
    assert.ok((reports[index]?.tokens.after ?? 9999) <= 1500);
  }
});

test("streamText streams the reply of the wrapped model", async () => {
  const { model, requests, summaries } = managed({ compressionStrategy: wholeHistory() }, {}, () => ({
    reasoning: "Hm.",
    text: "Yes.",
  }));
  const result = streamText({ model, messages: chat(8) });
  let text = "";
  for await (const piece of result.textStream) text += piece;
  assert.equal(text, "Yes.");
  assert.equal(await result.text, "Yes.");
  assert.equal(summaries.length, 1);
  assert.deepEqual(requests.map(rolesOf), ["user user"]);
});

test("the schema of an object stays in the request and counts towards maxTokens", async () => {
  const schema = z.object({ lamp: z.number().describe("The number of the lamp"), room: z.string() });
  const counted: number[] = [];
  const { model, requests } = managed(
    { maxHistorySize: 5 },
    { onReport: ({ tokens }) => counted.push(tokens.after) },
    () => ({ text: '{"lamp":3,"room":"hall"}' }),
  );
  const { object } = await generateObject({ model, schema, messages: chat(8) });
  assert.deepEqual(object, { lamp: 3, room: "hall" });
  const { output } = await generateText({ model, output: Output.object({ schema }), messages: chat(8) });
  assert.deepEqual(output, { lamp: 3, room: "hall" });
  await generateText({ model, messages: chat(8) });
  for (const { responseFormat } of requests.slice(0, 2)) assert.equal(responseFormat?.type, "json");
  assert.ok(requests.every(({ prompt }) => prompt.length <= 5));
  const [object1 = 0, object2 = 0, plain = 0] = counted;
  assert.ok(object1 > plain + 20 && object2 > plain + 20, counted.join());
});

test("tools and instructions count towards maxTokens", async () => {
  const counted: number[] = [];
  const { model } = managed({}, { onReport: ({ tokens }) => counted.push(tokens.before) });
  await generateText({ model, prompt: "Hi" });
  await generateText({ model, prompt: "Hi", tools });
  await generateText({ model, prompt: "Hi", tools, system: "You know lamps. ".repeat(20) });
  const [plain = 0, withTools = 0, withBoth = 0] = counted;
  assert.ok(withTools > plain + 20 && withBoth > withTools + 60, counted.join());
});

test("thoughts, files and provider options of a prompt stay unchanged", async () => {
  const messages: ModelMessage[] = [
    ...chat(6).slice(0, -1),
    {
      role: "user",
      content: [
        { type: "text", text: "What is on it?", providerOptions: { mine: { part: 1 } } },
        { type: "file", data: "iVBORw0KGgo=", mediaType: "image/png", filename: "lamp.png" },
        { type: "file", data: new Uint8Array([37, 80, 68, 70]), mediaType: "application/pdf" },
      ],
      providerOptions: { mine: { whole: true } },
    },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "A lamp.", providerOptions: { anthropic: { signature: "s" } } },
        { type: "text", text: "A lamp." },
        { type: "tool-call", toolCallId: "c1", toolName: "look", input: { lamp: 1 } },
      ],
    },
    {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "c1", toolName: "look", output: { type: "json", value: { on: true } } },
      ],
    },
    { role: "user", content: "Thanks. And now?" },
  ];
  const plain = scripted(() => ({ text: "Yes." }));
  await generateText({ model: plain.model, messages });
  const { model, requests } = managed({ maxHistorySize: { limit: 6, target: 1 } });
  await generateText({ model, messages, providerOptions: { anthropic: { thinking: { type: "enabled" } } } });
  await generateText({ model, messages });
  const [whole, cut, adaptive] = [plain.requests[0]?.prompt, requests[0]?.prompt, requests[1]?.prompt];
  assert.ok(whole && cut && cut.length < whole.length);
  assert.deepEqual(cut, whole.slice(-cut.length));
  assert.ok(cut.length >= 4);
  // Without it, models check that nothing before their thoughts has changed.
  const isThought = ({ type }: { type: string }) => type === "reasoning";
  assert.deepEqual(
    adaptive,
    cut.map((message) =>
      message.role === "assistant"
        ? { ...message, content: message.content.filter((part) => !isThought(part)) }
        : message,
    ),
  );
});

test("onOverflow: truncateResults shortens a result and keeps the other members of its part", async () => {
  const { model, requests } = managed(
    { maxTokens: 700, onOverflow: "truncateResults" },
    { onWarning: () => {} },
    (_, number) => (number === 0 ? { calls: [["c1", "look", { lamp: 1 }]] } : { text: "Done." }),
  );
  const long = { look: tool({ inputSchema: z.object({ lamp: z.number() }), execute: async () => REPORT.repeat(20) }) };
  await generateText({ model, tools: long, prompt: "Look.", stopWhen: stepCountIs(3) });
  const answer = requests[1]?.prompt.at(-1);
  assert.ok(answer?.role === "tool");
  const [part] = answer.content;
  assert.ok(part?.type === "tool-result" && part.output.type === "text");
  assert.equal(part.toolName, "look");
  assert.ok(part.output.value.length > 100 && part.output.value.length < 4000, String(part.output.value.length));
});

test("a prompt that can't fit ends the call with one TurnfoldError", async () => {
  const { model, requests } = managed({ maxTokens: 50 });
  await assert.rejects(generateText({ model, prompt: REPORT }), (error) => {
    assert.ok(TurnfoldError.isInstance(error), String(error));
    return error.code === "request_over_budget";
  });
  assert.equal(requests.length, 0);
});

test("requests for summaries have the headers of the request, and follow the conversation with summaryRequest: behind", async () => {
  const { model, requests, summaries } = managed({ compressionStrategy: wholeHistory(), summaryRequest: "behind" });
  const image: ModelMessage = {
    role: "user",
    content: [
      { type: "text", text: "Look." },
      { type: "file", data: "iVBORw0KGgo=", mediaType: "image/png" },
    ],
  };
  const messages = [image, { role: "assistant", content: "A lamp." } as const, ...chat(8)];
  await generateText({ model, tools, messages, headers: { "x-tenant": "lamps" } });
  assert.equal(summaries.length, 1);
  const [summary] = summaries;
  assert.equal(summary?.headers?.["x-tenant"], "lamps");
  assert.equal(summary?.tools?.length, 1);
  const plain = scripted(() => ({ text: "Yes." }));
  await generateText({ model: plain.model, messages: messages.slice(0, 1) });
  // The image is sent in the form of the model's specification.
  const fileOf = (request: Request | undefined) => {
    const [, part] = (request?.prompt[0]?.content ?? []) as unknown as { data: unknown; mediaType: string }[];
    return [part?.data, part?.mediaType];
  };
  assert.equal(fileOf(summary)[1], "image/png");
  assert.deepEqual(fileOf(summary), fileOf(plain.requests[0]));
  assert.deepEqual(requests.map(rolesOf), ["user user"]);
});

test("llm writes the summaries instead of the wrapped model", async () => {
  const { model, summaries, requests } = managed(
    { compressionStrategy: wholeHistory() },
    { llm: () => "About lamps." },
  );
  await generateText({ model, messages: chat(8) });
  assert.equal(summaries.length, 0);
  assert.match(textOf(requests[0]?.prompt[0] as never), /About lamps\.$/);
});

test("a summary that fails ends the call, or the prompt is sent as it is", async () => {
  const failing = () => ({ error: new Error("no connection") });
  const reply = () => ({ text: "Yes." });
  const strict = managed({ compressionStrategy: wholeHistory() }, {}, reply, failing);
  await assert.rejects(generateText({ model: strict.model, messages: chat(8) }), { code: "compression_failed" });
  assert.equal(strict.requests.length, 0);

  const warnings: string[] = [];
  const options: MiddlewareOptions = { onSummaryError: "send", onWarning: (text) => warnings.push(text) };
  const lenient = managed({ compressionStrategy: wholeHistory() }, options, reply, failing);
  await generateText({ model: lenient.model, messages: chat(8) });
  assert.equal(lenient.requests[0]?.prompt.length, 17);
  assert.equal(warnings.length, 1);
});

test("a stream that is aborted during a summary ends as an aborted stream", async () => {
  const controller = new AbortController();
  const { model, requests } = managed({ compressionStrategy: wholeHistory() }, {}, undefined, () => {
    setTimeout(() => controller.abort(), 5);
    return { until: new Promise(() => {}) };
  });
  const errors: unknown[] = [];
  const result = streamText({
    model,
    messages: chat(8),
    abortSignal: controller.signal,
    onError: ({ error }) => {
      errors.push(error);
    },
  });
  const types: string[] = [];
  for await (const part of result.fullStream) types.push(part.type);
  assert.ok(types.includes("abort"), types.join());
  assert.deepEqual(errors, []);
  assert.equal(requests.length, 0);
});

test("cache marks the end of each shared prefix", async () => {
  const { model, requests } = managed({ maxTokens: 9000 }, { cache: { breakpoints: 2 } });
  await generateText({ model, system: "You know lamps.", messages: chat(4) });
  const marks = JSON.stringify(requests[0]?.prompt).match(/"cacheControl":\{"type":"ephemeral"\}/g) ?? [];
  assert.equal(marks.length, 2);
  const none = managed({ maxTokens: 9000 }, { cache: { breakpoints: 0 } });
  await generateText({ model: none.model, messages: chat(4) });
  assert.ok(!JSON.stringify(none.requests[0]?.prompt).includes("cacheControl"));
});

test("pinned messages and timestamps reach the middleware through providerOptions", async () => {
  const { model, requests } = managed({ compressionStrategy: lastNMessages(2), minMessages: 0 });
  const pinned: ModelMessage = {
    role: "user",
    content: "Never show prices.",
    providerOptions: { turnfold: { pinned: true } },
  };
  await generateText({ model, messages: [pinned, ...chat(8)] });
  assert.equal(textOf(requests[0]?.prompt[0] as never), "Never show prices.");
  assert.equal(rolesOf(requests[0] as Request), "user user user assistant user");
});

test("cleared results stay cleared, so that the prefix of the request stays the same", async () => {
  const { model, requests } = managed(
    { compressionStrategy: clearToolResults({ keep: 1 }), when: "always", minMessages: 0 },
    {},
    looking(6),
  );
  await generateText({ model, tools, prompt: "Look.", stopWhen: stepCountIs(9) });
  const long = requests.map(({ prompt }) => JSON.stringify(prompt).split(REPORT.trim()).length - 1);
  assert.ok(Math.max(...long) <= 2, long.join());
});

// The middleware has the AI SDK's own type.
export const typed: LanguageModelMiddleware = turnfoldMiddleware({ maxTokens: 5, cache: undefined });

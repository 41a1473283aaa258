// Features of AI SDK 7 only: instructions in steps, steering, results of the whole call, files with the kind of their data.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  experimental_createSteering,
  generateText,
  isStepCount,
  type ModelMessage,
  type PrepareStepFunction,
  streamText,
  type ToolSet,
  tool,
} from "ai";
import { turnfoldPrepareStep } from "turnfold/adapters/ai-sdk";
import { clearToolResults, type HistoryReport, lastNMessages } from "turnfold/chat";
import { aiSdk } from "turnfold/formats/ai-sdk";
import { z } from "zod";
import { chat, looking, pairsIn, scripted, textOf, tools } from "./scripted.js";

test("the instructions of a step count towards maxTokens without the option instructions", async () => {
  const sizes: number[] = [];
  const prepareStep = turnfoldPrepareStep({ onReport: ({ tokens }) => sizes.push(tokens.after) });
  const { model, requests } = scripted(() => ({ text: "Yes." }));
  const instructions = "You know all about lamps. ".repeat(60);
  const message = { role: "system" as const, content: instructions };
  for (const given of [
    undefined,
    instructions,
    message,
    [message, { role: "system" as const, content: "Be brief." }],
  ]) {
    await generateText({ model, ...(given === undefined ? {} : { instructions: given }), prompt: "Hi", prepareStep });
  }
  const [none = 0, text = 0, one = 0, two = 0] = sizes;
  assert.ok(text > none + 200 && one === text && two > one, sizes.join());
  assert.deepEqual(
    requests.map(({ prompt }) => prompt.filter(({ role }) => role === "system").length),
    [0, 1, 1, 2],
  );
});

test("the result of a call has all messages, although each step starts from the managed messages before it", async () => {
  const { model, requests, summaries } = scripted(looking(20));
  const reports: HistoryReport[] = [];
  const prepareStep = turnfoldPrepareStep({
    compressionStrategy: lastNMessages(4),
    maxTokens: 1500,
    minMessages: 0,
    onReport: (report) => reports.push(report),
  });
  const stopWhen = isStepCount(30);
  const result = await generateText({ model, tools, prompt: "Look at all lamps.", stopWhen, prepareStep });
  assert.equal(result.responseMessages.length, 41);
  assert.deepEqual(
    reports.map(({ messages }) => messages.length),
    Array.from({ length: 21 }, (_, index) => 1 + 2 * index),
  );
  const paid = summaries.length;
  // The next call with the same history finds all of its summaries in the store.
  const messages: ModelMessage[] = [
    { role: "user", content: "Look at all lamps." },
    ...result.responseMessages,
    { role: "user", content: "Thanks." },
  ];
  const next = scripted(() => ({ text: "You are welcome." }));
  await generateText({ model: next.model, messages, prepareStep });
  assert.ok(next.summaries.length <= 1 && paid >= 2);
  assert.match(JSON.stringify(next.requests[0]?.prompt), /Summary of/);
  assert.equal(requests.length, 21);
});

test("steering messages are delivered, with and without cache marks", async () => {
  for (const cache of [undefined, {}]) {
    const steering = experimental_createSteering();
    let outcome: ReturnType<typeof steering.steer> | undefined;
    const { model, requests } = scripted((request, number) => {
      if (number === 3) outcome = steering.steer("Only red ones.");
      return looking(6)(request, number);
    });
    const result = streamText({
      model,
      tools,
      messages: chat(6),
      stopWhen: isStepCount(20),
      experimental_steering: steering,
      prepareStep: turnfoldPrepareStep({
        compressionStrategy: lastNMessages(4),
        maxTokens: 1200,
        minMessages: 0,
        cache,
      }),
    });
    assert.equal(await result.text, "Done.");
    assert.equal((await outcome)?.type, "delivered");
    const asked = requests.map(({ prompt }) => prompt.some((message) => textOf(message) === "Only red ones."));
    assert.deepEqual(asked.indexOf(true), 4);
    for (const request of requests) assert.deepEqual(pairsIn(request).calls, pairsIn(request).results);
  }
});

test("images in results stay, and count as images", async () => {
  const photo = tool({
    inputSchema: z.object({}),
    execute: async () => "iVBORw0KGgoA".repeat(3000),
    toModelOutput: ({ output }) => ({
      type: "content",
      value: [{ type: "file", data: { type: "data", data: output }, mediaType: "image/png" }],
    }),
  });
  const reports: HistoryReport[] = [];
  const { model, requests } = scripted((_, number) =>
    number < 8 ? { calls: [[`c${number}`, "photo", {}]] } : { text: "Done." },
  );
  await generateText({
    model,
    tools: { photo },
    prompt: "Show me.",
    stopWhen: isStepCount(20),
    prepareStep: turnfoldPrepareStep({
      compressionStrategy: clearToolResults({ keep: 2 }),
      maxTokens: 4000,
      minMessages: 0,
      onReport: (report) => reports.push(report),
    }),
  });
  for (const { tokens } of reports) assert.ok(tokens.after <= 4000, String(tokens.after));
  const [last] = aiSdk.from(requests.at(-1)?.prompt.slice(-1)).messages;
  assert.match(JSON.stringify(last), /iVBORw0KGgoA/);
});

// The function has the AI SDK's own type for any set of tools.
export const typed: PrepareStepFunction<ToolSet> = turnfoldPrepareStep({
  maxTokens: 5,
  cache: undefined,
  llm: undefined,
});

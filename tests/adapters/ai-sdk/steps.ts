// turnfoldPrepareStep with generateText, streamText and ToolLoopAgent.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  generateText,
  type ModelMessage,
  type PrepareStepFunction,
  stepCountIs,
  streamText,
  ToolLoopAgent,
  tool,
} from "ai";
import { type PrepareStepOptions, turnfoldPrepareStep } from "turnfold/adapters/ai-sdk";
import {
  clearToolResults,
  countMessages,
  digest,
  type HistoryReport,
  lastNMessages,
  SummaryStore,
  TurnfoldError,
  wholeHistory,
} from "turnfold/chat";
import { aiSdk } from "turnfold/formats/ai-sdk";
import { chat, looking, pairsIn, REPORT, type Request, rolesOf, scripted, textOf, tools } from "./scripted.js";

const quiet: PrepareStepOptions = { onWarning: () => {} };

test("a loop of many steps stays under maxTokens, with whole pairs and one summary at a time", async () => {
  const { model, requests, summaries } = scripted(looking(20));
  const reports: HistoryReport[] = [];
  const { text, steps, response } = await generateText({
    model,
    tools,
    prompt: "Look at all lamps.",
    stopWhen: stepCountIs(30),
    prepareStep: turnfoldPrepareStep({
      compressionStrategy: lastNMessages(4),
      maxTokens: 1500,
      minMessages: 0,
      onReport: (report) => reports.push(report),
    }),
  });
  assert.equal(text, "Done.");
  assert.equal(steps.length, 21);
  assert.equal(reports.length, 21);
  for (const [index, request] of requests.entries()) {
    const { calls, results } = pairsIn(request);
    assert.deepEqual(calls, results, `request ${index}`);
    assert.equal(reports[index]?.messages.length, 1 + 2 * index, "every step is managed from the whole history");
    assert.equal(countMessages(aiSdk.from(request.prompt).messages).total <= 1500, true, `request ${index}`);
    assert.ok(request.prompt.some((message) => textOf(message) === "Look at all lamps."));
  }
  assert.ok(summaries.length >= 2 && summaries.length < 10, `${summaries.length} summaries`);
  // A later summary covers the summary before it, not its messages again.
  const first = JSON.stringify(summaries[0]?.prompt);
  const second = JSON.stringify(summaries[1]?.prompt);
  assert.ok(first.includes("Lamp 0:") && !second.includes("Lamp 0:") && second.includes("Summary 1."));
  // The result has all messages: in version 7 each step has its own, in version 6 those of all steps so far.
  const isOfAll = response.messages.length > 1;
  const said = isOfAll ? response.messages : steps.flatMap((step) => step.response.messages);
  assert.equal(said.length, 41);
  assert.ok(!JSON.stringify(said).includes("Summary of"));
  assert.equal(steps.flatMap(({ toolResults }) => toolResults).length, 20);
});

test("a summary is requested once, within a call and for the next call", async () => {
  const { model, requests, summaries } = scripted(looking(3));
  const prepareStep = turnfoldPrepareStep({ compressionStrategy: lastNMessages(4) });
  const messages = chat(10);
  await generateText({ model, tools, messages, stopWhen: stepCountIs(9), prepareStep });
  assert.equal(summaries.length, 1);
  assert.equal(requests.length, 4);
  for (const request of requests) assert.match(textOf(request.prompt[0] as never), /^Summary of 16 earlier messages:/);
  assert.deepEqual(
    requests.map(rolesOf).at(-1),
    `user user assistant user assistant user${" assistant tool".repeat(3)}`,
  );

  const next = scripted(() => ({ text: "Yes." }));
  await generateText({ model: next.model, messages: [...messages, { role: "user", content: "Sure?" }], prepareStep });
  assert.equal(next.summaries.length, 0);
  assert.match(textOf(next.requests[0]?.prompt[0] as never), /^Summary of 16 earlier messages:/);
});

test("a summary store is shared by several functions", async () => {
  const summaryStore = new SummaryStore();
  const { model, summaries } = scripted(() => ({ text: "Yes." }));
  for (let round = 0; round < 3; round++) {
    const prepareStep = turnfoldPrepareStep({ compressionStrategy: wholeHistory(), summaryStore });
    await generateText({ model, messages: chat(10), prepareStep });
  }
  assert.equal(summaries.length, 1);
});

test("unchanged messages are the same objects that were given", async () => {
  const given = chat(3);
  const { messages } = await turnfoldPrepareStep({ maxTokens: 9000 })({
    messages: given,
    model: "none",
    stepNumber: 0,
    steps: [],
  });
  assert.equal(messages, given);

  const long = chat(12);
  const cut = await turnfoldPrepareStep({ maxHistorySize: 5 })({
    messages: long,
    model: "none",
    stepNumber: 0,
    steps: [],
  });
  assert.ok(cut.messages.length <= 5 && cut.messages.length > 0);
  for (const message of cut.messages) assert.ok(long.includes(message));
  assert.deepEqual(long, chat(12));
});

test("instructions count towards maxTokens and are not sent twice", async () => {
  const { model, requests } = scripted(() => ({ text: "Yes." }));
  const system = "You know all about lamps. ".repeat(60);
  const reports: HistoryReport[] = [];
  const parameters = { maxTokens: 800 };
  const options = { instructions: system, onReport: (report: HistoryReport) => reports.push(report) };
  const messages = chat(20);
  await generateText({ model, system, messages, prepareStep: turnfoldPrepareStep({ ...parameters, ...options }) });
  const [request] = requests;
  assert.ok(request);
  assert.equal(request.prompt.filter(({ role }) => role === "system").length, 1);
  const [report] = reports;
  assert.ok(report && report.tokens.after <= 800 && report.tokens.after > 300);
  assert.equal(report.messages.length, messages.length);
  assert.deepEqual(
    report.messages.map(({ index }) => index),
    messages.map((_, index) => index),
  );
  // Without instructions, more of the history stays.
  const other = scripted(() => ({ text: "Yes." }));
  await generateText({ model: other.model, messages, prepareStep: turnfoldPrepareStep(parameters) });
  assert.ok((other.requests[0]?.prompt.length ?? 0) > request.prompt.length);
});

test("tools count towards maxTokens when they are given", async () => {
  const counted: number[] = [];
  const onReport = ({ tokens }: HistoryReport) => counted.push(tokens.before);
  const { model } = scripted(() => ({ text: "Yes." }));
  for (const given of [{}, { tools }]) {
    await generateText({ model, tools, prompt: "Hi", prepareStep: turnfoldPrepareStep({ ...given, onReport }) });
  }
  const [without = 0, withTools = 0] = counted;
  assert.ok(withTools > without + 20, `${without} and ${withTools}`);
});

test("cleared results keep ids, names and options of their parts", async () => {
  const { model, requests } = scripted(looking(6));
  const before: ModelMessage[] = [
    { role: "user", content: "Look at lamp 99." },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "I should look.", providerOptions: { anthropic: { signature: "s1" } } },
        { type: "tool-call", toolCallId: "old", toolName: "look", input: { lamp: 99 } },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "old",
          toolName: "look",
          output: { type: "json", value: { lamp: 99, said: REPORT } },
          providerOptions: { mine: { kept: true } },
        },
      ],
    },
    { role: "assistant", content: "It is lit." },
    { role: "user", content: "And the others?" },
  ];
  await generateText({
    model,
    tools,
    messages: before,
    stopWhen: stepCountIs(9),
    prepareStep: turnfoldPrepareStep({
      compressionStrategy: clearToolResults({ keep: 2 }),
      when: "always",
      minMessages: 0,
    }),
  });
  const last = requests.at(-1);
  assert.ok(last);
  const { calls, results } = pairsIn(last);
  assert.deepEqual(calls, results);
  assert.equal(calls.length, 7);
  const [, assistant, answer] = last.prompt;
  assert.ok(assistant?.role === "assistant" && answer?.role === "tool");
  assert.equal(assistant.content[0]?.type, "reasoning");
  assert.deepEqual(assistant.content[0]?.providerOptions, { anthropic: { signature: "s1" } });
  const [part] = answer.content;
  assert.ok(part?.type === "tool-result");
  assert.equal(part.toolName, "look");
  assert.deepEqual(part.providerOptions, { mine: { kept: true } });
  assert.equal(part.output.type, "text");
  assert.ok(!JSON.stringify(last.prompt[2]).includes("stands in the hall"));
  assert.ok(JSON.stringify(last.prompt.at(-1)).includes("stands in the hall"));
});

test("digest replaces rounds of a running call with lines", async () => {
  const { model, requests, summaries } = scripted(looking(30));
  const { steps } = await generateText({
    model,
    tools,
    prompt: "Look at all lamps.",
    stopWhen: stepCountIs(40),
    prepareStep: turnfoldPrepareStep({
      compressionStrategy: digest({ keep: 2, atLeast: 300 }),
      when: "always",
      minMessages: 0,
    }),
  });
  assert.equal(steps.length, 31);
  assert.equal(summaries.length, 0);
  const sizes = requests.map(({ prompt }) => JSON.stringify(prompt).length);
  assert.ok(Math.max(...sizes) < 20_000, String(Math.max(...sizes)));
  // Few requests change the prefix that was sent before, so that the provider's cache can be read.
  const changed = requests.filter(({ prompt }, index) => {
    const earlier = requests[index - 1]?.prompt ?? [];
    return JSON.stringify(prompt.slice(0, earlier.length)) !== JSON.stringify(earlier);
  });
  assert.ok(changed.length > 2 && changed.length < 16, `${changed.length} of ${requests.length}`);
});

test("a call that a person approves or denies stays with its answer", async () => {
  const needing = { look: tool({ ...tools.look, needsApproval: true }) };
  for (const approved of [true, false]) {
    const { model, requests } = scripted((_, number) =>
      number === 0 ? { calls: [["c1", "look", { lamp: 1 }]] } : { text: "Done." },
    );
    const prepareStep = turnfoldPrepareStep({ compressionStrategy: wholeHistory(), minMessages: 0 });
    const messages = chat(6);
    const first = await generateText({ model, tools: needing, messages, prepareStep });
    const request = first.content.find(({ type }) => type === "tool-approval-request");
    assert.ok(request?.type === "tool-approval-request");
    messages.push(...first.response.messages, {
      role: "tool",
      content: [{ type: "tool-approval-response", approvalId: request.approvalId, approved }],
    });
    const { text } = await generateText({ model, tools: needing, messages, prepareStep });
    assert.equal(text, "Done.");
    const last = requests.at(-1) as Request;
    assert.deepEqual(pairsIn(last), { calls: ["c1"], results: ["c1"] });
    assert.equal(rolesOf(last), "user user assistant tool");
    assert.match(JSON.stringify(last.prompt.at(-1)), approved ? /Lamp 1: / : /denied/);
  }
});

test("streamText is managed in the same way", async () => {
  const { model, requests, summaries } = scripted(looking(12));
  const result = streamText({
    model,
    tools,
    messages: chat(8),
    stopWhen: stepCountIs(20),
    prepareStep: turnfoldPrepareStep({ compressionStrategy: lastNMessages(4), maxTokens: 1500, minMessages: 0 }),
  });
  let text = "";
  for await (const piece of result.textStream) text += piece;
  assert.equal(text, "Done.");
  assert.equal(requests.length, 13);
  assert.ok(summaries.length > 0 && summaries.length < 8);
  for (const request of requests) {
    const { calls, results } = pairsIn(request);
    assert.deepEqual(calls, results);
  }
});

test("ToolLoopAgent is managed in the same way", async () => {
  const { model, requests } = scripted(looking(8));
  const agent = new ToolLoopAgent({
    model,
    tools,
    instructions: "You look at lamps.",
    stopWhen: stepCountIs(20),
    prepareStep: turnfoldPrepareStep({ maxTokens: 900, instructions: "You look at lamps.", tools }),
  });
  const { text } = await agent.generate({ prompt: "Look at all." });
  assert.equal(text, "Done.");
  assert.ok(Math.max(...requests.map(({ prompt }) => prompt.length)) < 14);
  assert.ok(requests.every(({ prompt }) => prompt[0]?.role === "system"));
});

test("calls at the same time do not disturb each other", async () => {
  const prepareStep = turnfoldPrepareStep({ maxHistorySize: 6 });
  const messages = chat(6);
  const lengths = await Promise.all(
    [3, 5, 7].map(async (count) => {
      const { model, requests } = scripted(looking(count));
      await generateText({ model, tools, messages, stopWhen: stepCountIs(20), prepareStep });
      for (const request of requests) assert.deepEqual(pairsIn(request).calls, pairsIn(request).results);
      return requests.length;
    }),
  );
  assert.deepEqual(lengths, [4, 6, 8]);
});

test("a call with a shorter history than the call before it is sent only its own history", async () => {
  const prepareStep = turnfoldPrepareStep({ maxHistorySize: 7 });
  const { model, requests } = scripted(looking(2));
  const messages = chat(6);
  await generateText({ model, tools, messages: messages.slice(-7), stopWhen: stepCountIs(9), prepareStep });
  await generateText({ model, messages, prepareStep });
  const other = scripted(() => ({ text: "Yes." }));
  await generateText({ model: other.model, messages: messages.slice(-3), prepareStep });
  assert.equal(other.requests[0]?.prompt.length, 3);
  assert.ok(requests.length >= 3);
});

test("a host may add members to the result of prepareStep", async () => {
  const { model, requests } = scripted(looking(4));
  const manage = turnfoldPrepareStep({ compressionStrategy: lastNMessages(4), minMessages: 0 });
  await generateText({
    model,
    tools,
    messages: chat(8),
    stopWhen: stepCountIs(9),
    prepareStep: async (step) => ({ ...(await manage(step)), toolChoice: step.stepNumber === 0 ? "required" : "auto" }),
  });
  assert.deepEqual(
    requests.map(({ toolChoice }) => toolChoice?.type),
    ["required", "auto", "auto", "auto", "auto"],
  );
});

test("llm writes the summaries instead of the step's model", async () => {
  const { model, summaries } = scripted(() => ({ text: "Yes." }));
  const purposes: string[] = [];
  const prepareStep = turnfoldPrepareStep({
    compressionStrategy: wholeHistory(),
    llm: ({ purpose }) => {
      purposes.push(purpose);
      return "About lamps.";
    },
  });
  await generateText({ model, messages: chat(8), prepareStep });
  assert.deepEqual(purposes, ["summary"]);
  assert.equal(summaries.length, 0);
});

test("cache marks the end of each shared prefix, in four places at most", async () => {
  const { model, requests } = scripted(looking(3));
  await generateText({
    model,
    tools,
    messages: chat(8),
    stopWhen: stepCountIs(9),
    prepareStep: turnfoldPrepareStep({ compressionStrategy: lastNMessages(4), minMessages: 0, cache: { ttl: "1h" } }),
  });
  for (const request of requests) {
    const marks = JSON.stringify(request.prompt).match(/"cacheControl":\{"type":"ephemeral","ttl":"1h"\}/g) ?? [];
    assert.ok(marks.length >= 2 && marks.length <= 4, `${marks.length} marks`);
    assert.deepEqual(request.prompt.at(-1)?.providerOptions?.anthropic, {
      cacheControl: { type: "ephemeral", ttl: "1h" },
    });
  }
});

test("providerOptions.turnfold pins messages", async () => {
  const { model, requests } = scripted(() => ({ text: "Yes." }));
  const pinned: ModelMessage = {
    role: "user",
    content: "Never show prices.",
    providerOptions: { turnfold: { pinned: true } },
  };
  const prepareStep = turnfoldPrepareStep({ maxHistorySize: 4, ...quiet });
  await generateText({ model, messages: [pinned, ...chat(10)], prepareStep });
  assert.equal(textOf(requests[0]?.prompt[0] as never), "Never show prices.");
  assert.ok((requests[0]?.prompt.length ?? 99) <= 4);
  await assert.rejects(
    generateText({
      model,
      messages: [{ ...pinned, providerOptions: { turnfold: { pin: true } } }],
      prepareStep,
    }),
    (error) => {
      assert.ok(TurnfoldError.isInstance(error));
      assert.equal(error.details.path, "messages[0].providerOptions.turnfold.pin");
      return error.code === "invalid_message";
    },
  );
});

// The function has the AI SDK's own type.
export const typed: PrepareStepFunction<typeof tools> = turnfoldPrepareStep({ maxTokens: 5 });

// The model callbacks and the AI SDK itself with a real model.

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateObject, generateText, streamText } from "ai";
import { createOpenAICompatible as createOfVersion7 } from "ai-sdk-7-openai-compatible";
import { Agent } from "turnfold";
import { aiSdkModel } from "turnfold/models/ai-sdk";
import { fetchModel } from "turnfold/models/fetch";
import { openaiModel } from "turnfold/models/openai";
import { z } from "zod";
import { weights } from "../../scripts/model.mjs";
import { loadCounter } from "./engine/engine.mjs";
import { beginningOf, FIXED, MODEL, serveModel } from "./served.mjs";

let server;
let counter;

before(async () => {
  server = await serveModel({ context: 1024 });
  counter = await loadCounter(weights);
});

after(() => server?.close());

const compatible = (create = createOpenAICompatible) =>
  create({ name: "local", baseURL: server.baseURL, includeUsage: true, supportsStructuredOutputs: true })(MODEL);
const SETTINGS = { temperature: 0, seed: 1 };

/** Parameters that force a tool call. */
const CALL = { tool_choice: "required" };
const SDK_CALL = { toolChoice: { type: "required" } };

const MODELS = {
  "openaiModel, streamed": (max, more) => openaiModel(server.client, { ...FIXED, max_tokens: max, ...more }),
  "openaiModel, whole": (max, more) =>
    openaiModel(server.client, { ...FIXED, max_tokens: max, ...more, stream: false }),
  "fetchModel, streamed": (max, more) => fetchModel(server.baseURL, { ...FIXED, max_tokens: max, ...more }),
  "fetchModel, whole": (max, more) => fetchModel(server.baseURL, { ...FIXED, max_tokens: max, ...more, stream: false }),
  "aiSdkModel with version 6": (max, more) => aiSdkModel(compatible(), { ...SETTINGS, maxOutputTokens: max, ...more }),
  "aiSdkModel with version 7": (max, more) =>
    aiSdkModel(compatible(createOfVersion7), { ...SETTINGS, maxOutputTokens: max, ...more }),
};

const SYSTEM = "You are a lighthouse keeper. You answer in one short sentence.";

/** Waits until the server has no requests, and returns its counts. */
async function idle() {
  for (;;) {
    const stats = await server.stats();
    if (stats.active === 0) return stats;
    await pause(20);
  }
}

for (const [name, modelOf] of Object.entries(MODELS)) {
  const isWhole = name.endsWith("whole");
  suite(name, () => {
    test("the usage is that of the model's tokenizer and of its cache", async () => {
      const agent = new Agent({ system: SYSTEM, llm: modelOf(16) });
      const first = await agent.chat("What do you see tonight?");
      const asked = counter.prompt(agent.conversation.messages.slice(0, 2));
      assert.equal(first.usage.inputTokens, asked);
      assert.ok(first.usage.outputTokens > 0 && first.usage.outputTokens <= 16);
      const second = await agent.chat("And the ships?");
      const { inputTokens, cacheReadTokens } = second.usage;
      assert.equal(inputTokens, counter.prompt(agent.conversation.messages.slice(0, 4)));
      assert.ok(cacheReadTokens >= asked && cacheReadTokens < inputTokens, `${cacheReadTokens} of ${inputTokens}`);
    });

    test("the pieces of a stream are the reply", async () => {
      const agent = new Agent({ system: SYSTEM, llm: modelOf(16) });
      const stream = agent.stream("Name three kinds of ships.");
      const pieces = [];
      for await (const piece of stream) pieces.push(piece);
      const { text, finishReason, usage } = await stream.done;
      assert.equal(pieces.join(""), text);
      assert.equal(pieces.length > 1, !isWhole);
      assert.equal(finishReason, usage.outputTokens === 16 ? "length" : "stop");
    });

    test("an object fits its schema without a repair", async () => {
      const agent = new Agent({ system: SYSTEM, llm: modelOf(60) });
      const schema = z.object({
        wind: z.enum(["north", "south"]),
        force: z.int().min(0),
        storm: z.boolean(),
        ships: z.array(z.boolean()).max(3),
      });
      const { object, steps } = await agent.generateObject("How is the weather?", schema, { maxRepairs: 0 });
      assert.deepEqual(schema.parse(object), object);
      assert.equal(steps.length, 1);
    });

    test("a forced tool call runs its tool, and the result is in the next request", async () => {
      const [calling, answering] = [modelOf(80, name.startsWith("aiSdk") ? SDK_CALL : CALL), modelOf(16)];
      const seen = [];
      const agent = new Agent({
        system: SYSTEM,
        tools: {
          look: [
            "(hall :int, loud :bool) -> {ships :int}",
            ({ hall, loud }) => seen.push([hall, loud]) && { ships: 12 },
          ],
        },
        llm: (request) => (request.messages.at(-1).role === "tool" ? answering(request) : calling(request)),
      });
      const { messages, steps, usage } = await agent.chat("How many ships are in hall 3?");
      assert.equal(seen.length, 1);
      assert.ok(Number.isInteger(seen[0][0]) && typeof seen[0][1] === "boolean", JSON.stringify(seen));
      const roles = messages.map(({ role }) => role);
      assert.deepEqual(roles, ["user", "assistant", "tool", "assistant"]);
      assert.deepEqual(steps[0].finishReason, "tool-calls");
      assert.match(JSON.stringify(messages[2]), /12/);
      // The first request is a prefix of the second.
      assert.ok(usage.cacheReadTokens > 0.3 * usage.inputTokens, `${usage.cacheReadTokens} of ${usage.inputTokens}`);
    });

    test("an abort in the middle ends the call, and the model stops", async () => {
      const agent = new Agent({ system: SYSTEM, llm: modelOf(500) });
      const before = await idle();
      const controller = new AbortController();
      const stream = agent.stream("Tell a long story about a storm.", { signal: controller.signal });
      let text = "";
      if (isWhole) {
        while ((await server.stats()).generated < before.generated + 5) await pause(10);
      } else {
        text = await beginningOf(stream, 20);
      }
      controller.abort();
      const error = await stream.done.then(
        () => null,
        (error) => error,
      );
      assert.equal(error?.code, "aborted");
      const after = await idle();
      assert.ok(after.generated - before.generated < 150, `${after.generated - before.generated} tokens`);
      const kept = agent.conversation.messages.map(({ role, partial = false }) => `${role} ${partial}`);
      assert.deepEqual(kept, ["system false", "user false", ...(isWhole ? [] : ["assistant true"])]);
      if (!isWhole) assert.ok(agent.conversation.messages.at(-1).content.startsWith(text));
      assert.ok(agent.isUnfinished);
    });
  });
}

suite("the AI SDK", () => {
  test("generateText gives the text and the usage", async () => {
    const { text, usage, finishReason } = await generateText({
      model: compatible(),
      prompt: "What is 2+2?",
      ...SETTINGS,
      maxOutputTokens: 24,
    });
    assert.match(text, /4/);
    assert.equal(usage.inputTokens, counter.prompt([{ role: "user", content: "What is 2+2?" }]));
    assert.equal(finishReason, "stop");
  });

  test("streamText streams, and reports cached tokens", async () => {
    const result = streamText({ model: compatible(), prompt: "What is 2+2?", ...SETTINGS, maxOutputTokens: 24 });
    let pieces = 0;
    for await (const _ of result.textStream) pieces++;
    assert.ok(pieces > 1);
    const { inputTokens, inputTokenDetails } = await result.usage;
    assert.equal(inputTokenDetails.cacheReadTokens, inputTokens - 1);
  });

  test("generateObject returns an object of the schema", async () => {
    const schema = z.object({ answer: z.enum(["yes", "no"]), certain: z.boolean() });
    const { object } = await generateObject({ model: compatible(), schema, prompt: "Is water wet?", ...SETTINGS });
    assert.deepEqual(schema.parse(object), object);
  });
});

// Conversations with a model of Anthropic that thinks, in the real frameworks: the server has signed all thinking that
// comes back to it, and checks what is before it.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage } from "@langchain/core/messages";
import { tool as langchainTool } from "@langchain/core/tools";
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { MockMemory } from "@mastra/core/memory";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { tool as aiTool, generateText, stepCountIs, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { createAgent } from "langchain";
import { z } from "zod";
import { turnfoldMiddleware as aiMiddleware, turnfoldPrepareStep } from "../../dist/adapters/ai-sdk.js";
import { turnfoldMiddleware } from "../../dist/adapters/langchain.js";
import { turnfoldProcessor } from "../../dist/adapters/mastra.js";
import { Conversation } from "../../dist/chat.js";
import { aiSdk } from "../../dist/entries/formats/ai-sdk.js";
import { anthropic } from "../../dist/entries/formats/anthropic.js";
import { seeded } from "../js/random.mjs";
import { Claude } from "../wire/receivers/claude.mjs";
import { Refusal } from "../wire/refusal.mjs";
import { randomParameters, randomReply, words } from "../wire/thinking.mjs";

/** Seeds of a test. */
const CONVERSATIONS = 30;
const description = "Finds parcels.";
const inputSchema = z.object({ query: z.string() });

/** A server with random replies, which remembers the last request and its refusals. */
class Service {
  refusals = [];
  requests = 0;
  #last = {};
  #count = 0;

  /** @param isPlain whether its replies have at most one block of thinking, with a text, at the beginning. */
  constructor(seed, isPlain = false) {
    this.random = seeded(seed);
    this.isPlain = isPlain;
    this.claude = new Claude({ known: new Set(["name"]) });
  }

  /** Answers with random blocks, without calls after many rounds. */
  reply(body) {
    this.requests++;
    this.#last = body;
    const rounds = body.messages.length - body.messages.findLastIndex(({ content }) => typeof content === "string");
    const draw = () => randomReply(this.random, () => `toolu_${++this.#count}`, this.isPlain);
    let blocks = draw();
    while (rounds > 14 && blocks.some(({ type }) => type === "tool_use")) blocks = draw();
    return this.#checked(body, blocks);
  }

  #checked(body, blocks) {
    try {
      return this.claude.reply(body, blocks);
    } catch (error) {
      if (error instanceof Refusal) this.refusals.push(`${error.kind}: ${error.message}`);
      throw error;
    }
  }

  /** Writes summaries. One behind the conversation is sent as the last request was. */
  get llm() {
    return ({ messages, tools }) => {
      if (tools !== undefined) {
        const { messages: sent } = anthropic.to(new Conversation({ messages }));
        this.#checked({ ...this.#last, messages: sent }, [{ type: "text", text: "A summary." }]);
      }
      return `A summary of ${words(this.random, 3)}.`;
    };
  }

  /** Options of an adapter. */
  get options() {
    return { ...randomParameters(this.random), llm: this.llm, onWarning: () => {} };
  }

  question() {
    return words(this.random, 20);
  }

  result() {
    return words(this.random, this.random.chance(0.2) ? 200 : 30);
  }
}

/** Holds conversations; `talk` returns a function that asks a question and returns when it is answered. */
async function hold(talk) {
  let [requests, returned, cuts] = [0, 0, 0];
  for (let seed = 1; seed <= CONVERSATIONS; seed++) {
    const { service, ask } = talk(seed);
    for (let questions = 2 + service.random.below(5); questions > 0; questions--) {
      try {
        await ask(service.question());
      } catch (error) {
        // A history that does not fit.
        if (service.refusals.length === 0 && !/over budget|request_over_budget|may not be left out/.test(String(error)))
          throw error;
        cuts++;
        break;
      }
    }
    assert.deepEqual(service.refusals, [], `seed ${seed}`);
    requests += service.requests;
    returned += service.claude.returned;
  }
  assert.ok(requests > 4 * CONVERSATIONS && returned > requests, `${requests} requests, ${returned} blocks came back`);
  assert.ok(cuts < CONVERSATIONS / 4, `${cuts} conversations ended early`);
}

/** A model of the AI SDK whose provider is the service. */
function aiModel(service, Mock = MockLanguageModelV3) {
  const partOf = ({ type, text, thinking, signature, data, id, name, input }) => {
    if (type === "text") return { type, text };
    if (type === "tool_use") return { type: "tool-call", toolCallId: id, toolName: name, input: JSON.stringify(input) };
    const anthropic = type === "thinking" ? { signature } : { redactedData: data };
    return { type: "reasoning", text: thinking ?? "", providerMetadata: { anthropic } };
  };
  const usage = { inputTokens: { total: 9 }, outputTokens: { total: 3 }, totalTokens: 12 };
  return new Mock({
    provider: "anthropic",
    modelId: "m",
    doGenerate: async ({ prompt, tools }) => {
      const body = {
        model: "m",
        max_tokens: 9,
        thinking: { type: "adaptive" },
        tools: tools?.map(({ name }) => ({ name, input_schema: { type: "object" } })),
        ...anthropic.to(aiSdk.from(prompt)),
      };
      const content = service.reply(body).map(partOf);
      const unified = content.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop";
      return { content, finishReason: { unified, raw: unified }, usage, warnings: [] };
    },
  });
}

suite("thinking that comes back is valid", () => {
  for (const [name, make] of Object.entries({ turnfoldPrepareStep, turnfoldMiddleware: aiMiddleware })) {
    test(`with ${name} of the AI SDK`, async () => {
      await hold((seed) => {
        const service = new Service(seed);
        const made = make(service.options);
        const isStep = make === turnfoldPrepareStep;
        const model = isStep ? aiModel(service) : wrapLanguageModel({ model: aiModel(service), middleware: made });
        const tools = { search: aiTool({ description, inputSchema, execute: async () => service.result() }) };
        const messages = [];
        const ask = async (question) => {
          messages.push({ role: "user", content: question });
          const { response } = await generateText({
            model,
            tools,
            system: "You help customers.",
            messages,
            maxRetries: 0,
            stopWhen: stepCountIs(12),
            ...(isStep && { prepareStep: made }),
          });
          messages.push(...response.messages);
        };
        return { service, ask };
      });
    });
  }

  test("with turnfoldMiddleware of LangChain", async () => {
    await hold((seed) => {
      const service = new Service(seed);
      const fetch = async (_url, { body }) => {
        const content = service.reply(JSON.parse(body));
        const usage = { input_tokens: 9, output_tokens: 3 };
        return Response.json({
          id: `msg_${service.requests}`,
          type: "message",
          role: "assistant",
          model: "m",
          content,
          stop_reason: "end_turn",
          usage,
        });
      };
      const model = new ChatAnthropic({
        model: "m",
        apiKey: "k",
        maxTokens: 9,
        maxRetries: 0,
        thinking: { type: "adaptive" },
        clientOptions: { fetch },
      });
      const tools = [langchainTool(async () => service.result(), { name: "search", description, schema: inputSchema })];
      const { options } = service;
      const agent = createAgent({ model, tools, systemPrompt: "You help.", middleware: [turnfoldMiddleware(options)] });
      let messages = [];
      const ask = async (question) => {
        ({ messages } = await agent.invoke(
          { messages: [...messages, new HumanMessage(question)] },
          { recursionLimit: 99 },
        ));
      };
      return { service, ask };
    });
  });

  test("with turnfoldProcessor of Mastra", async () => {
    await hold((seed) => {
      // Mastra divides an answer with thinking between its calls, and drops thinking without a text.
      const service = new Service(seed, true);
      const storage = new InMemoryStore();
      const search = createTool({ id: "search", description, inputSchema, execute: async () => service.result() });
      const agent = new Agent({
        id: "support",
        name: "Support",
        instructions: "You help customers.",
        model: aiModel(service),
        tools: { search },
        memory: new MockMemory({ storage }),
        inputProcessors: [turnfoldProcessor(service.options)],
      });
      new Mastra({ agents: { agent }, storage, logger: false });
      const options = { memory: { thread: "t", resource: "r" }, maxSteps: 12, modelSettings: { maxRetries: 0 } };
      const ask = (question) => agent.generate(question, options);
      return { service, ask };
    });
  });
});

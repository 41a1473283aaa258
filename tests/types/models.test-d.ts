// The callbacks accept the official clients and models without casts.

import type { OpenAICompatibleProvider } from "@ai-sdk/openai-compatible";
import type Anthropic from "@anthropic-ai/sdk";
import type { GoogleGenAI } from "@google/genai";
import { generateText, jsonSchema, Output, type ToolSet, tool, wrapLanguageModel } from "ai";
import type { OpenAICompatibleProvider as ProviderOfVersion7 } from "ai-sdk-7-openai-compatible";
import type { AzureOpenAI, OpenAI } from "openai";
import { Agent, type LLM, type LLMChunk, type LLMReply, type Retry, SubAgent } from "turnfold";
import { type AISDKModel, aiSdkModel } from "turnfold/models/ai-sdk";
import { anthropicModel } from "turnfold/models/anthropic";
import { fetchModel } from "turnfold/models/fetch";
import { geminiModel } from "turnfold/models/gemini";
import { openaiModel, openaiResponsesModel } from "turnfold/models/openai";

declare const google: GoogleGenAI;
declare const openai: OpenAI;
declare const azure: AzureOpenAI;
declare const claude: Anthropic;
declare const provider: OpenAICompatibleProvider;
declare const later: ProviderOfVersion7;

const model = "m";

export const callbacks: LLM[] = [
  async () => new ReadableStream<string>(),
  () => new ReadableStream<LLMChunk>(),
  async () =>
    (async function* () {
      yield "x";
      yield { text: "y", finishReason: "stop" };
    })(),
  openaiModel(openai, { model }),
  openaiModel(azure, { model, stream: false, temperature: 0, reasoning_effort: "low" }),
  openaiResponsesModel(openai, { model }),
  openaiResponsesModel(azure, { model, stream: false, store: undefined, reasoning: { effort: "low" }, cache: {} }),
  anthropicModel(claude, { model, max_tokens: 1024, thinking: { type: "disabled" } }),
  anthropicModel(claude, { model, cache: null, stream: undefined }),
  geminiModel(google, { model, temperature: 0, thinkingConfig: { thinkingLevel: "low" } }),
  geminiModel(google, { model, stream: false, maxOutputTokens: 1024 }),
  fetchModel("http://localhost:11434/v1", { model, apiKey: undefined, fetch, headers: { "x-title": "mine" } }),
  fetchModel(new URL("http://localhost:11434/v1"), { model, cache: { ttl: "1h" } }),
  aiSdkModel(provider("m")),
  aiSdkModel(later("m")),
  aiSdkModel(wrapLanguageModel({ model: provider("m"), middleware: [] }), { temperature: 0 }),
];

// @ts-expect-error a client of another provider
openaiModel(claude, { model });

// @ts-expect-error model is required
fetchModel("http://localhost:11434/v1", {});

// @ts-expect-error only the AI SDK resolves names of models
export const named: AISDKModel = "openai/gpt-5";

// Optional members may be undefined: a provider's members are passed on.
declare const completion: OpenAI.ChatCompletion;
const { choices, usage } = completion;
export const reply: LLMReply = {
  content: choices[0]?.message.content ?? "",
  finishReason: choices[0]?.finish_reason,
  usage: {
    inputTokens: usage?.prompt_tokens,
    outputTokens: usage?.completion_tokens,
    cacheReadTokens: usage?.prompt_tokens_details?.cached_tokens,
  },
};
export const retry: Retry = { attempts: undefined, delayMs: undefined, when: undefined };
new Agent({ llm: () => reply, maxSteps: undefined, retry: undefined });
new SubAgent({ mission: "Go", llm: () => reply, retry: undefined });

// Schemas have the types of the clients without casts.
export const ask: LLM = async ({ schema, tools = [] }) => {
  await openai.chat.completions.create({
    model,
    messages: [],
    tools: tools.map(({ name, schema }) => ({ type: "function" as const, function: { name, parameters: schema } })),
    ...(schema && { response_format: { type: "json_schema" as const, json_schema: { name: "answer", schema } } }),
  });
  await claude.messages.create({
    model,
    max_tokens: 1,
    messages: [],
    tools: tools.map(({ name, schema }) => ({ name, input_schema: schema })),
    ...(schema && { output_config: { format: { type: "json_schema" as const, schema } } }),
  });
  await openai.responses.create({
    model,
    input: [],
    tools: tools.map(({ name, schema }) => ({ type: "function" as const, name, parameters: schema, strict: false })),
    ...(schema && { text: { format: { type: "json_schema" as const, name: "answer", schema } } }),
  });
  const offered: ToolSet = Object.fromEntries(
    tools.map(({ name, description = "", schema }) => [name, tool({ description, inputSchema: jsonSchema(schema) })]),
  );
  await generateText({
    model: provider("m"),
    prompt: "x",
    tools: offered,
    ...(schema && { output: Output.object({ schema: jsonSchema(schema) }) }),
  });
  return "";
};

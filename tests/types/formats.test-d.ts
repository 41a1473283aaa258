// The results of the converters have the types that the providers' clients accept.

import type Anthropic from "@anthropic-ai/sdk";
import type { GoogleGenAI } from "@google/genai";
import { generateText, type ModelMessage } from "ai";
import type OpenAI from "openai";
import type { ChatMessage, Conversation } from "turnfold";
import { type OpenAIResponsesItem, openai as openaiFormat } from "turnfold/formats/openai";
import { type AISDKMessage, type fromAISDK, toAISDK } from "../../js/formats/ai-sdk.ts";
import { type AnthropicMessages, type fromAnthropic, toAnthropic } from "../../js/formats/anthropic.ts";
import type { detectFormat } from "../../js/formats/detect.ts";
import { type fromGemini, type GeminiMessages, toGemini } from "../../js/formats/gemini.ts";
import { type fromOpenAI, type OpenAIMessage, toOpenAI } from "../../js/formats/openai.ts";
import { expectTrue, type Same } from "./expect.ts";

declare const messages: readonly ChatMessage[];
declare const openai: OpenAI;
declare const anthropic: Anthropic;
declare const google: GoogleGenAI;
declare const model: Parameters<typeof generateText>[0]["model"];

export const forOpenAI: OpenAI.ChatCompletionMessageParam[] = toOpenAI(messages);
export const forAISDK: ModelMessage[] = toAISDK(messages);
const request = toAnthropic(messages);
export const forAnthropic: Anthropic.MessageCreateParams["messages"] = request.messages;
export const system: Anthropic.MessageCreateParams["system"] = request.system ?? "";

export const calls = [
  () => openai.chat.completions.create({ model: "m", messages: toOpenAI(messages) }),
  () => anthropic.messages.create({ model: "m", max_tokens: 1, ...toAnthropic(messages) }),
  () => generateText({ model, messages: toAISDK(messages) }),
  () => {
    const { contents, ...config } = toGemini(messages);
    return google.models.generateContent({ model: "m", contents, config });
  },
];

// Items of the Responses API are converted in both directions, also as the input of the next request.
declare const conversation: Conversation;
declare const response: OpenAI.Responses.Response;
declare const input: OpenAI.Responses.ResponseInputItem[];
export const items: OpenAI.Responses.ResponseInputItem[] = openaiFormat.responses.to(conversation);
export const asInput: OpenAI.Responses.ResponseInput = [...input, ...openaiFormat.responses.to(conversation)];
export const read: Conversation[] = [input, response, response.output, "Hello"].map(openaiFormat.responses.from);
export const request2 = () =>
  openai.responses.create({ model: "m", input: openaiFormat.responses.to(conversation), store: false });
export const item: OpenAIResponsesItem = { role: "user", content: [{ type: "input_text", text: "x" }] };
// @ts-expect-error a result has the id of its call
export const output: OpenAIResponsesItem = { type: "function_call_output", output: "x" };

expectTrue<Same<ReturnType<typeof fromOpenAI>, ChatMessage[]>>();
expectTrue<Same<ReturnType<typeof fromAnthropic>, ChatMessage[]>>();
expectTrue<Same<ReturnType<typeof fromGemini>, ChatMessage[]>>();
expectTrue<Same<ReturnType<typeof fromAISDK>, ChatMessage[]>>();
expectTrue<
  Same<ReturnType<typeof detectFormat>, "openai" | "openai-responses" | "anthropic" | "gemini" | "ai-sdk" | null>
>();

// A message that is written by hand is checked.
export const user: OpenAIMessage = { role: "user", content: [{ type: "text", text: "x" }] };
export const thought: AnthropicMessages["messages"][number] = {
  role: "assistant",
  content: [{ type: "thinking", thinking: "hm", signature: "s" }],
};
export const called: AISDKMessage = {
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: "c", toolName: "f", input: {} }],
};
// @ts-expect-error a result has the id of its call
export const result: OpenAIMessage = { role: "tool", content: "x" };
// @ts-expect-error the model's role is `model`
export const content: GeminiMessages["contents"][number] = { role: "assistant", parts: [{ text: "x" }] };
// @ts-expect-error Anthropic has no role tool
export const tool: AnthropicMessages["messages"][number] = { role: "tool", content: "x" };
// @ts-expect-error a system message of the AI SDK is a text
export const blocks: AISDKMessage = { role: "system", content: [] };
// @ts-expect-error messages of a provider are not messages of a conversation
toAISDK(openai);
// @ts-expect-error messages of one provider are not messages of another
export const wrong: OpenAI.ChatCompletionMessageParam[] = toAISDK(messages);

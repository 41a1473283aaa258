// Bundles the message converters, to test them without the entries that export them.

import { bundled } from "./bundled.mjs";

const {
  fromOpenAI,
  toOpenAI,
  fromAnthropic,
  toAnthropic,
  fromGemini,
  toGemini,
  fromAISDK,
  toAISDK,
  detectFormat,
  correctForOpenAI,
  correctForAnthropic,
  correctForGemini,
  correctForAISDK,
  correctArguments,
} = await bundled("formats", ["openai", "anthropic", "gemini", "ai-sdk", "detect", "provider-corrections"]);

export { detectFormat };

/** A provider's messages without the parts that the provider refuses: the expected result of a round trip. */
export const accepted = {
  openai: (messages) => messages.map(correctForOpenAI),
  anthropic: (request) => correctForAnthropic(Array.isArray(request) ? { messages: request } : request),
  gemini: (request) => correctForGemini(Array.isArray(request) ? { contents: request } : request),
  aiSdk: (messages) => messages.map(correctForAISDK),
  responses: (items) => items.map((item) => (item.type === "function_call" ? correctArguments(item) : item)),
};

/** The converters in both directions, by provider. */
export const formats = {
  openai: { from: fromOpenAI, to: toOpenAI },
  anthropic: { from: fromAnthropic, to: toAnthropic },
  gemini: { from: fromGemini, to: toGemini },
  aiSdk: { from: fromAISDK, to: toAISDK },
};

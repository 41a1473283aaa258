// Bundles the message converters, to test them without the entries that export them.

import { bundled } from "./bundled.mjs";

const {
  fromOpenAI,
  toOpenAI,
  fromAnthropic,
  toAnthropic,
  fromVercel,
  toVercel,
  detectFormat,
  correctForOpenAI,
  correctForAnthropic,
  correctForVercel,
  correctArguments,
} = await bundled("formats", ["openai", "anthropic", "vercel", "detect", "provider-corrections"]);

export { detectFormat };

/** A provider's messages without the parts that the provider refuses: the expected result of a round trip. */
export const accepted = {
  openai: (messages) => messages.map(correctForOpenAI),
  anthropic: (request) => correctForAnthropic(Array.isArray(request) ? { messages: request } : request),
  vercel: (messages) => messages.map(correctForVercel),
  responses: (items) => items.map((item) => (item.type === "function_call" ? correctArguments(item) : item)),
};

/** The converters in both directions, by provider. */
export const formats = {
  openai: { from: fromOpenAI, to: toOpenAI },
  anthropic: { from: fromAnthropic, to: toAnthropic },
  vercel: { from: fromVercel, to: toVercel },
};

// The converters of messages, bundled: what the package exports them from is not what is tested here.

import { bundled } from "./bundled.mjs";

const {
  fromOpenAI,
  toOpenAI,
  fromAnthropic,
  toAnthropic,
  fromVercel,
  toVercel,
  detectFormat,
  acceptedByOpenAI,
  acceptedByAnthropic,
} = await bundled("formats", ["openai", "anthropic", "vercel", "detect", "sendable"]);

export { detectFormat };

/** A provider's messages without what the provider refuses: what comes back of them. */
export const accepted = {
  openai: (messages) => messages.map(acceptedByOpenAI),
  anthropic: (request) => acceptedByAnthropic(Array.isArray(request) ? { messages: request } : request),
  vercel: (messages) => messages,
};

/** Both ways of each provider, by its name. */
export const formats = {
  openai: { from: fromOpenAI, to: toOpenAI },
  anthropic: { from: fromAnthropic, to: toAnthropic },
  vercel: { from: fromVercel, to: toVercel },
};

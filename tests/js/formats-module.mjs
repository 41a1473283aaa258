// The converters of messages, bundled: what the package exports them from is not what is tested here.

import { bundled } from "./bundled.mjs";

const { fromOpenAI, toOpenAI, fromAnthropic, toAnthropic, fromVercel, toVercel, detectFormat } = await bundled(
  "formats",
  ["openai", "anthropic", "vercel", "detect"],
);

export { detectFormat };

/** Both ways of each provider, by its name. */
export const formats = {
  openai: { from: fromOpenAI, to: toOpenAI },
  anthropic: { from: fromAnthropic, to: toAnthropic },
  vercel: { from: fromVercel, to: toVercel },
};

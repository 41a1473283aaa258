import { same } from "./data.ts";

/** The arguments that a model wrote: undefined texts are no arguments, and what is not JSON stays text. */
export function parsedArguments(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    // A number that parses as infinite could not be written back.
    return HUGE.test(text) && !same(JSON.parse(JSON.stringify(value)), value) ? text : value;
  } catch {
    return text;
  }
}

/** Matches every number that may overflow, and some that do not. */
const HUGE = /e\+?\d{3}|\d{300}/i;

/** Arguments as OpenAI's requests have them. */
export function argumentsText(args: unknown): string {
  return JSON.stringify(args ?? {}) ?? "{}";
}

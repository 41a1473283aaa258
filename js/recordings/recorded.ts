import { type Bag, isBag } from "../formats/data.ts";
import type { VercelMessage } from "../formats/vercel.ts";

/** A message of a recording, in the parts of the AI SDK, and when it was written. */
export interface Recorded {
  message: VercelMessage;
  /** A date as text or a number of milliseconds; undefined where the recording has none. */
  at?: unknown;
}

type Parts = Extract<VercelMessage, { role: "assistant" }>["content"];

export const user = (content: unknown, at?: unknown): Recorded => recorded("user", content, at);
export const system = (content: string, at?: unknown): Recorded => recorded("system", content, at);

/** A message of the assistant; none without content. */
export function assistant(parts: readonly Bag[], at?: unknown): Recorded[] {
  return parts.length === 0 ? [] : [recorded("assistant", parts as unknown as Parts, at)];
}

export const text = (given: string): Bag => ({ type: "text", text: given });
export const reasoning = (given: string): Bag => ({ type: "reasoning", text: given });

export function call(toolCallId: string, toolName: string, input: unknown): Bag {
  return { type: "tool-call", toolCallId, toolName, input };
}

/** The result of a call: a text, or a value. */
export function result(toolCallId: string, toolName: string, value: unknown, at?: unknown): Recorded {
  const output = typeof value === "string" ? { type: "text", value } : { type: "json", value: value ?? null };
  return recorded("tool", [{ type: "tool-result", toolCallId, toolName, output }], at);
}

function recorded(role: string, content: unknown, at: unknown): Recorded {
  return { message: { role, content } as VercelMessage, ...(at === undefined ? {} : { at }) };
}

/** The texts of a list of parts, or the text itself. A part without a text is written as JSON. */
export function textOf(content: unknown): string {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content
    .map((part) =>
      typeof part === "string" ? part : isBag(part) && typeof part.text === "string" ? part.text : JSON.stringify(part),
    )
    .join("\n");
}

/** The value of a JSON text, or the text itself. */
export function jsonOf(given: unknown): unknown {
  if (typeof given !== "string") return given ?? {};
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

/** What is wrong with a recording, and where. */
export class Malformed extends Error {}

/** The objects of a list. */
export function bagsOf(given: unknown, path: string): Bag[] {
  if (!Array.isArray(given)) throw new Malformed(`${path} must be a list`);
  return given.map((one, index) => {
    if (!isBag(one)) throw new Malformed(`${path}[${index}] must be an object`);
    return one;
  });
}

/** A text that must be there. */
export function textAt(given: Bag, name: string, path: string): string {
  const found = given[name];
  if (typeof found !== "string") throw new Malformed(`${path}.${name} must be a text`);
  return found;
}

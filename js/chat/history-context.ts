import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { describe } from "../values/describe.ts";
import type { Calibration } from "./calibration.ts";
import type { ChatMessage } from "./chat-message.ts";
import { copyMessages } from "./message-copy.ts";
import { jsonText } from "./message-json.ts";

/** What is sent with the conversation and counted in every limit. */
export interface HistoryContext {
  /**
   * The current request: sent after the conversation and never compressed. Without it, the last question and the last round
   * of calls at the end of the conversation are not changed.
   */
  request?: ChatMessage | readonly ChatMessage[] | undefined;
  /** The tools that the model may call: a list, or an object by names. */
  tools?: unknown;
  /** The schema of the answer. */
  schema?: unknown;
  /**
   * Seconds since the previous request, for `worthIt`: after a long pause it has expired from the provider's cache. Default:
   * from the last answer to the newest message after it, if both have a `timestamp`.
   */
  idleSeconds?: number | undefined;
  /** The calibration of the previous request, with the usage of its reply: counts are scaled to the provider's. */
  calibration?: Calibration | undefined;
}

/**
 * Indexes of consecutive messages, from `start` up to `end` exclusive.
 *
 * @internal
 */
export interface IndexRange {
  start: number;
  end: number;
}

/**
 * The context of a conversation that ends with an exchange, with the position of its question.
 *
 * @internal
 */
export interface ExchangeContext extends HistoryContext {
  question?: IndexRange;
  /** True when no request follows immediately. */
  isIdle?: boolean;
}

/**
 * Returns the messages that are sent after a conversation; null when the host gave none.
 *
 * @internal
 */
export function requestMessages(context: HistoryContext): readonly ChatMessage[] | null {
  return wrapReadErrors("invalid_option", "the context", () => {
    const { request } = context;
    if (request === undefined || request === null) return null;
    return copyMessages(Array.isArray(request) ? request : [request], "request");
  });
}

/**
 * Converts the context for the wasm, without the messages of the request.
 *
 * @internal
 */
export function encodeContext(context: HistoryContext): object {
  return wrapReadErrors("invalid_option", "the context", () => {
    const { tools, schema, question, idleSeconds, isIdle } = context as ExchangeContext;
    const isGiven = (value: unknown) => value !== undefined && value !== null;
    return {
      question,
      idleSeconds: idleSeconds ?? undefined,
      isIdle,
      tools: isGiven(tools) ? toolList(tools).map((tool) => jsonOf("tools", tool)) : undefined,
      schema: isGiven(schema) ? (typeof schema === "string" ? schema : jsonOf("schema", schema)) : undefined,
    };
  });
}

function toolList(tools: unknown): unknown[] {
  if (Array.isArray(tools)) return tools;
  if (typeof tools === "object" && tools !== null) {
    return Object.entries(tools).map(([name, tool]) => ({ name, ...(typeof tool === "object" ? tool : {}) }));
  }
  throw new TurnfoldError("invalid_option", `tools must be a list or an object, got ${describe(tools)}`, {
    details: { option: "tools" },
  });
}

function jsonOf(name: string, value: unknown): string {
  try {
    return jsonText(value) ?? "null";
  } catch (cause) {
    throw new TurnfoldError("invalid_option", `${name} can't be written as JSON`, { details: { option: name }, cause });
  }
}

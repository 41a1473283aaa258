import { pathStep } from "../boundary/encode.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { type CopyProblem, DeepCopier } from "../values/deep-copy.ts";
import { describe, isPlain, isPlainObject } from "../values/describe.ts";
import type { ChatMessage } from "./chat-message.ts";
import { foreignShape, instanceHint } from "./foreign-shapes.ts";
import { viewClass } from "./message-json.ts";

/**
 * Maximum nesting of a message: below the limit for values in the wasm, because there messages are nested in a request.
 */
const MAX_NESTING = 990;

/** A message, for hints. */
const EXAMPLE = '{ role: "user", content: "…" }';

class ObjectItself {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: this adds a private field to an existing object.
    return object;
  }
}

/**
 * Marks messages that are checked, copied and frozen. A private field is used because a `WeakSet` of ten thousand
 * messages takes longer than copying them.
 */
class CheckedMark extends ObjectItself {
  readonly #mark = true;

  static has(object: object): boolean {
    return #mark in object;
  }
}

/**
 * Makes checked, deeply frozen copies of messages. Unknown fields are kept.
 *
 * @param root names the list in errors: `messages` gives `messages[2].content`.
 * @param isConverted true for messages from a converter, which may contain members of the provider's format.
 * @throws {TurnfoldError} `invalid_message`, with `details.path` and the index of the message in `details.index`.
 *
 * @internal
 */
export function copyMessages(messages: unknown, root: string, isConverted = false): ChatMessage[] {
  return wrapReadErrors("invalid_message", root, () => {
    if (!Array.isArray(messages)) {
      throw invalid(root, `must be a list of messages, got ${describe(messages)}`, `[${EXAMPLE}]`);
    }
    let index = 0;
    const copier = new DeepCopier({
      maxLevels: MAX_NESTING,
      isBytes,
      freezes: true,
      refuse: (problem, value, path) => copyError(problem, value, `${root}[${index}]`, path),
    });
    const copies: ChatMessage[] = [];
    const { length } = messages;
    for (; index < length; index++) copies.push(copyMessage(messages[index], copier, root, index, isConverted));
    return copies;
  });
}

function copyMessage(
  message: unknown,
  copier: DeepCopier,
  root: string,
  index: number,
  isConverted: boolean,
): ChatMessage {
  if (typeof message === "object" && message !== null && CheckedMark.has(message)) return message as ChatMessage;
  const path = `${root}[${index}]`;
  try {
    if (typeof message !== "object" || message === null || !isPlain(message)) {
      const hint = typeof message === "object" && message !== null ? instanceHint(message) : null;
      throw invalid(path, `must be a message, got ${describe(message)}`, hint ?? EXAMPLE);
    }
    const copied = copier.copy(message) as Record<string, unknown>;
    checkMessage(copied, path, isConverted);
    return markChecked(copied as unknown as ChatMessage);
  } catch (error) {
    if (TurnfoldError.isInstance(error)) error.details.index = index;
    throw error;
  }
}

/** Numbers messages that must stay together with neighbours of the same number. */
export const unitKey: unique symbol = Symbol("unit");

/** Marks and freezes a message that needs no further check. */
export function markChecked(message: ChatMessage): ChatMessage {
  // Mark before freezing: a future JavaScript may refuse private fields on frozen objects. The value of `new` is the message;
  // it is used, because bundlers remove constructions that are not.
  return Object.freeze(new CheckedMark(message) as object as ChatMessage);
}

const FLAGS = ["pinned", "unfinished"];

function checkMessage(message: Record<string, unknown>, path: string, isConverted: boolean): void {
  const { role, content, toolCalls, toolCallId, timestamp, summary } = message;
  const foreign = foreignShape(message);
  if (foreign !== null) throw foreignFormat(`${path}.${foreign.member}`, foreign.hint);
  if (typeof role !== "string" || role === "") {
    throw invalid(`${path}.role`, `must be a text such as "user", got ${describe(role)}`);
  }
  for (const field of Object.keys(FOREIGN_FIELDS)) {
    if (!isConverted && !hasOriginal(message) && Object.hasOwn(message, field))
      throw foreignFormat(`${path}.${field}`, converterHint(FOREIGN_FIELDS[field] as string));
  }
  if (content !== undefined && content !== null && typeof content !== "string")
    checkParts(content, `${path}.content`, isConverted);
  if (toolCalls !== undefined) checkCalls(toolCalls, `${path}.toolCalls`);
  if (toolCallId !== undefined && typeof toolCallId !== "string") {
    throw invalid(`${path}.toolCallId`, `must be the id of a call, got ${describe(toolCallId)}`);
  }
  if (timestamp !== undefined && Number.isNaN(millisecondsOf(timestamp))) {
    throw invalid(
      `${path}.timestamp`,
      `is no time: ${describe(timestamp)}`,
      "milliseconds since 1970, an ISO text, or a Date",
    );
  }
  for (const flag of FLAGS) {
    if (message[flag] !== undefined && typeof message[flag] !== "boolean") {
      throw invalid(`${path}.${flag}`, `must be true or false, got ${describe(message[flag])}`);
    }
  }
  if (summary !== undefined) checkSummary(summary, `${path}.summary`);
}

/** Members of provider formats; their tool calls would be ignored. */
const FOREIGN_FIELDS: Readonly<Record<string, string>> = {
  tool_calls: "openai",
  tool_call_id: "openai",
  function_call: "openai",
};
const FOREIGN_PARTS: Readonly<Record<string, string>> = { tool_use: "anthropic", tool_result: "anthropic" };

/** True for a message or part that a converter made, also as a copy of the host: it may have members of its format. */
const hasOriginal = (holder: unknown): boolean => isPlainObject((holder as { original?: unknown } | null)?.original);

const converterHint = (format: string): string => `${format}.from(messages) makes a Conversation of them`;

function foreignFormat(path: string, hint: string): TurnfoldError {
  return invalid(path, `is of another shape of messages`, hint);
}

function checkParts(content: unknown, path: string, isConverted: boolean): void {
  if (!Array.isArray(content)) throw invalid(path, `must be a text, a list of parts or null, got ${describe(content)}`);
  content.forEach((part: unknown, index) => {
    const partPath = `${path}[${index}]`;
    const { type, text } = Object(part) as { type?: unknown; text?: unknown };
    if (typeof part !== "object" || Array.isArray(part) || typeof type !== "string") {
      throw invalid(partPath, `must be a part with a type, got ${describe(part)}`, '{ type: "text", text: "…" }');
    }
    if (!isConverted && !hasOriginal(part) && Object.hasOwn(FOREIGN_PARTS, type))
      throw foreignFormat(partPath, converterHint(FOREIGN_PARTS[type] as string));
    if (type === "text" && typeof text !== "string")
      throw invalid(`${partPath}.text`, `must be a text, got ${describe(text)}`);
  });
}

function checkCalls(calls: unknown, path: string): void {
  if (!Array.isArray(calls)) throw invalid(path, `must be a list of { id, name, args }, got ${describe(calls)}`);
  calls.forEach((call: unknown, index) => {
    const { id, name } = Object(call) as { id?: unknown; name?: unknown };
    if (typeof id !== "string" || typeof name !== "string") {
      throw invalid(`${path}[${index}]`, `must be { id, name, args }, got ${describe(call)}`);
    }
  });
}

function checkSummary(summary: unknown, path: string): void {
  const { covers, strategy, followed = 0, tokens = 0 } = Object(summary) as Record<string, unknown>;
  const isCount = (count: unknown) => Number.isSafeInteger(count) && (count as number) >= 0;
  if (!isCount(covers) || !isCount(followed) || !isCount(tokens) || typeof strategy !== "string") {
    throw invalid(path, `must be { covers, strategy }, got ${describe(summary)}`);
  }
}

/**
 * A time in milliseconds since 1970; `NaN` for an invalid one.
 *
 * @internal
 */
export function millisecondsOf(time: unknown): number {
  if (typeof time === "number") return Number.isFinite(time) ? time : Number.NaN;
  return typeof time === "string" || isDate(time) ? new Date(time).getTime() : Number.NaN;
}

function isDate(value: unknown): value is Date {
  return Object.prototype.toString.call(value) === "[object Date]";
}

/** Makes the error for a value that a message can't contain; `path` is its path in the message at `root`. */
function copyError(
  problem: CopyProblem,
  value: unknown,
  root: string,
  path: readonly (string | number)[],
): TurnfoldError {
  const shown = path.slice(0, 8);
  const fullPath = root + shown.map(pathStep).join("") + (shown.length < path.length ? "…" : "");
  if (problem === "cycle") return invalid(fullPath, "holds itself");
  if (problem === "depth") return invalid(fullPath, `is nested more than ${MAX_NESTING} levels deep`);
  const hint = problem === "class" ? "give plain data, bytes, a Date or a URL" : null;
  return invalid(fullPath, `is ${describe(value)}, which no message can hold`, hint);
}

/** True for views of bytes that can be restored from JSON. */
function isBytes(value: object): boolean {
  return ArrayBuffer.isView(value) && viewClass(Object.prototype.toString.call(value).slice(8, -1)) !== undefined;
}

function invalid(path: string, problem: string, hint: string | null = null): TurnfoldError {
  return new TurnfoldError("invalid_message", `${path} ${problem}`, { details: { path }, hint });
}

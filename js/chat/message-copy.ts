import { step } from "../boundary/encode.ts";
import { reading, TurnfoldError } from "../errors.ts";
import { describe, isPlain } from "../values/describe.ts";
import type { ChatMessage } from "./chat-message.ts";

/** Maximum nesting of a message: less than that of values in the wasm, where messages are nested in a request. */
const MAX_NESTING = 990;

class Given {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: this adds a private field to an existing object.
    return object;
  }
}

/**
 * Marks messages that were checked, copied and frozen. A private field is used because a `WeakSet` of ten thousand messages
 * takes longer than copying them.
 */
class Checked extends Given {
  readonly #mark = true;

  static has(object: object): boolean {
    return #mark in object;
  }
}

/**
 * Checked, deeply frozen copies of messages. Unknown fields are kept.
 *
 * @param root names the list in errors: `messages` gives `messages[2].content`.
 * @param isConverted true for messages from a converter, which may contain members of the provider's format.
 * @throws {TurnfoldError} `invalid_message`, with `details.path` and the index of the message in `details.index`.
 *
 * @internal
 */
export function copyMessages(messages: unknown, root: string, isConverted = false): ChatMessage[] {
  return reading("invalid_message", root, () => {
    if (!Array.isArray(messages)) throw invalid(root, `must be a list of messages, got ${describe(messages)}`);
    const copier = new Copier(root);
    const copies: ChatMessage[] = [];
    const { length } = messages;
    for (let index = 0; index < length; index++) {
      copies.push(copyMessage(messages[index], copier, index, isConverted));
    }
    return copies;
  });
}

function copyMessage(message: unknown, copier: Copier, index: number, isConverted: boolean): ChatMessage {
  if (typeof message === "object" && message !== null && Checked.has(message)) return message as ChatMessage;
  copier.index = index;
  const path = copier.root;
  try {
    if (typeof message !== "object" || message === null || !isPlain(message)) {
      throw invalid(path, `must be a message, got ${describe(message)}`, '{ role: "user", content: "…" }');
    }
    const copied = copier.copy(message) as Record<string, unknown>;
    check(copied, path, isConverted);
    return copied as unknown as ChatMessage;
  } catch (error) {
    if (TurnfoldError.isInstance(error)) error.details.index = index;
    throw error;
  }
}

/** Numbers messages that must stay together with neighbours of the same number. */
export const unitKey: unique symbol = Symbol("unit");

/** Freezes and marks a message that needs no check. */
export function known(message: ChatMessage): ChatMessage {
  new Checked(message);
  return Object.freeze(message);
}

function check(message: Record<string, unknown>, path: string, isConverted: boolean): void {
  const { role, content, toolCalls, toolCallId, timestamp, pinned, summary } = message;
  if (typeof role !== "string" || role === "") {
    throw invalid(`${path}.role`, `must be a text such as "user", got ${describe(role)}`);
  }
  for (const field of Object.keys(FOREIGN_FIELDS)) {
    if (!isConverted && Object.hasOwn(message, field))
      throw foreign(`${path}.${field}`, FOREIGN_FIELDS[field] as string);
  }
  if (content !== undefined && content !== null && typeof content !== "string")
    checkParts(content, `${path}.content`, isConverted);
  if (toolCalls !== undefined) checkCalls(toolCalls, `${path}.toolCalls`);
  if (toolCallId !== undefined && typeof toolCallId !== "string") {
    throw invalid(`${path}.toolCallId`, `must be the id of a call, got ${describe(toolCallId)}`);
  }
  if (timestamp !== undefined && Number.isNaN(timeOf(timestamp))) {
    throw invalid(
      `${path}.timestamp`,
      `is no time: ${describe(timestamp)}`,
      "milliseconds since 1970, an ISO text, or a Date",
    );
  }
  if (pinned !== undefined && typeof pinned !== "boolean") {
    throw invalid(`${path}.pinned`, `must be true or false, got ${describe(pinned)}`);
  }
  if (summary !== undefined) checkSummary(summary, `${path}.summary`);
}

/** Members of provider formats whose tool calls would be overlooked. */
const FOREIGN_FIELDS: Readonly<Record<string, string>> = { tool_calls: "openai", tool_call_id: "openai" };
const FOREIGN_PARTS: Readonly<Record<string, string>> = { tool_use: "anthropic", tool_result: "anthropic" };

function foreign(path: string, format: string): TurnfoldError {
  return invalid(path, `is of another shape of messages`, `${format}.from(messages) makes a Conversation of them`);
}

function checkParts(content: unknown, path: string, isConverted: boolean): void {
  if (!Array.isArray(content)) throw invalid(path, `must be a text, a list of parts or null, got ${describe(content)}`);
  content.forEach((part: unknown, index) => {
    const place = `${path}[${index}]`;
    const { type, text } = Object(part) as { type?: unknown; text?: unknown };
    if (typeof part !== "object" || Array.isArray(part) || typeof type !== "string") {
      throw invalid(place, `must be a part with a type, got ${describe(part)}`, '{ type: "text", text: "…" }');
    }
    if (!isConverted && Object.hasOwn(FOREIGN_PARTS, type)) throw foreign(place, FOREIGN_PARTS[type] as string);
    if (type === "text" && typeof text !== "string")
      throw invalid(`${place}.text`, `must be a text, got ${describe(text)}`);
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
  const { covers, strategy } = Object(summary) as { covers?: unknown; strategy?: unknown };
  if (!Number.isSafeInteger(covers) || (covers as number) < 0 || typeof strategy !== "string") {
    throw invalid(path, `must be { covers, strategy }, got ${describe(summary)}`);
  }
}

/**
 * A time in milliseconds since 1970; `NaN` for an invalid one.
 *
 * @internal
 */
export function timeOf(time: unknown): number {
  if (typeof time === "number") return Number.isFinite(time) ? time : Number.NaN;
  return typeof time === "string" || isDate(time) ? new Date(time).getTime() : Number.NaN;
}

function isDate(value: unknown): value is Date {
  return Object.prototype.toString.call(value) === "[object Date]";
}

/** Values that messages may hold beside plain data, for images and files. */
function copyInstance(value: object): object | undefined {
  const tag = Object.prototype.toString.call(value);
  // `slice` of Node's Buffer shares the bytes.
  if (ArrayBuffer.isView(value))
    return tag === "[object DataView]" ? undefined : Uint8Array.prototype.slice.call(value);
  if (tag === "[object ArrayBuffer]") return (value as ArrayBuffer).slice(0);
  if (tag === "[object Date]") return new Date(value as Date);
  if (tag === "[object URL]") return new URL(String(value));
  return undefined;
}

/** Copies messages one at a time and tracks the current path. */
class Copier {
  /** The index of the message. */
  index = 0;
  private readonly list: string;
  private readonly path: (string | number)[] = [];
  private readonly above: object[] = [];

  constructor(list: string) {
    this.list = list;
  }

  get root(): string {
    return `${this.list}[${this.index}]`;
  }

  copy(value: unknown): unknown {
    if (typeof value !== "object" || value === null) {
      if (typeof value !== "function" && typeof value !== "symbol") return value;
      throw this.refuse(`is ${describe(value)}, which no message can hold`);
    }
    const isList = Array.isArray(value);
    if (!isList && !isPlain(value)) {
      const instance = copyInstance(value);
      if (instance !== undefined) return instance;
      throw this.refuse(`is ${describe(value)}, which no message can hold`, "give plain data, bytes, a Date or a URL");
    }
    if (this.above.includes(value)) throw this.refuse("holds itself");
    if (this.above.length >= MAX_NESTING) throw this.refuse(`is nested more than ${MAX_NESTING} levels deep`);
    this.above.push(value);
    const copied = isList ? this.items(value) : this.object(value as Record<string, unknown>);
    this.above.pop();
    // Mark before freezing: a future JavaScript may refuse private fields on frozen objects. A copy that is refused later is
    // never returned.
    if (this.above.length === 0) new Checked(copied);
    return Object.freeze(copied);
  }

  private items(list: readonly unknown[]): unknown[] {
    return Array.from(list, (item, index) => this.member(index, item));
  }

  private object(object: Record<string, unknown>): Record<string, unknown> {
    const copied: Record<string, unknown> = {};
    for (const key of Object.keys(object)) {
      const value = this.member(key, object[key]);
      // Define, do not assign: the name may be that of an inherited setter.
      if (key !== "__proto__") copied[key] = value;
      else Object.defineProperty(copied, key, { value, enumerable: true, writable: true, configurable: true });
    }
    return copied;
  }

  private member(key: string | number, value: unknown): unknown {
    if (typeof value === "string") return value;
    this.path.push(key);
    const copied = this.copy(value);
    this.path.pop();
    return copied;
  }

  private refuse(problem: string, hint: string | null = null): TurnfoldError {
    const shown = this.path.slice(0, 8);
    const path = this.root + shown.map(step).join("") + (shown.length < this.path.length ? "…" : "");
    return invalid(path, problem, hint);
  }
}

function invalid(path: string, problem: string, hint: string | null = null): TurnfoldError {
  return new TurnfoldError("invalid_message", `${path} ${problem}`, { details: { path }, hint });
}

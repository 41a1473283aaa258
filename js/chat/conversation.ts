import { quote } from "../boundary/plain-json.ts";
import { type ConversationHandle, call, generation, send } from "../boundary/wasm.ts";
import { reading, TurnfoldError } from "../errors.ts";
import { describe, isPlain } from "../values/describe.ts";
import type { ChatMessage } from "./chat-message.ts";
import { copyMessages, timeOf, unitKey } from "./message-copy.ts";
import { packed, unpacked } from "./message-json.ts";

/** Something in a history that providers refuse. */
export interface HistoryProblem {
  /**
   * `orphan_result`: a result without its call · `result_before_call` · `duplicate_result` · `duplicate_call_id` ·
   * `unanswered_call`: the conversation went on without the result · `empty_message`
   */
  kind: string;
  /** Of the message. */
  index: number;
  message: string;
}

/** The twin of a conversation on the wasm side, good as long as its instance runs. */
interface Twin {
  handle: ConversationHandle;
  made: number;
}

/** Kept apart from the conversations, so that proxies of them work. */
const twins = new WeakMap<readonly ChatMessage[], Twin>();

const VERSION = 1;

/**
 * A chat's messages: system messages, history and pins. It never changes; `append` and compression give new ones.
 *
 * Messages are copied and frozen. What a message holds beyond the fields of {@link ChatMessage} is kept as it is.
 *
 * @example
 * ```ts
 * const conversation = new Conversation({ messages: [{ role: "system", content: "You help." }] });
 * const next = conversation.append({ role: "user", content: "Hello" });
 * ```
 */
export class Conversation {
  /** From the first one to the last, frozen. */
  declare readonly messages: readonly ChatMessage[];

  /** @throws {TurnfoldError} `invalid_message`, with the place in `details.path`. */
  constructor(init: { messages?: readonly ChatMessage[] } = {}) {
    const messages = reading("invalid_message", "init", () => {
      const isMade = typeof init === "object" && init !== null && !Array.isArray(init);
      const unknown = isMade ? Object.keys(init).find((name) => name !== "messages") : undefined;
      if (isMade && unknown === undefined) return init.messages;
      const given = unknown === undefined ? describe(init) : `${JSON.stringify(unknown)} too`;
      throw new TurnfoldError("invalid_message", `a conversation is made of { messages }, got ${given}`, {
        hint: "new Conversation({ messages: [{ role, content }] })",
      });
    });
    const copied = messages === undefined ? [] : copyMessages(messages, "messages");
    seal(this, copied);
  }

  /**
   * This conversation with more messages behind it, as a new value.
   *
   * @throws {TurnfoldError} `invalid_message`
   */
  append(...messages: ChatMessage[]): Conversation {
    const before = messagesOf(this);
    const more = copyMessages(messages, "messages");
    const next = ofMessages(before.concat(more));
    const twin = twins.get(before);
    if (twin?.made === generation()) {
      adopt(
        next,
        call(() => twin.handle.append(send(records(more)))),
      );
    }
    return next;
  }

  /** Torn pairs of tool calls and results, and what else providers refuse. Empty for a history that is whole. */
  lint(): HistoryProblem[] {
    const problems = JSON.parse(call(() => twinOf(this).lint())) as [string, number, string][];
    return problems.map(([kind, index, message]) => ({ kind, index, message }));
  }

  /** The messages as JSON data, with a version: bytes, dates and URLs in a form of their own. */
  toJSON(): unknown {
    return { version: VERSION, messages: this.messages.map(packed) };
  }

  /**
   * The conversation that {@link Conversation.toJSON} gave, or the text of its JSON.
   *
   * @throws {TurnfoldError} `invalid_conversation`, `unknown_version`, `invalid_message`
   */
  static fromJSON(json: unknown): Conversation {
    return reading("invalid_conversation", "json", () => {
      const saved = typeof json === "string" ? parse(json) : json;
      if (typeof saved !== "object" || saved === null || !isPlain(saved)) throw notSaved(saved);
      const { version, messages } = saved as { version?: unknown; messages?: unknown };
      if (version !== VERSION) {
        throw new TurnfoldError(
          "unknown_version",
          `the conversation has version ${describe(version)}, not ${VERSION}`,
          {
            hint: "read it with the version of turnfold that saved it, or a newer one",
          },
        );
      }
      if (!Array.isArray(messages)) throw notSaved(saved);
      return ofMessages(copyMessages(messages.map(unpacked), "messages", true));
    });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new TurnfoldError("invalid_conversation", "the text of the conversation is not JSON", { cause });
  }
}

function notSaved(given: unknown): TurnfoldError {
  return new TurnfoldError(
    "invalid_conversation",
    `a saved conversation has { version, messages }, got ${describe(given)}`,
    {
      hint: "new Conversation({ messages }) makes one of messages",
    },
  );
}

/**
 * A conversation of messages that were checked before.
 *
 * @internal
 */
export function ofMessages(messages: readonly ChatMessage[]): Conversation {
  const conversation = Object.create(Conversation.prototype) as Conversation;
  seal(conversation, messages);
  return conversation;
}

/** Lists of messages that were checked. */
const lists = new WeakSet<object>();

/** Gives a conversation its messages, for good. */
function seal(conversation: Conversation, messages: readonly ChatMessage[]): void {
  lists.add(messages);
  const value = Object.freeze(messages);
  Object.defineProperty(conversation, "messages", { value, enumerable: true, writable: false, configurable: false });
}

/**
 * Gives a conversation the twin that the wasm side made of the same messages.
 *
 * @internal
 */
export function adopt(conversation: Conversation, handle: ConversationHandle): void {
  twins.set(conversation.messages, { handle, made: generation() });
}

/**
 * The conversation on the wasm side. Only use it within a call.
 *
 * @throws {TurnfoldError} `invalid_argument` for what is no conversation.
 *
 * @internal
 */
export function twinOf(conversation: Conversation): ConversationHandle {
  const messages = messagesOf(conversation);
  const twin = twins.get(messages);
  if (twin?.made === generation()) return twin.handle;
  const handle = call((wasm) => new wasm.ConversationHandle(send(records(messages))));
  twins.set(messages, { handle, made: generation() });
  return handle;
}

/**
 * The messages of a conversation.
 *
 * @throws {TurnfoldError} `invalid_argument`
 *
 * @internal
 */
export function messagesOf(conversation: unknown): readonly ChatMessage[] {
  const messages = reading("invalid_argument", "the conversation", () =>
    conversation instanceof Conversation ? conversation.messages : undefined,
  );
  if (messages !== undefined && lists.has(messages)) return messages;
  throw new TurnfoldError("invalid_argument", `a Conversation is needed, got ${describe(conversation)}`, {
    hint: "new Conversation({ messages }), or openai.from(messages)",
  });
}

/** What ends a field of a record. */
const END = "\0";

/** Messages as the wasm side takes those of a conversation: records of texts as they are, which need no quotes. */
function records(messages: readonly ChatMessage[]): string {
  const fields: string[] = [];
  for (const message of messages) {
    const { role, content, name, toolCalls, toolCallId, toolName, timestamp, pinned, summary } = message;
    const time = timestamp === undefined ? "" : String(Math.floor(timeOf(timestamp)));
    const isText =
      typeof content === "string" &&
      typeof name !== "string" &&
      (toolCalls === undefined || toolCalls.length === 0) &&
      pinned !== true &&
      !(unitKey in message) &&
      summary === undefined &&
      !time.includes("e");
    const tool = typeof toolName === "string" ? toolName : "";
    if (!isText || content.includes(END) || `${role}${toolCallId ?? ""}${tool}`.includes(END)) {
      fields.push("j", described(message));
    } else if (toolCallId === undefined) {
      fields.push("m", role, time, content);
    } else {
      fields.push("r", role, time, content, toolCallId, tool);
    }
  }
  return fields.join(END) + END;
}

/**
 * What the wasm side has to know of messages, as JSON.
 *
 * @internal
 */
export function describedList(messages: readonly ChatMessage[]): string {
  return `[${messages.map(described).join()}]`;
}

function described(message: ChatMessage): string {
  const { role, content, name, toolCalls, toolCallId, toolName, timestamp, pinned, summary } = message;
  let text = `{"role":${quote(role)},"content":${typeof content === "string" ? quote(content) : json(content)}`;
  if (typeof name === "string") text += `,"name":${quote(name)}`;
  if (toolCalls !== undefined && toolCalls.length > 0) text += `,"toolCalls":${json(toolCalls)}`;
  if (toolCallId !== undefined) text += `,"toolCallId":${quote(toolCallId)}`;
  if (typeof toolName === "string") text += `,"toolName":${quote(toolName)}`;
  if (timestamp !== undefined) text += `,"timestamp":${Math.floor(timeOf(timestamp))}`;
  const { [unitKey]: unit } = message as { [unitKey]?: number };
  if (unit !== undefined) text += `,"unit":${unit}`;
  if (pinned === true) text += `,"pinned":true`;
  if (summary !== undefined) text += `,"summary":${json(summary)}`;
  return `${text}}`;
}

/** Numbers that JSON lacks are texts, bytes are only named: it is for counting and for summaries. */
function json(value: unknown): string {
  const text = JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === "bigint") return String(item);
    if (typeof item === "object" && item !== null && (ArrayBuffer.isView(item) || item instanceof ArrayBuffer)) {
      return `[${item.byteLength} bytes]`;
    }
    return item;
  });
  return text === undefined ? "null" : wellFormedJson(text);
}

/** Halves of surrogate pairs, which JSON escapes, can't be sent. */
function wellFormedJson(text: string): string {
  return text.includes("\\ud") ? text.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, "$1\uFFFD") : text;
}

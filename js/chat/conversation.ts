import { HandlePool, HandleSlot } from "../boundary/handles.ts";
import { type ConversationHandle, call, send } from "../boundary/wasm.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { describe, isPlain } from "../values/describe.ts";
import type { ChatMessage } from "./chat-message.ts";
import { copyMessages, millisecondsOf, unitKey } from "./message-copy.ts";
import { decodeMessage, encodeMessage } from "./message-json.ts";
import { checkProvider, type ProviderOptions, providerProblems } from "./provider-rules.ts";
import { type RepairChange, repairMessages } from "./repair.ts";

/** A problem of a history that providers refuse. */
export interface HistoryProblem {
  /**
   * `orphan_result`: a result without its call · `result_before_call` · `duplicate_result` · `duplicate_call_id` ·
   * `unanswered_call`: the conversation continues without the result · `orphan_approval`: the request for an approval
   * without its call, or the response without its request · `empty_message`
   *
   * With a provider also `separated_result`: other messages are between a call and its result · `invalid_call_id` ·
   * `invalid_tool_name`: the name of a called tool · `invalid_arguments`: arguments that are no JSON object ·
   * `unsafe_number`: an integer beyond 2^53 · `lone_surrogate`: half of a character · `starts_with_result`
   *
   * For Anthropic and Gemini `starts_with_assistant` · `consecutive_roles`, and for Anthropic `blank_text_block`, also in
   * results · `empty_error`: a failed or refused call whose result has no text · `ends_in_thinking`: an answer that ends in
   * thinking · `trailing_whitespace`: at the end of an answer to be continued · `too_many_cache_marks`: more than four
   */
  kind: string;
  /** Index of the message. */
  index: number;
  message: string;
}

/** The result of {@link Conversation.repair}. */
export interface Repair {
  conversation: Conversation;
  /** Every change, by the indexes of the messages before it. */
  report: RepairChange[];
}

const pool = new HandlePool("chat", 32 * 2 ** 20);

/** Keyed by the messages, not by the conversations, so that proxies of conversations work. */
const slots = new WeakMap<readonly ChatMessage[], HandleSlot<ConversationHandle>>();

/** The property by which copies of this package recognize each other's conversations. */
const brand: unique symbol = Symbol.for("turnfold.conversation");

const VERSION = 1;

/**
 * The messages of a chat: system messages, history and pinned messages. Immutable; `append` and compression return new ones.
 *
 * Messages are copied and frozen. Members beyond those of {@link ChatMessage} are kept unchanged. Functions of
 * `turnfold` and `turnfold/chat` accept each other's conversations, and `instanceof` is true for both.
 *
 * @example
 * ```ts
 * const conversation = new Conversation({ messages: [{ role: "system", content: "You help." }] });
 * const next = conversation.append({ role: "user", content: "Hello" });
 * ```
 */
export class Conversation {
  /** The messages in order, frozen. */
  declare readonly messages: readonly ChatMessage[];

  /** @throws {TurnfoldError} `invalid_message`, with `details.path`. */
  constructor(init: { messages?: readonly ChatMessage[] } = {}) {
    const messages = wrapReadErrors("invalid_message", "init", () => {
      const isMade = typeof init === "object" && init !== null && !Array.isArray(init);
      const unknown = isMade ? Object.keys(init).find((name) => name !== "messages") : undefined;
      if (isMade && unknown === undefined) return init.messages;
      const given = unknown === undefined ? describe(init) : `${JSON.stringify(unknown)} too`;
      throw new TurnfoldError("invalid_message", `a conversation is made of { messages }, got ${given}`, {
        hint: "new Conversation({ messages: [{ role, content }] })",
      });
    });
    const copied = messages === undefined ? [] : copyMessages(messages, "messages");
    setMessages(this, copied);
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && brand in value;
  }

  /** @internal */
  get [brand](): true {
    return true;
  }

  /**
   * Returns a new conversation with more messages at the end.
   *
   * @throws {TurnfoldError} `invalid_message`
   */
  append(...messages: ChatMessage[]): Conversation {
    return appendAll(this, messages);
  }

  /**
   * Finds separated tool calls and results, and other problems that providers refuse. Empty for a valid history.
   *
   * With a provider, finds everything that it refuses, including what `to` of its format corrects, and calls at the end
   * that have no results yet.
   *
   * @throws {TurnfoldError} `invalid_option`
   *
   * @example
   * ```ts
   * conversation.lint({ provider: "anthropic" }).map(({ kind, index }) => `${index}: ${kind}`);
   * ```
   */
  lint(options: ProviderOptions = {}): HistoryProblem[] {
    const provider = checkProvider(options, "the options of lint");
    const problems = JSON.parse(call("chat", () => handleOf(this).lint())) as HistoryProblem[];
    if (provider === null) return problems;
    const more = providerProblems(messagesOf(this), provider, problems);
    return [...problems, ...more].sort((left, right) => left.index - right.index);
  }

  /**
   * Returns a conversation without the problems that {@link Conversation.lint} finds with the same options, and a
   * report of every change. A conversation without problems is returned unchanged. Deterministic.
   *
   * - Results move directly after their calls; one without a call becomes a text of the user, and so does a second
   *   result of a call. A call without a result gets one that says so; without a provider, a call at the end for
   *   which an approval is requested stays as it is.
   * - Calls with an id that is used twice, or that the provider refuses, get another id, and so do their results.
   * - Of tools that the provider runs, calls without a result and results without a call are removed, and so are
   *   approvals without their call or request: nothing else can take their place. A call that a person refused gets a
   *   result that says so.
   * - Messages without content are removed.
   * - For a provider, integers beyond 2^53 in calls and results become texts, halves of characters U+FFFD, other
   *   characters in the names of called tools `_`, and arguments that are no object the member `input` of one.
   * - For Anthropic, blank texts are removed, and so are thinking at the end of an answer, white space at the end of the
   *   last one, and all marks for the cache but the last four; a failed call without a text gets one.
   * - For Anthropic and Gemini, consecutive messages of one role are joined, and a message of the user is put before an
   *   answer at the beginning.
   *
   * @throws {TurnfoldError} `invalid_option`
   *
   * @example
   * ```ts
   * const { conversation: valid, report } = conversation.repair({ provider: "anthropic" });
   * for (const { index, kind, change } of report) console.log(index, kind, change);
   * ```
   */
  repair(options: ProviderOptions = {}): Repair {
    const provider = checkProvider(options, "the options of repair");
    if (this.lint(provider === null ? {} : { provider }).length === 0) return { conversation: this, report: [] };
    const { messages, report } = repairMessages(messagesOf(this), provider);
    return { conversation: ofMessages(copyMessages(messages, "messages", true)), report };
  }

  /** The messages as JSON data with a version; bytes, dates and URLs are encoded. */
  toJSON(): unknown {
    return { version: VERSION, messages: this.messages.map(encodeMessage) };
  }

  /**
   * Restores a conversation from the result of {@link Conversation.toJSON}, or its JSON text.
   *
   * @throws {TurnfoldError} `invalid_conversation`, `unknown_version`, `invalid_message`
   */
  static fromJSON(json: unknown): Conversation {
    return restoreConversation(json).conversation;
  }
}

/**
 * Returns a conversation with a transcript as JSON data. A message in both is saved once, and the transcript has its
 * index.
 *
 * @internal
 */
export function saveConversation(conversation: Conversation, transcript: readonly ChatMessage[]): unknown {
  const { messages } = conversation;
  const indexes = new Map(messages.map((message, index) => [message, index]));
  const entries = transcript.map((message) => indexes.get(message) ?? encodeMessage(message));
  return { version: VERSION, messages: messages.map(encodeMessage), transcript: entries };
}

/**
 * Restores the conversation, and the transcript if there is one.
 *
 * @throws {TurnfoldError} as {@link Conversation.fromJSON}
 *
 * @internal
 */
export function restoreConversation(json: unknown): {
  conversation: Conversation;
  transcript: readonly ChatMessage[] | null;
  /** The calls that wait, the calibration and the tools found in the checkpoint of an agent, unchecked; null without any. */
  round: unknown;
  foundTools: unknown;
  calibration: unknown;
} {
  return wrapReadErrors("invalid_conversation", "json", () => {
    const saved = typeof json === "string" ? parseJson(json) : json;
    if (typeof saved !== "object" || saved === null || !isPlain(saved)) throw notSavedConversation(saved);
    const { version, messages, transcript = null, ...more } = saved as Record<string, unknown>;
    const { round = null, calibration = null, foundTools = null } = more;
    if (version !== VERSION) {
      throw new TurnfoldError("unknown_version", `the conversation has version ${describe(version)}, not ${VERSION}`, {
        hint: "read it with the version of turnfold that saved it, or a newer one",
      });
    }
    if (!Array.isArray(messages) || !(transcript === null || Array.isArray(transcript)))
      throw notSavedConversation(saved);
    const read = copyMessages(messages.map(decodeMessage), "messages", true);
    const entries = transcript?.map((entry: unknown) =>
      typeof entry === "number" ? read[entry] : decodeMessage(entry),
    );
    return {
      conversation: ofMessages(read),
      transcript: entries === undefined ? null : Object.freeze(copyMessages(entries, "transcript", true)),
      round,
      calibration,
      foundTools,
    };
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new TurnfoldError("invalid_conversation", "the text of the conversation is not JSON", { cause });
  }
}

function notSavedConversation(given: unknown): TurnfoldError {
  return new TurnfoldError(
    "invalid_conversation",
    `a saved conversation has { version, messages }, got ${describe(given)}`,
    {
      hint: "new Conversation({ messages }) makes one of messages",
    },
  );
}

/**
 * Makes a conversation of checked messages.
 *
 * @internal
 */
export function ofMessages(messages: readonly ChatMessage[]): Conversation {
  const conversation = Object.create(Conversation.prototype) as Conversation;
  setMessages(conversation, messages);
  return conversation;
}

/**
 * {@link Conversation.append} for a list, which may be longer than a list of arguments.
 *
 * @internal
 */
export function appendAll(conversation: Conversation, messages: readonly ChatMessage[]): Conversation {
  const current = messagesOf(conversation);
  const more = copyMessages(messages, "messages");
  const next = ofMessages(current.concat(more));
  const slot = slots.get(current);
  const handle = slot?.current;
  if (slot && handle) {
    const json = messagesJson(more);
    setHandleAhead(next, () => handle.append(send(json)), slot.bytes + json.length);
  }
  return next;
}

/** Lists of checked messages. */
const checkedLists = new WeakSet<object>();

/** Sets the messages of a conversation, once. */
function setMessages(conversation: Conversation, messages: readonly ChatMessage[]): void {
  checkedLists.add(messages);
  const value = Object.freeze(messages);
  Object.defineProperty(conversation, "messages", { value, enumerable: true, writable: false, configurable: false });
}

/**
 * Sets the handle of a conversation, which the wasm made of the same messages.
 *
 * @param bytes the size of the messages as JSON.
 *
 * @internal
 */
export function setHandle({ messages }: Conversation, handle: ConversationHandle, bytes: number): ConversationHandle {
  const slot = slots.get(messages) ?? new HandleSlot(pool);
  slots.set(messages, slot);
  return slot.set(handle, bytes);
}

/**
 * Sets the handle of a conversation before it is needed. When the wasm can't make it, because it is out of memory, the
 * first use makes it: the messages, which may have the results of tools, are there without it.
 *
 * @internal
 */
export function setHandleAhead(conversation: Conversation, make: () => ConversationHandle, bytes: number): void {
  let handle: ConversationHandle;
  try {
    handle = call("chat", make);
  } catch {
    return;
  }
  setHandle(conversation, handle, bytes);
}

/**
 * Returns the size of the messages of a conversation as JSON, while it has a handle.
 *
 * @internal
 */
export function sizeOf({ messages }: Conversation): number {
  return slots.get(messages)?.bytes ?? 0;
}

/**
 * Frees the handle of a conversation that is not used again.
 *
 * @internal
 */
export function freeHandle({ messages }: Conversation): void {
  slots.get(messages)?.free();
}

/**
 * The handle of a conversation. Only use it within a call.
 *
 * @throws {TurnfoldError} `invalid_argument` for a value that is not a conversation.
 *
 * @internal
 */
export function handleOf(conversation: Conversation): ConversationHandle {
  const own = localConversation(conversation);
  const current = slots.get(own.messages)?.current;
  if (current) return current;
  const json = messagesJson(own.messages);
  return setHandle(
    own,
    call("chat", (wasm) => new wasm.ConversationHandle(send(json))),
    json.length,
  );
}

/** Conversations of this copy of the package, by the messages of conversations of other copies. */
const localCopies = new WeakMap<object, Conversation>();

/**
 * Returns a conversation of this copy of the package: the given one, or one with copies of its messages.
 *
 * @throws {TurnfoldError} `invalid_argument` for a value that is not a conversation.
 *
 * @internal
 */
export function localConversation(given: unknown): Conversation {
  const messages = wrapReadErrors("invalid_argument", "the conversation", () =>
    given instanceof Conversation ? given.messages : undefined,
  );
  if (Array.isArray(messages)) {
    if (checkedLists.has(messages)) return given as Conversation;
    const known = localCopies.get(messages) ?? ofMessages(copyMessages(messages, "conversation.messages", true));
    localCopies.set(messages, known);
    return known;
  }
  throw new TurnfoldError("invalid_argument", `a Conversation is needed, got ${describe(given)}`, {
    hint: "new Conversation({ messages }), or openai.from(messages)",
  });
}

/**
 * Returns the messages of a conversation.
 *
 * @throws {TurnfoldError} `invalid_argument`
 *
 * @internal
 */
export function messagesOf(conversation: unknown): readonly ChatMessage[] {
  return localConversation(conversation).messages;
}

/**
 * Writes JSON of the members of messages that the wasm reads.
 *
 * @internal
 */
export function messagesJson(messages: readonly ChatMessage[]): string {
  // An own `toJSON` hides one that an old library may add to all arrays.
  const records = Object.assign(messages.map(wireMessage), { toJSON: undefined });
  // One call for all messages takes half the time of one call each; a replacer doubles the time.
  const isJson = messages.every(({ content, toolCalls }) => isJsonData(content) && isJsonData(toolCalls));
  return wellFormedJson(JSON.stringify(records, isJson ? undefined : replaceNonJson));
}

/** True for a value without anything that {@link replaceNonJson} replaces. */
function isJsonData(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return typeof value !== "bigint";
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return false;
  if (Array.isArray(value)) return value.every(isJsonData);
  for (const name in value) if (!isJsonData((value as Record<string, unknown>)[name])) return false;
  return true;
}

function wireMessage(message: ChatMessage): object {
  const { role, content, name, toolCalls, toolCallId, toolName, isError, isDenied, timestamp, pinned, summary } =
    message;
  const { [unitKey]: unit } = message as { [unitKey]?: number };
  return {
    role,
    content,
    name: typeof name === "string" ? name : undefined,
    toolCalls,
    toolCallId,
    toolName: typeof toolName === "string" ? toolName : undefined,
    isError,
    isDenied,
    timestamp: timestamp === undefined ? undefined : Math.floor(millisecondsOf(timestamp)),
    unit,
    pinned,
    summary,
  };
}

/**
 * A replacer: big integers become texts and bytes a note with their hash, because the wasm reads messages only to count,
 * to compare and to summarize them.
 */
function replaceNonJson(_: string, item: unknown): unknown {
  if (typeof item === "bigint") return String(item);
  if (typeof item === "object" && item !== null && (ArrayBuffer.isView(item) || item instanceof ArrayBuffer)) {
    const bytes = ArrayBuffer.isView(item)
      ? new Uint8Array(item.buffer, item.byteOffset, item.byteLength)
      : new Uint8Array(item);
    return `[${bytes.length} bytes ${checksum(bytes)}]`;
  }
  return item;
}

/** The FNV-1a hash of bytes. */
function checksum(bytes: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(36);
}

/** Replaces halves of surrogate pairs, which UTF-8 cannot represent. */
function wellFormedJson(text: string): string {
  return text.includes("\\ud") ? text.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, "$1\uFFFD") : text;
}

import type { ChatMessage } from "./chat-message.ts";
import { jsonText } from "./message-json.ts";

/** A part of a message: an object with a type. */
export type MessagePart = Record<string, unknown> & { type: string };

/** A call of a tool. */
export interface PairedCall {
  /** The index of its message. */
  readonly messageIndex: number;
  readonly id: string;
  readonly name: string;
  result: PairedResult | null;
}

/** The result of a call. */
export interface PairedResult {
  /** The index of its message. */
  readonly messageIndex: number;
  /** The index of its part; null for a message that is a result as a whole. */
  readonly partIndex: number | null;
  readonly id: string;
  readonly name: string;
  call: PairedCall | null;
  /** Why it has no call, or comes before it. */
  problem: "orphan_result" | "duplicate_result" | "result_before_call" | null;
}

/** The calls and results of a list of messages. */
export interface ToolPairs {
  /** By the indexes of messages, in the order of their parts. */
  readonly calls: readonly (readonly PairedCall[])[];
  readonly results: readonly (readonly PairedResult[])[];
  /** By the indexes of messages: the number of messages directly after it with results of its calls. */
  readonly resultMessageCounts: readonly number[];
}

/** Returns the parts of a message's content; none when it is a text. */
export function partsOf({ content }: ChatMessage): readonly MessagePart[] {
  return Array.isArray(content) ? (content as unknown as MessagePart[]) : [];
}

/**
 * Pairs calls with their results as `Conversation.lint` does: a result answers the newest open call with its id, or the
 * oldest open call of its tool when there are no ids. A result before its call is paired too.
 */
export function toolPairs(messages: readonly ChatMessage[]): ToolPairs {
  const open = new Map<string, PairedCall[]>();
  const known = new Set<string>();
  const calls: PairedCall[][] = [];
  const results: PairedResult[][] = [];
  const unpaired: PairedResult[] = [];
  const openOf = ({ id, name }: { id: string; name: string }): PairedCall[] => {
    const key = pairKey(id, name);
    const list = open.get(key) ?? [];
    open.set(key, list);
    return list;
  };
  const pair = (result: PairedResult, isOldest: boolean): boolean => {
    const list = openOf(result);
    const call = isOldest ? list.shift() : list.pop();
    if (call === undefined) return false;
    result.call = call;
    call.result = result;
    return true;
  };
  for (const [messageIndex, message] of messages.entries()) {
    const [called, answered]: [PairedCall[], PairedResult[]] = [[], []];
    const addCall = (id: string, name: string): void => {
      const call: PairedCall = { messageIndex, id, name, result: null };
      called.push(call);
      openOf(call).push(call);
      known.add(pairKey(id, name));
    };
    const addResult = (partIndex: number | null, id: string, name: string): void => {
      const result: PairedResult = { messageIndex, partIndex, id, name, call: null, problem: null };
      answered.push(result);
      if (!pair(result, id === "")) {
        result.problem = known.has(pairKey(id, name)) ? "duplicate_result" : "orphan_result";
        unpaired.push(result);
      }
    };
    if (message.toolCallId !== undefined) addResult(null, message.toolCallId, textOf(message.toolName ?? message.name));
    for (const [index, part] of partsOf(message).entries()) {
      if (part.type === "tool-call") addCall(textOf(part.toolCallId), textOf(part.toolName));
      if (part.type === "tool-result") addResult(index, textOf(part.toolCallId), textOf(part.toolName));
    }
    for (const { id, name } of message.toolCalls ?? []) addCall(id, name);
    calls.push(called);
    results.push(answered);
  }
  for (const result of unpaired) if (pair(result, true)) result.problem = "result_before_call";
  return { calls, results, resultMessageCounts: countResultMessages(messages, calls, results) };
}

function pairKey(id: string, name: string): string {
  return id === "" ? `tool ${name}` : `id ${id}`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** True for a result that follows its call in the same message, like results of tools that a provider runs. */
export function isInSameMessage(result: PairedResult): boolean {
  return result.call?.messageIndex === result.messageIndex && result.problem === null;
}

/**
 * Counts for each message the messages directly after it that contain only results of its calls; the last of them may
 * contain more.
 */
function countResultMessages(
  messages: readonly ChatMessage[],
  calls: readonly PairedCall[][],
  results: readonly PairedResult[][],
): number[] {
  return messages.map((_, messageIndex) => {
    let left = (calls[messageIndex] as PairedCall[]).filter(
      ({ result }) => result === null || !isInSameMessage(result),
    ).length;
    let count = 0;
    while (left > 0) {
      const next = messageIndex + count + 1;
      const own = (results[next] ?? []).filter((result) => !isInSameMessage(result));
      if (
        own.length === 0 ||
        own.some((result) => result.call?.messageIndex !== messageIndex || result.problem !== null)
      )
        break;
      const isMixed = hasOtherContent(messages[next] as ChatMessage);
      // Results after other content are separated from their call.
      if (isMixed && own.length < left) break;
      left -= own.length;
      count++;
      if (isMixed) break;
    }
    return count;
  });
}

/** True for a message with content or calls besides its results. */
export function hasOtherContent(message: ChatMessage): boolean {
  if ((message.toolCalls ?? []).length > 0) return true;
  return message.toolCallId === undefined && partsOf(message).some(({ type }) => type !== "tool-result");
}

/** Returns the output of a tool as text, with images and files as their types. */
export function outputText(output: unknown): string {
  if (typeof output === "string") return output;
  const { value = output } = Object(output) as { value?: unknown };
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return jsonText(value) ?? "";
  return value
    .map((item: unknown) => {
      const { type, text } = Object(item) as { type?: unknown; text?: unknown };
      if (typeof text === "string") return text;
      return typeof type === "string" ? `[${type}]` : (jsonText(item) ?? "");
    })
    .join("\n");
}

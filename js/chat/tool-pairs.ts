import type { ChatMessage } from "./chat-message.ts";
import { jsonText } from "./message-json.ts";

/** A part of a message: an object with a type. */
export type Part = Record<string, unknown> & { type: string };

/** A call of a tool. */
export interface Call {
  /** The index of its message. */
  readonly at: number;
  readonly id: string;
  readonly name: string;
  result: Result | null;
}

/** The result of a call. */
export interface Result {
  /** The index of its message. */
  readonly at: number;
  /** The index of its part; null for a message that is a result as a whole. */
  readonly part: number | null;
  readonly id: string;
  readonly name: string;
  call: Call | null;
  /** Why it has no call, or comes before it. */
  problem: "orphan_result" | "duplicate_result" | "result_before_call" | null;
}

/** The calls and results of a list of messages. */
export interface ToolPairs {
  /** By the indexes of messages, in the order of their parts. */
  readonly calls: readonly (readonly Call[])[];
  readonly results: readonly (readonly Result[])[];
  /** By the indexes of messages: the number of messages directly after it with results of its calls. */
  readonly answers: readonly number[];
}

/** Returns the parts of a message's content; none when it is a text. */
export function partsOf({ content }: ChatMessage): readonly Part[] {
  return Array.isArray(content) ? (content as unknown as Part[]) : [];
}

/**
 * Pairs calls with their results as `Conversation.lint` does: a result answers the newest open call with its id, or the
 * oldest open call of its tool when there are no ids. A result before its call is paired too.
 */
export function toolPairs(messages: readonly ChatMessage[]): ToolPairs {
  const open = new Map<string, Call[]>();
  const known = new Set<string>();
  const calls: Call[][] = [];
  const results: Result[][] = [];
  const unpaired: Result[] = [];
  const openOf = ({ id, name }: { id: string; name: string }): Call[] => {
    const key = keyOf(id, name);
    const list = open.get(key) ?? [];
    open.set(key, list);
    return list;
  };
  const pair = (result: Result, isOldest: boolean): boolean => {
    const list = openOf(result);
    const call = isOldest ? list.shift() : list.pop();
    if (call === undefined) return false;
    result.call = call;
    call.result = result;
    return true;
  };
  for (const [at, message] of messages.entries()) {
    const [called, answered]: [Call[], Result[]] = [[], []];
    const addCall = (id: string, name: string): void => {
      const call: Call = { at, id, name, result: null };
      called.push(call);
      openOf(call).push(call);
      known.add(keyOf(id, name));
    };
    const addResult = (part: number | null, id: string, name: string): void => {
      const result: Result = { at, part, id, name, call: null, problem: null };
      answered.push(result);
      if (!pair(result, id === "")) {
        result.problem = known.has(keyOf(id, name)) ? "duplicate_result" : "orphan_result";
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
  return { calls, results, answers: answersOf(messages, calls, results) };
}

function keyOf(id: string, name: string): string {
  return id === "" ? `tool ${name}` : `id ${id}`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** True for a result that follows its call in the same message, like results of tools that a provider runs. */
export function isWithin(result: Result): boolean {
  return result.call?.at === result.at && result.problem === null;
}

/**
 * Counts for each message the messages directly after it that contain only results of its calls; the last of them may
 * contain more.
 */
function answersOf(messages: readonly ChatMessage[], calls: readonly Call[][], results: readonly Result[][]): number[] {
  return messages.map((_, at) => {
    let left = (calls[at] as Call[]).filter(({ result }) => result === null || !isWithin(result)).length;
    let count = 0;
    while (left > 0) {
      const next = at + count + 1;
      const own = (results[next] ?? []).filter((result) => !isWithin(result));
      if (own.length === 0 || own.some((result) => result.call?.at !== at || result.problem !== null)) break;
      const isMixed = hasMore(messages[next] as ChatMessage);
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
export function hasMore(message: ChatMessage): boolean {
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

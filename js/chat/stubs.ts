import type { ModelToolCall } from "../model/model.ts";
import type { ChatMessage } from "./chat-message.ts";
import { markChecked } from "./message-copy.ts";
import { isAnyCall, isAnyResult, type MessagePart } from "./tool-pairs.ts";

/**
 * A message with stubs in some of its parts.
 *
 * @internal
 */
export type StubbedMessage = { index: number; stubs: Stub[] };
/**
 * A text in place of a result, by its index among the results of its message, or a JSON object in place of arguments, by
 * the index of their call among the calls.
 */
type Stub = { result: number; text: string } | { call: number; args: string };

/** Messages as they were before some of their parts were replaced. */
const originals = new WeakMap<ChatMessage, ChatMessage>();

/**
 * Returns a message with all results and arguments that stubs replaced.
 *
 * @internal
 */
export const withoutStubs = (message: ChatMessage): ChatMessage => originals.get(message) ?? message;

/**
 * Replaces results and arguments of a message by stubs.
 *
 * @internal
 */
export function withStubs(message: ChatMessage, stubbed: StubbedMessage): ChatMessage {
  const copy = replaceResults(replaceArguments(message, stubbed), stubbed);
  if (copy !== message) originals.set(copy, withoutStubs(message));
  return copy;
}

function replaceArguments(message: ChatMessage, { stubs }: StubbedMessage): ChatMessage {
  const texts = new Map(stubs.flatMap((stub) => ("call" in stub ? [[stub.call, stub.args]] : [])));
  if (texts.size === 0) return message;
  let callIndex = 0;
  const replace = <T extends object>(holder: T, name: keyof T): T => {
    const text = texts.get(callIndex++);
    if (text === undefined) return holder;
    const args = typeof holder[name] === "string" ? text : Object.freeze(JSON.parse(text));
    return Object.freeze({ ...holder, [name]: args });
  };
  const { content, toolCalls } = message;
  const parts = (content: MessagePart[]) => content.map((part) => (isAnyCall(part) ? replace(part, "input") : part));
  return markChecked({
    ...message,
    ...(Array.isArray(content) && { content: Object.freeze(parts(content as MessagePart[])) }),
    ...(toolCalls && { toolCalls: Object.freeze(toolCalls.map((call) => replace(call, "args"))) as ModelToolCall[] }),
  });
}

function replaceResults(message: ChatMessage, { stubs }: StubbedMessage): ChatMessage {
  const texts = new Map(stubs.flatMap((stub) => ("result" in stub ? [[stub.result, stub.text]] : [])));
  if (texts.size === 0) return message;
  const isAnswer = message.toolCallId !== undefined;
  const own = isAnswer ? texts.get(0) : undefined;
  const { content } = message;
  if (!Array.isArray(content)) return own === undefined ? message : markChecked({ ...message, content: own });
  let resultIndex = isAnswer ? 1 : 0;
  const parts = (content as MessagePart[]).map((part) => {
    const text = isAnyResult(part) ? texts.get(resultIndex++) : undefined;
    return text === undefined ? part : Object.freeze({ ...part, output: outputWithText(part.output, text) });
  });
  if (own === undefined) return markChecked({ ...message, content: Object.freeze(parts) });
  // The whole content is the result, images included.
  const others = parts.filter((part) => part.type === "tool-call" || isAnyResult(part));
  const replaced = others.length === 0 ? own : Object.freeze([Object.freeze({ type: "text", text: own }), ...others]);
  return markChecked({ ...message, content: replaced });
}

/** Returns a text in the form of a tool's output: a failure stays a failure, and a denial a denial. */
function outputWithText(output: unknown, text: string): unknown {
  if (Array.isArray(output)) return Object.freeze([Object.freeze({ type: "text", text })]);
  if (typeof output !== "object" || output === null) return text;
  const { type, isError } = output as { type?: unknown; isError?: unknown };
  if (type === "execution-denied") return Object.freeze({ type, reason: text });
  const isFailure = type === "error-text" || type === "error-json" || isError === true;
  return Object.freeze({ type: isFailure ? "error-text" : "text", value: text });
}

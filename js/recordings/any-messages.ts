import { parseArguments } from "../chat/call-arguments.ts";
import type { ChatMessage } from "../chat/chat-message.ts";
import { isPlainObject, type PlainObject } from "../formats/data.ts";
import { isGemini, isResponses } from "../formats/detect.ts";
import { openai } from "../formats/openai-format.ts";
import { objectsIn } from "../formats/tool-parts.ts";
import { geminiMessages } from "./gemini.ts";
import { langChainReader } from "./langchain.ts";
import { readMessages } from "./messages.ts";
import {
  callPart,
  chatOfMessages,
  type RecordedMessage,
  reasoningPart,
  resultMessage,
  systemMessage,
  textOf,
  textPart,
  userMessage,
} from "./recorded-message.ts";

/**
 * Reads messages that a trace has of a request or of its reply, in whatever format: a text, a message, a list of them,
 * an object with such a list, or one of these as JSON.
 *
 * @param role that of a text.
 */
export function messagesOfAny(given: unknown, role: "user" | "assistant"): readonly ChatMessage[] {
  const data = jsonIn(given);
  if (typeof data === "string") return data === "" ? [] : [{ role, content: data }];
  if (isPlainObject(data) && ("role" in data || langChainReader.recognizes([data]))) return messagesOfAny([data], role);
  const [body, list] = isPlainObject(data)
    ? [data, listIn(data)]
    : [{}, Array.isArray(data) ? data.flat().map(jsonIn) : null];
  if (list === null || list.length === 0) return [];
  if (list.every((one) => typeof one === "string")) return list.map((content) => ({ role, content }));
  if (langChainReader.recognizes(list)) return langChainReader.read(list as never)[0]?.conversation.messages ?? [];
  if (list.some(isTelemetry)) return messagesOfTelemetry(list);
  if (isGemini(list)) return geminiMessages({ ...body, contents: list });
  const { instructions } = body;
  if (isResponses(list))
    return openai.responses.from({ input: list, ...(instructions === undefined ? {} : { instructions }) }).messages;
  return readMessages(list, body)?.chat.conversation.messages ?? messagesOfTelemetry(list);
}

/** The messages of a request or a response. */
function listIn({
  messages,
  input,
  prompts,
  contents,
  output,
  choices,
  message,
  candidates,
}: PlainObject): unknown[] | null {
  const replies = objectsIn(choices ?? candidates)
    .slice(0, 1)
    .map((choice) => choice.message ?? choice.content);
  if (replies.length > 0) return replies;
  const given = messages ?? contents ?? input ?? prompts ?? output ?? message;
  return given === undefined ? null : [jsonIn(given)].flat(2);
}

/** Returns the data of a text that is a JSON object or list, and anything else as it is. */
export function jsonIn(given: unknown): unknown {
  if (typeof given !== "string" || !/^\s*[[{]/.test(given)) return given;
  try {
    return JSON.parse(given) as unknown;
  } catch {
    return given;
  }
}

/** True for a message with parts as OpenTelemetry writes them. */
const isTelemetry = (message: unknown): boolean =>
  isPlainObject(message) &&
  objectsIn(message.parts).some(
    ({ type, content }) => /^tool_call/.test(String(type)) || (type === "text" && content !== undefined),
  );

/**
 * Converts messages whose members and parts have the names of several formats, as instrumentations write them: calls and
 * results in parts or beside them, arguments as text or data.
 */
export function messagesOfTelemetry(given: unknown): readonly ChatMessage[] {
  const names = new Map<string, string>();
  const recorded = objectsIn(given).flatMap((message): RecordedMessage[] => {
    const spoken: PlainObject[] = [];
    const results: RecordedMessage[] = [];
    const { role, content = message.contents, parts = content, tool_calls: calls } = message;
    const id = message.tool_call_id ?? (role === "tool" ? message.id : undefined);
    for (const part of partsOf(parts)) {
      const kind = String(part.type);
      if (/result|response|output$/.test(kind)) {
        const callId = text(part.tool_use_id ?? part.tool_call_id ?? part.toolCallId ?? part.call_id ?? part.id ?? id);
        results.push(
          resultMessage(
            callId,
            names.get(callId) ?? text(part.name ?? part.toolName),
            textOf(part.response ?? part.result ?? part.content ?? part.output),
          ),
        );
      } else if (/call|tool_use/.test(kind)) spoken.push(callOf(part, names));
      else if (/reasoning|thinking/.test(kind))
        spoken.push(reasoningPart(textOf(part.content ?? part.text ?? part.thinking)));
      else spoken.push(textPart(textOf(part.content ?? part.text ?? part)));
    }
    for (const call of objectsIn(calls)) spoken.push(callOf(call, names));
    const said = textOf(spoken);
    switch (role) {
      case "assistant":
      case "ai":
      case "model":
        return [{ message: { role: "assistant", content: spoken } as unknown as RecordedMessage["message"] }];
      case "thinking":
        return [
          { message: { role: "assistant", content: [reasoningPart(said)] } as unknown as RecordedMessage["message"] },
        ];
      case "system":
      case "developer":
        return [systemMessage(said)];
      case "tool":
      case "function":
        return results.length > 0
          ? results
          : [resultMessage(text(id), names.get(text(id)) ?? text(message.name), said)];
      default:
        return [...results, ...(spoken.length > 0 ? [userMessage(spoken)] : [])];
    }
  });
  return chatOfMessages(recorded)?.conversation.messages ?? [];
}

const text = (given: unknown): string => (typeof given === "string" ? given : "");

/** The parts of a content: of a list, also as JSON, of one part, or of a text. */
function partsOf(given: unknown): PlainObject[] {
  const data = jsonIn(given);
  const isParts = Array.isArray(data) && data.every((part) => isPlainObject(part) && typeof part.type === "string");
  if (isParts) return data as PlainObject[];
  return given === undefined || given === null || given === "" ? [] : [{ type: "text", content: given }];
}

/** The part of a call, and notes its name. */
function callOf(call: PlainObject, names: Map<string, string>): PlainObject {
  const { name = call.toolName, arguments: args = call.args ?? call.input } = isPlainObject(call.function)
    ? call.function
    : call;
  const id = text(call.id ?? call.toolCallId ?? call.tool_call_id);
  names.set(id, text(name));
  return callPart(id, text(name), typeof args === "string" ? parseArguments(args) : (args ?? {}));
}

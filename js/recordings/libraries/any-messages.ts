import { parseArguments } from "../../chat/call-arguments.ts";
import type { ChatMessage } from "../../chat/chat-message.ts";
import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { isGemini, isResponses } from "../../formats/detect.ts";
import { openai } from "../../formats/openai-format.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import type { ReplyFacts } from "../reading/recorded-chat.ts";
import {
  assistantMessages,
  callPart,
  chatOfMessages,
  type RecordedMessage,
  reasoningPart,
  resultMessage,
  systemMessage,
  textOf,
  textPart,
  userMessage,
} from "../reading/recorded-message.ts";
import { jsonIn } from "../reading/values.ts";
import { geminiMessages } from "./gemini.ts";
import { langChainReader } from "./langchain.ts";
import { conversationIn } from "./messages.ts";

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
  // Replies that were put together of a stream may have no role.
  if (isPlainObject(data) && (typeof data.content === "string" || Array.isArray(data.tool_calls)))
    return messagesOfAny([{ ...data, role }], role);
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
  return conversationIn(list, body)?.[1].messages ?? messagesOfTelemetry(list);
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

/** True for a message with parts as OpenTelemetry writes them. */
const isTelemetry = (message: unknown): boolean =>
  isPlainObject(message) &&
  objectsIn(message.parts).some(
    ({ type, content }) => /^tool_call/.test(String(type)) || (type === "text" && content !== undefined),
  );

/**
 * Converts messages whose members and parts have the names of several formats, as instrumentations and agents write them:
 * calls and results in parts or beside them, arguments as text or data.
 *
 * @param factsOf what a message says of the request whose reply it is.
 */
export function recordedMessages(
  given: unknown,
  factsOf: (message: PlainObject) => ReplyFacts = () => ({}),
): RecordedMessage[] {
  const names = new Map<string, string>();
  return objectsIn(given).flatMap((message) => {
    const spoken: PlainObject[] = [];
    const results: RecordedMessage[] = [];
    const { role, content = message.contents, parts = content, tool_calls: calls } = message;
    const id = text(message.tool_call_id ?? (role === "tool" ? message.id : undefined));
    for (const part of partsOf(parts)) {
      if (isResult(part)) results.push(resultOf(part, id, names));
      // The AI SDK 7 has parts of providers without their content.
      else if (part.type !== "custom") spoken.push(spokenOf(part, names));
    }
    for (const call of objectsIn(calls)) spoken.push(callOf(call, names));
    const said = textOf(spoken);
    switch (role) {
      case "assistant":
      case "ai":
      case "model":
        return assistantMessages(spoken).map((one) => ({ ...one, ...factsOf(message) }));
      case "thinking":
        return assistantMessages([reasoningPart(said)]);
      case "system":
      case "developer":
        return [systemMessage(said)];
      case "tool":
      case "function":
        return results.length > 0
          ? results
          : [resultMessage(id, names.get(id) ?? text(message.name ?? message.function), said)];
      default:
        return [...results, ...(spoken.length > 0 ? [userMessage(spoken)] : [])];
    }
  });
}

/** Converts the messages of {@link recordedMessages} without what they say of requests. */
export function messagesOfTelemetry(given: unknown): readonly ChatMessage[] {
  return chatOfMessages(recordedMessages(given))?.conversation.messages ?? [];
}

const isResult = ({ type }: PlainObject): boolean => /result|response|output$/.test(String(type));

function resultOf(part: PlainObject, otherId: string, names: ReadonlyMap<string, string>): RecordedMessage {
  const id = text(part.tool_use_id ?? part.tool_call_id ?? part.toolCallId ?? part.call_id ?? part.id ?? otherId);
  const content = part.response ?? part.result ?? part.content ?? part.output;
  return resultMessage(id, names.get(id) ?? text(part.name ?? part.toolName), textOf(content));
}

/** The part of a message that is a text, reasoning or a call; other parts are written as JSON. */
function spokenOf(part: PlainObject, names: Map<string, string>): PlainObject {
  const kind = String(part.type);
  // Inspect has tools of providers with their results under this name.
  if (/call|tool_use/.test(kind) && part.tool_type === undefined) return callOf(part, names);
  if (/reasoning|thinking/.test(kind))
    return reasoningPart(
      textOf(
        (part.redacted === true ? (part.summary ?? "") : part.reasoning) ?? part.content ?? part.text ?? part.thinking,
      ),
    );
  return textPart(textOf(part.content ?? part.text ?? part));
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
  const given = isPlainObject(call.function) ? call.function : call;
  const { name = call.function ?? call.toolName, arguments: args = call.args ?? call.input } = given;
  const id = text(call.call_id ?? call.id ?? call.toolCallId ?? call.tool_call_id);
  names.set(id, text(name));
  return callPart(id, text(name), typeof args === "string" ? parseArguments(args) : (args ?? {}));
}

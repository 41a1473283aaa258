import { parseArguments } from "../../chat/call-arguments.ts";
import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { resultPart } from "../reading/answers.ts";
import { factsOf } from "../reading/message-facts.ts";
import type { RecordingReader } from "../reading/reader.ts";
import {
  assistantMessages,
  callPart,
  chatsOfMessages,
  jsonOf,
  type RecordedMessage,
  reasoningPart,
  resultMessage,
  systemMessage,
  textOf,
  textPart,
  userMessage,
} from "../reading/recorded-message.ts";

const isMessage = (given: unknown): boolean =>
  isPlainObject(given) && /^(?:request|response)$/.test(String(given.kind)) && Array.isArray(given.parts);

/** Reads the messages of a run of Pydantic AI, such as `result.all_messages_json()`. */
export const pydanticAIReader: RecordingReader = {
  format: "pydantic-ai",
  recognizes: (given) => Array.isArray(given) && given.length > 0 && given.every(isMessage),
  read(list: PlainObject[]) {
    // Each request repeats the instructions, which are not in its parts.
    const instructions = textOf(list.map((message) => message.instructions).find(Boolean));
    const prompt = instructions === "" ? [] : [systemMessage(instructions)];
    return chatsOfMessages([[...prompt, ...list.flatMap(fromMessage)]]);
  },
};

function fromMessage(message: PlainObject): RecordedMessage[] {
  const parts = objectsIn(message.parts);
  if (message.kind === "request") return parts.flatMap((part) => fromRequestPart(part, message.timestamp));
  const { provider_response_id: id } = message;
  const facts = { ...factsOf(message), ...(typeof id === "string" ? { id } : {}) };
  return assistantMessages(parts.flatMap(fromResponsePart)).map((reply) => ({ ...reply, ...facts }));
}

const dataText = (content: unknown): string =>
  typeof content === "string" ? content : jsonOf(content ?? "", "content");

function fromRequestPart(part: PlainObject, sent: unknown): RecordedMessage[] {
  const { part_kind: kind, content, tool_name: tool, tool_call_id: id, timestamp: at = sent } = part;
  if (kind === "system-prompt") return [systemMessage(dataText(content), at)];
  // A retry without a tool is what the model reads when its output was refused.
  const isResult = kind === "tool-return" || (kind === "retry-prompt" && typeof tool === "string");
  if (isResult) return [resultMessage(String(id), String(tool), dataText(content), at)];
  if (kind !== "user-prompt" && kind !== "retry-prompt") return [];
  const said = Array.isArray(content) ? (content as unknown[]).map(userPart) : dataText(content);
  return said.length === 0 ? [] : [userMessage(said, at)];
}

/** What the user said: a text, or a file as data or by its address. */
function userPart(given: unknown): PlainObject {
  const { kind, url, data, media_type: mediaType = "application/octet-stream" } = Object(given) as PlainObject;
  if (typeof data === "string") return { type: "file", data, mediaType };
  if (typeof url !== "string") return textPart(dataText(given));
  return kind === "image-url" ? { type: "image", image: url } : textPart(`[${url}]`);
}

function fromResponsePart(part: PlainObject): PlainObject[] {
  const { part_kind: kind, content, tool_name: tool, tool_call_id: id, args } = part;
  switch (kind) {
    case "text":
      return content === "" ? [] : [textPart(dataText(content))];
    case "thinking":
      return [reasoningPart(dataText(content))];
    case "tool-call":
    case "builtin-tool-call": {
      const input = typeof args === "string" ? parseArguments(args) : (args ?? {});
      const call = callPart(String(id), String(tool), input);
      return [kind === "tool-call" ? call : { ...call, providerExecuted: true }];
    }
    case "builtin-tool-return":
      return [resultPart(String(id), String(tool), dataText(content))];
    default:
      return [];
  }
}

import type { LLMRequest } from "../../chat.ts";
import { isPlainObject, type PlainObject, type TypedObject } from "../../formats/data.ts";
import { mediaTypeOf, payloadOf } from "../../formats/media.ts";
import {
  callParts,
  isApproval,
  outcomeOf,
  partRuns,
  readOutput,
  withFailure,
  writeArguments,
} from "../../formats/tool-parts.ts";
import { newItem, plainText } from "./items.ts";

type RequestMessage = LLMRequest["messages"][number];

/**
 * Converts a message of a request to items of the SDK. Calls and results may be parts of the content. Reasoning and the
 * parts of other providers are dropped.
 *
 * @throws {TurnfoldError} `unsupported_part`, `invalid_message`
 */
export function requestItems(message: RequestMessage, index: number): PlainObject[] {
  const { role, content, toolCalls, toolCallId } = message;
  const path = ["messages", index];
  if (typeof toolCallId === "string") {
    const output = withFailure(content, outcomeOf(message as unknown as PlainObject));
    return [resultItem(toolCallId, "tool", outputOf(output))];
  }
  const listed: unknown[] = Array.isArray(content) ? content : [{ type: "text", text: content ?? "" }];
  const spoken = listed.filter(isPlainObject).filter((part) => !isApproval(part));
  const parts = [...spoken, ...callParts(toolCalls, path)] as TypedObject[];
  const items = partRuns(parts, [...path, "content"]).flatMap((run) => {
    if (!run.results) return spokenItems(role, run.parts);
    return run.parts.map(({ part, path: at }) => {
      const { content: output, outcome } = readOutput(part.output as PlainObject, [...at, "output"], "the Agents SDK");
      return resultItem(String(part.toolCallId), String(part.toolName), outputOf(withFailure(output, outcome)));
    });
  });
  return items.length > 0 || role === "tool" ? items : [newItem(role, "")];
}

/** Returns a message with the texts, images and files of some parts, and their calls after it. */
function spokenItems(role: string, parts: readonly { part: TypedObject }[]): PlainObject[] {
  const content = parts.flatMap(({ part }) => contentOf(part));
  const calls = parts.flatMap(({ part }) => (part.type === "tool-call" ? [callItem(part)] : []));
  const isText = role !== "user" || content.every(({ type }) => type === "input_text");
  const text = plainText(content);
  const message = isText ? newItem(role, text) : { type: "message", role, content };
  return isText && text === "" && calls.length > 0 ? calls : [message, ...calls];
}

function callItem({ toolCallId, toolName, input }: PlainObject): PlainObject {
  const args = writeArguments(input);
  return { type: "function_call", callId: toolCallId, name: toolName, arguments: args, status: "completed" };
}

function resultItem(callId: string, name: string, output: unknown): PlainObject {
  return { type: "function_call_result", callId, name, status: "completed", output };
}

/** Returns the output of a tool: a text, or parts if images or files are among them. */
function outputOf(content: unknown): unknown {
  const parts = Array.isArray(content) ? content.filter(isPlainObject).flatMap(contentOf) : [];
  return parts.some(({ type }) => type !== "input_text") ? parts : plainText(content);
}

function contentOf(part: PlainObject): PlainObject[] {
  switch (part.type) {
    case "refusal":
      return [{ type: "input_text", text: String(part.refusal) }];
    case "image":
    case "image-url":
    case "image-data":
      return imageOf(part);
    case "file":
    case "file-url":
    case "file-data":
      return fileOf(part);
    case "reasoning":
      return [];
  }
  return typeof part.text === "string" ? [{ type: "input_text", text: part.text }] : [];
}

function imageOf({ image, url, data, mediaType, detail }: PlainObject): PlainObject[] {
  const source = sourceOf(image ?? url ?? data, mediaType, "image/png");
  return source === null
    ? []
    : [{ type: "input_image", image: source, ...(typeof detail === "string" ? { detail } : {}) }];
}

function fileOf({ data, url, mediaType, filename }: PlainObject): PlainObject[] {
  const source = sourceOf(data ?? url, mediaType, "application/octet-stream");
  if (source === null) return [];
  if (/^data:image\//.test(source)) return [{ type: "input_image", image: source }];
  const file = source.startsWith("data:") ? source : { url: source };
  return [{ type: "input_file", file, ...(typeof filename === "string" ? { filename } : {}) }];
}

/** Returns the URL of an image or file, or a data URL of its bytes; null when there are none. */
function sourceOf(data: unknown, mediaType: unknown, otherwise: string): string | null {
  const payload = payloadOf(data, mediaType);
  if (payload === null || "url" in payload) return payload?.url ?? null;
  return `data:${payload.mediaType ?? mediaTypeOf(payload.base64) ?? otherwise};base64,${payload.base64}`;
}

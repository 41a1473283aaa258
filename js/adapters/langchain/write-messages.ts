import {
  copyData,
  describePart,
  isPlainObject,
  omitMembers,
  type PlainObject,
  partsAt,
  type TypedObject,
} from "../../formats/data.ts";
import { invalidMessage, type MessagePath, unsupportedPart } from "../../formats/format-errors.ts";
import { isImageType, isWholeType, mediaKind, mediaTypeOf, payloadIn } from "../../formats/media.ts";
import { OWN_MEMBERS_KEY, writeOwnMembers } from "../../formats/own-members.ts";
import {
  type CallOutcome,
  callParts,
  checkToolPart,
  isApproval,
  outcomeOf,
  partRuns,
  readOutput,
  spokenParts,
} from "../../formats/tool-parts.ts";

const NAME = "LangChain";

/** The members of a message of LangChain, by its type. */
export interface LangChainRecord {
  type: string;
  members: PlainObject;
}

/**
 * Converts a message of a conversation, of any origin, to messages of LangChain. Each result becomes a message of its
 * own; approvals of calls are dropped.
 *
 * @throws {TurnfoldError} `unsupported_part`, `invalid_message`
 */
export function toLangChain(message: unknown, path: MessagePath): LangChainRecord[] {
  const given = copyData(message, "messages", true) as PlainObject;
  const { role, content = null, toolCalls, toolCallId, name } = given;
  const at = [...path, "content"];
  const kwargs = kwargsOf(given);
  const otherMembers = kwargs === null ? {} : { additional_kwargs: kwargs };
  if (typeof toolCallId === "string") {
    const { toolName = name } = given;
    return [toolMessage(toolCallId, toolName, contentOf(content, at), outcomeOf(given), otherMembers)];
  }
  const type = typeOf(role, path);
  const named = typeof name === "string" ? { name } : {};
  const spoken = spokenParts(given, path, NAME) as TypedObject[];
  if (!Array.isArray(content) && toolCalls === undefined && spoken.length === 0) {
    if (type === "tool")
      throw invalidMessage([...path, "toolCallId"], "the id of the call that it answers", toolCallId);
    return [{ type, members: { content: contentOf(content, at), ...named, ...otherMembers } }];
  }
  const listed = Array.isArray(content) ? content : content === null || content === "" ? [] : [text(String(content))];
  const parts = [...partsAt(listed, at), ...callParts(toolCalls, path), ...spoken];
  const messages: LangChainRecord[] = [];
  for (const run of partRuns(parts, at)) {
    if (run.results) {
      for (const { part, path: partPath } of run.parts) messages.push(resultMessage(part, partPath, otherMembers));
    } else {
      if (type === "tool") {
        if (run.parts.every(({ part }) => isApproval(part))) continue;
        throw invalidMessage([...path, "toolCallId"], "the id of the call that it answers", toolCallId);
      }
      messages.push({ type, members: { ...contentMembers(run.parts, type), ...named, ...otherMembers } });
    }
  }
  if (messages.length > 0 || type === "tool") return messages;
  return [{ type, members: { content: "", ...named, ...otherMembers } }];
}

const text = (given: string): TypedObject => ({ type: "text", text: given });

const TYPES: Readonly<Record<string, string>> = {
  user: "human",
  assistant: "ai",
  system: "system",
  developer: "system",
  tool: "tool",
};

function typeOf(role: unknown, path: MessagePath): string {
  const type = typeof role === "string" && Object.hasOwn(TYPES, role) ? TYPES[role] : undefined;
  if (type !== undefined) return type;
  throw unsupportedPart(
    [...path, "role"],
    JSON.stringify(role),
    NAME,
    "give a message of system, user, assistant or tool",
  );
}

/** Returns the members of this package for `additional_kwargs`, so that they can be read from a saved state. */
function kwargsOf(message: PlainObject): PlainObject | null {
  const own = writeOwnMembers(message);
  const kwargs: PlainObject = {
    ...(message.role === "developer" ? { __openai_role__: "developer" } : {}),
    // The mark that LangChain's own middleware sets on summaries and that user interfaces recognize.
    ...(message.summary === undefined ? {} : { lc_source: "summarization" }),
    ...(own === null ? {} : { [OWN_MEMBERS_KEY]: own }),
  };
  return Object.keys(kwargs).length === 0 ? null : kwargs;
}

function toolMessage(
  id: unknown,
  name: unknown,
  content: unknown,
  outcome: CallOutcome,
  otherMembers: PlainObject,
): LangChainRecord {
  const named = typeof name === "string" && name !== "" ? { name } : {};
  const failed = outcome === "success" ? {} : { status: "error" };
  return { type: "tool", members: { content, tool_call_id: id, ...named, ...failed, ...otherMembers } };
}

function resultMessage(part: TypedObject, path: MessagePath, otherMembers: PlainObject): LangChainRecord {
  checkToolPart(part, path);
  const at = [...path, "output"];
  const { content, outcome } = readOutput(part.output as PlainObject, at, NAME);
  return toolMessage(part.toolCallId, part.toolName, contentOf(content, [...at, "value"]), outcome, otherMembers);
}

/**
 * Returns the content and the calls of one message. A single text next to calls is written as a text instead of a list.
 */
function contentMembers(parts: readonly { part: TypedObject; path: MessagePath }[], type: string): PlainObject {
  const blocks: PlainObject[] = [];
  const calls: PlainObject[] = [];
  const broken: PlainObject[] = [];
  for (const { part, path } of parts) {
    checkToolPart(part, path);
    if (isApproval(part)) continue;
    if (part.type !== "tool-call") blocks.push(blockOf(part, path));
    else if (isPlainObject(part.input)) calls.push({ ...callOf(part), args: part.input, type: "tool_call" });
    else broken.push({ ...callOf(part), args: textOfArguments(part.input), type: "invalid_tool_call" });
  }
  const [first] = blocks;
  const isAlone = calls.length + broken.length > 0 && blocks.length === 1 && isPlainText(first);
  return {
    content: isAlone ? first.text : calls.length + broken.length > 0 && first === undefined ? "" : blocks,
    ...(calls.length > 0 && type === "ai" ? { tool_calls: calls } : {}),
    ...(broken.length > 0 && type === "ai" ? { invalid_tool_calls: broken } : {}),
  };
}

const callOf = ({ toolCallId, toolName }: PlainObject): PlainObject => ({ id: toolCallId, name: toolName });
const textOfArguments = (input: unknown): string => (typeof input === "string" ? input : (JSON.stringify(input) ?? ""));

function isPlainText(block: PlainObject | undefined): block is { type: "text"; text: string } {
  return block?.type === "text" && Object.keys(block).length === 2;
}

function contentOf(content: unknown, path: MessagePath): unknown {
  if (content === null || typeof content === "string") return content ?? "";
  if (!Array.isArray(content)) throw invalidMessage(path, "a text, a list of parts, or null", content);
  return partsAt(content, path).map((part, index) => blockOf(part, [...path, index]));
}

/** Members of parts that are not blocks' own. Blocks of providers are open: LangChain passes them on as they are. */
const PART_MEMBERS = ["original", "providerOptions"];

function blockOf(part: TypedObject, path: MessagePath): PlainObject {
  const kind = mediaKind(part.type);
  if (kind !== undefined) return kind === "image" ? imageBlock(part, path) : fileBlock(part, path);
  const rest = omitMembers(part, PART_MEMBERS);
  switch (part.type) {
    case "reasoning":
      return reasoningBlock(rest);
    case "refusal":
      return text(String(part.refusal));
    case "tool-call":
    case "tool-result":
      throw unsupportedPart(path, describePart(part), NAME, "put calls and results in the content of messages");
  }
  return rest;
}

/** Writes thoughts signed by Anthropic in its form, others as LangChain's standard blocks. */
function reasoningBlock({ text: thought, ...rest }: PlainObject): PlainObject {
  if (typeof rest.redactedData === "string") return { type: "redacted_thinking", data: rest.redactedData };
  if (typeof rest.signature === "string") return { ...rest, type: "thinking", thinking: thought };
  return { ...rest, reasoning: thought };
}

/** Writes an image in the form of OpenAI, which all chat models of LangChain convert. */
function imageBlock(part: PlainObject, path: MessagePath): PlainObject {
  const payload = payloadIn(part, path, NAME);
  const detail = typeof part.detail === "string" ? { detail: part.detail } : {};
  if ("url" in payload) return { type: "image_url", image_url: { url: payload.url, ...detail } };
  const mediaType = payload.mediaType ?? mediaTypeOf(payload.base64) ?? "image/png";
  return { type: "image_url", image_url: { url: `data:${mediaType};base64,${payload.base64}`, ...detail } };
}

/**
 * Writes a file as a standard block of LangChain, which its chat models convert. Their converters refuse half of a media
 * type, such as `audio`, and do without one for URLs.
 */
function fileBlock(part: PlainObject, path: MessagePath): PlainObject {
  const payload = payloadIn(part, path, NAME);
  const known = "url" in payload ? part.mediaType : (payload.mediaType ?? mediaTypeOf(payload.base64));
  if (isImageType(known ?? part.mediaType)) return imageBlock(part, path);
  if (typeof known !== "string") throw unsupportedPart(path, "a file of no known type", NAME, "give its `mediaType`");
  const type = /^audio(?:\/|$)/.test(known) ? "audio" : "file";
  const typed = isWholeType(known) ? { mime_type: known } : {};
  const metadata = typeof part.filename === "string" ? { metadata: { filename: part.filename } } : {};
  return "url" in payload
    ? { type, source_type: "url", url: payload.url, ...typed, ...metadata }
    : { type, source_type: "base64", data: payload.base64, ...typed, ...metadata };
}

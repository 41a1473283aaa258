import { Conversation } from "../../chat.ts";
import { wrapReadErrors } from "../../errors.ts";
import { copyData, isPlainObject, type PlainObject } from "../../formats/data.ts";
import { invalidMessage, type MessagePath } from "../../formats/format-errors.ts";
import { OWN_MEMBERS_KEY, readOwnMembers } from "../../formats/own-members.ts";
import { MessageSources } from "../shared/message-sources.ts";

/** The piece of a message of Mastra from which a conversation's message was made: the parts at these indexes. */
export interface MessagePiece {
  source: PlainObject;
  parts: readonly number[];
  /** Number of messages made from the source. */
  count: number;
  /** Its index among them. */
  index: number;
}

const pieces = new MessageSources<MessagePiece>();

/** Returns the piece of an unchanged message; undefined when it has another origin or was changed. */
export const pieceOf = (message: object): MessagePiece | undefined => pieces.ofUnchanged(message);

/** Returns the piece from which a message was made, even if it was changed. */
export const originalPieceOf = (message: object): MessagePiece | undefined => pieces.ofOriginal(message);

/**
 * Reads messages of Mastra. A message of the assistant contains whole rounds of calls and results; it becomes the
 * messages that a model is sent for it: the content and calls of the assistant, then the results.
 */
export function fromMastra(given: unknown): Conversation {
  const list = wrapReadErrors("invalid_message", "messages", () => {
    if (!Array.isArray(given)) throw invalidMessage(["messages"], "a list of messages of Mastra", given);
    return Array.from(given as unknown[]);
  });
  const read = list.flatMap((message, index) =>
    wrapReadErrors("invalid_message", `messages[${index}]`, () => splitMessage(message, index)),
  );
  const conversation = new Conversation({ messages: read.map(({ message }) => message) as never });
  pieces.note(
    conversation.messages,
    read.map(({ piece }) => piece),
  );
  return conversation;
}

interface ReadPiece {
  message: PlainObject;
  piece: MessagePiece;
}

/** A round of a message: content and calls, then results. */
interface ToolRound {
  content: PlainObject[];
  results: PlainObject[];
  parts: number[];
}

function splitMessage(given: unknown, index: number): ReadPiece[] {
  const path: MessagePath = ["messages", index];
  if (!isPlainObject(given)) throw invalidMessage(path, "a message of Mastra, { id, role, createdAt, content }", given);
  const { role, content, createdAt } = given;
  if (typeof role !== "string" || !Object.hasOwn(ROLES, role)) {
    throw invalidMessage([...path, "role"], '"user", "assistant", "system" or "signal"', role);
  }
  const { parts, options } = contentOf(content, [...path, "content"]);
  const rounds = roundsOf(parts, [...path, "content", "parts"]);
  const shared = {
    ...(isTime(createdAt) ? { timestamp: new Date(createdAt as Date).getTime() } : {}),
    ...readOwnMembers(isPlainObject(options) ? options[OWN_MEMBERS_KEY] : undefined),
  };
  const messages = rounds.flatMap(({ content, results, parts }) => {
    const own = { role: ROLES[role] as string, content: contentIn(content, role), ...shared };
    const answers = { role: "tool", content: results, ...shared };
    return results.length === 0
      ? [{ message: own, parts }]
      : [
          { message: own, parts },
          { message: answers, parts: [] },
        ];
  });
  return messages.map(({ message, parts }, pieceIndex) => ({
    // A separate object for each message, which its changed copies keep.
    message: { ...message, original: { format: "mastra" } },
    piece: { source: given, parts, count: messages.length, index: pieceIndex },
  }));
}

/** Roles of conversations by those of Mastra. Signals are shown to models as messages of the user. */
const ROLES: Readonly<Record<string, string>> = {
  user: "user",
  assistant: "assistant",
  system: "system",
  signal: "user",
};

function isTime(given: unknown): boolean {
  return (
    (typeof given === "string" || Object.prototype.toString.call(given) === "[object Date]") &&
    Number.isFinite(new Date(given as string).getTime())
  );
}

function contentOf(content: unknown, path: MessagePath): { parts: PlainObject[]; options?: unknown } {
  if (typeof content === "string") return { parts: [{ type: "text", text: content }] };
  if (!isPlainObject(content)) throw invalidMessage(path, "{ format: 2, parts }", content);
  const { parts, content: text, experimental_attachments: attached, providerMetadata: options } = content;
  if (!Array.isArray(parts)) {
    if (typeof text === "string") return { parts: [{ type: "text", text }], options };
    throw invalidMessage([...path, "parts"], "a list of parts", parts);
  }
  const list = parts.map((part, index) => {
    if (isPlainObject(part) && typeof part.type === "string") return part;
    throw invalidMessage([...path, "parts", index], "a part, an object with a type", part);
  });
  return { parts: [...list, ...attachments(attached)], options };
}

function attachments(attached: unknown): PlainObject[] {
  if (!Array.isArray(attached)) return [];
  return attached
    .filter(isPlainObject)
    .map(({ url, contentType }) => ({ type: "file", data: url, mimeType: contentType ?? "application/octet-stream" }));
}

/** Splits parts into rounds, because a model is called again after each round of calls. */
function roundsOf(parts: readonly PlainObject[], path: MessagePath): ToolRound[] {
  const rounds: ToolRound[] = [];
  let round: ToolRound = { content: [], results: [], parts: [] };
  parts.forEach((part, index) => {
    const isContent = part.type !== "tool-invocation";
    const begins = part.type === "step-start" || (isContent && round.results.length > 0);
    if (begins && round.content.length > 0) {
      rounds.push(round);
      round = { content: [], results: [], parts: [] };
    }
    round.parts.push(index);
    if (isContent) round.content.push(...visibleParts(part));
    else addCall(round, part.toolInvocation, [...path, index, "toolInvocation"]);
  });
  return rounds.length === 0 || round.content.length > 0 ? [...rounds, round] : withTrailingParts(rounds, round.parts);
}

/** Adds parts that are not shown to a model to the last round. */
function withTrailingParts(rounds: readonly ToolRound[], parts: readonly number[]): ToolRound[] {
  return rounds.map((round, index) =>
    index === rounds.length - 1 ? { ...round, parts: [...round.parts, ...parts] } : round,
  );
}

function addCall(round: ToolRound, given: unknown, path: MessagePath): void {
  if (!isPlainObject(given) || typeof given.toolCallId !== "string" || typeof given.toolName !== "string") {
    throw invalidMessage(path, "a call, { state, toolCallId, toolName, args }", given);
  }
  const { toolCallId, toolName, args, rawInput } = given;
  const input = copyData(args ?? rawInput ?? {}, "messages");
  round.content.push({ type: "tool-call", toolCallId, toolName, input });
  const output = outputOf(given);
  if (output !== null) round.results.push({ type: "tool-result", toolCallId, toolName, output });
}

/** Returns the output of a call; null while there is none. */
function outputOf({ state, result, isError, errorText, approval }: PlainObject): PlainObject | null {
  if (state === "output-error") return { type: "error-text", value: String(errorText ?? result ?? "the tool failed") };
  if (state === "output-denied") {
    const { reason } = isPlainObject(approval) ? approval : {};
    return { type: "execution-denied", ...(typeof reason === "string" ? { reason } : {}) };
  }
  if (state !== "result") return null;
  const kind = typeof result === "string" ? "text" : "json";
  const value = kind === "text" ? result : toJsonData(result);
  return { type: isError === true ? `error-${kind}` : kind, value };
}

/** Converts a result to JSON data. */
function toJsonData(result: unknown): unknown {
  return result === undefined ? null : (JSON.parse(JSON.stringify(result) ?? "null") as unknown);
}

/** Returns the parts that a model is shown for a part: none for sources, data of interfaces and starts of steps. */
function visibleParts(part: PlainObject): PlainObject[] {
  const { type, text, reasoning, details, data, image, url } = part;
  if (type === "text") return typeof text === "string" ? [{ type, text }] : [];
  if (type === "reasoning") {
    const thought =
      typeof text === "string" ? text : typeof reasoning === "string" && reasoning !== "" ? reasoning : null;
    return [{ type, text: thought ?? textsIn(details) }];
  }
  const media = data ?? image ?? url;
  if (type !== "file" && type !== "image") return [];
  const mediaType = part.mediaType ?? part.mimeType;
  if (type === "image" || String(mediaType).startsWith("image/")) {
    return [{ type: "image", image: media, ...(typeof mediaType === "string" ? { mediaType } : {}) }];
  }
  return [{ type: "file", data: media, mediaType: mediaType ?? "application/octet-stream" }];
}

function textsIn(details: unknown): string {
  return Array.isArray(details)
    ? details.map((detail) => (isPlainObject(detail) && typeof detail.text === "string" ? detail.text : "")).join("")
    : "";
}

/** Returns the content of a message: a single text is a string. */
function contentIn(parts: readonly PlainObject[], role: string): unknown {
  if (parts.length === 0) return "";
  if (role === "system") return parts.map(({ text }) => (typeof text === "string" ? text : "")).join("\n");
  return parts.length === 1 && parts[0]?.type === "text" ? parts[0].text : parts;
}

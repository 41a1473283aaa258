import { objectArguments } from "../../chat/call-arguments.ts";
import { type ChatMessage, Conversation, TurnfoldError } from "../../chat.ts";
import {
  copyData,
  describePart,
  isPlainObject,
  type PlainObject,
  partsAt,
  type TypedObject,
} from "../../formats/data.ts";
import { invalidMessage, type MessagePath, unsupportedPart } from "../../formats/format-errors.ts";
import { mediaTypeOf, payloadOf } from "../../formats/media.ts";
import { OWN_MEMBERS_KEY, writeOwnMembers } from "../../formats/own-members.ts";
import {
  callParts,
  checkToolPart,
  isApproval,
  outcomeOf,
  readOutput,
  spokenParts,
  textOutput,
} from "../../formats/tool-parts.ts";
import { describe } from "../../values/describe.ts";
import { type MessagePiece, originalPieceOf, pieceOf } from "./read-messages.ts";

const NAME = "Mastra";

/** Writes messages of Mastra. A message whose rounds are all present and unchanged is the object that was read. */
export function toMastra(conversation: Conversation): unknown[] {
  if (!(conversation instanceof Conversation)) {
    throw new TurnfoldError("invalid_argument", `a Conversation is needed, got ${describe(conversation)}`, {
      hint: "new Conversation({ messages }), or mastra.from(messages)",
    });
  }
  const writer = new MastraWriter();
  const { messages } = conversation;
  for (let index = 0; index < messages.length; ) {
    const source = originalPieceOf(messages[index] as ChatMessage)?.source;
    let end = index + 1;
    if (source === undefined) writer.addNew(messages[index] as ChatMessage, index);
    else {
      while (end < messages.length && originalPieceOf(messages[end] as ChatMessage)?.source === source) end++;
      writer.addPieces(source, messages.slice(index, end), index);
    }
    index = end;
  }
  return writer.written;
}

class MastraWriter {
  readonly written: unknown[] = [];
  private readonly ids = new Set<unknown>();
  /** Calls of new messages, which wait for their results. */
  private readonly openCalls = new Map<string, PlainObject>();

  /** Adds a message of Mastra from those of its pieces that are present. */
  addPieces(source: PlainObject, messages: readonly ChatMessage[], at: number): void {
    const first = pieceOf(messages[0] as ChatMessage);
    const isWhole = first?.count === messages.length && messages.every((message) => pieceOf(message) !== undefined);
    if (isWhole && !this.ids.has(source.id)) {
      this.ids.add(source.id);
      this.written.push(source);
      return;
    }
    const outputs = outputsIn(messages.filter((message) => pieceOf(message) === undefined));
    const parts = messages.flatMap((message, index) => {
      const piece = pieceOf(message);
      if (piece !== undefined || message.role === "tool") {
        return sourceParts(source, piece ?? { parts: [] }, outputs, ["messages", at + index]);
      }
      return this.newParts(message as unknown as PlainObject, ["messages", at + index]);
    });
    const { id } = source;
    const { metadata, providerMetadata } = isPlainObject(source.content) ? source.content : {};
    const content = {
      format: 2,
      parts,
      ...textIn(parts),
      ...(metadata === undefined ? {} : { metadata }),
      ...(providerMetadata === undefined ? {} : { providerMetadata }),
    };
    this.written.push({ ...source, id: this.unusedId(typeof id === "string" ? id : "message"), content });
  }

  /** Adds a message that did not come from Mastra, or the results in it to the calls before it. */
  addNew(message: ChatMessage, index: number): void {
    const path = ["messages", index];
    const given = copyData(message, "messages", true) as PlainObject;
    const parts = this.newParts(given, path);
    if (parts.length === 0 && (message.role === "tool" || message.toolCallId !== undefined)) return;
    const role = message.role === "developer" ? "system" : message.role;
    if (role !== "user" && role !== "assistant" && role !== "system") {
      throw unsupportedPart([...path, "role"], describe(role), NAME, "its messages are of system, user or assistant");
    }
    const { timestamp: _, ...others } = given;
    const own = writeOwnMembers(others);
    const before = this.written.at(-1);
    const id = isPlainObject(before) && typeof before.id === "string" ? `${before.id}-next` : "turnfold-first";
    this.written.push({
      id: this.unusedId(id),
      role,
      createdAt: timeOf(message, before),
      content: {
        format: 2,
        parts,
        ...textIn(parts),
        ...(own === null ? {} : { providerMetadata: { [OWN_MEMBERS_KEY]: own } }),
      },
    });
  }

  private newParts(message: PlainObject, path: MessagePath): PlainObject[] {
    const { content = null, toolCalls, toolCallId } = message;
    const at = [...path, "content"];
    if (typeof toolCallId === "string") {
      const value = typeof content === "string" || content === null ? (content ?? "") : textsOf(content, at);
      this.addResult(toolCallId, textOutput(value, outcomeOf(message)), path);
      return [];
    }
    const isText = typeof content === "string" && content !== "";
    const listed = Array.isArray(content) ? content : isText ? [{ type: "text", text: content }] : [];
    const aside = spokenParts(message, path, NAME) as TypedObject[];
    return [...partsAt(listed, at), ...callParts(toolCalls, path), ...aside].flatMap((part, index) =>
      this.toParts(part, [...at, index]),
    );
  }

  private toParts(part: TypedObject, path: MessagePath): PlainObject[] {
    checkToolPart(part, path);
    if (isApproval(part)) return [];
    const { toolCallId, toolName, input } = part;
    switch (part.type) {
      case "text":
        return [{ type: "text", text: part.text }];
      case "refusal":
        return [{ type: "text", text: String(part.refusal) }];
      case "reasoning":
        return [{ type: "reasoning", reasoning: part.text, details: [{ type: "text", text: part.text }] }];
      case "image":
        return [filePart(part.image, part, path)];
      case "file":
        return [filePart(part.data, part, path)];
      case "tool-call": {
        const toolInvocation = { state: "call", toolCallId, toolName, args: objectArguments(input) };
        this.openCalls.set(String(toolCallId), toolInvocation);
        return [{ type: "tool-invocation", toolInvocation }];
      }
      case "tool-result":
        this.addResult(String(toolCallId), part.output as PlainObject, path);
        return [];
    }
    throw unsupportedPart(path, describePart(part), NAME, "say it as text, or leave the message out");
  }

  private addResult(id: string, output: PlainObject, path: MessagePath): void {
    const call = this.openCalls.get(id);
    if (call === undefined) {
      throw unsupportedPart(path, "a result without its call", NAME, "conversation.repair() makes it a text");
    }
    Object.assign(call, resultMembers(output, path));
    this.openCalls.delete(id);
  }

  private unusedId(id: string): string {
    let free = id;
    for (let count = 2; this.ids.has(free); count++) free = `${id}-${count}`;
    this.ids.add(free);
    return free;
  }
}

/** Returns the results in changed messages, by the ids of their calls. */
function outputsIn(messages: readonly ChatMessage[]): ReadonlyMap<unknown, PlainObject> {
  const results = messages.flatMap(({ content }) =>
    Array.isArray(content) ? (content as PlainObject[]).filter(({ type }) => type === "tool-result") : [],
  );
  return new Map(results.map(({ toolCallId, output }) => [toolCallId, output as PlainObject]));
}

/** Returns parts of a source, with changed results. */
function sourceParts(
  source: PlainObject,
  { parts: indexes }: Pick<MessagePiece, "parts">,
  outputs: ReadonlyMap<unknown, PlainObject>,
  path: MessagePath,
): PlainObject[] {
  const { content } = source;
  const parts = isPlainObject(content) && Array.isArray(content.parts) ? (content.parts as PlainObject[]) : [];
  return indexes.flatMap((index) => {
    const part = parts[index];
    if (part === undefined) return [];
    const call = part.toolInvocation;
    const output = isPlainObject(call) ? outputs.get(call.toolCallId) : undefined;
    if (output === undefined) return [part];
    return [{ ...part, toolInvocation: { ...(call as PlainObject), ...resultMembers(output, path) } }];
  });
}

function resultMembers(output: PlainObject, path: MessagePath): PlainObject {
  const isJson = output.type === "json" || output.type === "error-json";
  const { content, outcome } = readOutput(output, path, NAME);
  if (outcome === "denied") return { state: "output-denied", approval: { approved: false, reason: content } };
  const result = isJson
    ? copyData(output.value, "messages")
    : typeof content === "string"
      ? content
      : textsOf(content, path);
  return { state: "result", result, ...(outcome === "error" ? { isError: true } : {}) };
}

function textsOf(content: unknown, path: MessagePath): string {
  if (!Array.isArray(content)) throw invalidMessage(path, "a text, a list of parts, or null", content);
  return partsAt(content, path)
    .map((part) => (part.type === "text" ? String(part.text) : JSON.stringify(part)))
    .join("\n");
}

function filePart(source: unknown, part: PlainObject, path: MessagePath): PlainObject {
  const payload = payloadOf(source, part.mediaType);
  if (payload === null)
    throw unsupportedPart(path, "a file without data", NAME, "give its data: base64, bytes or a URL");
  const known = "url" in payload ? part.mediaType : (payload.mediaType ?? mediaTypeOf(payload.base64));
  const mimeType = typeof known === "string" ? known : part.type === "image" ? "image/*" : null;
  if (mimeType === null) throw unsupportedPart(path, "a file of no known type", NAME, "give its `mediaType`");
  return { type: "file", data: "url" in payload ? payload.url : payload.base64, mimeType };
}

/** Returns the text of a message, which Mastra has in addition to its parts. */
function textIn(parts: readonly PlainObject[]): PlainObject {
  const texts = parts.filter(({ type }) => type === "text");
  return texts.length === 0 ? {} : { content: texts.map(({ text }) => text).join("\n") };
}

/** Returns the time of a message: a new one without a timestamp gets that of the previous message. */
function timeOf({ timestamp }: ChatMessage, before: unknown): Date {
  if (timestamp !== undefined) return new Date(timestamp);
  const { createdAt } = isPlainObject(before) ? before : {};
  return new Date(createdAt instanceof Date || typeof createdAt === "string" ? createdAt : 0);
}

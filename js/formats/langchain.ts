import { jsonText } from "../chat/message-json.ts";
import { jsonOrText } from "../values/json-or-text.ts";
import { isPlainObject, omitMembers, type PlainObject, textAt } from "./data.ts";
import { invalidMessage, type MessagePath } from "./format-errors.ts";
import { fromDataURL } from "./media.ts";
import { OWN_MEMBERS_KEY, readOwnMembers } from "./own-members.ts";
import { CallNames, objectsIn, type ToolNameLookup } from "./tool-parts.ts";

/** A message of LangChain: its type and its members. */
export interface LangChainParts {
  /** `human`, `ai`, `system`, `tool`, `function` or `generic`. */
  type: string;
  members: PlainObject;
}

/** The types of messages by the names that they have in LangChain: types, roles, and ends of the names of classes. */
const TYPES: Readonly<Record<string, string>> = {
  human: "human",
  user: "human",
  HumanMessage: "human",
  HumanMessageChunk: "human",
  ai: "ai",
  assistant: "ai",
  AIMessage: "ai",
  AIMessageChunk: "ai",
  system: "system",
  SystemMessage: "system",
  SystemMessageChunk: "system",
  developer: "developer",
  tool: "tool",
  ToolMessage: "tool",
  ToolMessageChunk: "tool",
  function: "function",
  FunctionMessage: "function",
  FunctionMessageChunk: "function",
  generic: "generic",
  ChatMessage: "generic",
  ChatMessageChunk: "generic",
};

/** The members of instances of LangChain's classes that make up a message. */
const MEMBERS = [
  "content",
  "id",
  "name",
  "role",
  "additional_kwargs",
  "response_metadata",
  "tool_calls",
  "invalid_tool_calls",
  "usage_metadata",
  "tool_call_id",
  "status",
  "artifact",
  "metadata",
];

/** True for an instance of one of LangChain's classes of messages. */
export function isLangChainInstance(given: unknown): given is object {
  if (typeof given !== "object" || given === null || Array.isArray(given) || isPlainObject(given)) return false;
  const { getType, _getType } = given as PlainObject;
  return typeof getType === "function" || typeof _getType === "function";
}

/**
 * Returns the type and the members of a message: an instance, or a message that is stored, serialized, dumped, or
 * written as `{ role, content }`. Null for anything else.
 */
export function langChainParts(given: unknown): LangChainParts | null {
  if (isLangChainInstance(given)) return instanceParts(given as PlainObject);
  if (!isPlainObject(given)) return null;
  const { type: named, id, kwargs, data, role } = given;
  if (named === "constructor" && isPlainObject(kwargs) && Array.isArray(id))
    return partsOfType(String(id.at(-1)), kwargs);
  // A message of the type `generic` also has a role.
  if (typeof role === "string" && named !== "generic" && !isPlainObject(data))
    return partsOfType(role, omitMembers(given, ["role"]));
  if (typeof named !== "string") return null;
  return partsOfType(named, isPlainObject(data) ? data : omitMembers(given, ["type"]));
}

function instanceParts(given: PlainObject): LangChainParts | null {
  const own = given.getType ?? given._getType;
  const members: PlainObject = {};
  for (const name of MEMBERS) if (given[name] !== undefined) members[name] = given[name];
  return partsOfType((own as () => string).call(given), members);
}

function partsOfType(name: string, members: PlainObject): LangChainParts | null {
  const type = Object.hasOwn(TYPES, name) ? (TYPES[name] as string) : null;
  if (type === null || !Object.hasOwn(members, "content")) return null;
  if (type !== "developer") return { type, members };
  const kwargs = { ...(members.additional_kwargs as PlainObject | undefined), [OPENAI_ROLE]: "developer" };
  return { type: "system", members: { ...members, additional_kwargs: kwargs } };
}

/** The member of `additional_kwargs` with the role of a system message of OpenAI. */
const OPENAI_ROLE = "__openai_role__";

/** The calls so far, to which results may belong, of messages that are read in order. */
export class LangChainCalls implements ToolNameLookup {
  private readonly names = new CallNames();
  private readonly answered: ReadonlySet<unknown>;
  private functions = 0;

  constructor(list: readonly LangChainParts[]) {
    this.answered = new Set(list.map(({ members }) => members.tool_call_id));
  }

  /** Adds the calls of a message. */
  note(message: PlainObject): void {
    this.names.note(message);
  }

  nameOf(id: string): string {
    return this.names.nameOf(id);
  }

  /** True when a message of a tool answers a call. */
  isAnswered(id: unknown): boolean {
    return this.answered.has(id);
  }

  /**
   * Returns an id for a call of the older kind without ids: a new one for a call, that of the last call for a result.
   */
  functionId(isCall: boolean): string {
    if (isCall) this.functions++;
    return `function_call_${this.functions}`;
  }
}

/**
 * Converts a message of LangChain to one of a conversation. Calls and results become parts. Calls that the content of
 * the model's message repeats are read once.
 *
 * @throws {TurnfoldError} `invalid_message`
 */
export function fromLangChain(
  { type, members }: LangChainParts,
  path: MessagePath,
  calls: LangChainCalls,
): PlainObject {
  const message = { ...roleAndContent(type, members, path, calls), ...ownMembersIn(members) };
  calls.note(message);
  return message;
}

function ownMembersIn({ additional_kwargs: kwargs }: PlainObject): PlainObject {
  return readOwnMembers(isPlainObject(kwargs) ? kwargs[OWN_MEMBERS_KEY] : undefined);
}

function roleAndContent(type: string, members: PlainObject, path: MessagePath, calls: LangChainCalls): PlainObject {
  if (type === "tool") {
    return resultOf(textAt(members, "tool_call_id", path), members, path, calls);
  }
  if (type === "function") return resultOf(calls.functionId(false), members, path, calls);
  const role = type === "generic" ? textAt(members, "role", path) : type;
  const kind = Object.hasOwn(TYPES, role) ? TYPES[role] : undefined;
  const named = typeof members.name === "string" ? { name: members.name } : {};
  if (kind === "ai") return { role: "assistant", content: assistantContent(members, path, calls), ...named };
  const neutral = kind === "human" ? "user" : kind === "system" || kind === "developer" ? "system" : role;
  return { role: neutral, content: plainContent(members.content, [...path, "content"], calls), ...named };
}

function resultOf(toolCallId: string, members: PlainObject, path: MessagePath, calls: ToolNameLookup): PlainObject {
  const { content, name, status } = members;
  const known = calls.nameOf(toolCallId);
  const toolName = typeof name === "string" && name !== "" ? name : known === "" ? "unknown" : known;
  return {
    role: "tool",
    content: [{ type: "tool-result", toolCallId, toolName, output: outputOf(content, status === "error", path) }],
  };
}

function outputOf(content: unknown, isError: boolean, path: MessagePath): PlainObject {
  if (typeof content === "string") return { type: isError ? "error-text" : "text", value: content };
  const value = blocksOf(content, [...path, "content"]).map(partOf);
  return { type: "content", value, ...(isError ? { isError } : {}) };
}

function plainContent(content: unknown, path: MessagePath, calls: ToolNameLookup): unknown {
  if (typeof content === "string") return content;
  return blocksOf(content, path).map((block) => {
    const { type, tool_use_id: toolCallId, content: given = "", is_error: isError } = block;
    if (type !== "tool_result" || typeof toolCallId !== "string") return partOf(block);
    // Anthropic has results in messages of the user.
    const toolName = calls.nameOf(toolCallId) || "unknown";
    return { type: "tool-result", toolCallId, toolName, output: outputOf(given, isError === true, path) };
  });
}

/**
 * Returns the content and the calls of a message of the model: a text if there are no calls and the content is a text.
 */
function assistantContent(members: PlainObject, path: MessagePath, calls: LangChainCalls): unknown {
  const { content } = members;
  const blocks = typeof content === "string" ? [] : blocksOf(content ?? [], [...path, "content"]);
  const parts = blocks.filter(({ type }) => !CALL_BLOCK_TYPES.includes(String(type))).map(partOf);
  const called = callsOf(members, blocks, path, calls);
  if (typeof content !== "string") return [...parts, ...called];
  if (called.length === 0) return content;
  return content === "" ? called : [{ type: "text", text: content }, ...called];
}

/** Types of content blocks that `tool_calls` repeats. */
const CALL_BLOCK_TYPES = [
  "tool_use",
  "tool_call",
  "tool_call_chunk",
  "invalid_tool_call",
  "input_json_delta",
  "function_call",
];

function callsOf(
  members: PlainObject,
  blocks: readonly PlainObject[],
  path: MessagePath,
  calls: LangChainCalls,
): PlainObject[] {
  const { invalid_tool_calls: invalidCalls } = members;
  const [given, kwargs] = [members.tool_calls ?? [], members.additional_kwargs ?? {}];
  if (!Array.isArray(given)) throw invalidMessage([...path, "tool_calls"], "a list", given);
  const own = given.map((call, index) => {
    const at = [...path, "tool_calls", index];
    if (!isPlainObject(call)) throw invalidMessage(at, "an object", call);
    return callPart(call.id, textAt(call, "name", at), call.args, [path[1], index]);
  });
  const broken = objectsIn(invalidCalls)
    .filter(({ id }) => calls.isAnswered(id))
    .map(({ id, name, args }, index) => callPart(id, toolNameOr(name), args, [path[1], own.length + index]));
  if (own.length + broken.length > 0) return [...own, ...broken];
  const { tool_calls: raw, function_call: called, tool_outputs: items } = kwargs as PlainObject;
  if (isPlainObject(called))
    return [callPart(calls.functionId(true), toolNameOr(called.name), argumentsOf(called.arguments), [])];
  const theirs = objectsIn(raw).filter(({ function: given }) => isPlainObject(given));
  if (theirs.length > 0) {
    return theirs.map(({ id, function: given }, index) => {
      const { name, arguments: text } = given as PlainObject;
      return callPart(id, toolNameOr(name), argumentsOf(text), [path[1], index]);
    });
  }
  // Calls of OpenAI's tools that the host runs, such as that of a computer, are items of the Responses API.
  const run = objectsIn(items).filter(({ call_id: id }) => calls.isAnswered(id));
  if (run.length > 0) return run.map(({ call_id: id, type, action }) => callPart(id, toolNameOr(type), action, []));
  return blocks
    .filter(({ type, name }) => (type === "tool_use" || type === "tool_call") && typeof name === "string")
    .map(({ id, name, args, input }, index) => callPart(id, toolNameOr(name), args ?? input, [path[1], index]));
}

function callPart(id: unknown, toolName: string, input: unknown, position: readonly unknown[]): PlainObject {
  return {
    type: "tool-call",
    toolCallId: typeof id === "string" ? id : `call_${position.join("_")}`,
    toolName,
    input: input ?? {},
  };
}

const toolNameOr = (name: unknown): string => (typeof name === "string" ? name : "unknown");
const argumentsOf = (given: unknown): unknown => (typeof given === "string" ? jsonOrText(given) : given);

/** Returns the blocks of content; a string among them becomes a block of text. */
function blocksOf(content: unknown, path: MessagePath): PlainObject[] {
  if (!Array.isArray(content)) throw invalidMessage(path, "a text or a list", content);
  return content.map((block, index) => {
    if (typeof block === "string") return { type: "text", text: block };
    if (!isPlainObject(block)) throw invalidMessage([...path, index], "an object", block);
    return block;
  });
}

/** Returns the part for a block; the block itself if conversations have no part of its kind. */
function partOf(block: PlainObject): PlainObject {
  const { type } = block;
  if (typeof block.text === "string" && (type === "text" || type === "output_text")) return { ...block, type: "text" };
  if (type === "thinking" && typeof block.thinking === "string") {
    return { type: "reasoning", text: block.thinking, ...omitMembers(block, ["type", "thinking"]) };
  }
  if (type === "redacted_thinking" && typeof block.data === "string") {
    return { type: "reasoning", text: "", redactedData: block.data };
  }
  if (type === "reasoning" && typeof block.reasoning === "string") {
    return { type: "reasoning", text: block.reasoning, ...omitMembers(block, ["type", "reasoning"]) };
  }
  if (type === "image_url")
    return imageOf(isPlainObject(block.image_url) ? block.image_url.url : block.image_url) ?? asUnknownPart(block);
  if (type === "image")
    return imageOf(block.url ?? block.data, block.mime_type ?? block.mimeType) ?? asUnknownPart(block);
  if (type === "file" || type === "audio" || type === "video") {
    const { url, data = url, metadata } = block;
    const filename = block.filename ?? (isPlainObject(metadata) ? metadata.filename : undefined);
    // A file at a URL needs no media type; that of `file` may be any.
    const half = url === undefined || type === "file" ? undefined : type;
    const mediaType = block.mime_type ?? block.mimeType ?? half;
    if (typeof data === "string" && typeof mediaType === "string") {
      return { type: "file", data, mediaType, ...(typeof filename === "string" ? { filename } : {}) };
    }
  }
  return asUnknownPart(block);
}

/** Types with a meaning in conversations, which a block of another shape must not have. */
const RESERVED_TYPES = ["text", "reasoning", "tool_use", "tool_result", "tool-call", "tool-result"];

/** Returns a block of another kind unchanged; as a text if its type has another meaning in conversations. */
function asUnknownPart(block: PlainObject): PlainObject {
  const { type } = block;
  return typeof type === "string" && !RESERVED_TYPES.includes(type)
    ? block
    : { type: "text", text: jsonText(block) as string };
}

function imageOf(source: unknown, mediaType?: unknown): PlainObject | null {
  if (typeof source !== "string") return null;
  const inline = fromDataURL(source);
  if (inline !== null) return { type: "image", image: inline.base64, mediaType: inline.mediaType };
  return { type: "image", image: source, ...(typeof mediaType === "string" ? { mediaType } : {}) };
}

import { parseArguments } from "../chat/call-arguments.ts";
import { decodeId, shortenId } from "../chat/call-ids.ts";
import { type ChatMessage, OWN_MEMBERS } from "../chat/chat-message.ts";
import { validToolName } from "../chat/content-rules.ts";
import { setMember } from "../values/deep-copy.ts";
import {
  copyMessages,
  isPlainObject,
  omitMembers,
  type PlainObject,
  partsAt,
  rejectOwnMembers,
  type TypedObject,
} from "./data.ts";
import { invalidMessage, type MessagePath } from "./format-errors.ts";
import { pickMembers } from "./members.ts";
import { keepOriginal, restoreOriginal } from "./original.ts";
import { changeIds, correctArguments, correctCalls } from "./provider-corrections.ts";
import {
  callIdMember,
  callIdOf,
  groupItems,
  isInstruction,
  itemsOf,
  type PlacedItem,
  typeOf,
  withoutUnusedReasoning,
} from "./responses-items.ts";
import {
  checkOther,
  FORMAT,
  fromAnswer,
  fromContent,
  fromOther,
  fromReasoning,
  NAME,
  originalOf,
  otherItem,
  reasoningItem,
  toAnswer,
  toContent,
  withOriginal,
} from "./responses-parts.ts";
import { fromResult, toResult } from "./responses-results.ts";
import {
  checkToolPart,
  compactionText,
  isApproval,
  partRuns,
  readOutput,
  spokenParts,
  withFailure,
  writeArguments,
} from "./tool-parts.ts";

/** A part of a message or of a result. */
export type OpenAIResponsesPart =
  | { type: "input_text"; text: string }
  | { type: "input_image"; image_url?: string | null; file_id?: string | null; detail: "auto" | "low" | "high" }
  | { type: "input_file"; file_data?: string; file_id?: string | null; file_url?: string; filename?: string };

/**
 * An item of OpenAI's Responses API. Items of tools that OpenAI runs, and further members of the items here, are passed
 * on unchanged.
 */
export type OpenAIResponsesItem =
  | { role: "user" | "assistant" | "system" | "developer"; content: string | OpenAIResponsesPart[]; type?: "message" }
  | {
      type: "message";
      role: "assistant";
      id: string;
      status: "in_progress" | "completed" | "incomplete";
      content: ({ type: "output_text"; text: string; annotations: never[] } | { type: "refusal"; refusal: string })[];
    }
  | { type: "function_call"; call_id: string; name: string; arguments: string; id?: string }
  | { type: "function_call_output"; call_id: string; output: string | OpenAIResponsesPart[] }
  | { type: "custom_tool_call"; call_id: string; name: string; input: string; id?: string }
  | { type: "custom_tool_call_output"; call_id: string; output: string | OpenAIResponsesPart[] }
  | {
      type: "reasoning";
      id: string;
      summary: { type: "summary_text"; text: string }[];
      encrypted_content?: string | null;
    };

/** Maximum length of the name of a tool. */
const MAX_NAME_LENGTH = 128;
const OWN_MEMBER_HINTS = {
  toolCalls: "an item of type function_call",
  toolCallId: "an item of type function_call_output",
};
/** Maximum length of the id of a call. */
const MAX_ID_LENGTH = 64;

/**
 * Converts items of the Responses API to messages of a conversation: a list of items, such as `input` or
 * `response.output`, a text of the user, or a whole request or response. {@link toResponses} restores them exactly,
 * except for content that the API refuses.
 *
 * - Reasoning, texts and calls that belong together are one message of the assistant, so that no strategy separates
 *   them. Calls become `toolCalls`, including those of computers, shells and patches; their results become messages
 *   with `toolCallId`.
 * - The output of OpenAI's tools stays an unchanged part of the answer; a generated image becomes an image.
 * - A compaction item is a message of its own: it is kept, and what it covers is neither counted nor sent.
 * - Data that these members can't express, such as ids and encrypted reasoning, is kept in `original`, and its tokens
 *   are not counted.
 *
 * @throws {TurnfoldError} `invalid_message`, with `path` and `expected` in its details.
 */
export function fromResponses(given: unknown): ChatMessage[] {
  const items = itemsOf(given);
  for (const { item } of items) decodeCallId(item);
  return groupItems(items).map((group) => fromGroup(group, group[0] as PlacedItem) as unknown as ChatMessage);
}

/**
 * Converts the messages of a conversation, whatever their origin, to items of the Responses API.
 *
 * - Answers that came from the API become their original items, with their current texts and arguments. Of an answer
 *   with reasoning from which a part was removed, only texts and calls are written, without ids: the API refuses
 *   reasoning without the items that followed it, and those items without it.
 * - Content that the API refuses is corrected: reasoning without items after it is removed, calls without an id get
 *   one, ids of more than 64 characters are shortened, big integers become texts of their digits.
 * - Cleared results keep the form that the API requires: a screenshot becomes an image of one pixel.
 * - Only members that the API has are written, and those with which an item came from it. So reasoning of other
 *   providers, approvals of calls and this package's own members are not sent. The text of a result says that the tool
 *   failed.
 *
 * @throws {TurnfoldError} `unsupported_part` for content that the API can't express, `invalid_message`; with `index`
 * and `path`.
 */
export function toResponses(messages: readonly ChatMessage[]): OpenAIResponsesItem[] {
  const copied = copyMessages(messages, "messages", true);
  changeIds(copied, (id) => (id.length > MAX_ID_LENGTH ? shortenId(id) : id));
  correctCalls(copied, (name) => validToolName(name, MAX_NAME_LENGTH));
  const items = copied.flatMap((message, index) => toItems(message, ["messages", index]));
  return withoutUnusedReasoning(items) as unknown as OpenAIResponsesItem[];
}

// ── from ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

function decodeCallId(item: PlainObject): void {
  for (const name of ["call_id", "approval_request_id"]) {
    if (typeof item[name] === "string") item[name] = decodeId(item[name]);
  }
}

function fromGroup(group: readonly PlacedItem[], { item, kind, path }: PlacedItem): PlainObject {
  for (const one of group) rejectOwnMembers(one.item, one.path, OWN_MEMBER_HINTS);
  if (kind === "result") return withOwnMembers(fromResult(item, path), [item]);
  if (kind === "instruction") {
    const role = item.type === "agent_message" ? "user" : "system";
    return withOwnMembers({ role, content: [fromOther(item)] }, [item]);
  }
  if (kind === "compaction") return withOwnMembers({ role: "assistant", content: [fromOther(item)] }, [item]);
  if (kind === "message" && (item.role !== "assistant" || (group.length === 1 && typeof item.content === "string"))) {
    const neutral = fromMessage(item, path);
    return keepOriginal(FORMAT, item, withOwnMembers(neutral, [item]), () => toMessage(neutral, path));
  }
  return fromAnswerGroup(group);
}

function fromMessage(item: PlainObject, path: MessagePath): PlainObject {
  const role = item.role === "developer" ? "system" : item.role;
  return { role, content: fromContent(item.content, [...path, "content"]) };
}

function fromAnswerGroup(group: readonly PlacedItem[]): PlainObject {
  const content: PlainObject[] = [];
  const toolCalls: PlainObject[] = [];
  // Calls before other items become parts, so that the order is kept.
  let lastOther = -1;
  group.forEach(({ kind }, index) => {
    if (kind !== "call") lastOther = index;
  });
  for (const [index, { item, kind, path }] of group.entries()) {
    if (kind === "message") content.push(...fromAnswer(item, path));
    else if (kind === "reasoning") content.push(fromReasoning(item));
    else if (kind === "other") content.push(fromOther(item));
    else if (index > lastOther) toolCalls.push(fromCall(item));
    else content.push(callPart(fromCall(item)));
  }
  const items = group.map(({ item }) => item);
  const message: PlainObject = { role: "assistant", content: content.length === 0 ? null : content };
  if (toolCalls.length > 0) message.toolCalls = toolCalls;
  const hasReasoning = group.some(({ kind }) => kind === "reasoning");
  return withOwnMembers(hasReasoning ? withOriginal(message, { items: items.filter(hasId).length }) : message, items);
}

/** Adds the members of this package that a host has set on the items. */
function withOwnMembers(message: PlainObject, items: readonly PlainObject[]): PlainObject {
  const own: PlainObject = {};
  // The summary of reasoning is a list of texts.
  for (const item of items.filter((one) => typeOf(one) !== "reasoning")) {
    for (const name of OWN_MEMBERS)
      if (name !== "original" && item[name] !== undefined) setMember(own, name, item[name]);
  }
  return { ...message, ...own };
}

/** True for an item with an id, whose reasoning the server looks up. */
function hasId({ id }: PlainObject): boolean {
  return typeof id === "string";
}

function fromCall(item: PlainObject): PlainObject {
  const type = typeOf(item);
  const neutral = callOf(item);
  const kept = keepOriginal(FORMAT, item, neutral, () => toCall(neutral, type));
  return type === "function_call" ? kept : withOriginal(kept, { type });
}

/** Reads a call. A call that is not of a function has its type as name, and its other members as arguments. */
function callOf(item: PlainObject): PlainObject {
  const type = typeOf(item);
  const id = callIdOf(item);
  if (type === "function_call") return { id, name: item.name, args: parseArguments(item.arguments as string) };
  if (type === "custom_tool_call") return { id, name: item.name, args: item.input };
  return { id, name: type, args: omitMembers(item, ["type", "call_id", "id", "status", ...OWN_MEMBERS]) };
}

const callPart = ({ id, name, args, original }: PlainObject): PlainObject => ({
  type: "tool-call",
  toolCallId: id,
  toolName: name,
  input: args,
  ...(original === undefined ? {} : { original }),
});

// ── to ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

function toItems(message: PlainObject, path: MessagePath): PlainObject[] {
  const { role, content = null, toolCalls, toolCallId } = message;
  if (typeof toolCallId === "string") return [{ ...toResult(message, path), ...pickMembers(message, [], FORMAT) }];
  const calls = toCallItems(toolCalls, path);
  const isAnswer = role === "assistant" || calls.length > 0;
  const spoken = role === "assistant" ? (spokenParts(message, path, NAME) as TypedObject[]) : [];
  if (!Array.isArray(content)) {
    if (role === "tool") throw missingCallId(path, toolCallId);
    if (!isAnswer) return [originalMessage(message, path)];
    const isSaid = (typeof content === "string" && content !== "") || calls.length + spoken.length === 0;
    const answers = spoken.map(({ text }) => ({ role, content: text }));
    return [...(isSaid ? [originalMessage(message, path)] : []), ...answers, ...calls];
  }
  const parts = partsAt(content, [...path, "content"]);
  if (!isAnswer && parts.every(({ type }) => type !== "tool-result" && type !== "tool-call")) {
    if (role === "tool" && parts.every(isApproval)) return [];
    if (role === "tool") throw missingCallId(path, toolCallId);
    const instruction = parts.length === 1 ? toInstruction(parts[0] as TypedObject) : null;
    return [instruction ?? originalMessage(message, path)];
  }
  const answer = new AnswerBuilder(message);
  for (const run of partRuns(parts, [...path, "content"])) {
    if (run.results) for (const { part, path: at } of run.parts) answer.add(toResultOfPart(part, at));
    else if (role === "assistant") answer.addParts(run.parts);
    else addContent(answer, run.parts, role, path);
  }
  answer.addParts(spoken.map((part) => ({ part, path })));
  for (const call of calls) answer.addCall(call);
  return answer.items();
}

/** Adds content of other roles next to calls or results. */
function addContent(answer: AnswerBuilder, parts: readonly PlacedPart[], role: unknown, path: MessagePath): void {
  const own = parts.filter(({ part }) => part.type !== "tool-call" && !isApproval(part)).map(({ part }) => part);
  if (own.length > 0 && role === "tool") throw missingCallId(path, undefined);
  if (own.length > 0) answer.add({ role, content: toContent(own, [...path, "content"]) });
  for (const { part, path: at } of parts) if (part.type === "tool-call") answer.addCall(callOfPart(part, at));
}

function missingCallId(path: MessagePath, got: unknown): Error {
  return invalidMessage([...path, "toolCallId"], "the id of the call that it answers", got);
}

/** Returns these members, and `original`. */
function withOriginalOf(object: PlainObject, names: readonly string[]): PlainObject {
  const some: PlainObject = {};
  for (const name of [...names, "original"]) if (object[name] !== undefined) setMember(some, name, object[name]);
  return some;
}

function originalMessage(message: PlainObject, path: MessagePath): PlainObject {
  const own = () => toMessage(message, path);
  const kept = withOriginalOf(message, ["role", "content"]);
  const item = restoreOriginal(FORMAT, kept, own, (given) => fromMessage(given, path)) ?? own();
  return { ...item, ...pickMembers(message, [], FORMAT) };
}

function toMessage({ role, content }: PlainObject, path: MessagePath): PlainObject {
  return { role, content: toContent(content, [...path, "content"]) };
}

/**
 * Returns the item for an instruction to the server, such as more tools, which is the only part of its message; null for
 * other parts.
 */
function toInstruction(part: TypedObject): PlainObject | null {
  return isInstruction(part.type) ? otherItem(part) : null;
}

interface PlacedPart {
  part: TypedObject;
  path: MessagePath;
}

function toCallItems(toolCalls: unknown, path: MessagePath): PlainObject[] {
  if (toolCalls === undefined) return [];
  const at = [...path, "toolCalls"];
  if (!Array.isArray(toolCalls)) throw invalidMessage(at, "a list of { id, name, args }", toolCalls);
  return toolCalls.map((call, index) => {
    if (!isPlainObject(call)) throw invalidMessage([...at, index], "a call, { id, name, args }", call);
    for (const name of ["id", "name"]) {
      if (typeof call[name] !== "string") throw invalidMessage([...at, index, name], "a text", call[name]);
    }
    return callItem(call);
  });
}

function callOfPart(part: TypedObject, path: MessagePath): PlainObject {
  checkToolPart(part, path);
  const { toolCallId: id, toolName: name, input: args, original } = part;
  return callItem({ id, name, args, ...(original === undefined ? {} : { original }) });
}

/** Returns the item of a call. An edited call keeps the other members of its item. */
function callItem(call: PlainObject): PlainObject {
  const { type, members = {} } = originalOf(call) ?? {};
  const back = () => toCall(call, type);
  const given = restoreOriginal(FORMAT, withOriginalOf(call, ["id", "name", "args"]), back, callOf);
  const item = given ?? { ...back(), ...omitMembers(members, ["arguments", "input"]) };
  return correctArguments({ ...item, ...pickMembers(call, [], FORMAT) });
}

function toCall({ id, name, args }: PlainObject, type: unknown = "function_call"): PlainObject {
  if (type === "custom_tool_call" && typeof args === "string") return { type, call_id: id, name, input: args };
  if (type === "function_call" || type === "custom_tool_call" || name !== type || !isPlainObject(args)) {
    return { type: "function_call", call_id: id, name, arguments: writeArguments(args) };
  }
  return { type, [callIdMember(name as string)]: id, ...args };
}

function toResultOfPart(part: TypedObject, path: MessagePath): PlainObject {
  checkToolPart(part, path);
  const { content, outcome } = readOutput(part.output as PlainObject, [...path, "output"], NAME);
  const output = toContent(withFailure(content, outcome), [...path, "output", "value"]);
  return { type: "function_call_output", call_id: part.toolCallId, output };
}

/** An item of an answer, with the texts in it, or another item, such as a result. */
interface AnswerItem {
  item: PlainObject;
  kind: "said" | "call" | "reasoning" | "other" | "added";
  texts?: string[];
}

/** Writes the items of an answer. */
class AnswerBuilder {
  private readonly entries: AnswerItem[] = [];
  /** Number of items with an id that an answer with reasoning had. */
  private readonly minItemsWithId: number;

  constructor(message: PlainObject) {
    this.minItemsWithId = originalOf(message)?.items ?? 0;
  }

  /** Adds an item that is not part of the answer, such as a result. */
  add(item: PlainObject): void {
    this.entries.push({ item, kind: "added" });
  }

  addCall(item: PlainObject): void {
    this.entries.push({ item, kind: "call" });
  }

  addParts(parts: readonly PlacedPart[]): void {
    for (let index = 0; index < parts.length; index++) {
      const { part, path } = parts[index] as PlacedPart;
      if (part.type === "tool-call") this.addCall(callOfPart(part, path));
      else if (part.type === "reasoning") this.addReasoning(part);
      else if (isPlainObject(originalOf(part)?.item)) {
        const start = index;
        const continues = () => originalOf(parts[index + 1]?.part ?? {})?.item === "same";
        while (continues()) index++;
        this.addOriginalMessage(parts.slice(start, index + 1).map((placed) => placed.part));
      } else if (part.type === "text" || part.type === "refusal" || compactionText(part) !== null)
        this.addNewMessage(part);
      else if (!isApproval(part)) this.addOther(part, path);
    }
  }

  /**
   * Returns the items. When items with an id are missing, reasoning and ids are omitted, because the server would look
   * the missing items up.
   */
  items(): PlainObject[] {
    const own = this.entries.filter(({ item, kind }) => kind !== "added" && hasId(item));
    if (own.length >= this.minItemsWithId) return this.entries.map(({ item }) => item);
    return this.entries.flatMap(({ item, kind, texts = [] }) => {
      if (kind === "added") return [item];
      if (kind === "call") return [typeOf(item) === "mcp_approval_request" ? item : omitMembers(item, ["id"])];
      return texts.map((content) => ({ role: "assistant", content }));
    });
  }

  private addReasoning(part: TypedObject): void {
    const item = reasoningItem(part);
    if (item !== null) this.entries.push({ item, kind: "reasoning" });
  }

  private addOriginalMessage(parts: readonly TypedObject[]): void {
    const texts = parts.map(textOf).filter((text) => text !== "");
    this.entries.push({ item: toAnswer(parts), kind: "said", texts });
  }

  private addNewMessage(part: TypedObject): void {
    const content = textOf(part);
    if (content !== "") this.entries.push({ item: { role: "assistant", content }, kind: "said", texts: [content] });
  }

  private addOther(part: TypedObject, path: MessagePath): void {
    checkOther(part, path);
    this.entries.push({ item: otherItem(part), kind: "other" });
  }
}

function textOf(part: PlainObject): string {
  const { text, refusal } = part;
  if (typeof text === "string") return text;
  return typeof refusal === "string" ? refusal : (compactionText(part) ?? "");
}

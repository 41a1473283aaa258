import { decodeId, shortenId } from "../chat/call-ids.ts";
import type { ChatMessage } from "../chat/chat-message.ts";
import { bigIntToJson } from "../chat/safe-integers.ts";
import { setMember } from "../values/deep-copy.ts";
import { type Bag, isBag, messagesOf, partsAt, refuseOwnMembers, type TypedBag, without } from "./data.ts";
import { keep, OWN, restore } from "./original.ts";
import { invalid, type Path } from "./problem.ts";
import {
  acceptedByResponses,
  callIdMember,
  callIdOf,
  grouped,
  itemsOf,
  type PlacedItem,
  typeOf,
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
import { changeIds } from "./sendable.ts";
import { argumentsText, checkToolPart, outcomeOf, parsedArguments, stretchesOf } from "./tool-parts.ts";

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

const INSTEAD = { toolCalls: "an item of type function_call", toolCallId: "an item of type function_call_output" };
/** Maximum length of the id of a call. */
const LONGEST_ID = 64;

/**
 * Converts items of the Responses API to messages of a conversation: a list of items, such as `input` or
 * `response.output`, a text of the user, or a whole request or response. {@link toResponses} restores them exactly,
 * except for content that the API refuses.
 *
 * - Reasoning, texts and calls that belong together are one message of the assistant, so that no strategy separates
 *   them. Calls become `toolCalls`, including those of computers, shells and patches; their results become messages
 *   with `toolCallId`.
 * - The output of OpenAI's tools stays an unchanged part of the answer; a generated image becomes an image.
 * - The last compaction item is pinned, because it replaces everything before it.
 * - Data that these members can't express, such as ids and encrypted reasoning, is kept in `original`, and its tokens
 *   are not counted.
 *
 * @throws {TurnfoldError} `invalid_message`, with `path` and `expected` in its details.
 */
export function fromResponses(given: unknown): ChatMessage[] {
  const items = itemsOf(given);
  for (const { item } of items) decodeCallId(item);
  let last: PlacedItem | null = null;
  for (const one of items) if (one.kind === "compaction") last = one;
  return grouped(items).map((group) => {
    const [first] = group as [PlacedItem];
    const message = fromGroup(group, first);
    return (first === last ? { ...message, pinned: true } : message) as unknown as ChatMessage;
  });
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
 * - Dropped, because the API can't express it: reasoning of other providers; approvals of calls; options for other
 *   providers; this package's own members (`timestamp`, `pinned`, `summary`, `partial`, `unfinished`, `original`).
 *
 * @throws {TurnfoldError} `unsupported_part` for content that the API can't express, `invalid_message`; with `index`
 * and `path`.
 */
export function toResponses(messages: readonly ChatMessage[]): OpenAIResponsesItem[] {
  const copied = messagesOf(messages, "messages", bigIntToJson);
  changeIds(copied, (id) => (id.length > LONGEST_ID ? shortenId(id) : id));
  const items = copied.flatMap((message, index) => toItems(message, ["messages", index]));
  return acceptedByResponses(items) as unknown as OpenAIResponsesItem[];
}

// ── from ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

function decodeCallId(item: Bag): void {
  for (const name of ["call_id", "approval_request_id"]) {
    if (typeof item[name] === "string") item[name] = decodeId(item[name]);
  }
}

function fromGroup(group: readonly PlacedItem[], { item, kind, path }: PlacedItem): Bag {
  for (const one of group) refuseOwnMembers(one.item, one.path, INSTEAD);
  if (kind === "result") return withOwn(fromResult(item, path), [item]);
  if (kind === "instruction") return withOwn({ role: "system", content: [fromOther(item)] }, [item]);
  if (kind === "compaction") return withOwn({ role: "assistant", content: [fromOther(item)] }, [item]);
  if (kind === "message" && (item.role !== "assistant" || (group.length === 1 && typeof item.content === "string"))) {
    const neutral = fromMessage(item, path);
    return keep(FORMAT, item, withOwn(neutral, [item]), () => toMessage(neutral, path));
  }
  return fromAnswers(group);
}

function fromMessage(item: Bag, path: Path): Bag {
  const role = item.role === "developer" ? "system" : item.role;
  return { role, content: fromContent(item.content, [...path, "content"]) };
}

function fromAnswers(group: readonly PlacedItem[]): Bag {
  const content: Bag[] = [];
  const toolCalls: Bag[] = [];
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
    else content.push(asPart(fromCall(item)));
  }
  const items = group.map(({ item }) => item);
  const message: Bag = { role: "assistant", content: content.length === 0 ? null : content };
  if (toolCalls.length > 0) message.toolCalls = toolCalls;
  const hasReasoning = group.some(({ kind }) => kind === "reasoning");
  return withOwn(hasReasoning ? withOriginal(message, { items: items.filter(hasId).length }) : message, items);
}

/** Adds the members of this package that a host has set on the items. */
function withOwn(message: Bag, items: readonly Bag[]): Bag {
  const own: Bag = {};
  // The summary of reasoning is a list of texts.
  for (const item of items.filter((one) => typeOf(one) !== "reasoning")) {
    for (const name of OWN) if (name !== "original" && item[name] !== undefined) setMember(own, name, item[name]);
  }
  return { ...message, ...own };
}

/** True for an item with an id, whose reasoning the server looks up. */
function hasId({ id }: Bag): boolean {
  return typeof id === "string";
}

function fromCall(item: Bag): Bag {
  const type = typeOf(item);
  const neutral = callOf(item);
  const kept = keep(FORMAT, item, neutral, () => toCall(neutral, type));
  return type === "function_call" ? kept : withOriginal(kept, { type });
}

/** Reads a call. A call that is not of a function has its type as name, and its other members as arguments. */
function callOf(item: Bag): Bag {
  const type = typeOf(item);
  const id = callIdOf(item);
  if (type === "function_call") return { id, name: item.name, args: parsedArguments(item.arguments as string) };
  if (type === "custom_tool_call") return { id, name: item.name, args: item.input };
  return { id, name: type, args: without(item, ["type", "call_id", "id", "status", ...OWN]) };
}

const asPart = ({ id, name, args, original }: Bag): Bag => ({
  type: "tool-call",
  toolCallId: id,
  toolName: name,
  input: args,
  ...(original === undefined ? {} : { original }),
});

// ── to ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

function toItems(message: Bag, path: Path): Bag[] {
  const { role, content = null, toolCalls, toolCallId } = message;
  if (typeof toolCallId === "string") return [toResult(message, path)];
  const calls = callsIn(toolCalls, path);
  const isAnswer = role === "assistant" || calls.length > 0;
  if (!Array.isArray(content)) {
    if (role === "tool") throw noCallId(path, toolCallId);
    if (!isAnswer) return [originalMessage(message, path)];
    const isSaid = (typeof content === "string" && content !== "") || calls.length === 0;
    return [...(isSaid ? [originalMessage(message, path)] : []), ...calls];
  }
  const parts = partsAt(content, [...path, "content"]);
  if (!isAnswer && parts.every(({ type }) => type !== "tool-result" && type !== "tool-call")) {
    if (role === "tool") throw noCallId(path, toolCallId);
    const instruction = role === "system" && parts.length === 1 ? toInstruction(parts[0] as TypedBag) : null;
    return [instruction ?? originalMessage(message, path)];
  }
  const answer = new Answer(message);
  for (const stretch of stretchesOf(parts, [...path, "content"])) {
    if (stretch.results) for (const { part, path: at } of stretch.parts) answer.add(toResultOfPart(part, at));
    else if (role === "assistant") answer.say(stretch.parts);
    else addGiven(answer, stretch.parts, role, path);
  }
  for (const call of calls) answer.call(call);
  return answer.items();
}

/** Adds content of other roles next to calls or results. */
function addGiven(answer: Answer, parts: readonly Placed[], role: unknown, path: Path): void {
  const own = parts.filter(({ part }) => part.type !== "tool-call" && !isApproval(part)).map(({ part }) => part);
  if (own.length > 0 && role === "tool") throw noCallId(path, undefined);
  if (own.length > 0) answer.add({ role, content: toContent(own, [...path, "content"], String(role)) });
  for (const { part, path: at } of parts) if (part.type === "tool-call") answer.call(callOfPart(part, at));
}

function noCallId(path: Path, got: unknown): Error {
  return invalid([...path, "toolCallId"], "the id of the call that it answers", got);
}

/** Returns these members, and `original`. */
function picked(bag: Bag, names: readonly string[]): Bag {
  const some: Bag = {};
  for (const name of [...names, "original"]) if (bag[name] !== undefined) setMember(some, name, bag[name]);
  return some;
}

function originalMessage(message: Bag, path: Path): Bag {
  const own = () => toMessage(message, path);
  return restore(FORMAT, picked(message, ["role", "content"]), own, (given) => fromMessage(given, path)) ?? own();
}

function toMessage({ role, content }: Bag, path: Path): Bag {
  return { role, content: toContent(content, [...path, "content"], String(role)) };
}

/**
 * Returns the item for an instruction to the server, such as more tools, which is the only part of a system message;
 * null for other parts.
 */
function toInstruction(part: TypedBag): Bag | null {
  return part.type === "additional_tools" || part.type === "compaction_trigger" ? otherItem(part) : null;
}

interface Placed {
  part: TypedBag;
  path: Path;
}

function callsIn(toolCalls: unknown, path: Path): Bag[] {
  if (toolCalls === undefined) return [];
  const at = [...path, "toolCalls"];
  if (!Array.isArray(toolCalls)) throw invalid(at, "a list of { id, name, args }", toolCalls);
  return toolCalls.map((call, index) => {
    if (!isBag(call)) throw invalid([...at, index], "a call, { id, name, args }", call);
    for (const name of ["id", "name"]) {
      if (typeof call[name] !== "string") throw invalid([...at, index, name], "a text", call[name]);
    }
    return callItem(call);
  });
}

function callOfPart(part: TypedBag, path: Path): Bag {
  checkToolPart(part, path);
  const { toolCallId: id, toolName: name, input: args, original } = part;
  return callItem({ id, name, args, ...(original === undefined ? {} : { original }) });
}

/** Returns the item of a call. An edited call keeps the other members of its item. */
function callItem(call: Bag): Bag {
  const { type, members = {} } = originalOf(call) ?? {};
  const back = () => toCall(call, type);
  const given = restore(FORMAT, picked(call, ["id", "name", "args"]), back, callOf);
  return given ?? { ...back(), ...without(members, ["arguments", "input"]) };
}

function toCall({ id, name, args }: Bag, type: unknown = "function_call"): Bag {
  if (type === "custom_tool_call" && typeof args === "string") return { type, call_id: id, name, input: args };
  if (type === "function_call" || type === "custom_tool_call" || name !== type || !isBag(args)) {
    return { type: "function_call", call_id: id, name, arguments: argumentsText(args) };
  }
  return { type, [callIdMember(name as string)]: id, ...args };
}

function toResultOfPart(part: TypedBag, path: Path): Bag {
  checkToolPart(part, path);
  const { content } = outcomeOf(part.output as Bag, [...path, "output"], NAME);
  const output = toContent(content, [...path, "output", "value"], "a tool's result");
  return { type: "function_call_output", call_id: part.toolCallId, output };
}

function isApproval({ type }: TypedBag): boolean {
  return type === "tool-approval-request" || type === "tool-approval-response";
}

/** An item of an answer, with the texts in it, or another item, such as a result. */
interface Written {
  item: Bag;
  kind: "said" | "call" | "reasoning" | "other" | "added";
  texts?: string[];
}

/** Writes the items of an answer. */
class Answer {
  private readonly written: Written[] = [];
  /** Number of items with an id that an answer with reasoning had. */
  private readonly expected: number;

  constructor(message: Bag) {
    this.expected = originalOf(message)?.items ?? 0;
  }

  /** Adds an item that is not part of the answer, such as a result. */
  add(item: Bag): void {
    this.written.push({ item, kind: "added" });
  }

  call(item: Bag): void {
    this.written.push({ item, kind: "call" });
  }

  say(parts: readonly Placed[]): void {
    for (let index = 0; index < parts.length; index++) {
      const { part, path } = parts[index] as Placed;
      if (part.type === "tool-call") this.call(callOfPart(part, path));
      else if (part.type === "reasoning") this.think(part);
      else if (isBag(originalOf(part)?.item)) {
        const start = index;
        const continues = () => originalOf(parts[index + 1]?.part ?? {})?.item === "same";
        while (continues()) index++;
        this.sayAs(parts.slice(start, index + 1).map((placed) => placed.part));
      } else if (part.type === "text" || part.type === "refusal") this.sayNew(part);
      else if (!isApproval(part)) this.giveOther(part, path);
    }
  }

  /**
   * Returns the items. When items with an id are missing, reasoning and ids are omitted, because the server would look
   * the missing items up.
   */
  items(): Bag[] {
    const own = this.written.filter(({ item, kind }) => kind !== "added" && hasId(item));
    if (own.length >= this.expected) return this.written.map(({ item }) => item);
    return this.written.flatMap(({ item, kind, texts = [] }) => {
      if (kind === "added") return [item];
      if (kind === "call") return [typeOf(item) === "mcp_approval_request" ? item : without(item, ["id"])];
      return texts.map((content) => ({ role: "assistant", content }));
    });
  }

  private think(part: TypedBag): void {
    const item = reasoningItem(part);
    if (item !== null) this.written.push({ item, kind: "reasoning" });
  }

  private sayAs(parts: readonly TypedBag[]): void {
    const texts = parts.map(textOf).filter((text) => text !== "");
    this.written.push({ item: toAnswer(parts), kind: "said", texts });
  }

  private sayNew(part: TypedBag): void {
    const content = textOf(part);
    if (content !== "") this.written.push({ item: { role: "assistant", content }, kind: "said", texts: [content] });
  }

  private giveOther(part: TypedBag, path: Path): void {
    checkOther(part, path);
    this.written.push({ item: otherItem(part), kind: "other" });
  }
}

function textOf({ text, refusal }: Bag): string {
  return typeof text === "string" ? text : typeof refusal === "string" ? refusal : "";
}

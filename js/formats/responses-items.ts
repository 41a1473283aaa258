import { foreignShape } from "../chat/foreign-shapes.ts";
import { wrapReadErrors } from "../errors.ts";
import { copyData, foreignShapeError, isPlainObject, type PlainObject, textAt } from "./data.ts";
import { invalidMessage, type MessagePath } from "./format-errors.ts";

/**
 * The kind of an item of the Responses API: a message, reasoning, a call whose result is a separate item, such a
 * result, the compacted beginning of a conversation, an instruction to the model or the server, which may be a message of
 * another agent, or other output of the model, such as a search of the provider.
 */
export type ItemKind = "message" | "reasoning" | "call" | "result" | "compaction" | "instruction" | "other";

/** An item with its kind and path. */
export interface PlacedItem {
  item: PlainObject;
  kind: ItemKind;
  path: MessagePath;
}

const ITEM_TYPES =
  /^(?:\w+_call(?:_output)?|reasoning|item_reference|compaction(?:_trigger|_summary)?|mcp_(?!tool_(?:use|result)$)\w+|program(?:_output)?|tool_search_output|additional_tools|agent_message|configuration_update)$/;
const PART_TYPES = ["input_text", "output_text", "input_image", "input_file"];

/** True for types of items, other than messages, that only the Responses API has. */
export function isItemType(type: unknown): boolean {
  return typeof type === "string" && ITEM_TYPES.test(type);
}

/** True for types of parts that only messages of the Responses API have. */
export function isItemPartType(type: unknown): boolean {
  return PART_TYPES.includes(type as string);
}

/** Types of calls and results that always have a `call_id`. */
const TYPES_WITH_CALL_ID = /^(?:function_call|custom_tool_call|computer_call)(?:_output)?$/;

/** Returns the type of an item; messages and references may omit it. */
export function typeOf({ type, role }: PlainObject): string {
  if (typeof type === "string") return type;
  return typeof role === "string" ? "message" : "item_reference";
}

/** Returns the id that a call and its result share; null for other items. */
export function callIdOf(item: PlainObject): string | null {
  const { call_id: id } = item;
  if (typeof id === "string") return id;
  const type = typeOf(item);
  // The result of a local shell has the id of its call as its own.
  const other =
    type === "mcp_approval_request" || type === "local_shell_call_output"
      ? item.id
      : type === "mcp_approval_response"
        ? item.approval_request_id
        : null;
  return typeof other === "string" ? other : null;
}

/** Returns the name of the member with the id of {@link callIdOf}, for a type of item. */
export function callIdMember(type: string): "call_id" | "id" | "approval_request_id" {
  if (type === "mcp_approval_request") return "id";
  return type === "mcp_approval_response" ? "approval_request_id" : "call_id";
}

const INSTRUCTIONS = /^(?:additional_tools|compaction_trigger|agent_message|configuration_update)$/;

/** True for types of items that are instructions. Codex sends the last two: a message of another agent, and settings. */
export function isInstruction(type: unknown): boolean {
  return INSTRUCTIONS.test(String(type));
}

/** Returns the kind of an item. */
export function itemKind(item: PlainObject): ItemKind {
  const type = typeOf(item);
  if (type === "message" || type === "reasoning" || type === "compaction") return type;
  // The name that the endpoint for compactions gave to such items first.
  if (type === "compaction_summary") return "compaction";
  if (isInstruction(type)) return "instruction";
  if (callIdOf(item) === null) return "other";
  return type.endsWith("_output") || type === "mcp_approval_response" ? "result" : "call";
}

/**
 * Copies and checks items: a list, a text of the user, or a request or response, whose `instructions` become a system
 * message. Other members of a request or response are not read.
 *
 * @throws {TurnfoldError} `invalid_message`, with the path in its details.
 */
export function itemsOf(given: unknown): PlacedItem[] {
  const request = wrapReadErrors("invalid_message", "input", () => {
    if (typeof given === "string" || Array.isArray(given)) return { input: given };
    const { input, output, instructions } = isPlainObject(given) ? given : {};
    if (input === undefined && output === undefined) {
      throw invalidMessage(["input"], "a list of items, a text, or an object with `input` or `output`", given);
    }
    return { input, output, instructions };
  });
  const copyOf = (name: "input" | "output" | "instructions") => copyData(request[name], name);
  const [instructions, input = [], output = []] = [copyOf("instructions"), copyOf("input"), copyOf("output")];
  const isPrompt = typeof instructions === "string" && instructions !== "";
  const prompt = Array.isArray(instructions)
    ? itemsOfList(instructions, "instructions")
    : isPrompt
      ? [withKind({ role: "system", content: instructions }, ["instructions"])]
      : [];
  const inputItems =
    typeof input === "string" ? [withKind({ role: "user", content: input }, ["input"])] : itemsOfList(input, "input");
  return [...prompt, ...inputItems, ...itemsOfList(output, "output")];
}

function withKind(item: PlainObject, path: MessagePath): PlacedItem {
  return { item, kind: itemKind(item), path };
}

function itemsOfList(list: unknown, root: string): PlacedItem[] {
  if (!Array.isArray(list)) throw invalidMessage([root], "a list of items", list);
  return list.map((item, index) => {
    const path = [root, index];
    if (!isPlainObject(item)) throw invalidMessage(path, "an item, an object with a type or a role", item);
    checkItem(item, path);
    return withKind(item, path);
  });
}

function checkItem(item: PlainObject, path: MessagePath): void {
  const { type, role, id } = item;
  const foreign = isItemType(type) ? null : foreignShape(item);
  if (foreign !== null) throw foreignShapeError(foreign, path, item);
  if (typeof type !== "string" && typeof role !== "string" && typeof id !== "string") {
    throw invalidMessage(path, "an item with a type or a role", item);
  }
  const known = typeOf(item);
  if (known === "message") textAt(item, "role", path);
  if (!TYPES_WITH_CALL_ID.test(known)) return;
  textAt(item, "call_id", path);
  if (known === "function_call" || known === "custom_tool_call") textAt(item, "name", path);
  if (known === "function_call") textAt(item, "arguments", path);
  if (known === "custom_tool_call") textAt(item, "input", path);
}

/** True for output of the model or of the provider's tools. */
export function isAnswer({ kind, item }: Pick<PlacedItem, "kind" | "item">): boolean {
  return kind === "message" ? item.role === "assistant" : ["reasoning", "call", "other"].includes(kind);
}

/**
 * Groups items into messages: all items except answers are messages of their own. An answer contains reasoning with
 * everything that follows from it, because the server refuses one without the other, and the calls that the model made
 * together.
 */
export function groupItems(items: readonly PlacedItem[]): PlacedItem[][] {
  const groups: PlacedItem[][] = [];
  let answer: PlacedItem[] | null = null;
  for (const one of items) {
    if (!isAnswer(one)) {
      groups.push([one]);
      answer = null;
    } else if (answer !== null && belongsToAnswer(one, answer)) {
      answer.push(one);
    } else {
      answer = [one];
      groups.push(answer);
    }
  }
  return groups;
}

function belongsToAnswer({ kind }: PlacedItem, answer: readonly PlacedItem[]): boolean {
  const has = (wanted: ItemKind) => answer.some((one) => one.kind === wanted);
  if (has("call")) return true;
  if (kind === "reasoning") return answer.every((one) => one.kind === "reasoning");
  return kind !== "message" || has("reasoning") || !has("message");
}

/** Removes reasoning with an id from which nothing follows, which the server refuses. */
export function withoutUnusedReasoning(items: readonly PlainObject[]): PlainObject[] {
  const accepted: PlainObject[] = [];
  let follows = false;
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index] as PlainObject;
    const kind = itemKind(item);
    if (kind === "reasoning") {
      if (follows || typeof item.id !== "string") accepted.push(item);
      continue;
    }
    follows = isAnswer({ item, kind });
    accepted.push(item);
  }
  return accepted.reverse();
}

import { objectArguments, parseArguments } from "../chat/call-arguments.ts";
import { decodeId, isLongId, numberedId } from "../chat/call-ids.ts";
import { FAILED, MAX_CACHE_MARKS } from "../chat/content-rules.ts";
import { withSafeIntegers } from "../chat/safe-integers.ts";
import { isPlainObject, omitMembers, type PlainObject } from "./data.ts";
import { originalIn } from "./original.ts";
import { answeredIds, objectsIn, writeArguments } from "./tool-parts.ts";

/** The members of messages, calls and parts that are ids of calls, by this package's names and those of providers. */
const CALL_ID_MEMBERS = ["toolCallId", "tool_call_id", "tool_use_id"];

/**
 * Corrects the calls in messages of a conversation, in place: the names of tools; calls of tools that another provider
 * runs and has not answered are removed, because nobody can answer them here.
 *
 * @param validName returns the name of a tool that the provider accepts.
 */
export function correctCalls(messages: readonly PlainObject[], validName: (name: string) => string): void {
  const answered = answeredIds(messages);
  const isOpen = (part: PlainObject) =>
    part.type === "tool-call" && part.providerExecuted === true && !answered.has(part.toolCallId);
  for (const message of messages) {
    const { content, toolCalls } = message;
    if (objectsIn(content).some(isOpen)) message.content = objectsIn(content).filter((part) => !isOpen(part));
    for (const part of objectsIn(content)) {
      if (part.type === "tool-call" && typeof part.toolName === "string") part.toolName = validName(part.toolName);
    }
    for (const call of objectsIn(toolCalls)) {
      if (typeof call.name === "string") call.name = validName(call.name);
    }
  }
}

/**
 * Changes the ids of calls and results in messages of a conversation, in place.
 *
 * Calls without an id get a unique one, and so do their results: the first result of a tool belongs to its oldest call,
 * a result without a name to the oldest call of all.
 *
 * @param change returns the new id for one that is not empty; the second argument is true for the id of a call from
 * OpenAI.
 */
export function changeIds(messages: readonly PlainObject[], change: (id: string, isOpenAIs: boolean) => string): void {
  const openAIIds = new Set<unknown>();
  const taken = new Set<unknown>();
  for (const { toolCalls, content } of messages) {
    for (const call of objectsIn(toolCalls)) {
      const { id } = call;
      taken.add(id);
      if (originalIn(call, "openai") !== null) openAIIds.add(id);
    }
    for (const { toolCallId } of objectsIn(content)) taken.add(toolCallId);
  }
  const withoutId: { tool: unknown; id: string }[] = [];
  let count = 0;
  const newId = (): string => {
    while (taken.has(numberedId(count))) count++;
    return numberedId(count++);
  };
  const changeId = (id: string) => change(id, openAIIds.has(id));
  const callId = (id: unknown, tool: unknown): unknown => {
    if (id !== "") return typeof id === "string" ? changeId(id) : id;
    const own = newId();
    withoutId.push({ tool, id: own });
    return own;
  };
  const resultId = (id: unknown, tool: unknown): unknown => {
    if (id !== "") return typeof id === "string" ? changeId(id) : id;
    const index = withoutId.findIndex((call) => tool === undefined || call.tool === tool);
    return withoutId.splice(index, index < 0 ? 0 : 1)[0]?.id ?? newId();
  };
  for (const message of messages) {
    if (message.toolCallId !== undefined) message.toolCallId = resultId(message.toolCallId, message.toolName);
    for (const part of objectsIn(message.content)) {
      const { type, toolCallId, toolName } = part;
      if (type === "tool-call") part.toolCallId = callId(toolCallId, toolName);
      else if (type === "tool-result") part.toolCallId = resultId(toolCallId, toolName);
      else if (typeof toolCallId === "string" && toolCallId !== "") part.toolCallId = changeId(toolCallId);
    }
    for (const call of objectsIn(message.toolCalls)) call.id = callId(call.id, call.name);
  }
}

/** Decodes the ids of calls and results in a provider's messages, in place. */
export function decodeIds(messages: readonly PlainObject[]): void {
  for (const message of messages) {
    decodeIdMembers(message, CALL_ID_MEMBERS);
    for (const call of objectsIn(message.tool_calls)) decodeIdMembers(call, ["id"]);
    for (const part of objectsIn(message.content))
      decodeIdMembers(part, part.type === "tool_use" ? ["id"] : CALL_ID_MEMBERS);
  }
}

function decodeIdMembers(holder: PlainObject, names: readonly string[]): void {
  for (const name of names) {
    const id = holder[name];
    if (typeof id === "string") holder[name] = decodeId(id);
  }
}

/** Marks a call in OpenAI's format whose id is longer than OpenAI's own, because the server that made it accepts it. */
export function markLongId<T extends PlainObject>(call: T): T {
  const isMarked = call.original !== undefined || typeof call.id !== "string" || !isLongId(call.id);
  return isMarked ? call : { ...call, original: { format: "openai" } };
}

/**
 * Corrects a request for Anthropic: removes blank texts, messages without content, thinking that nothing follows, and
 * white space at the end of an answer to be continued; of more than four cache breakpoints the last stay; arguments
 * become objects, and integers beyond 2^53 in them texts.
 */
export function correctForAnthropic({
  system,
  messages,
}: {
  system?: unknown;
  messages: readonly PlainObject[];
}): PlainObject {
  const prompt = Array.isArray(system) ? removeBlankTexts(system) : system;
  const list = withoutUnusedThinking(messages.map(correctMessage).filter((message) => message !== null));
  const last = list.at(-1);
  if (last?.role === "assistant") list[list.length - 1] = trimLastText(last);
  const request = isEmptyContent(prompt) ? { messages: list } : { system: prompt, messages: list };
  const excess = countMarks(request) - MAX_CACHE_MARKS;
  return excess > 0 ? (withoutMarks(request, excess) as PlainObject) : request;
}

/** Removes thinking at the end of answers, which consecutive messages of the assistant make up. */
function withoutUnusedThinking(messages: readonly PlainObject[]): PlainObject[] {
  const kept: PlainObject[] = [];
  let isFollowed = false;
  for (const message of [...messages].reverse()) {
    const { role, content } = message;
    let own: PlainObject | null = message;
    if (role === "assistant" && !isFollowed && Array.isArray(content)) {
      let end = content.length;
      while (end > 0 && isPlainObject(content[end - 1]) && isThinking(content[end - 1])) end--;
      if (end < content.length) own = end === 0 ? null : { ...message, content: content.slice(0, end) };
    }
    if (own === null) continue;
    isFollowed = role === "assistant";
    kept.push(own);
  }
  return kept.reverse();
}

/** The members of a request, of messages and of results that have blocks, in the order of the request. */
const BLOCK_HOLDERS = ["system", "messages", "content"];

/** Counts the cache breakpoints in a request to Anthropic. */
export function countMarks(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countMarks(item), 0);
  if (!isPlainObject(value)) return 0;
  const own = isPlainObject(value.cache_control) ? 1 : 0;
  return BLOCK_HOLDERS.reduce((sum, name) => sum + countMarks(value[name]), own);
}

/** Removes the first cache breakpoints. */
function withoutMarks(value: unknown, count: number): unknown {
  let left = count;
  const remove = (given: unknown): unknown => {
    if (left === 0 || typeof given !== "object" || given === null) return given;
    if (Array.isArray(given)) return given.map(remove);
    let copy = { ...given } as PlainObject;
    // A holder ends behind its blocks.
    for (const name of BLOCK_HOLDERS) if (copy[name] !== undefined) copy[name] = remove(copy[name]);
    if (left > 0 && isPlainObject(copy.cache_control)) {
      left--;
      copy = omitMembers(copy, ["cache_control"]);
    }
    return copy;
  };
  return remove(value);
}

/** Corrects a message; null for a message that contains only blank texts. */
function correctMessage(message: PlainObject): PlainObject | null {
  const { content } = message;
  if (isEmptyContent(content)) return null;
  if (!Array.isArray(content)) return message;
  const blocks = removeBlankTexts(content).map(correctBlock);
  if (blocks.length === 0) return null;
  const isSame = blocks.length === content.length && blocks.every((block, index) => block === content[index]);
  return isSame ? message : { ...message, content: blocks };
}

function isEmptyContent(content: unknown): boolean {
  return content === undefined || (typeof content === "string" && content.trim() === "") || isEmptyList(content);
}

/** Removes blank texts. The cache breakpoint of a removed block moves to the block before it. */
function removeBlankTexts(blocks: readonly unknown[]): unknown[] {
  const kept: unknown[] = [];
  for (const block of blocks) {
    if (!isBlankText(block)) {
      kept.push(block);
      continue;
    }
    const { cache_control: breakpoint } = block;
    const before = kept.at(-1);
    if (
      isPlainObject(breakpoint) &&
      isPlainObject(before) &&
      !isPlainObject(before.cache_control) &&
      !isThinking(before)
    ) {
      kept[kept.length - 1] = { ...before, cache_control: breakpoint };
    }
  }
  return kept;
}

function isBlankText(block: unknown): block is PlainObject {
  return isPlainObject(block) && block.type === "text" && typeof block.text === "string" && block.text.trim() === "";
}

function isThinking({ type }: PlainObject): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function correctBlock(block: unknown): unknown {
  if (!isPlainObject(block)) return block;
  if (block.type === "tool_use" || block.type === "server_tool_use" || block.type === "mcp_tool_use") {
    const input = withSafeIntegers(objectArguments(block.input));
    return input === block.input ? block : { ...block, input };
  }
  return block.type === "tool_result" ? correctResult(block) : block;
}

/** Corrects a result: it may be empty, but must not have blank texts; an error must have content. */
function correctResult(result: PlainObject): PlainObject {
  const { content } = result;
  const blocks = Array.isArray(content) ? removeBlankTexts(content) : content;
  const isEmpty = isEmptyContent(blocks);
  if (isEmpty && result.is_error === true) return { ...result, content: FAILED };
  if (!Array.isArray(content) || (!isEmpty && (blocks as unknown[]).length === content.length)) return result;
  return { ...result, content: isEmpty ? "" : blocks };
}

function trimLastText(message: PlainObject): PlainObject {
  const { content } = message;
  if (typeof content === "string")
    return content === content.trimEnd() ? message : { ...message, content: content.trimEnd() };
  if (!Array.isArray(content)) return message;
  const last: unknown = content.at(-1);
  if (
    !isPlainObject(last) ||
    last.type !== "text" ||
    typeof last.text !== "string" ||
    last.text === last.text.trimEnd()
  )
    return message;
  return { ...message, content: [...content.slice(0, -1), { ...last, text: last.text.trimEnd() }] };
}

/**
 * Corrects a request for Gemini: removes empty texts and contents without parts, joins consecutive contents of one role,
 * and puts responses in the order of their calls; arguments become objects, empty ids are removed, and integers beyond
 * 2^53 in arguments and responses become texts.
 */
export function correctForGemini({
  systemInstruction: given,
  contents,
}: {
  systemInstruction?: unknown;
  contents: readonly PlainObject[];
}): PlainObject {
  const list: PlainObject[] = [];
  for (const content of contents) {
    const parts = objectsIn(content.parts).filter(isSaid).map(correctGeminiPart);
    const before = list.at(-1);
    if (parts.length === 0) continue;
    if (before !== undefined && geminiRole(before) === geminiRole(content)) {
      before.parts = [...(before.parts as PlainObject[]), ...parts];
    } else list.push({ ...content, parts });
  }
  for (const [index, content] of list.entries()) {
    const { parts } = content as { parts: PlainObject[] };
    if (geminiRole(content) === "user") content.parts = inOrderOf(list[index - 1], parts);
  }
  const isEmpty = isPlainObject(given) && Array.isArray(given.parts) && !given.parts.some(isSaid);
  const hasInstruction = given !== undefined && given !== "" && !isEmptyList(given) && !isEmpty;
  return hasInstruction ? { systemInstruction: given, contents: list } : { contents: list };
}

const geminiRole = ({ role }: PlainObject): unknown => role ?? "user";

/** True for a part that is no empty text. A signature may come with an empty text. */
function isSaid({ text, thoughtSignature }: PlainObject): boolean {
  return text !== "" || thoughtSignature !== undefined;
}

function correctGeminiPart(part: PlainObject): PlainObject {
  const { functionCall: call, functionResponse: response } = part;
  if (isPlainObject(call)) {
    const { args } = call;
    const safe = args === undefined ? {} : { args: withSafeIntegers(objectArguments(args)) };
    return { ...part, functionCall: withoutEmptyId({ ...call, ...safe }) };
  }
  if (!isPlainObject(response)) return part;
  const safe = withSafeIntegers(response.response);
  return { ...part, functionResponse: withoutEmptyId({ ...response, response: safe }) };
}

/** Removes an id that is empty, or null as some serializers write it. */
function withoutEmptyId(holder: PlainObject): PlainObject {
  return (holder.id ?? "") === "" ? omitMembers(holder, ["id"]) : holder;
}

/**
 * Puts the responses among parts in the order of the calls before them, each with the images and files after it, and with
 * the name of its call.
 */
function inOrderOf(before: PlainObject | undefined, parts: PlainObject[]): PlainObject[] {
  const calls = objectsIn(before?.parts)
    .map(({ functionCall }) => functionCall)
    .filter(isPlainObject);
  const unmatched = parts.filter(isResponse);
  const ordered: PlainObject[] = [];
  const named = new Map<PlainObject, PlainObject>();
  for (const { id = null, name } of calls) {
    const at = unmatched.findIndex(({ functionResponse }) => {
      const response = functionResponse as PlainObject;
      return (response.id ?? null) === id && (id !== null || response.name === name);
    });
    const [found] = at < 0 ? [] : unmatched.splice(at, 1);
    if (found === undefined) continue;
    ordered.push(found);
    named.set(found, { ...found, functionResponse: { ...(found.functionResponse as PlainObject), name } });
  }
  const given = parts.filter((part) => named.has(part));
  const isOrdered = ordered.every((part, index) => part === given[index]);
  const all = isOrdered ? parts : reordered(parts, ordered);
  return all.map((part) => named.get(part) ?? part);
}

/** Puts responses in an order, each with the images and files after it; everything else stays before or behind them. */
function reordered(parts: readonly PlainObject[], order: readonly PlainObject[]): PlainObject[] {
  const first = parts.findIndex((part) => order.includes(part));
  const groups = new Map<PlainObject, PlainObject[]>();
  const others: PlainObject[] = [];
  let current = others;
  for (const part of parts.slice(first)) {
    if (order.includes(part)) {
      current = [];
      groups.set(part, current);
    } else if (!isMedia(part)) current = others;
    current.push(part);
  }
  return [...parts.slice(0, first), ...order.flatMap((part) => groups.get(part) ?? []), ...others];
}

const isMedia = ({ inlineData, fileData }: PlainObject): boolean =>
  isPlainObject(inlineData) || isPlainObject(fileData);

const isResponse = ({ functionResponse }: PlainObject): boolean => isPlainObject(functionResponse);

/** Members of an answer with which it needs no content. */
const CONTENT_SUBSTITUTES = ["tool_calls", "function_call", "refusal", "audio"];

/**
 * Corrects a message for OpenAI: removes empty lists, adds an empty text where null or absent content is refused, and
 * makes JSON objects of arguments.
 */
export function correctForOpenAI(message: PlainObject): PlainObject {
  const { content, tool_calls: calls } = message;
  const accepted = isEmptyList(calls) ? omitMembers(message, ["tool_calls"]) : withObjectArguments(message);
  if (message.role === "function") return accepted;
  const isMissing = content === undefined || content === null;
  if (!isMissing && !isEmptyList(content)) return accepted;
  const isSaid = CONTENT_SUBSTITUTES.some(
    (name) => isPlainObject(accepted[name]) || Array.isArray(accepted[name]) || isText(accepted[name]),
  );
  if (!isSaid) return { ...accepted, content: "" };
  return isMissing ? accepted : { ...accepted, content: null };
}

function withObjectArguments(message: PlainObject): PlainObject {
  const { tool_calls: calls } = message;
  if (!Array.isArray(calls)) return message;
  const changed = calls.map((call) => {
    if (!isPlainObject(call) || call.type !== "function" || !isPlainObject(call.function)) return call;
    const corrected = correctArguments(call.function);
    return corrected === call.function ? call : { ...call, function: corrected };
  });
  return changed.every((call, index) => call === calls[index]) ? message : { ...message, tool_calls: changed };
}

/** Corrects a call or an item with arguments as text, which must be a JSON object. */
export function correctArguments(call: PlainObject): PlainObject {
  const { arguments: text } = call;
  if (typeof text !== "string" || (text.trim() !== "" && isPlainObject(parseArguments(text)))) return call;
  return { ...call, arguments: writeArguments(text) };
}

/** Corrects a message for the AI SDK, which passes the input of a call on to the provider: it must be an object. */
export function correctForAISDK(message: PlainObject): PlainObject {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const parts = content.map((part) =>
    isPlainObject(part) && part.type === "tool-call" && !isPlainObject(part.input)
      ? { ...part, input: objectArguments(part.input) }
      : part,
  );
  return parts.every((part, index) => part === content[index]) ? message : { ...message, content: parts };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

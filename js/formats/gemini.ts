import { numberedId } from "../chat/call-ids.ts";
import { type ChatMessage, isSystem } from "../chat/chat-message.ts";
import { toolNameFor } from "../chat/content-rules.ts";
import { type ForeignShape, foreignShape, isUIMessage } from "../chat/foreign-shapes.ts";
import { wrapReadErrors } from "../errors.ts";
import { describe } from "../values/describe.ts";
import {
  copyData,
  copyMessages,
  describePart,
  foreignShapeError,
  isPlainObject,
  onlyMessage,
  type PlainObject,
  partsAt,
  rejectOwnMembers,
  type TypedObject,
} from "./data.ts";
import { invalidMessage, type MessagePath, unsupportedPart } from "./format-errors.ts";
import { addPart, FORMAT, functionIdOf, isText, keptPart, NAME, responseParts } from "./gemini-parts.ts";
import { pickMembers } from "./members.ts";
import { keepOriginal, originalIn, restoreOriginal } from "./original.ts";
import { changeIds, correctCalls, correctForGemini } from "./provider-corrections.ts";
import {
  CallNames,
  callParts,
  isApproval,
  objectsIn,
  outcomeOf,
  partRuns,
  spokenParts,
  type ToolNameLookup,
} from "./tool-parts.ts";

/** A part of a content. Members that are not listed here are passed through unchanged. */
export interface GeminiPart {
  text?: string;
  /** The part is a thought of the model. */
  thought?: boolean;
  /** Base64; Gemini 3 requires it back in the function calls of the current turn. */
  thoughtSignature?: string;
  inlineData?: { data: string; mimeType: string };
  fileData?: { fileUri: string; mimeType: string };
  functionCall?: { id?: string; name: string; args: Record<string, unknown> };
  functionResponse?: { id?: string; name: string; response: Record<string, unknown> };
}

/** A content of Gemini's `generateContent`. */
export interface GeminiContent {
  role: "user" | "model";
  parts: GeminiPart[];
}

/**
 * The members of a request to Gemini with messages. `@google/genai` takes the instruction in `config`:
 * `generateContent({ model, contents, config: { systemInstruction } })`.
 */
export interface GeminiMessages {
  systemInstruction?: { parts: GeminiPart[] };
  contents: GeminiContent[];
}

const OWN_MEMBER_HINTS = { toolCalls: "a part with functionCall", toolCallId: "a part with functionResponse" };

/**
 * Converts contents of Gemini to messages of a conversation. Accepts a list, or `{ systemInstruction, contents }` as in a
 * request, whose instruction may be in `config`; other members of a request are ignored. {@link toGemini} restores them
 * exactly, except for content that Gemini refuses.
 *
 * - `systemInstruction` becomes the first message; the role `model` is `assistant`.
 * - `functionCall` becomes a part `tool-call`, `functionResponse` a part `tool-result` of the user message that contains
 *   it, a thought a part `reasoning`; `inlineData` and `fileData` become parts `image` and `file`. A response without an
 *   id belongs to the next call of its name in the content before it. Other parts, such as code that Gemini runs, are
 *   kept unchanged.
 * - Data that these members can't express, such as thought signatures, is kept in `original`.
 *
 * @throws {TurnfoldError} `invalid_message`, with `path` and `expected` in its details.
 */
export function fromGemini(given: unknown): ChatMessage[] {
  const { instruction, contents } = splitRequest(given);
  const messages: PlainObject[] = instruction === undefined ? [] : [instructionMessage(instruction)];
  const ids = callIdsOf(contents);
  for (const [index, content] of contents.entries()) {
    const path = ["contents", index];
    const message = fromContent(content, path, (part) => ids.get(part) ?? "");
    messages.push(
      keepOriginal(FORMAT, content, message, () => onlyMessage(toContents(message, path, new CallNames()))),
    );
  }
  return messages as unknown as ChatMessage[];
}

/**
 * Converts the messages of a conversation, whatever their origin, to `{ systemInstruction, contents }` of a request to
 * Gemini.
 *
 * - Leading system messages become `systemInstruction`; later ones are texts of the user.
 * - Consecutive messages of one role are one content, with the responses in the order of their calls. A result is
 *   `{ output }`, or `{ error }` if the tool failed or the call was refused; its images and files follow it. Calls that
 *   came without an id are written without one.
 * - Thought signatures are written as they came. The first call of a message that did not come from Gemini gets the
 *   signature that Google documents for such calls.
 * - Content that Gemini refuses is corrected: empty texts, and messages that contain nothing else, are removed;
 *   arguments become objects, and integers beyond 2^53 texts of their digits.
 * - Only members that Gemini has are written, and those with which a message came from {@link fromGemini}. Reasoning of
 *   other providers, approvals of calls and this package's own members are not sent.
 *
 * @throws {TurnfoldError} `unsupported_part` for content that Gemini can't express, `invalid_message`; with `index` and
 * `path`.
 */
export function toGemini(messages: readonly ChatMessage[]): GeminiMessages {
  const instructions: PlainObject[] = [];
  const contents: PlainObject[] = [];
  const copied = copyMessages(messages, "messages", true);
  changeIds(copied, (id) => id);
  correctCalls(copied, (name) => toolNameFor("gemini", name));
  const names = new CallNames();
  for (const [index, message] of copied.entries()) {
    const path = ["messages", index];
    if (isSystem(message) && contents.length === 0) {
      instructions.push(toInstruction(message, path));
      continue;
    }
    names.note(message);
    const back = () => onlyMessage(toContents(message, path, names));
    const own = objectsIn(message.content);
    const original = restoreOriginal(FORMAT, message, back, (given) =>
      fromContent(given, path, (part, place) => functionIdOf(part) || String(own[place]?.toolCallId ?? "")),
    );
    contents.push(...(original === null ? toContents(message, path, names) : [original]));
  }
  return correctForGemini({ systemInstruction: joined(instructions), contents }) as unknown as GeminiMessages;
}

/** Returns a single instruction unchanged; several as one. */
function joined(instructions: readonly PlainObject[]): unknown {
  if (instructions.length < 2) return instructions[0]?.systemInstruction;
  return { parts: instructions.flatMap(({ systemInstruction: given }) => instructionParts(given)) };
}

function splitRequest(given: unknown): { instruction: unknown; contents: PlainObject[] } {
  const { instruction, list } = wrapReadErrors("invalid_message", "contents", () => {
    if (Array.isArray(given)) return { instruction: undefined, list: given as unknown };
    if (typeof given !== "object" || given === null) {
      throw invalidMessage(["contents"], "a list of contents, or { systemInstruction, contents }", given);
    }
    const { systemInstruction, contents, config } = given as PlainObject;
    const { systemInstruction: configured } = Object(config) as PlainObject;
    return { instruction: systemInstruction ?? configured, list: contents };
  });
  return { instruction: copyData(instruction ?? undefined, "systemInstruction"), contents: contentsOf(list) };
}

/** Copies and checks a list of contents. A text is one content of the user, as for Gemini's client. */
function contentsOf(given: unknown): PlainObject[] {
  if (typeof given === "string") return [{ role: "user", parts: [{ text: given }] }];
  if (!Array.isArray(given)) throw invalidMessage(["contents"], "a list of contents", given);
  return (copyData(given, "contents") as unknown[]).map((content, index) => {
    const path = ["contents", index];
    if (!isPlainObject(content)) throw invalidMessage(path, "a content, { role, parts }", content);
    rejectOwnMembers(content, path, OWN_MEMBER_HINTS);
    const { role, parts } = content;
    if (parts === undefined || parts === null) {
      const foreign = foreignShape({ ...content, parts: undefined });
      if (foreign !== null) throw foreignShapeError(foreign, path, content);
      // An answer may be empty, such as one that reached the limit while the model was thinking.
      if (role !== "model" || content.content !== undefined) {
        throw invalidMessage([...path, "parts"], "a list of parts", parts, "{ role, parts: [{ text }] } is a content");
      }
      return { ...content, parts: [] };
    }
    if (!Array.isArray(parts)) throw invalidMessage([...path, "parts"], "a list of parts", parts);
    if (parts.length > 0 && isUIMessage(content)) {
      throw foreignShapeError(foreignShape(content) as ForeignShape, path, content);
    }
    parts.forEach((part, place) => {
      if (!isPlainObject(part)) throw invalidMessage([...path, "parts", place], "a part, such as { text }", part);
    });
    // Results had a role of their own.
    return role === "function" ? { ...content, role: "user" } : content;
  });
}

// ── from ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Returns the ids of calls and responses by their parts. A call without an id gets one; a response without an id belongs
 * to the next call of its name in the last content with calls.
 */
function callIdsOf(contents: readonly PlainObject[]): Map<PlainObject, string> {
  const parts = contents.flatMap((content) => objectsIn(content.parts));
  const given = new Set(parts.map(functionIdOf));
  let made = 0;
  const makeId = (): string => {
    while (given.has(numberedId(made))) made++;
    return numberedId(made++);
  };
  const ids = new Map<PlainObject, string>();
  let open: { id: string; name: unknown }[] = [];
  for (const content of contents) {
    const own = objectsIn(content.parts);
    const calls = own.filter(({ functionCall }) => isPlainObject(functionCall));
    for (const part of calls) ids.set(part, functionIdOf(part) || makeId());
    if (calls.length > 0) {
      open = calls.map((part) => ({ id: ids.get(part) as string, name: (part.functionCall as PlainObject).name }));
    }
    const responses = own.filter(({ functionResponse }) => isPlainObject(functionResponse));
    for (const part of responses) {
      const id = functionIdOf(part);
      const { name } = part.functionResponse as PlainObject;
      const at = open.findIndex((call) => (id === "" ? call.name === name : call.id === id));
      const [call] = at < 0 ? [] : open.splice(at, 1);
      ids.set(part, call?.id ?? (id || makeId()));
    }
    // A response after the next question does not belong to the calls before it.
    if (content.role !== "model" && own.length > responses.length) open = [];
  }
  return ids;
}

/** @param idOf returns the id of the call of a part, which is at a place in the content. */
function fromContent(
  content: PlainObject,
  path: MessagePath,
  idOf: (part: PlainObject, place: number) => string,
): PlainObject {
  const { role = "user", parts, ...rest } = content;
  if (role !== "user" && role !== "model") throw invalidMessage([...path, "role"], '"user" or "model"', role);
  const converted = objectsIn(parts).map((part, place) => keptPart(part, [...path, "parts", place], idOf(part, place)));
  return { ...rest, role: role === "model" ? "assistant" : "user", content: simplified(converted) };
}

/** Returns a single text as a text instead of a list. */
function simplified(parts: readonly PlainObject[]): unknown {
  const [first] = parts;
  const isPlainText = parts.length === 1 && first?.type === "text" && Object.keys(first).length === 2;
  return isPlainText ? first.text : parts;
}

function instructionMessage(given: unknown): PlainObject {
  const message = fromInstruction(given);
  const path = ["systemInstruction"];
  return keepOriginal(FORMAT, { systemInstruction: given }, message, () => writtenInstruction(message, path));
}

function fromInstruction(given: unknown): PlainObject {
  const parts = instructionParts(given).map((part, place) => keptPart(part, ["systemInstruction", "parts", place], ""));
  return { role: "system", content: simplified(parts) };
}

/** Returns the parts of an instruction, which is a text, a part, a content, or a list of texts and parts. */
function instructionParts(given: unknown): PlainObject[] {
  if (Array.isArray(given)) return given.flatMap(instructionParts);
  if (typeof given === "string") return [{ text: given }];
  if (!isPlainObject(given)) throw invalidMessage(["systemInstruction"], "a text, or a content", given);
  return Array.isArray(given.parts) ? objectsIn(given.parts) : [given];
}

// ── to ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

const ROLES = ["user", "assistant", "tool"];

function toContents(message: PlainObject, path: MessagePath, names: ToolNameLookup): PlainObject[] {
  const { role, content = null, toolCalls, toolCallId } = message;
  const rest = pickMembers(message, [], FORMAT);
  const at = [...path, "content"];
  if (typeof toolCallId === "string") {
    const name = names.nameOf(toolCallId) || message.toolName || message.name;
    if (content !== null && !isText(content) && !Array.isArray(content)) {
      throw invalidMessage(at, "a text, a list of parts, or null", content);
    }
    const output = { content: (content ?? "") as string | TypedObject[], outcome: outcomeOf(message) };
    return [{ role: "user", parts: responseParts({ id: toolCallId, name }, output, at), ...rest }];
  }
  if (!isSystem(message) && !ROLES.includes(role as string)) {
    throw unsupportedPart([...path, "role"], describe(role), NAME, "its contents are of user or model");
  }
  const kind = role === "assistant" ? "model" : "user";
  const parts = isText(content) ? textParts(content, message) : partsOf(content, at);
  const hasOther = !parts.every((part) => part.type === "tool-result" || isApproval(part));
  if (role === "tool" && (content === null || hasOther)) {
    throw invalidMessage([...path, "toolCallId"], "the id of the call that it answers", toolCallId);
  }
  const newContent = (own: boolean): PlainObject & { parts: PlainObject[] } =>
    own ? { role: kind, parts: [], ...rest } : { role: "user", parts: [] };
  const contents: (PlainObject & { parts: PlainObject[] })[] = [];
  // Results in a message of the model are those of its calls.
  const runs = kind === "model" ? partRuns(parts, at) : [{ results: false, parts: placed(parts, at) }];
  for (const { results, parts: own } of runs) {
    const next = newContent(!results);
    for (const { part, path: place } of own) addPart(next.parts, part, place, names);
    contents.push(next);
  }
  let last = contents.filter((one) => one.role === kind).at(-1);
  if (last === undefined) {
    last = newContent(true);
    contents.push(last);
  }
  last.parts.push(...spokenParts(message, path, NAME).map(({ text }) => ({ text })));
  for (const [index, part] of callParts(toolCalls, path).entries()) {
    const { original } = objectsIn(toolCalls)[index] as PlainObject;
    addPart(last.parts, original === undefined ? part : { ...part, original }, path, names);
  }
  return contents;
}

const placed = (parts: readonly TypedObject[], path: MessagePath) =>
  parts.map((part, index) => ({ part, path: [...path, index] }));

/** Returns the parts of a text: those of the reply that it was, with their signatures, if it has not changed since. */
function textParts(text: string, message: PlainObject): TypedObject[] {
  const parts = objectsIn(originalIn(message, FORMAT)?.members?.parts);
  const isSame = parts.length > 0 && parts.map((part) => part.text).join("") === text;
  return isSame ? parts.map((part) => keptPart(part, [], "")) : [{ type: "text", text }];
}

function partsOf(content: unknown, path: MessagePath): TypedObject[] {
  if (content === null) return [];
  if (!Array.isArray(content)) throw invalidMessage(path, "a text, a list of parts, or null", content);
  return partsAt(content, path);
}

function toInstruction(message: PlainObject, path: MessagePath): PlainObject {
  const back = () => writtenInstruction(message, path);
  return restoreOriginal(FORMAT, message, back, ({ systemInstruction: given }) => fromInstruction(given)) ?? back();
}

function writtenInstruction(message: PlainObject, path: MessagePath): PlainObject {
  const parts = toContents(message, path, new CallNames()).flatMap((content) => content.parts as PlainObject[]);
  for (const [index, { text }] of parts.entries()) {
    if (isText(text)) continue;
    const part = objectsIn(message.content)[index];
    if (part !== undefined && originalIn(part, FORMAT) !== null) continue;
    throw unsupportedPart(
      [...path, "content", index],
      describePart(part),
      `the instruction of ${NAME}`,
      "say it as text",
    );
  }
  return { systemInstruction: { parts } };
}

import { objectArguments } from "../chat/call-arguments.ts";
import { isNumberedId, numberedId } from "../chat/call-ids.ts";
import { type ChatMessage, isSystem } from "../chat/chat-message.ts";
import { FAILED, toolNameFor } from "../chat/content-rules.ts";
import { type ForeignShape, foreignShape, isUIMessage } from "../chat/foreign-shapes.ts";
import { jsonText } from "../chat/message-json.ts";
import { wrapReadErrors } from "../errors.ts";
import { describe } from "../values/describe.ts";
import {
  copyData,
  copyMessages,
  describePart,
  foreignShapeError,
  isPlainObject,
  omitMembers,
  onlyMessage,
  type PlainObject,
  partsAt,
  rejectOwnMembers,
  type TypedObject,
  textAt,
} from "./data.ts";
import { invalidMessage, type MessagePath, unsupportedPart } from "./format-errors.ts";
import { isImageType, mediaKind, mediaTypeOf, payloadIn } from "./media.ts";
import { pickMembers } from "./members.ts";
import { keepOriginal, type Original, originalIn, restoreOriginal } from "./original.ts";
import { changeIds, correctCalls, correctForGemini } from "./provider-corrections.ts";
import {
  CallNames,
  type CallOutcome,
  callParts,
  checkToolPart,
  compactionText,
  isApproval,
  objectsIn,
  outcomeOf,
  partRuns,
  providerOptions,
  readOutput,
  spokenParts,
  type ToolNameLookup,
  type ToolOutput,
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

const NAME = "Gemini";
const FORMAT = "gemini";

/**
 * The signature of a function call that the model did not make, such as one of another provider: Gemini 3 refuses a
 * call of the current turn without one, and Google documents this text for such histories.
 */
export const UNSIGNED_CALL = "skip_thought_signature_validator";

/** The members with the data of parts that a conversation has no type for. */
const OTHER_DATA = ["executableCode", "codeExecutionResult", "toolCall", "toolResponse", "audioTranscription"];
/** The type of further parts. */
const OTHER_PART = "gemini-part";

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
    const { systemInstruction: configured } = Object(config ?? {}) as PlainObject;
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

/** Returns the id of a call or response; empty for a part without one. */
function functionIdOf({ functionCall, functionResponse }: PlainObject): string {
  const { id } = Object(functionCall ?? functionResponse) as { id?: unknown };
  return typeof id === "string" ? id : "";
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

/** Converts a part, with the data of it that a conversation can't express. */
function keptPart(part: PlainObject, path: MessagePath, id: string): TypedObject {
  const converted = fromPart(part, path, id);
  const kept = keepOriginal(FORMAT, part, converted, () => onlyMessage(toParts(converted, path, new CallNames())));
  const { original } = converted;
  return original === undefined
    ? kept
    : { ...kept, original: { ...(kept.original as object), ...(original as object) } };
}

/** Marks a part that came from Gemini, without which it would not be written, or not in the same way. */
const marked = <T extends PlainObject>(part: T, more: Partial<Original> = {}): T => ({
  ...part,
  original: { format: FORMAT, ...more },
});

function fromPart(part: PlainObject, path: MessagePath, id: string): TypedObject {
  const { text, thought, thoughtSignature, functionCall: call, functionResponse: response } = part;
  if (isPlainObject(call)) {
    const toolName = textAt(call, "name", [...path, "functionCall"]);
    // A call that was refused for its arguments can be mended.
    return marked({ type: "tool-call", toolCallId: id, toolName, input: call.args ?? {} });
  }
  if (isPlainObject(response)) return fromResponse(response, [...path, "functionResponse"], id);
  if (isText(text)) {
    // A signature that comes with an empty text belongs to the thoughts.
    const isThought = thought === true || (text === "" && isText(thoughtSignature));
    return isThought ? marked({ type: "reasoning", text }) : { type: "text", text };
  }
  const media = fromMedia(part);
  if (media !== null) return thought === true ? marked(thoughtFile(media)) : media;
  return marked({ ...part, type: OTHER_DATA.find((name) => isPlainObject(part[name])) ?? OTHER_PART });
}

/** Returns the image or file of a part; null for other parts, and for the name of an uploaded file. */
function fromMedia({ inlineData, fileData }: PlainObject): TypedObject | null {
  const holder = isPlainObject(inlineData) ? inlineData : isPlainObject(fileData) ? fileData : null;
  if (holder === null) return null;
  const { data = holder.fileUri, mimeType, displayName } = holder;
  const isKnown = holder === inlineData ? isText(mimeType) : /^[a-z][a-z0-9+.-]*:/i.test(String(data));
  if (!isText(data) || !isKnown) return null;
  const type = isText(mimeType) ? { mediaType: mimeType } : {};
  const media: TypedObject = isImageType(mimeType)
    ? { type: "image", image: data, ...type }
    : { type: "file", data, ...type };
  return isText(displayName) ? marked({ ...media, filename: displayName }) : media;
}

const thoughtFile = ({ image, data = image, mediaType }: PlainObject): TypedObject => ({
  type: "reasoning-file",
  data,
  mediaType,
});

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function fromResponse(given: PlainObject, path: MessagePath, toolCallId: string): TypedObject {
  const toolName = textAt(given, "name", path);
  const response = isPlainObject(given.response) ? given.response : {};
  const [name, ...others] = Object.keys(response);
  const isNamed = others.length === 0 && (name === "output" || name === "error");
  const isError = isNamed && name === "error";
  const value = isNamed ? response[name] : response;
  const result = { type: "tool-result", toolCallId, toolName };
  const files = objectsIn(given.parts).map(fromMedia);
  if (files.length > 0 && files.every((file) => file !== null)) {
    const text = isText(value) ? value : Object.keys(Object(value)).length === 0 ? "" : (jsonText(value) as string);
    const output = { type: "content", value: [...(text === "" ? [] : [{ type: "text", text }]), ...files] };
    return marked({ ...result, output: isError ? { ...output, isError } : output }, { content: "parts" });
  }
  if (isText(value)) return { ...result, output: { type: isError ? "error-text" : "text", value } };
  const output = { type: isError ? "error-json" : "json", value };
  return isNamed ? { ...result, output } : marked({ ...result, output }, { content: "whole" });
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

/**
 * Adds the parts for a part to those of a content: as it came from Gemini if it has not changed since. The first call of
 * a content needs a signature, unless it came from Gemini without one.
 */
function addPart(parts: PlainObject[], part: TypedObject, path: MessagePath, names: ToolNameLookup): void {
  const back = () => onlyMessage(toParts(part, path, names));
  const from = (given: PlainObject) => fromPart(given, path, functionIdOf(given) || String(part.toolCallId ?? ""));
  const original = restoreOriginal(FORMAT, part, back, from);
  if (original !== null) {
    parts.push(original);
    return;
  }
  for (const written of toParts(part, path, names)) {
    const isFirst = written.functionCall !== undefined && parts.every(({ functionCall }) => functionCall === undefined);
    const isUnsigned = isFirst && written.thoughtSignature === undefined;
    parts.push(isUnsigned ? { ...written, thoughtSignature: UNSIGNED_CALL } : written);
  }
}

/** Returns the parts for a part; none for a part that is dropped. */
function toParts(part: TypedObject, path: MessagePath, names: ToolNameLookup): PlainObject[] {
  checkToolPart(part, path);
  const others = pickMembers(part, [], FORMAT);
  const isOwn = originalIn(part, FORMAT) !== null;
  const summary = compactionText(part);
  if (summary !== null) return [{ text: summary }];
  if (part.type === "media" || mediaKind(part.type) !== undefined) {
    return [{ ...toMedia(part, path), ...signatureOf(part), ...others }];
  }
  switch (part.type) {
    case "text":
      return [{ text: part.text, ...signatureOf(part), ...others }];
    case "reasoning": {
      const signature = signatureOf(part);
      return isOwn || signature.thoughtSignature !== undefined
        ? [{ text: part.text, thought: true, ...signature, ...others }]
        : [];
    }
    case "reasoning-file":
      return isOwn ? [{ ...toMedia(part, path), thought: true, ...others }] : [];
    case "refusal":
      return [{ text: textAt(part, "refusal", path) }];
    case "tool-call": {
      const { toolCallId, toolName: name, input } = part;
      return [
        { functionCall: { ...idOf(toolCallId), name, args: objectArguments(input) }, ...signatureOf(part), ...others },
      ];
    }
    case "tool-result": {
      const [response, ...media] = toResponse(part, path, names);
      return [{ ...response, ...others }, ...media];
    }
    case "tool-approval-request":
    case "tool-approval-response":
      return [];
  }
  if (isOwn && (part.type === OTHER_PART || OTHER_DATA.includes(part.type))) {
    return [omitMembers(part, ["type", "original"])];
  }
  throw unsupportedPart(path, describePart(part), NAME, "say it as text, or leave the message out");
}

/** Returns the id of a call as a member; none for the id of a call that came without one. */
function idOf(id: unknown): { id?: unknown } {
  return isNumberedId(String(id)) ? {} : { id };
}

/** The names of Google's providers in the AI SDK, which keep signatures in the options of parts. */
const GOOGLE_PROVIDERS = ["google", "googleVertex", "vertex"];

function signatureOf(part: PlainObject): { thoughtSignature?: string } {
  const signatures = GOOGLE_PROVIDERS.map((name) => providerOptions(name, part).thoughtSignature);
  const thoughtSignature = signatures.find(isText);
  return thoughtSignature === undefined ? {} : { thoughtSignature };
}

function toMedia(part: TypedObject, path: MessagePath): PlainObject {
  const payload = payloadIn(part, path, NAME);
  const named = isText(part.filename) && originalIn(part, FORMAT) !== null ? { displayName: part.filename } : {};
  if ("url" in payload) {
    const mimeType = isText(part.mediaType) ? part.mediaType : typeOfURL(payload.url, part.type);
    return { fileData: { fileUri: payload.url, mimeType, ...named } };
  }
  const mimeType = payload.mediaType ?? mediaTypeOf(payload.base64);
  if (mimeType === null) throw unsupportedPart(path, "data of no known type", NAME, "give its `mediaType`");
  return { inlineData: { data: payload.base64, mimeType, ...named } };
}

/** Media types by the extensions of URLs. */
const TYPES_BY_EXTENSION: Readonly<Record<string, string>> = {
  png: "image/png",
  gif: "image/gif",
  webp: "image/webp",
  heic: "image/heic",
  mp3: "audio/mp3",
  wav: "audio/wav",
  mp4: "video/mp4",
  txt: "text/plain",
  html: "text/html",
};

/** Returns the media type of a file at a URL, which Gemini requires: by its extension, else that of most such files. */
function typeOfURL(url: string, type: string): string {
  const [, extension = ""] = /\.(\w+)(?:[?#].*)?$/.exec(url) ?? [];
  const known = TYPES_BY_EXTENSION[extension.toLowerCase()];
  return known ?? (type.startsWith("image") ? "image/jpeg" : "application/pdf");
}

function toResponse(part: TypedObject, path: MessagePath, names: ToolNameLookup): PlainObject[] {
  const { toolCallId: id, output: given, toolName } = part;
  const output = given as PlainObject;
  const at = [...path, "output"];
  const call = { id, name: toolName || names.nameOf(String(id)) };
  const { content } = originalIn(part, FORMAT) ?? {};
  if (output.type !== "json" && output.type !== "error-json") {
    return responseParts(call, readOutput(output, at, NAME), [...at, "value"], content === "parts");
  }
  const { value = null } = output;
  const outcome = output.type === "error-json" || output.isError === true ? "error" : "success";
  const isWhole = content === "whole" && outcome === "success" && isPlainObject(value);
  return [functionResponse(call, isWhole ? value : outcomeAs(outcome, value))];
}

/**
 * Returns the response for a result, and its images and files: beside it, where all models accept them, or as its own
 * parts if they came so.
 */
function responseParts(
  call: { id: unknown; name: unknown },
  { content, outcome }: ToolOutput,
  path: MessagePath,
  hasParts = false,
): PlainObject[] {
  if (isText(content)) return [functionResponse(call, outcomeAs(outcome, content))];
  const texts: unknown[] = [];
  const media: PlainObject[] = [];
  for (const [index, part] of partsAt(content, path).entries()) {
    for (const written of toParts(part, [...path, index], new CallNames())) {
      if (isText(written.text)) texts.push(written.text);
      else media.push(written);
    }
  }
  const isMoved = texts.length === 0 && media.length > 0 && !hasParts;
  const text = isMoved ? "(its content follows)" : texts.join("\n");
  if (!hasParts) return [functionResponse(call, outcomeAs(outcome, text)), ...media];
  const response = text === "" && outcome === "success" ? {} : outcomeAs(outcome, text);
  return [functionResponse(call, response, media)];
}

function functionResponse(
  { id, name }: { id: unknown; name: unknown },
  response: unknown,
  parts: readonly PlainObject[] = [],
): PlainObject {
  const known = { ...idOf(id), name: toolNameFor("gemini", isText(name) ? name : ""), response };
  return { functionResponse: parts.length === 0 ? known : { ...known, parts } };
}

/** Matches texts that say that a call was refused. */
const SAYS_DENIED = /\b(?:den(?:y|ied)|refus|declin|reject|not approved|not allowed)/i;

function outcomeAs(outcome: CallOutcome, value: unknown): PlainObject {
  if (outcome === "success") return { output: value };
  if (!isText(value)) return { error: value };
  if (outcome === "denied") return { error: SAYS_DENIED.test(value) ? value : `The call was refused: ${value}` };
  return { error: value.trim() === "" ? FAILED : value };
}

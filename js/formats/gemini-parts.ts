import { objectArguments } from "../chat/call-arguments.ts";
import { isNumberedId } from "../chat/call-ids.ts";
import { FAILED, toolNameFor } from "../chat/content-rules.ts";
import { jsonText } from "../chat/message-json.ts";
import {
  describePart,
  isPlainObject,
  omitMembers,
  onlyMessage,
  type PlainObject,
  partsAt,
  type TypedObject,
  textAt,
} from "./data.ts";
import { type MessagePath, unsupportedPart } from "./format-errors.ts";
import { isImageType, mediaKind, mediaTypeOf, payloadIn } from "./media.ts";
import { pickMembers } from "./members.ts";
import { keepOriginal, type Original, originalIn, restoreOriginal } from "./original.ts";
import {
  CallNames,
  type CallOutcome,
  checkToolPart,
  compactionText,
  objectsIn,
  providerOptions,
  readOutput,
  type ToolNameLookup,
  type ToolOutput,
} from "./tool-parts.ts";

export const NAME = "Gemini";
export const FORMAT = "gemini";

/**
 * The signature of a function call that the model did not make, such as one of another provider: Gemini 3 refuses a
 * call of the current turn without one, and Google documents this text for such histories.
 */
export const UNSIGNED_CALL = "skip_thought_signature_validator";

/** The members with the data of parts that a conversation has no type for. */
const OTHER_DATA = ["executableCode", "codeExecutionResult", "toolCall", "toolResponse", "audioTranscription"];
/** The type of further parts. */
const OTHER_PART = "gemini-part";

/** Returns the id of a call or response; empty for a part without one. */
export function functionIdOf({ functionCall, functionResponse }: PlainObject): string {
  const { id } = Object(functionCall ?? functionResponse) as { id?: unknown };
  return typeof id === "string" ? id : "";
}

/** Converts a part, with the data of it that a conversation can't express. */
export function keptPart(part: PlainObject, path: MessagePath, id: string): TypedObject {
  const converted = fromPart(part, path, id);
  const kept = keepOriginal(FORMAT, part, converted, () => onlyMessage(toParts(converted, path, new CallNames())));
  const { original } = converted;
  return original === undefined
    ? kept
    : { ...kept, original: { ...(kept.original as object), ...(original as object) } };
}

/** Marks a part that came from Gemini, without which it would not be written, or not in the same way. */
export const marked = <T extends PlainObject>(part: T, more: Partial<Original> = {}): T => ({
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

export function isText(value: unknown): value is string {
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

/**
 * Adds the parts for a part to those of a content: as it came from Gemini if it has not changed since. The first call of
 * a content needs a signature, unless it came from Gemini without one.
 */
export function addPart(parts: PlainObject[], part: TypedObject, path: MessagePath, names: ToolNameLookup): void {
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
export function responseParts(
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

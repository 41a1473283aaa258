import { isDeepEqual } from "../values/deep-equal.ts";
import { describe } from "../values/describe.ts";
import {
  describePart,
  isPlainObject,
  omitMembers,
  type PlainObject,
  partsAt,
  type TypedObject,
  textAt,
} from "./data.ts";
import { invalidMessage, type MessagePath, unsupportedPart } from "./format-errors.ts";
import { dataURL, fromDataURL, isImageType, mediaKind, mediaTypeOf, payloadIn } from "./media.ts";
import { type MemberTable, pickMembers, pickPart } from "./members.ts";
import { keepOriginal, type Original, originalIn, restoreOriginal } from "./original.ts";

/** The name of the format in `original`. */
export const FORMAT = "openai-responses";
/** The name of the API in errors. */
export const NAME = "OpenAI's Responses API";

/** The members of parts of messages and results, by type. */
const PART_MEMBERS: MemberTable = {
  input_text: ["text", "prompt_cache_breakpoint"],
  input_image: ["image_url", "file_id", "detail", "prompt_cache_breakpoint"],
  input_file: ["file_data", "file_id", "file_url", "filename", "detail", "prompt_cache_breakpoint"],
  computer_screenshot: ["image_url", "file_id", "detail"],
};

/** The members of the items that parts of an answer or of an instruction are, by type. */
const ITEM_MEMBERS: MemberTable = {
  additional_tools: ["id", "role", "tools"],
  code_interpreter_call: ["id", "code", "container_id", "outputs", "status"],
  compaction: ["id", "encrypted_content"],
  compaction_summary: ["id", "encrypted_content"],
  compaction_trigger: [],
  file_search_call: ["id", "queries", "results", "status"],
  image_generation_call: ["id", "result", "status"],
  item_reference: ["id"],
  mcp_call: ["id", "server_label", "name", "arguments", "output", "error", "status", "approval_request_id"],
  mcp_list_tools: ["id", "server_label", "tools", "error"],
  program: ["id", "call_id", "code", "fingerprint"],
  tool_search_call: ["id", "call_id", "arguments", "execution", "status"],
  tool_search_output: ["id", "call_id", "tools", "execution", "status"],
  web_search_call: ["id", "action", "status"],
};

/** Returns the data that a part or message keeps of its item; null when it comes from another format. */
export function originalOf(neutral: PlainObject): Original | null {
  return originalIn(neutral, FORMAT);
}

/** Returns `neutral` with more data of its item in `original`. */
export function withOriginal<T extends PlainObject>(neutral: T, more: Partial<Original>): T {
  return { ...neutral, original: { format: FORMAT, ...(originalOf(neutral) ?? {}), ...more } };
}

// ── content of users, systems and tools ──────────────────────────────────────────────────────────────────────────────

/** Converts the content of a message or a result to that of a conversation. */
export function fromContent(content: unknown, path: MessagePath): unknown {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw invalidMessage(path, "a text or a list of parts", content);
  return partsAt(content, path).map((part, index) => {
    const neutral = fromPart(part, [...path, index]);
    return keepOriginal(FORMAT, part, neutral, () => toPart(neutral, path));
  });
}

function fromPart(part: TypedObject, path: MessagePath): TypedObject {
  const { image_url: image, file_data: data } = part;
  switch (part.type) {
    case "input_text":
      return { ...omitMembers(part, ["type"]), type: "text", text: textAt(part, "text", path) };
    case "input_image": {
      if (typeof image !== "string") return part;
      const inline = fromDataURL(image);
      const rest = omitMembers(part, ["type", "image_url"]);
      return inline === null
        ? { type: "image", image, ...rest }
        : { type: "image", image: inline.base64, mediaType: inline.mediaType, ...rest };
    }
    case "input_file": {
      const inline = typeof data === "string" ? fromDataURL(data) : null;
      if (inline === null) return part;
      return {
        type: "file",
        data: inline.base64,
        mediaType: inline.mediaType,
        ...omitMembers(part, ["type", "file_data"]),
      };
    }
  }
  return part;
}

/** Converts the content of a message or result to that of an item. */
export function toContent(content: unknown, path: MessagePath): unknown {
  if (content === null || content === undefined) return "";
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw invalidMessage(path, "a text, a list of parts, or null", content);
  return partsAt(content, path).map((part, index) => {
    const at = [...path, index];
    const back = () => toPart(part, at);
    return restoreOriginal(FORMAT, part, back, (given) => fromPart(given as TypedObject, at)) ?? back();
  });
}

function toPart(part: TypedObject, path: MessagePath): TypedObject {
  const kind = mediaKind(part.type);
  if (kind !== undefined) return kind === "image" ? toImage(part, path) : toFile(part, path);
  switch (part.type) {
    case "text":
      return { ...pickMembers(part, PART_MEMBERS.input_text as string[], FORMAT), type: "input_text" };
    case "refusal":
      return { type: "input_text", text: textAt(part, "refusal", path) };
    case "tool-call":
    case "tool-result":
      throw unsupportedPart(path, describePart(part), NAME, "put calls and results in the content of messages");
  }
  const known = pickPart(part, PART_MEMBERS, FORMAT);
  if (known !== null) return known as TypedObject;
  throw unsupportedPart(path, describePart(part), NAME, "say it as text, or leave the message out");
}

function toImage(part: TypedObject, path: MessagePath): TypedObject {
  const { detail = "auto" } = part;
  const payload = payloadIn(part, path, NAME);
  const image_url = "url" in payload ? payload.url : dataURL(payload, path, NAME);
  return { type: "input_image", image_url, detail, ...pickMembers(part, ["prompt_cache_breakpoint"], FORMAT) };
}

function toFile(part: TypedObject, path: MessagePath): TypedObject {
  const payload = payloadIn(part, path, NAME);
  if (typeof part.context === "string" && part.context !== "") {
    throw unsupportedPart(
      [...path, "context"],
      "the context of a document",
      NAME,
      "say it as text beside the document",
    );
  }
  const rest = pickMembers(part, ["filename", "prompt_cache_breakpoint"], FORMAT);
  if (isImageType(part.mediaType)) return toImage(part, path);
  if ("url" in payload) return { type: "input_file", file_url: payload.url, ...rest };
  const known = payload.mediaType ?? mediaTypeOf(payload.base64);
  if (known?.startsWith("audio/")) {
    throw unsupportedPart(path, `audio of type ${describe(known)}`, NAME, "give its words as text");
  }
  if (known?.startsWith("image/")) return toImage({ ...part, mediaType: known }, path);
  return { type: "input_file", file_data: dataURL(payload, path, NAME), ...rest };
}

// ── output of the model and the provider ─────────────────────────────────────────────────────────────────────────────

/**
 * Returns the parts of a message of the model. The first keeps the other members of the item, if it has more than a
 * role.
 */
export function fromAnswer(item: PlainObject, path: MessagePath): PlainObject[] {
  const { content } = item;
  const rest = omitMembers(item, ["content", "timestamp", "pinned"]);
  if (typeof content === "string") {
    const part = { type: "text", text: content };
    return [
      Object.keys(rest).length === 1 && content !== "" ? part : withOriginal(part, { item: rest, content: "text" }),
    ];
  }
  if (!Array.isArray(content)) throw invalidMessage([...path, "content"], "a text or a list of parts", content);
  if (content.length === 0) return [withOriginal({ type: "text", text: "" }, { item: rest, content: "none" })];
  return partsAt(content, [...path, "content"]).map((part, index) => {
    const neutral = fromOutputPart(part, [...path, "content", index]);
    return withOriginal(
      keepOriginal(FORMAT, part, neutral, () => toOutputPart(neutral)),
      { item: index === 0 ? rest : "same" },
    );
  });
}

function fromOutputPart(part: TypedObject, path: MessagePath): TypedObject {
  if (part.type === "refusal") return { type: "refusal", refusal: textAt(part, "refusal", path) };
  if (part.type !== "output_text" && part.type !== "input_text") return part;
  return { type: "text", text: textAt(part, "text", path) };
}

/** The members of parts of the model's messages besides texts, by type. */
const OUTPUT_MEMBERS: MemberTable = { refusal: ["refusal"] };

function toOutputPart(part: TypedObject): TypedObject {
  if (part.type === "text") return { type: "output_text", text: part.text, annotations: [] };
  return (pickPart(part, OUTPUT_MEMBERS, FORMAT) ?? omitMembers(part, ["original"])) as TypedObject;
}

/** Restores a message of the model from its parts. An edited text has no annotations. */
export function toAnswer(parts: readonly TypedObject[]): PlainObject {
  const [first] = parts as [TypedObject];
  const { item, content: form } = originalOf(first) as Original;
  const members = item as PlainObject;
  if (form !== undefined && parts.length === 1) {
    if (form === "none" && first.text === "") return { ...members, content: [] };
    if (form === "text") return { ...members, content: first.text };
  }
  const content = parts.map((part) => {
    const back = () => toOutputPart(part);
    return restoreOriginal(FORMAT, part, back, (given) => fromOutputPart(given as TypedObject, [])) ?? back();
  });
  return { ...members, content };
}

/** Converts an item of reasoning to a part, which keeps encrypted content. */
export function fromReasoning(item: PlainObject): PlainObject {
  const neutral = { type: "reasoning", text: reasoningText(item) };
  // The item's `summary` is a list of texts, not the member `summary` of this package.
  const isPlain = isDeepEqual(item.summary, toReasoning(neutral).summary);
  const members = omitMembers(item, isPlain ? ["type", "summary"] : ["type"]);
  return withOriginal(neutral, item.summary === undefined ? { members, absent: ["summary"] } : { members });
}

function reasoningText({ summary, content }: PlainObject): string {
  const texts = (list: unknown) =>
    (Array.isArray(list) ? list : []).flatMap((one) =>
      isPlainObject(one) && typeof one.text === "string" ? [one.text] : [],
    );
  const short = texts(summary);
  return (short.length > 0 ? short : texts(content)).join("\n\n");
}

function toReasoning({ text }: PlainObject): PlainObject {
  return { type: "reasoning", summary: text === "" ? [] : [{ type: "summary_text", text }] };
}

/**
 * Returns the item of reasoning; null for reasoning of other providers, which the API does not accept, and for edited
 * reasoning.
 */
export function reasoningItem(part: PlainObject): PlainObject | null {
  return restoreOriginal(
    FORMAT,
    part,
    () => toReasoning(part),
    (given) => ({ type: "reasoning", text: reasoningText(given) }),
  );
}

/**
 * Converts an item that is not a message, reasoning, a call or a result to a part: the item itself, except for images
 * and encrypted content.
 */
export function fromOther(item: PlainObject): PlainObject {
  const neutral = otherPart(item);
  const kept = keepOriginal(FORMAT, item, neutral, () => toOther(neutral, item.type));
  return neutral.type === item.type
    ? kept
    : withOriginal(kept, typeof item.type === "string" ? { type: item.type } : {});
}

function otherPart(item: PlainObject): PlainObject {
  const { type, result, output_format: format } = item;
  if (type === "image_generation_call" && typeof result === "string" && result !== "") {
    return { type: "image", image: result, mediaType: typeof format === "string" ? `image/${format}` : "image/png" };
  }
  return type === "compaction" || type === "compaction_summary"
    ? omitMembers(item, ["encrypted_content"])
    : { ...item, type: type ?? "item_reference" };
}

function toOther(part: PlainObject, type: unknown): PlainObject | null {
  if (type === "image_generation_call") return { type, result: part.image };
  return pickPart(part, ITEM_MEMBERS, FORMAT);
}

/** Returns the item for a part of an answer, such as a search of the provider. */
export function otherItem(part: PlainObject): PlainObject {
  const { type = part.type, members } = originalOf(part) ?? {};
  const back = () => toOther(part, type);
  return restoreOriginal(FORMAT, part, back, otherPart) ?? { ...back(), ...members };
}

/** Refuses parts of another provider's answer that no item can express. */
export function checkOther(part: TypedObject, path: MessagePath): void {
  if (originalOf(part) !== null || pickPart(part, ITEM_MEMBERS, FORMAT) !== null) return;
  throw unsupportedPart(path, describePart(part), `an answer of ${NAME}`, "say it as text, or leave the message out");
}

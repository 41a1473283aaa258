import { encodeBase64, parseBase64 } from "../boundary/base64.ts";
import { isBytes } from "../values/describe.ts";
import { type MessagePath, unsupportedPart } from "./format-errors.ts";

/** The content of an image or a file: a URL, or bytes as base64. */
export type Payload = { url: string } | InlinePayload;

interface InlinePayload {
  base64: string;
  mediaType: string | null;
}

/**
 * Returns the payload of the AI SDK's data content: base64, a URL, a data URL, or bytes, also with a type as in AI SDK 7.
 * Null for anything else.
 */
export function payloadOf(given: unknown, mediaType: unknown): Payload | null {
  const known = isWholeType(mediaType) ? mediaType : null;
  const { type, data: bare, url, text: words } = Object(given) as Record<string, unknown>;
  if (type === "text" && typeof words === "string") {
    return { base64: textToBase64(words), mediaType: known ?? "text/plain" };
  }
  const data = type === "data" ? bare : type === "url" ? url : given;
  if (isBytes(data)) return { base64: encodeBase64(data), mediaType: known };
  const kind = Object.prototype.toString.call(data);
  if (kind === "[object ArrayBuffer]") {
    return { base64: encodeBase64(new Uint8Array(data as ArrayBuffer)), mediaType: known };
  }
  const text = kind === "[object URL]" ? (data as URL).href : data;
  if (typeof text !== "string") return null;
  const inline = fromDataURL(text);
  if (inline !== null) return { base64: inline.base64, mediaType: known ?? inline.mediaType };
  return /^[a-z][a-z0-9+.-]*:/i.test(text) ? { url: text } : { base64: text, mediaType: known };
}

/** Returns the kind of media in parts of a type; undefined for other types. */
export function mediaKind(type: unknown): string | undefined {
  return /^(image|file)(?:-data|-url)?$/.exec(String(type))?.[1];
}

/**
 * Returns the payload of a part with an image or a file.
 *
 * @throws {TurnfoldError} `unsupported_part` for a part without one.
 */
export function payloadIn(part: Readonly<Record<string, unknown>>, path: MessagePath, target: string): Payload {
  const { image, data, url, mediaType } = part;
  const payload = payloadOf(image ?? data ?? url, mediaType);
  if (payload !== null) return payload;
  const [what, member] = mediaKind(part.type) === "image" ? ["an image", "image"] : ["a file", "data"];
  throw unsupportedPart(path, `${what} without data`, target, `give \`${member}\`: base64, bytes or a URL`);
}

/**
 * Writes data as a URL.
 *
 * @throws {TurnfoldError} `unsupported_part` for data of no known type.
 */
export function dataURL({ base64, mediaType }: InlinePayload, path: MessagePath, target: string): string {
  const type = mediaType ?? mediaTypeOf(base64);
  if (type === null) throw unsupportedPart(path, "data of no known type", target, "give its `mediaType`");
  return `data:${type};base64,${base64}`;
}

/** True for a media type with both halves; the AI SDK may give only the first one, such as `image` or `image/*`. */
export function isWholeType(mediaType: unknown): mediaType is string {
  return typeof mediaType === "string" && /\/[^*]/.test(mediaType);
}

/** True for the media type of a file that is an image; the AI SDK may give only its first half. */
export function isImageType(mediaType: unknown): boolean {
  return typeof mediaType === "string" && /^image(?:\/|$)/.test(mediaType);
}

/** Splits a `data:` URL in base64 into its media type and data; null for any other text. */
export function fromDataURL(text: string): { mediaType: string; base64: string } | null {
  if (!text.startsWith("data:")) return null;
  const end = text.indexOf(";base64,");
  const mediaType = end < 0 ? "" : text.slice(5, end);
  return /^[\w.+-]+\/[\w.+-]+$/.test(mediaType) ? { mediaType, base64: text.slice(end + 8) } : null;
}

const SIGNATURES = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
  ["JVBERi", "application/pdf"],
] as const;

/** Returns the media type by the first bytes; null when it is none of those above. */
export function mediaTypeOf(base64: string): string | null {
  return SIGNATURES.find(([start]) => base64.startsWith(start))?.[1] ?? null;
}

/** An image of one pixel, for places in which a provider requires an image. */
export const BLANK_IMAGE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** Encodes a text's UTF-8 as base64. */
export function textToBase64(text: string): string {
  return encodeBase64(new TextEncoder().encode(text));
}

/** Decodes a text; null when the bytes are not UTF-8. */
export function base64ToText(base64: string): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(parseBase64(base64));
  } catch {
    return null;
  }
}

import { encodeBase64, parseBase64 } from "../boundary/base64.ts";
import { TurnfoldError } from "../errors.ts";
import { describe, isPlain } from "../values/describe.ts";

/** Marks values that JSON can't express; a member of that name in a message's own data is escaped. */
const TAG = "$turnfold";

/** A value that a message can contain and JSON can't express. */
type TaggedValue = { [TAG]: string; value: unknown };

/**
 * Writes any data as JSON text, with big integers as texts of their digits; undefined for values that JSON omits.
 *
 * @internal
 */
export function jsonText(value: unknown): string | undefined {
  return JSON.stringify(value, (_, item: unknown) => (typeof item === "bigint" ? String(item) : item));
}

/**
 * Converts a message to JSON data.
 *
 * @internal
 */
export function encodeMessage(value: unknown): unknown {
  if (typeof value === "bigint") return tagged("bigint", String(value));
  if (typeof value === "number" && !Number.isFinite(value)) return tagged("number", String(value));
  if (Object.is(value, -0)) return tagged("number", "-0");
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value))
    return value.map((item: unknown) => (item === undefined ? tagged("undefined", null) : encodeMessage(item)));
  if (!isPlain(value)) return encodeInstance(value);
  const entries = Object.entries(value);
  if (Object.hasOwn(value, TAG))
    return tagged(
      "object",
      entries.map(([key, item]) => [key, encodeMessage(item)]),
    );
  return fromEntries(entries.filter(([, item]) => item !== undefined).map(([key, item]) => [key, encodeMessage(item)]));
}

function encodeInstance(value: object): unknown {
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  // An invalid date has the time NaN, which JSON can't express.
  if (tag === "Date") return tagged("date", Number.isNaN(Number(value)) ? null : Number(value));
  if (tag === "URL") return tagged("url", String(value));
  const bytes = ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value as ArrayBuffer);
  return tagged(tag, encodeBase64(bytes));
}

function tagged(kind: string, value: unknown): TaggedValue {
  return { [TAG]: kind, value };
}

/**
 * Restores a message from the result of {@link encodeMessage}.
 *
 * @throws {TurnfoldError} `invalid_conversation`
 *
 * @internal
 */
export function decodeMessage(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(decodeMessage);
  if (Object.hasOwn(value, TAG)) return decodeTagged(value as TaggedValue);
  return fromEntries(Object.entries(value).map(([key, item]) => [key, decodeMessage(item)]));
}

/**
 * Returns the class of views of bytes with this name; undefined for a name of anything else, and for a class that this
 * host lacks, such as an old one without `Float16Array`.
 *
 * @internal
 */
export function viewClass(name: string): (new (buffer: ArrayBuffer) => ArrayBufferView) | undefined {
  return /^(Big)?(Ui|I)nt\d+(Clamped)?Array$|^Float\d+Array$/.test(name)
    ? (globalThis as unknown as Record<string, ReturnType<typeof viewClass>>)[name]
    : undefined;
}

function decodeTagged({ [TAG]: kind, value }: TaggedValue): unknown {
  try {
    switch (kind) {
      case "undefined":
        return undefined;
      case "bigint":
        return BigInt(value as string);
      case "number":
        return Number(value);
      case "date":
        return new Date((value as number | null) ?? Number.NaN);
      case "url":
        return new URL(value as string);
      case "object":
        return fromEntries((value as [string, unknown][]).map(([key, item]) => [key, decodeMessage(item)]));
      case "ArrayBuffer":
        return parseBase64(value as string).buffer;
    }
    const View = viewClass(kind);
    if (View !== undefined) return new View(parseBase64(value as string).buffer);
  } catch (cause) {
    throw invalidTag(kind, value, cause);
  }
  throw invalidTag(kind, value);
}

function invalidTag(kind: string, value: unknown, cause?: unknown): TurnfoldError {
  return new TurnfoldError("invalid_conversation", `there is no ${describe(kind)} in ${describe(value)}`, { cause });
}

/** Sets own members, also those with the names of inherited ones. */
function fromEntries(entries: [string, unknown][]): object {
  return Object.fromEntries(entries);
}

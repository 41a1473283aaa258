import type { ErrorCode } from "../error-codes.ts";
import { TurnfoldError } from "../errors.ts";
import { describe, isPlain } from "../values/describe.ts";
import {
  CAPTURED,
  type Float,
  type Fn,
  isKeywordName,
  isQualifiedName,
  type Keyword,
  kindOf,
  type Ref,
} from "../values/values.ts";
import { isPlainNumber, MAX_VALUES, plainJson, plainKey, quoteText } from "./plain-json.ts";

/**
 * Writes a JavaScript value as wire JSON, the form in which values are passed to the wasm and turns are saved.
 *
 * The text is canonical, as the wasm side writes it, except for sets and maps with equal elements that differ only in
 * the order of their own keys.
 *
 * @param root names the value in errors: `$` gives `$.items[2]`.
 * @param maxText the maximum length of a text in it, in UTF-16 units.
 * @throws {TurnfoldError} `invalid_value` for a value that can't be encoded or is too large, `cyclic_value`,
 * `nesting_too_deep`; `details.path` is its path.
 */
export function encode(value: unknown, root = "$", maxText: number = Number.POSITIVE_INFINITY): string {
  if (typeof value === "string" && value.length <= maxText) return quoteText(value);
  return plainJson(value, maxText) ?? new Encoder(root, maxText).run((encoder) => encoder.value(value));
}

/**
 * Writes values by name, such as a memory: a map whose keys are the names.
 *
 * @throws {TurnfoldError} as {@link encode}, and `invalid_value` when `record` is not a plain object.
 */
export function encodeRecord(record: unknown, root: string, maxText: number = Number.POSITIVE_INFINITY): string {
  const json = plainJson(record, maxText);
  return json?.startsWith("{") ? json : new Encoder(root, maxText).run((encoder) => encoder.record(record));
}

const REF_HINT = 'a Ref is to a "var" by its name, to a "regex" by its source, or to a "date" such as 2024-02-29';
const DAY = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\d$/;
const KEYWORD_HINT = "make it with keyword(name), which checks the name";

/** Levels of nesting that a value may have; the wasm side has the same limit. */
const MAX_NESTING = 1000;

/**
 * One walk over a value. It keeps the path of the current value for errors; the path is only overwritten, never
 * shortened, which keeps the walk cheap.
 */
class Encoder {
  private readonly root: string;
  private readonly maxText: number;
  private readonly path: (number | string)[] = [];
  private readonly ancestors: object[] = [];
  private depth = 0;
  private valuesLeft = MAX_VALUES;
  private ownError: TurnfoldError | null = null;

  constructor(root: string, maxText: number) {
    this.root = root;
    this.maxText = maxText;
  }

  /** Runs the walk. An error of a getter, a proxy or a `toJSON` becomes the cause of an `invalid_value`. */
  run(walk: (encoder: Encoder) => string): string {
    try {
      return walk(this);
    } catch (error) {
      if (error === this.ownError) throw error;
      throw this.makeError("invalid_value", "could not be read", {
        hint: "a getter, a proxy or a toJSON method threw; see the cause",
        cause: error,
      });
    }
  }

  value(value: unknown): string {
    switch (typeof value) {
      case "string":
        return this.text(value);
      case "number":
        return encodeNumber(value);
      case "object":
        return value === null ? "null" : this.object(value);
      case "boolean":
        return value ? "true" : "false";
      case "undefined":
        return "null";
      case "bigint":
        return this.integer(value);
      default:
        throw this.makeError("invalid_value", `is a ${typeof value}`, {
          hint:
            typeof value === "function"
              ? "a function can't be shown to a model; fn({ params, doc }) describes one"
              : "give a string or a keyword in its place",
        });
    }
  }

  record(record: unknown): string {
    if (typeof record !== "object" || record === null || Array.isArray(record) || !isPlain(record)) {
      throw this.makeError("invalid_value", `must be a plain object of names, got ${describe(record)}`);
    }
    return this.plain(record);
  }

  private text(value: string): string {
    if (value.length <= this.maxText) return quoteText(value);
    const [is, max] = [value.length, this.maxText].map((units) => units.toLocaleString("en-US"));
    throw this.makeError("invalid_value", `is a text of ${is} UTF-16 units, and a program can't use more than ${max}`, {
      hint: "give a part of it, or its parts as an array; limits.collectionSize allows more",
    });
  }

  private object(value: object, convert = true): string {
    if (Array.isArray(value)) return this.array(value);
    if (isPlain(value)) return convert && isConvertible(value) ? this.converted(value) : this.plain(value);
    switch (kindOf(value)) {
      case "keyword":
        return this.keyword(value as Keyword);
      case "float":
        return this.float(value as Float);
      case "fn":
        return encodeFn(value as Fn);
      case "ref":
        return this.ref(value as Ref);
      case undefined:
        return this.instance(value, convert);
    }
  }

  private integer(value: bigint): string {
    if (-MAX_SAFE <= value && value <= MAX_SAFE) return String(value);
    if (-MIN_TOO_LONG_INTEGER < value && value < MIN_TOO_LONG_INTEGER) return tagged("int", `"${value}"`);
    throw this.makeError("invalid_value", `is an integer of more than ${MAX_INTEGER_DIGITS} digits`, {
      hint: "give a number, or a string when every digit matters",
    });
  }

  private keyword({ name }: Keyword): string {
    if (typeof name === "string" && isQualifiedName(name)) return tagged("keyword", quoteText(name));
    throw this.makeError("invalid_value", `is a keyword that can't be named ${describe(name)}`, { hint: KEYWORD_HINT });
  }

  private float({ value }: Float): string {
    if (typeof value === "number") return encodeFloat(value);
    throw this.makeError("invalid_value", `is a Float of ${describe(value)}`, { hint: "make it with float(number)" });
  }

  private ref({ kind, text }: Ref): string {
    if (typeof text !== "string")
      throw this.makeError("invalid_value", `is a Ref to ${describe(text)}`, { hint: REF_HINT });
    if (kind === "var" && text.split("/").every(isKeywordName)) return tagged(kind, quoteText(text));
    if (kind === "var")
      throw this.makeError("invalid_value", `is a Ref to the name ${describe(text)}`, { hint: REF_HINT });
    if (kind === "regex") return tagged(kind, quoteText(text));
    if (kind === "date" && DAY.test(text)) return tagged("day", quoteText(text));
    if (kind === "date")
      throw this.makeError("invalid_value", `is a Ref to the date ${describe(text)}`, { hint: REF_HINT });
    throw this.makeError("invalid_value", `is a Ref to ${describe(kind)}`, { hint: REF_HINT });
  }

  private instance(value: object, convert: boolean): string {
    switch (Object.prototype.toString.call(value)) {
      case "[object Date]":
        return this.date(value as Date);
      case "[object Map]":
        return this.map(value as ReadonlyMap<unknown, unknown>);
      case "[object Set]":
        return this.set(value as ReadonlySet<unknown>);
    }
    if (convert && isConvertible(value)) return this.converted(value);
    throw this.makeError("invalid_value", `is ${describe(value)}, which has no form here`, {
      hint: substituteHint(value),
    });
  }

  /** Encodes the result of a `toJSON` method. As in JSON, a `toJSON` method of that result is not called. */
  private converted(value: { toJSON(key: string): unknown }): string {
    const json = value.toJSON(this.depth === 0 ? "" : String(this.path[this.depth - 1]));
    return typeof json === "object" && json !== null ? this.object(json, false) : this.value(json);
  }

  private date(value: Date): string {
    const millis = value.getTime();
    if (!Number.isSafeInteger(millis)) {
      throw this.makeError("invalid_value", "is an invalid Date", { hint: "give null, or the text that is no date" });
    }
    return tagged("date", String(millis));
  }

  private array(items: readonly unknown[]): string {
    const level = this.enter(items, items.length);
    let text = "";
    for (let index = 0; index < items.length; index++) {
      this.path[level] = index;
      text += (index === 0 ? "" : ",") + this.value(items[index]);
    }
    this.depth = level;
    return `[${text}]`;
  }

  private plain(value: object): string {
    const keys = Object.keys(value);
    const names = keys.map(plainKey);
    const level = this.enter(value, keys.length);
    if (names.includes("")) return this.pairs(value, keys, level);
    let text = "{";
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index] as string;
      this.path[level] = key;
      text += (index === 0 ? "" : ",") + names[index] + this.value((value as Record<string, unknown>)[key]);
    }
    this.depth = level;
    return `${text}}`;
  }

  /** Encodes an object with a key that is not a keyword, or that could be mistaken for a tag. */
  private pairs(value: object, keys: readonly string[], level: number): string {
    const pairs = keys.map((key) => {
      this.path[level] = key;
      const name = isKeywordName(key) ? tagged("keyword", quoteText(key)) : quoteText(key);
      return `[${name},${this.value((value as Record<string, unknown>)[key])}]`;
    });
    this.depth = level;
    return tagged("map", `[${pairs.join()}]`);
  }

  /** Of equal keys the last value is written, at the place of the first. */
  private map(value: ReadonlyMap<unknown, unknown>): string {
    const level = this.enter(value, value.size);
    const entries = new Map<string, string>();
    const names: string[] = [];
    for (const [key, item] of value.entries()) {
      // The path is set before the key is read, because reading it may throw.
      this.path[level] = `\u0000entry ${entries.size}`;
      const named = keyName(key);
      if (named !== null) this.path[level] = named;
      const text = this.value(key);
      const name = isKeyword(key) ? plainKey(key.name) : "";
      if (!entries.has(text) && name !== "") names.push(name);
      entries.set(text, this.value(item));
    }
    this.depth = level;
    if (names.length === entries.size) {
      return `{${Array.from(entries.values(), (item, at) => `${names[at]}${item}`).join()}}`;
    }
    return tagged("map", `[${Array.from(entries, ([key, item]) => `[${key},${item}]`).join()}]`);
  }

  private set(value: ReadonlySet<unknown>): string {
    const level = this.enter(value, value.size);
    const items = new Set<string>();
    for (const item of value.values()) {
      this.path[level] = items.size;
      items.add(this.value(item));
    }
    this.depth = level;
    return tagged("set", `[${Array.from(items).join()}]`);
  }

  /** Enters `container`, which has `size` values, and returns the level of its keys in the path. */
  private enter(container: object, size: number): number {
    this.valuesLeft -= size;
    if (this.valuesLeft < 0) {
      throw this.makeError("invalid_value", `makes more than ${MAX_VALUES.toLocaleString("en-US")} values`, {
        hint: "give a part of it; a part that occurs in several places counts in each",
      });
    }
    const level = this.depth;
    let first = level - 1;
    while (first >= 0 && this.ancestors[first] !== container) first--;
    if (first >= 0) {
      throw this.makeError("cyclic_value", `is ${this.where(first)} again`, {
        hint: "leave the reference out, or put an id in its place",
      });
    }
    if (level >= MAX_NESTING) {
      throw this.makeError("nesting_too_deep", `is nested more than ${MAX_NESTING} levels deep`, { shown: 8 });
    }
    this.ancestors[level] = container;
    this.depth = level + 1;
    return level;
  }

  private makeError(
    code: ErrorCode,
    problem: string,
    { hint, cause, shown = MAX_NESTING }: { hint?: string | null; cause?: unknown; shown?: number } = {},
  ): TurnfoldError {
    const path = this.where(this.depth);
    const name = this.depth > shown ? `${this.where(shown)}…` : path;
    const extra = { details: { path }, hint: hint ?? null };
    this.ownError = new TurnfoldError(code, `${name} ${problem}`, cause === undefined ? extra : { ...extra, cause });
    return this.ownError;
  }

  /** The path down to a level, as JavaScript writes it. */
  private where(level: number): string {
    return this.root + this.path.slice(0, level).map(pathStep).join("");
  }
}

function encodeNumber(value: number): string {
  return isPlainNumber(value) ? String(value) : encodeFloat(value);
}

function encodeFloat(value: number): string {
  if (Number.isFinite(value) && !Number.isInteger(value)) return String(value);
  const text = Object.is(value, -0) ? "-0" : String(value).replace("+", "");
  return tagged("float", `"${text}"`);
}

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Decimal digits that an integer may have; the wasm side has the same limit. */
const MAX_INTEGER_DIGITS = 10_000;
const MIN_TOO_LONG_INTEGER = 10n ** BigInt(MAX_INTEGER_DIGITS);

function encodeFn(value: Fn): string {
  if (value.builtin) return tagged("builtin", quoteText(String(value.name)));
  const members = [`"params":${quoteText(value.params)}`];
  for (const name of ["doc", "returnType", "source"] as const) {
    const text = value[name];
    if (typeof text === "string") members.push(`"${name}":${quoteText(text)}`);
  }
  const captured = (value as { [CAPTURED]?: unknown })[CAPTURED];
  if (typeof captured === "string") members.push(`"captured":${captured}`);
  return tagged("fn", `{${members.join()}}`);
}

function tagged(tag: string, json: string): string {
  return `{"$${tag}":${json}}`;
}

function isConvertible(value: object): value is { toJSON(key: string): unknown } {
  return typeof (value as { toJSON?: unknown }).toJSON === "function";
}

function isKeyword(value: unknown): value is Keyword {
  return typeof value === "object" && value !== null && kindOf(value) === "keyword";
}

function keyName(key: unknown): string | number | null {
  if (typeof key === "string" || typeof key === "number") return key;
  return isKeyword(key) ? key.name : null;
}

function substituteHint(value: object): string {
  if (typeof (value as { then?: unknown }).then === "function") return "await it first";
  if (value instanceof Error) return "give its message";
  if (value instanceof RegExp) return "give its source";
  if (ArrayBuffer.isView(value)) return "give Array.from(it), or text";
  return "give a plain object, or add a toJSON method to the class";
}

/** One step of a path: `.name`, `["first name"]`, `[2]`, or `[entry 2]` for an entry of a map whose key has no name. */
export function pathStep(key: number | string): string {
  if (typeof key === "number") return `[${key}]`;
  if (key.startsWith("\u0000")) return `[${key.slice(1)}]`;
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

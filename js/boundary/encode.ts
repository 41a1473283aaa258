import { TurnfoldError } from "../errors.ts";
import { describe, isPlain } from "../values/describe.ts";
import type { Float, Fn, Keyword, Ref } from "../values/values.ts";
import { CAPTURED, isKeywordName, kindOf } from "../values/values.ts";
import { isPlainNumber, MOST_VALUES, plainJson, plainKey, quote } from "./plain-json.ts";

/**
 * Writes a JavaScript value as wire JSON, the form in which values are passed to the wasm and turns are saved.
 *
 * The text is canonical, as the wasm side writes it, except for sets and maps with equal elements that differ only in
 * the order of their own keys.
 *
 * @param root names the value in errors: `$` gives `$.items[2]`.
 * @param mostText the maximum length of a text in it, in UTF-16 units.
 * @throws {TurnfoldError} `invalid_value` for a value that can't be encoded or is too large, `cyclic_value`,
 * `nesting_too_deep`; `details.path` is its path.
 */
export function encode(value: unknown, root = "$", mostText: number = Number.POSITIVE_INFINITY): string {
  if (typeof value === "string" && value.length <= mostText) return quote(value);
  return plainJson(value, mostText) ?? new Encoder(root, mostText).run((encoder) => encoder.value(value));
}

/**
 * Writes values by name, such as a memory: a map whose keys are the names.
 *
 * @throws {TurnfoldError} as {@link encode}, and `invalid_value` when `record` is not a plain object.
 */
export function encodeRecord(record: unknown, root: string, mostText: number = Number.POSITIVE_INFINITY): string {
  const json = plainJson(record, mostText);
  return json?.startsWith("{") ? json : new Encoder(root, mostText).run((encoder) => encoder.record(record));
}

const REF = 'a Ref is to a "var" by its name or to a "regex" by its source';
const MADE_BY_KEYWORD = "make it with keyword(name), which checks the name";

/** Levels of nesting that a value may have; the wasm side has the same limit. */
const MAX_NESTING = 1000;

/**
 * One walk over a value. It keeps the path of the current value for errors; the path is only overwritten, never
 * shortened, which keeps the walk cheap.
 */
class Encoder {
  private readonly root: string;
  private readonly mostText: number;
  private readonly path: (number | string)[] = [];
  private readonly ancestors: object[] = [];
  private depth = 0;
  private left = MOST_VALUES;
  private refusal: TurnfoldError | null = null;

  constructor(root: string, mostText: number) {
    this.root = root;
    this.mostText = mostText;
  }

  /** Runs the walk. An error of a getter, a proxy or a `toJSON` becomes the cause of an `invalid_value`. */
  run(walk: (encoder: Encoder) => string): string {
    try {
      return walk(this);
    } catch (error) {
      if (error === this.refusal) throw error;
      throw this.refuse("invalid_value", "could not be read", {
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
        return numeral(value);
      case "object":
        return value === null ? "null" : this.object(value);
      case "boolean":
        return value ? "true" : "false";
      case "undefined":
        return "null";
      case "bigint":
        return this.integer(value);
      default:
        throw this.refuse("invalid_value", `is a ${typeof value}`, {
          hint:
            typeof value === "function"
              ? "a function can't be shown to a model; fn({ params, doc }) describes one"
              : "give a string or a keyword in its place",
        });
    }
  }

  record(record: unknown): string {
    if (typeof record !== "object" || record === null || Array.isArray(record) || !isPlain(record)) {
      throw this.refuse("invalid_value", `must be a plain object of names, got ${describe(record)}`);
    }
    return this.plain(record);
  }

  private text(value: string): string {
    if (value.length <= this.mostText) return quote(value);
    const [is, most] = [value.length, this.mostText].map((units) => units.toLocaleString("en-US"));
    throw this.refuse("invalid_value", `is a text of ${is} UTF-16 units, and a program can't use more than ${most}`, {
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
        return closure(value as Fn);
      case "ref":
        return this.ref(value as Ref);
      case undefined:
        return this.instance(value, convert);
    }
  }

  private integer(value: bigint): string {
    if (-MAX_SAFE <= value && value <= MAX_SAFE) return String(value);
    if (-TOO_LONG < value && value < TOO_LONG) return tagged("int", `"${value}"`);
    throw this.refuse("invalid_value", `is an integer of more than ${MAX_INTEGER_DIGITS} digits`, {
      hint: "give a number, or a string when every digit matters",
    });
  }

  private keyword({ name }: Keyword): string {
    if (typeof name === "string" && isKeywordName(name)) return tagged("keyword", quote(name));
    throw this.refuse("invalid_value", `is a keyword that can't be named ${describe(name)}`, { hint: MADE_BY_KEYWORD });
  }

  private float({ value }: Float): string {
    if (typeof value === "number") return float(value);
    throw this.refuse("invalid_value", `is a Float of ${describe(value)}`, { hint: "make it with float(number)" });
  }

  private ref({ kind, text }: Ref): string {
    if (typeof text !== "string") throw this.refuse("invalid_value", `is a Ref to ${describe(text)}`, { hint: REF });
    if (kind === "var" && text.split("/").every(isKeywordName)) return tagged(kind, quote(text));
    if (kind === "var") throw this.refuse("invalid_value", `is a Ref to the name ${describe(text)}`, { hint: REF });
    if (kind === "regex") return tagged(kind, quote(text));
    throw this.refuse("invalid_value", `is a Ref to ${describe(kind)}`, { hint: REF });
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
    throw this.refuse("invalid_value", `is ${describe(value)}, which has no form here`, { hint: substitute(value) });
  }

  /** Encodes the result of a `toJSON` method. As in JSON, a `toJSON` method of that result is not called. */
  private converted(value: { toJSON(key: string): unknown }): string {
    const json = value.toJSON(this.depth === 0 ? "" : String(this.path[this.depth - 1]));
    return typeof json === "object" && json !== null ? this.object(json, false) : this.value(json);
  }

  private date(value: Date): string {
    const millis = value.getTime();
    if (!Number.isSafeInteger(millis)) {
      throw this.refuse("invalid_value", "is an invalid Date", { hint: "give null, or the text that is no date" });
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
      const name = isKeywordName(key) ? tagged("keyword", quote(key)) : quote(key);
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
    this.left -= size;
    if (this.left < 0) {
      throw this.refuse("invalid_value", `makes more than ${MOST_VALUES.toLocaleString("en-US")} values`, {
        hint: "give a part of it; a part that occurs in several places counts in each",
      });
    }
    const level = this.depth;
    let first = level - 1;
    while (first >= 0 && this.ancestors[first] !== container) first--;
    if (first >= 0) {
      throw this.refuse("cyclic_value", `is ${this.where(first)} again`, {
        hint: "leave the reference out, or put an id in its place",
      });
    }
    if (level >= MAX_NESTING) {
      throw this.refuse("nesting_too_deep", `is nested more than ${MAX_NESTING} levels deep`, { shown: 8 });
    }
    this.ancestors[level] = container;
    this.depth = level + 1;
    return level;
  }

  private refuse(
    code: string,
    problem: string,
    { hint, cause, shown = MAX_NESTING }: { hint?: string | null; cause?: unknown; shown?: number } = {},
  ): TurnfoldError {
    const path = this.where(this.depth);
    const name = this.depth > shown ? `${this.where(shown)}…` : path;
    const extra = { details: { path }, hint: hint ?? null };
    this.refusal = new TurnfoldError(code, `${name} ${problem}`, cause === undefined ? extra : { ...extra, cause });
    return this.refusal;
  }

  /** The path down to a level, as JavaScript writes it. */
  private where(level: number): string {
    return this.root + this.path.slice(0, level).map(step).join("");
  }
}

function numeral(value: number): string {
  return isPlainNumber(value) ? String(value) : float(value);
}

function float(value: number): string {
  if (Number.isFinite(value) && !Number.isInteger(value)) return String(value);
  const text = Object.is(value, -0) ? "-0" : String(value).replace("+", "");
  return tagged("float", `"${text}"`);
}

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Decimal digits that an integer may have; the wasm side has the same limit. */
const MAX_INTEGER_DIGITS = 10_000;
const TOO_LONG = 10n ** BigInt(MAX_INTEGER_DIGITS);

function closure(value: Fn): string {
  if (value.builtin) return tagged("builtin", quote(String(value.name)));
  const members = [`"params":${quote(value.params)}`];
  for (const name of ["doc", "returnType", "source"] as const) {
    const text = value[name];
    if (typeof text === "string") members.push(`"${name}":${quote(text)}`);
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

function substitute(value: object): string {
  if (typeof (value as { then?: unknown }).then === "function") return "await it first";
  if (value instanceof Error) return "give its message";
  if (value instanceof RegExp) return "give its source";
  if (ArrayBuffer.isView(value)) return "give Array.from(it), or text";
  return "give a plain object, or add a toJSON method to the class";
}

/** One step of a path: `.name`, `["first name"]`, `[2]`, or `[entry 2]` for an entry of a map whose key has no name. */
export function step(key: number | string): string {
  if (typeof key === "number") return `[${key}]`;
  if (key.startsWith("\u0000")) return `[${key.slice(1)}]`;
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { describe } from "./describe.ts";

/**
 * The property by which copies of this package recognize each other's values.
 *
 * @internal
 */
export const brand: unique symbol = Symbol.for("turnfold.value");

/**
 * The class, of those below, of a value.
 *
 * @internal
 */
export type Kind = "keyword" | "float" | "fn" | "ref";

/**
 * Returns the kind of a value of the classes below, made by any copy of the package; undefined for other values.
 *
 * @internal
 */
export function kindOf(value: object): Kind | undefined {
  return (value as { [brand]?: Kind })[brand];
}

function is(value: unknown, wanted: Kind): boolean {
  return typeof value === "object" && value !== null && kindOf(value) === wanted;
}

/**
 * A keyword of the language, `:name`. Compare keywords by `name`, because equal keywords are different objects.
 * `instanceof` works across copies of the package.
 *
 * @example
 * ```ts
 * const state = readClojure(":done");
 * if (state instanceof Keyword) console.log(state.name);
 * ```
 */
export class Keyword {
  /** The name without its colon. */
  readonly name: string;

  /** Prefer {@link keyword}, which checks the name. */
  constructor(name: string) {
    this.name = name;
    Object.freeze(this);
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return is(value, "keyword");
  }

  /** @internal */
  get [brand](): "keyword" {
    return "keyword";
  }

  /** `:name` */
  toString(): string {
    return `:${this.name}`;
  }

  /** The name: `JSON.stringify` writes a string. {@link Turn.toJSON} is lossless. */
  toJSON(): string {
    return this.name;
  }
}

/**
 * Makes the keyword `:name`.
 *
 * @example
 * ```ts
 * toClojure({ state: keyword("done") }).text; // => '{:state :done}'
 * ```
 * @throws {TurnfoldError} `invalid_keyword` when the name could not be read back: it is empty, begins or ends with a
 * colon, has more than one `/`, or contains white space or one of `, ( ) [ ] { } " ; @ ^ \` ~ \`.
 */
export function keyword(name: string): Keyword {
  if (typeof name !== "string" || !isQualifiedName(name)) {
    throw new TurnfoldError("invalid_keyword", `${describe(name)} can't be the name of a keyword`, {
      details: { name },
      hint: "a keyword's name has no white space, one slash at most and no bracket, quote, comma or semicolon",
    });
  }
  return new Keyword(name);
}

/**
 * A float without a fraction, `3.0`, distinct from the integer 3; also `-0.0`. Floats with a fraction, infinities and
 * NaN are plain numbers. It computes like a number: `float(3) + 1` is 4.
 *
 * @example
 * ```ts
 * const price = readClojure("3.0");
 * if (price instanceof Float) console.log(price.value + 1);
 * ```
 */
export class Float {
  /** The number, unchanged. */
  readonly value: number;

  /** Prefer {@link float}, which checks its argument. */
  constructor(value: number) {
    this.value = value;
    Object.freeze(this);
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return is(value, "float");
  }

  /** @internal */
  get [brand](): "float" {
    return "float";
  }

  /** The number itself, so that arithmetic works. */
  valueOf(): number {
    return this.value;
  }

  /** As the language prints it: `3.0`. */
  toString(): string {
    const text = Object.is(this.value, -0) ? "-0" : String(this.value);
    return /^-?\d+$/.test(text) ? `${text}.0` : text;
  }

  /** The number: `JSON.stringify` writes it without a mark. */
  toJSON(): number {
    return this.value;
  }
}

/**
 * Makes a float of `value`, even without a fraction.
 *
 * @example
 * ```ts
 * toClojure([3, float(3)]).text; // => '[3 3.0]'
 * ```
 * @throws {TurnfoldError} `invalid_argument` when it is not a number.
 */
export function float(value: number): Float {
  if (typeof value !== "number") {
    throw new TurnfoldError("invalid_argument", `float() takes a number, got ${describe(value)}`);
  }
  return new Float(value);
}

/** Options of {@link fn}. */
export interface FnInit {
  /** The parameters as written between the brackets: `a b & rest`. */
  params?: string | undefined;
  /** The docstring. */
  doc?: string | undefined;
  /** The type label of its result, such as `boolean`. */
  returnType?: string | undefined;
}

/**
 * The property of a function with the wire JSON of its captured values, which is not public.
 *
 * @internal
 */
export const CAPTURED: unique symbol = Symbol.for("turnfold.captured");

/**
 * A function of the language. One that was made by {@link fn} can be shown to a model but not called.
 *
 * @example
 * ```ts
 * const { memory } = new Lisp().runSync('(defn double "Twice as much" [x] (* 2 x))');
 * if (memory.double instanceof Fn) console.log(memory.double.params, memory.double.doc);
 * ```
 */
export class Fn {
  /** The parameters as written between the brackets: `a b & rest`. */
  readonly params: string;
  /** The docstring of its definition. */
  readonly doc: string | null;
  /** The type label of its last result. */
  readonly returnType: string | null;
  /** The program text that defines it. */
  readonly source: string | null;
  /** True for a function of the library. */
  readonly builtin: boolean;
  /** A builtin's name; null for every other function. */
  readonly name: string | null;

  /** Prefer {@link fn}, which checks its argument. */
  constructor(init: FnInit & { source?: string; name?: string }, captured?: string) {
    if (captured !== undefined) Object.defineProperty(this, CAPTURED, { value: captured });
    this.params = init.params ?? "";
    this.doc = init.doc ?? null;
    this.returnType = init.returnType ?? null;
    this.source = init.source ?? null;
    this.builtin = init.name !== undefined;
    this.name = init.name ?? null;
    Object.freeze(this);
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return is(value, "fn");
  }

  /** @internal */
  get [brand](): "fn" {
    return "fn";
  }

  /** `#fn[a b & rest]`, or a builtin's name. */
  toString(): string {
    return this.name ?? `#fn[${this.params}]`;
  }

  /** The text of {@link Fn.toString}: JSON has no functions. */
  toJSON(): string {
    return this.toString();
  }
}

/**
 * Describes a function, to be shown among the definitions.
 *
 * @example
 * ```ts
 * const memory = { "in-stock?": fn({ params: "item", doc: "True when it can be ordered", returnType: "boolean" }) };
 * // (in-stock? [item])            ; "True when it can be ordered" -> boolean
 * ```
 * @throws {TurnfoldError} `invalid_argument` when a member is not a string.
 */
export function fn(init: FnInit): Fn {
  if (typeof init !== "object" || init === null) {
    throw new TurnfoldError("invalid_argument", `fn() takes an object, got ${describe(init)}`, {
      hint: 'fn({ params: "a b", doc: "…", returnType: "boolean" })',
    });
  }
  return wrapReadErrors("invalid_argument", "what fn() got", () => {
    for (const name of ["params", "doc", "returnType"] as const) {
      const given: unknown = init[name];
      if (given !== undefined && typeof given !== "string") {
        throw new TurnfoldError("invalid_argument", `fn() takes ${name} as a string, got ${describe(given)}`);
      }
    }
    return new Fn(init);
  });
}

/**
 * A value that JavaScript has no type for: a var, `#'name`, a regular expression, or a calendar date without a time.
 * Where values are plain JavaScript, such as results of {@link Lisp} and arguments of tools, a date is its text.
 *
 * @example
 * ```ts
 * const { value } = new Lisp().runSync("#'+");
 * if (value instanceof Ref) console.log(value.kind, value.text);
 * ```
 */
export class Ref {
  /** `var`, `regex` or `date`. */
  readonly kind: "var" | "regex" | "date";
  /** The var's name, the expression's source, or the date: `2024-02-29`. */
  readonly text: string;

  constructor(of: "var" | "regex" | "date", text: string) {
    this.kind = of;
    this.text = text;
    Object.freeze(this);
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return is(value, "ref");
  }

  /** @internal */
  get [brand](): "ref" {
    return "ref";
  }

  /** `#'name`, `#"source"`, or `2024-02-29`. */
  toString(): string {
    if (this.kind === "date") return this.text;
    return this.kind === "var" ? `#'${this.text}` : `#"${this.text}"`;
  }

  /** The text of {@link Ref.toString}: JSON has none of them. */
  toJSON(): string {
    return this.toString();
  }
}

/**
 * A value that Turnfold returns, deeply frozen.
 *
 * | JavaScript | the language |
 * | --- | --- |
 * | `null` | nil |
 * | `number` | an integer if it is a safe integer, otherwise a float |
 * | `bigint` | an integer beyond 2^53, of at most 10,000 digits |
 * | {@link Float} | a float without a fraction |
 * | {@link Keyword}, {@link Fn}, {@link Ref} | a keyword, a function, a var, regular expression or date without a time |
 * | plain object | a map whose keys are all keywords |
 * | `Map` | every other map |
 * | array, `Set`, `Date` | a vector, a set, a date |
 *
 * Arguments are `unknown` and are converted to these types; objects with a `toJSON` method are accepted too. A property
 * name that can't be a keyword becomes a string key.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Date
  | Keyword
  | Float
  | Fn
  | Ref
  | readonly Value[]
  | ReadonlySet<Value>
  | ReadonlyMap<Value, Value>
  | { readonly [key: string]: Value };

const SIMPLE_NAME = /^[A-Za-z_][\w-]*$/;
const NAME = /^[^\p{White_Space}\p{Cc},/()[\]{}";@^`~\\\uFEFF]+$/u;

/**
 * True when `:name` reads back as a keyword; the same rule as `is_keyword_name` in Rust.
 *
 * @internal
 */
export function isKeywordName(name: string): boolean {
  return SIMPLE_NAME.test(name) || (NAME.test(name) && !name.startsWith(":") && !name.endsWith(":"));
}

/**
 * Whether `name` is the name of a keyword in a program: `name` or `namespace/name`. A key of data with a slash is a
 * string.
 *
 * @internal
 */
export function isQualifiedName(name: string): boolean {
  const [first = "", second = first, ...more] = name.split("/");
  return more.length === 0 && isKeywordName(first) && isKeywordName(second);
}

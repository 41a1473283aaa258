// The types of the inputs and outputs of a signature, parsed from its text by the TypeScript compiler in one pass, in both
// notations. For a text that these types can't parse they are records of any values; the wasm refuses it at run time.

import type { Keyword, Value } from "../values/values.ts";
import type { History } from "./history.ts";
import type { Field, Signature, SignatureInit } from "./types.ts";

/** The forms in which a signature can be given. */
// biome-ignore lint/suspicious/noExplicitAny: any inputs and outputs.
export type SignatureLike = string | SignatureInit | Signature<any, any>;

/** The inputs of a typed call with the signature: `InputsOf<"question, limit: Optional[int] -> answer">` is `{ question: string; limit?: number | null }`. */
export type InputsOf<S> = S extends string
  ? Known<S, SidesOf<S, "in">, 0, Record<string, unknown>>
  : S extends Signature<infer I, infer _O>
    ? I
    : S extends { readonly inputs: infer F extends readonly Field[] }
      ? FieldsOf<F, "in">
      : Record<string, unknown>;

/** The outputs of a typed call with the signature: `OutputsOf<"question -> answer, score: float">` is `{ answer: string; score: number }`. */
export type OutputsOf<S> = S extends string
  ? Known<S, SidesOf<S, "out">, 1, Record<string, Value>>
  : S extends Signature<infer _I, infer O>
    ? O
    : S extends { readonly outputs: infer F extends readonly Field[] }
      ? FieldsOf<F, "out">
      : Record<string, Value>;

/** What an agent with the signature returns: `ResultOf<"() -> {id :int}?">` is `{ id: number } | null`. */
export type ResultOf<S> = S extends string ? Known<S, SidesOf<S, "out">, 1, Value> : Value;

/** The outputs of a text that may omit the inputs: `-> name: str`, `name: str`, `{name :string}`. */
export type AloneOutputsOf<S extends string> = OutputsOf<WithInputs<Trim<S>>>;

/** Adds an input, which the notation of typed calls requires. */
type WithInputs<S extends string> = S extends `->${infer R}`
  ? Trim<R> extends `${Begins}${string}`
    ? S
    : `_request ${S}`
  : S extends `${Begins}${string}` | `${string}->${string}`
    ? S
    : `_request -> ${S}`;

/** Inputs may be optional and are readonly; outputs are always present. */
type Mode = "in" | "out";

/** One side of a parsed text; `Otherwise` for one that is known only at run time, such as `${string} -> answer`. */
type Known<S extends string, Sides, Side extends 0 | 1, Otherwise> =
  Record<never, 1> extends Record<S, 1>
    ? Otherwise
    : [Sides] extends [never]
      ? Otherwise
      : Sides extends readonly [unknown, unknown]
        ? Sides[Side]
        : Otherwise;

/**
 * An intersection as one object. It is a conditional type so that editors and errors show its result instead of its
 * name.
 */
type Flat<T> = T extends infer Members ? { [K in keyof Members]: Members[K] } : never;

// ── texts ────────────────────────────────────────────────────────────────────────────────────────────────────────────

type Trim<S extends string> = S extends `${" " | "\n" | "\t" | "\r"}${infer R}` ? Trim<R> : S;

type Cut<S extends string, At extends string> = S extends `${infer Head}${At}${string}` ? Head : S;

/** The text before the first character that is not part of a word. */
type Word<S extends string> = Cut<
  Cut<
    Cut<Cut<Cut<Cut<Cut<Cut<Cut<Cut<Cut<Cut<Cut<S, ",">, ":">, " ">, "|">, "?">, "[">, "]">, "{">, "}">, ")">, "->">,
    "\n"
  >,
  "."
>;

type Behind<S extends string, Head extends string> = S extends `${Head}${infer R}` ? R : "";

// ── types ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The type names of the notations, with their aliases. */
interface Words {
  string: string;
  str: string;
  text: string;
  int: number;
  integer: number;
  long: number;
  float: number;
  double: number;
  number: number;
  bool: boolean;
  boolean: boolean;
}

type OfWord<W extends string, M extends Mode> =
  Lowercase<W> extends infer L
    ? L extends keyof Words
      ? Words[L]
      : L extends "keyword" | "symbol" | "atom"
        ? M extends "in"
          ? string | Keyword
          : string
        : L extends "map" | "dict" | "object" | "obj"
          ? M extends "in"
            ? Readonly<Record<string, unknown>>
            : Record<string, Value>
          : L extends "list" | "array"
            ? List<Anything<M>, M>
            : L extends "history"
              ? History
              : Anything<M>
    : never;

type Anything<M extends Mode> = M extends "in" ? unknown : Value;
type List<T, M extends Mode> = M extends "in" ? readonly T[] : T[];
type OrNull<T, M extends Mark> = M extends false ? T : T | null;

/** Whether a type is marked: true for `?`, `nil` for `| nil`, a value that must be present and may be null. */
type Mark = boolean | "nil";

/** A parsed type, its mark, and the remaining text. */
type Read<T, M extends Mark, Rest extends string> = [T, M, Rest];

/** `:int`, `[{id :int}]`, `{total :float?}`, `"a" | "b"`, `("a" | "b")`; then its mark. */
type TurnType<S extends string, M extends Mode> = S extends `:${infer R}`
  ? Marked<OfWord<Word<R>, M>, Behind<R, Word<R>>>
  : S extends `[${infer R}`
    ? TurnType<Trim<R>, M> extends Read<infer T, infer O, infer R2>
      ? Trim<R2> extends `]${infer R3}`
        ? Marked<List<OrNull<T, O>, M>, R3>
        : never
      : never
    : S extends `{${infer R}`
      ? TurnFields<R, "}", M, unknown> extends [infer T, infer R2 extends string]
        ? Marked<Flat<T>, R2>
        : never
      : S extends `(${infer R}`
        ? Choices<Trim<R>> extends [infer T, infer R2 extends string]
          ? Trim<R2> extends `)${infer R3}`
            ? Marked<T, R3>
            : never
          : never
        : Choices<S> extends [infer T, infer R extends string]
          ? Marked<T, R>
          : never;

/** `"open" | 'paid' | 1 | true` and the remaining text; null when no literal is next. */
type Choices<S extends string> = Choice<S> extends [infer L, infer R extends string] ? MoreChoices<R, L> : null;

type MoreChoices<S extends string, Before> =
  Trim<S> extends `|${infer R}`
    ? Choice<Trim<R>> extends [infer L, infer R2 extends string]
      ? MoreChoices<R2, Before | L>
      : [Before, S]
    : [Before, S];

type Choice<S extends string> = S extends `"${infer R}`
  ? Quoted<R, '"'>
  : S extends `'${infer R}`
    ? Quoted<R, "'">
    : Bare<S> extends infer W extends string
      ? [Scalar<W>] extends [never]
        ? null
        : [Scalar<W>, Behind<S, W>]
      : null;

/** A text with an escape is a string. A quote after one backslash does not end it. */
type Quoted<S extends string, Quote extends string> = S extends `${infer L}${Quote}${infer R}`
  ? L extends `${infer Start}\\`
    ? Start extends `${string}\\`
      ? [string, R]
      : Quoted<R, Quote> extends [unknown, infer R2 extends string]
        ? [string, R2]
        : null
    : [Unescaped<L>, R]
  : null;

/** The text before the first character that is not part of a number or a boolean. */
type Bare<S extends string> = Cut<Cut<Cut<Cut<Cut<Cut<Cut<Cut<S, ",">, " ">, "|">, "?">, ")">, "]">, "}">, "\n">;

type Marked<T, Rest extends string> = Rest extends `?${infer R}`
  ? Read<T, true, R>
  : Trim<Rest> extends `|${infer R}`
    ? Trim<R> extends `${"nil" | "null" | "None" | "none"}${infer R2}`
      ? Read<T, "nil", R2>
      : Read<T, false, Rest>
    : Read<T, false, Rest>;

/** `query :string, limit :int?`, up to the closing bracket. */
type TurnFields<S extends string, Close extends string, M extends Mode, Before> =
  Trim<S> extends `${Close}${infer R}`
    ? [Before, R]
    : Word<Trim<S>> extends infer Name extends string
      ? TurnType<Trim<Behind<Trim<S>, Name>>, M> extends Read<infer T, infer O, infer R>
        ? Trim<R> extends `,${infer R2}`
          ? TurnFields<R2, Close, M, Before & Entry<Name, T, O, "in">>
          : Trim<R> extends `${Close}${infer R2}`
            ? [Before & Entry<Name, T, O, "in">, R2]
            : never
        : never
      : never;

/** A member of an object; members of records within outputs may be absent too. */
type Entry<Name extends string, T, O extends Mark, M extends Mode> = O extends true
  ? M extends "in"
    ? { [K in Name]?: T | null | undefined }
    : { [K in Name]: T | null }
  : { [K in Name]: OrNull<T, O> };

/** `list[str]`, `Optional[int]`, `Literal["a"]`, or a type of turns; then `| None` or `?`. */
type Annotation<S extends string, M extends Mode> =
  Unmarked<S, M> extends Read<infer T, infer O, infer R> ? Suffixed<T, O extends false ? false : true, R> : never;

type Suffixed<T, O extends boolean, S extends string> = S extends `?${infer R}`
  ? Suffixed<T, true, R>
  : Trim<S> extends `|${infer R}`
    ? Suffixed<T, true, Behind<Trim<R>, Word<Trim<R>>>>
    : Read<T, O, S>;

type Unmarked<S extends string, M extends Mode> = S extends `${":" | "[" | "{" | "(" | '"' | "'"}${string}`
  ? TurnType<S, M>
  : Choices<S> extends [infer T, infer R extends string]
    ? Read<T, false, R>
    : Worded<S, M>;

/** A type that begins with a word, which may have a module before it. */
type Worded<S extends string, M extends Mode> =
  Word<S> extends infer W extends string
    ? Behind<S, W> extends `.${infer R}`
      ? Worded<R, M>
      : Behind<S, W> extends `[${infer R}`
        ? Lowercase<W> extends "literal"
          ? Literals<Trim<R>, never>
          : Annotation<Trim<R>, M> extends Read<infer T, infer O, infer R2>
            ? Parameter<Lowercase<W>, T, O, Trim<R2>, M>
            : never
        : Read<OfWord<W, M>, false, Behind<S, W>>
    : never;

/** Applies a type constructor such as `list` to the type in its brackets. */
type Parameter<W extends string, T, O extends Mark, S extends string, M extends Mode> = S extends `]${infer R}`
  ? W extends "optional"
    ? Read<T, true, R>
    : W extends "dict" | "map"
      ? Read<OfWord<"dict", M>, false, R>
      : Read<List<OrNull<T, O>, M>, false, R>
  : S extends `,${infer R}`
    ? Annotation<Trim<R>, M> extends Read<infer _T, infer _O, infer R2>
      ? Trim<R2> extends `]${infer R3}`
        ? Read<OfWord<"dict", M>, false, R3>
        : never
      : never
    : never;

/** `"good", 'bad', 1, True]` */
type Literals<S extends string, Before> = S extends `"${infer L}"${infer R}`
  ? MoreLiterals<Trim<R>, Before | Unescaped<L>>
  : S extends `'${infer L}'${infer R}`
    ? MoreLiterals<Trim<R>, Before | Unescaped<L>>
    : Cut<Cut<Cut<S, ",">, "]">, " "> extends infer W extends string
      ? MoreLiterals<Trim<Behind<S, W>>, Before | Scalar<W>>
      : never;

type MoreLiterals<S extends string, Before> = S extends `,${infer R}`
  ? Literals<Trim<R>, Before>
  : S extends `]${infer R}`
    ? Read<Before, false, R>
    : // A quote within a text, which these types do not parse further.
      S extends `${string}]${infer R}`
      ? Read<string, false, R>
      : never;

type Unescaped<L extends string> = L extends `${string}\\${string}` ? string : L;

type Scalar<W extends string> = W extends "True" | "true"
  ? true
  : W extends "False" | "false"
    ? false
    : W extends `${infer N extends number}`
      ? N
      : never;

// ── signatures ───────────────────────────────────────────────────────────────────────────────────────────────────────

type SidesOf<S extends string, M extends Mode> =
  Trim<S> extends `${Begins}${string}`
    ? TurnSides<Trim<S>, M>
    : Trim<S> extends `->${infer R}`
      ? Trim<R> extends `${Begins}${string}`
        ? TurnSides<Trim<R>, M>
        : never
      : ArrowSides<Trim<S>, M>;

/** How a signature in the notation of turns begins. */
type Begins = "(" | "[" | "{" | ":" | '"';

type TurnSides<S extends string, M extends Mode> = S extends `(${infer R}`
  ? TurnFields<R, ")", "in", unknown> extends [infer I, infer R2 extends string]
    ? Trim<R2> extends `->${infer R3}`
      ? [Flat<I>, ReturnOf<Trim<R3>, M>]
      : never
    : never
  : [Record<string, never>, ReturnOf<S, M>];

/** Fields of the result are always present. */
type ReturnOf<S extends string, M extends Mode> = S extends `{${infer R}`
  ? OutputFields<R, M, unknown> extends [infer T, infer R2 extends string]
    ? Marked<T, R2> extends Read<unknown, infer O, string>
      ? OrNull<T, O>
      : never
    : never
  : TurnType<S, M> extends Read<infer T, infer O, infer _R>
    ? OrNull<T, O>
    : never;

type OutputFields<S extends string, M extends Mode, Before> =
  Trim<S> extends `}${infer R}`
    ? [Flat<Before>, R]
    : Word<Trim<S>> extends infer Name extends string
      ? TurnType<Trim<Behind<Trim<S>, Name>>, M> extends Read<infer T, infer O, infer R>
        ? Trim<R> extends `,${infer R2}`
          ? OutputFields<R2, M, Before & Entry<Name, T, O, M>>
          : Trim<R> extends `}${infer R2}`
            ? [Flat<Before & Entry<Name, T, O, M>>, R2]
            : never
        : never
      : never;

type ArrowSides<S extends string, M extends Mode> =
  ArrowFields<S, M, unknown> extends [infer I, infer R extends string]
    ? Trim<R> extends `->${infer R2}`
      ? ArrowFields<R2, M, unknown> extends [infer O, infer R3 extends string]
        ? Trim<R3> extends ""
          ? [Flat<I>, Flat<O>]
          : never
        : never
      : never
    : never;

/** `question, limit: int`, up to the first character that is not part of a field. */
type ArrowFields<S extends string, M extends Mode, Before> =
  Word<Trim<S>> extends infer Name extends string
    ? Trim<Behind<Trim<S>, Name>> extends `:${infer R}`
      ? Annotation<Trim<R>, M> extends Read<infer T, infer O, infer R2>
        ? NextArrowField<Trim<R2>, M, Before & Entry<Name, T, T extends History ? true : O, M>>
        : never
      : NextArrowField<Trim<Behind<Trim<S>, Name>>, M, Before & Entry<Name, string, false, M>>
    : never;

type NextArrowField<S extends string, M extends Mode, Before> = S extends `,${infer R}`
  ? ArrowFields<R, M, Before>
  : [Before, S];

/** The fields of the object form. */
type FieldsOf<F extends readonly Field[], M extends Mode, Before = unknown> = number extends F["length"]
  ? Record<string, Anything<M>>
  : F extends readonly [infer First extends Field, ...infer Rest extends readonly Field[]]
    ? FieldsOf<Rest, M, Before & EntryOf<First, M>>
    : Flat<Before>;

type EntryOf<F extends Field, M extends Mode> = string extends F["type"]
  ? Entry<F["name"], Anything<M>, F["optional"] extends true ? true : false, M>
  : Annotation<Trim<F["type"]>, M> extends Read<infer T, infer O, infer _R>
    ? Entry<F["name"], OrNull<ValueOf<F, T>, F extends MustBeThere ? O : false>, MayBeAbsent<F, T, O, M>, M>
    : Entry<F["name"], Anything<M>, false, M>;

type ValueOf<F extends Field, T> = F extends { readonly oneOf: readonly (infer L)[] } ? L : T;

/** A field whose type may be null is optional, unless `optional` is false. */
interface MustBeThere {
  readonly optional: false;
}

/** A default replaces an absent input; an output with a default always has a value. */
type MayBeAbsent<F extends Field, T, O, M extends Mode> = F extends { readonly default: infer D }
  ? D extends null | undefined
    ? IsOptional<F, T, O>
    : M extends "in"
      ? true
      : false
  : IsOptional<F, T, O>;

type IsOptional<F extends Field, T, O> = F["optional"] extends true
  ? true
  : T extends History
    ? true
    : F extends MustBeThere
      ? false
      : O;

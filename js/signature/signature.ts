import { decodePlain } from "../boundary/decode.ts";
import { encode } from "../boundary/encode.ts";
import { checkMembers } from "../boundary/options.ts";
import { quote } from "../boundary/plain-json.ts";
import { call, send } from "../boundary/wasm.ts";
import { reading, TurnfoldError } from "../errors.ts";
import { describe, isPlain } from "../values/describe.ts";
import type { Value } from "../values/values.ts";
import { takeHistory } from "./history.ts";
import type { InputsOf, OutputsOf } from "./infer.ts";

/** An input or an output of a signature. */
export interface Field {
  /** A letter or `_`, then letters, digits, `_` and `-`. */
  readonly name: string;
  /** As the notation of programs has it, `list[str]`; a type of turns, `[{id :int}]`, may stand in it. */
  readonly type: string;
  /** Whether it may be absent or null. */
  readonly optional?: boolean;
  /** What it is for; models are told. */
  readonly description?: string;
  /** The texts, numbers or booleans that it may be. */
  readonly oneOf?: readonly unknown[];
  /** What stands in its place where it is absent or null, which makes it optional. */
  readonly default?: unknown;
}

/** A signature as an object: what the notations have no place for, stands here. */
export interface SignatureInit {
  readonly inputs: readonly Field[];
  readonly outputs: readonly Field[];
  /** What a model is to do. */
  readonly instructions?: string;
}

/** A place where a value is not what a signature says. */
export interface Problem {
  /** `items[2].price`; empty for the value as a whole. */
  path: string;
  /** `expected float, got string "12"` */
  message: string;
}

/** Standard Schema, version 1, with the JSON Schema of it: <https://standardschema.dev>. */
export interface StandardSchema<O> {
  readonly version: 1;
  readonly vendor: "turnfold";
  /** The value made to fit, or what is wrong with it. Never throws. */
  readonly validate: (
    value: unknown,
  ) =>
    | { value: O; issues?: undefined }
    | { issues: readonly { message: string; path?: readonly (string | number)[] }[] };
  readonly types?: { readonly input: O; readonly output: O } | undefined;
  readonly jsonSchema: {
    readonly input: () => Record<string, unknown>;
    readonly output: () => Record<string, unknown>;
  };
}

/** What a call takes and gives. Made by {@link parseSignature}; never changes. */
export interface Signature<I = Record<string, unknown>, O = Record<string, Value>> {
  readonly inputs: readonly Field[];
  /** The fields of what is returned; none where that is no record. */
  readonly outputs: readonly Field[];
  /** The type of what is returned, as the notation of turns has it. */
  readonly returns: string;
  readonly instructions: string | undefined;
  /** The text, which reads as the same signature again; it has no place for descriptions, defaults and instructions. */
  toString(): string;
  /** JSON Schema, draft 2020-12, as strict modes of providers take it. A history is no part of it. */
  jsonSchema(side?: "input" | "output"): Record<string, unknown>;
  /** What of the value does not fit; empty when all does. */
  check(value: unknown, side?: "input" | "output"): Problem[];
  /**
   * The value made to fit: names as they are declared, numbers and booleans out of texts, nothing that is not declared.
   *
   * @throws {TurnfoldError} `validation_error`, with `problems` in its details.
   */
  coerce<S extends "input" | "output" = "output">(
    value: unknown,
    side?: S,
  ): { value: S extends "input" ? I : O; warnings: string[] };
  /** Of what is returned. */
  readonly "~standard": StandardSchema<O>;
}

/**
 * Reads a signature. There are two notations of one thing, `(query :string, limit :int?) -> {items [{id :int}]}` and
 * `question, history: History -> answer: str, score: float`, and an object form with descriptions, choices and defaults.
 *
 * The compiler reads the text too: the types of inputs and outputs are those that it says.
 *
 * @example
 * ```ts
 * const signature = parseSignature('review -> mood: Literal["good", "bad"], score: float');
 * signature.coerce({ mood: "Good", score: "4.5" }).value; // => { mood: 'good', score: 4.5 }
 * ```
 * @throws {TurnfoldError} `invalid_signature`, with the place: `start`, `end`, `line` and `column` in the text, `path` in
 * the object.
 */
export function parseSignature<const S extends string | SignatureInit>(text: S): Signature<InputsOf<S>, OutputsOf<S>> {
  return readSignature(text) as unknown as Signature<InputsOf<S>, OutputsOf<S>>;
}

/** What a signature is on the way to the wasm side, and what that side says of it. */
interface Told {
  text: string;
  inputs: Field[];
  outputs: Field[];
  returns: string;
  visible: string;
}

/**
 * Wire JSON of a signature, and the signature as a model may see it.
 *
 * @internal
 */
export const wireOf: unique symbol = Symbol.for("turnfold.signature");

/** @internal */
export interface OwnSignature extends Signature {
  readonly [wireOf]: { readonly json: string; readonly visible: string };
}

const FIELD: Record<keyof Field, true> = {
  name: true,
  type: true,
  optional: true,
  description: true,
  oneOf: true,
  default: true,
};

/**
 * A signature of whatever a host gives as one.
 *
 * @internal
 */
export function readSignature(given: unknown): OwnSignature {
  if (typeof given === "string") return signatureOf(quote(given), undefined);
  return reading("invalid_signature", "the signature", () => {
    if (typeof given !== "object" || given === null || Array.isArray(given)) {
      throw invalid(`a signature is a text or an object of fields, got ${describe(given)}`, "");
    }
    if (isPlain(given)) members("a signature", given, ["inputs", "outputs", "instructions"], "");
    const { inputs, outputs, instructions } = given as SignatureInit;
    if (instructions !== undefined && typeof instructions !== "string") {
      throw invalid(`instructions are a text, got ${describe(instructions)}`, "instructions");
    }
    const parts = Object.entries({ inputs, outputs }).map(([side, fields]) => {
      if (!Array.isArray(fields)) throw invalid(`${side} is a list of fields, got ${describe(fields)}`, side);
      const copies = (fields as unknown[]).map((field, at) =>
        members("a field", field, Object.keys(FIELD), `${side}[${at}]`),
      );
      return `"${side}":${encode(copies, side)}`;
    });
    return signatureOf(`{${parts.join()}}`, instructions);
  });
}

function members(what: string, given: unknown, known: readonly string[], path: string): Record<string, unknown> {
  try {
    return checkMembers(what, given, known);
  } catch (error) {
    if (!TurnfoldError.isInstance(error)) throw error;
    throw new TurnfoldError("invalid_signature", `${path}${path && ": "}${error.message}`, {
      details: { ...error.details, path },
      hint: error.hint,
    });
  }
}

function invalid(message: string, path: string): TurnfoldError {
  return new TurnfoldError("invalid_signature", message, {
    details: { path },
    hint: '"question -> answer", or { inputs: [{ name: "question", type: "str" }], outputs: [{ name: "answer", type: "str" }] }',
  });
}

function signatureOf(json: string, instructions: string | undefined): OwnSignature {
  const told = decodePlain(JSON.parse(call((wasm) => wasm.readSignature(send(json))))) as unknown as Told;
  return new Parsed(json, told, instructions) as unknown as OwnSignature;
}

class Parsed {
  readonly inputs: readonly Field[];
  readonly outputs: readonly Field[];
  readonly returns: string;
  readonly instructions: string | undefined;
  readonly "~standard": StandardSchema<unknown>;
  declare private readonly text: string;

  constructor(json: string, { text, inputs, outputs, returns, visible }: Told, instructions: string | undefined) {
    Object.defineProperties(this, {
      [wireOf]: { value: Object.freeze({ json, visible }) },
      text: { value: text },
    });
    this.inputs = frozen(inputs);
    this.outputs = frozen(outputs);
    this.returns = returns;
    this.instructions = instructions;
    const schema = () => this.jsonSchema();
    this["~standard"] = Object.freeze({
      version: 1,
      vendor: "turnfold",
      validate: (value: unknown) => validated(this, value),
      jsonSchema: Object.freeze({ input: schema, output: schema }),
    });
    Object.freeze(this);
  }

  toString(): string {
    return this.text;
  }

  jsonSchema(side: "input" | "output" = "output"): Record<string, unknown> {
    const input = isInput(side);
    return JSON.parse(call((wasm) => wasm.signatureSchema(send(wire(this)), input)));
  }

  check(value: unknown, side: "input" | "output" = "output"): Problem[] {
    return this.fit(value, side, false).problems ?? [];
  }

  coerce(value: unknown, side: "input" | "output" = "output"): { value: unknown; warnings: string[] } {
    const fit = this.fit(value, side, true);
    if (fit.problems !== undefined) throw mismatch(side, fit.problems);
    return { value: fit.value, warnings: fit.warnings };
  }

  private fit(value: unknown, side: "input" | "output", coerce: boolean): Fit {
    const input = isInput(side);
    const { history, field, others } = input ? this.apart(value) : { history: null, field: "", others: value };
    const json = `[${wire(this)},${encode(others, "value")}]`;
    const told = fitOf(call((wasm) => wasm.fitSignature(send(json), input, coerce)));
    if (history !== null && told.problems === undefined) (told.value as Record<string, unknown>)[field] = history;
    return told;
  }

  /** A history goes around what checks values: it has a check of its own. */
  private apart(value: unknown): { history: unknown; field: string; others: unknown } {
    const field = historyField(this.inputs);
    if (field === undefined || typeof value !== "object" || value === null)
      return { history: null, field: "", others: value };
    const { given, others } = takeHistory(field, value);
    return { history: given ?? null, field, others };
  }
}

function wire(signature: unknown): string {
  return (signature as OwnSignature)[wireOf].json;
}

function isInput(side: unknown): boolean {
  if (side === "input" || side === "output") return side === "input";
  throw new TurnfoldError("invalid_argument", `the side is "input" or "output", got ${describe(side)}`);
}

/**
 * The name of the input that takes the conversation so far.
 *
 * @internal
 */
export function historyField(inputs: readonly Field[]): string | undefined {
  return inputs.find(({ type }) => type === "History")?.name;
}

/**
 * How a value fits a signature.
 *
 * @internal
 */
export type Fit =
  | { problems: Problem[]; value?: undefined; warnings?: undefined }
  | { problems?: undefined; value: Value; warnings: string[] };

/**
 * What the wasm side tells of it.
 *
 * @internal
 */
export function fitOf(json: string): Fit {
  const told = JSON.parse(json) as { problems?: [string, string][]; value?: unknown; warnings: string[] };
  if (told.problems !== undefined) return { problems: told.problems.map(([path, message]) => ({ path, message })) };
  return { value: decodePlain(told.value), warnings: told.warnings };
}

/** @internal */
export function mismatch(side: "input" | "output", problems: readonly Problem[]): TurnfoldError {
  const told = problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ");
  return new TurnfoldError("validation_error", `the ${side}s do not fit the signature: ${told}`, {
    details: { side, problems },
  });
}

function validated(signature: Parsed, value: unknown): ReturnType<StandardSchema<unknown>["validate"]> {
  try {
    return { value: signature.coerce(value).value };
  } catch (error) {
    const { details, message } = error as TurnfoldError;
    const problems = details.problems as Problem[] | undefined;
    if (problems === undefined) return { issues: [{ message }] };
    return { issues: problems.map(({ path, message }) => ({ message, path: stepsOf(path) })) };
  }
}

/** `items[2].price` as `["items", 2, "price"]`. */
function stepsOf(path: string): (string | number)[] {
  return Array.from(path.matchAll(/\[(\d+)\]|[^.[\]]+/g), ([name, index]) =>
    index === undefined ? name : Number(index),
  );
}

function frozen(fields: Field[]): readonly Field[] {
  for (const field of fields) {
    if (field.oneOf !== undefined) Object.freeze(field.oneOf);
    Object.freeze(field);
  }
  return Object.freeze(fields);
}

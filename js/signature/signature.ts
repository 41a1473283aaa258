import { decodePlain } from "../boundary/decode.ts";
import { encode } from "../boundary/encode.ts";
import { checkMembers } from "../boundary/options.ts";
import { call } from "../boundary/wasm.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { describe, isPlain } from "../values/describe.ts";
import { takeHistory } from "./history.ts";
import type { InputsOf, OutputsOf } from "./infer.ts";
import type { Field, Problem, Signature, SignatureInit, StandardSchema } from "./types.ts";

/**
 * Parses a signature. A text is in one of two notations, `(query :string, limit :int?) -> {items [{id :int}]}` or
 * `question, history: History -> answer: str, score: float`; an object adds descriptions and defaults. In the first,
 * literals are alternatives, `state "open" | "paid"`; `?` marks a value that may be absent or null, `| nil` one that
 * must be present and may be null.
 *
 * The TypeScript types of the inputs and outputs are inferred from the text.
 *
 * @example
 * ```ts
 * const signature = parseSignature('review -> mood: Literal["good", "bad"], score: float');
 * signature.coerce({ mood: "Good", score: "4.5" }).value; // => { mood: 'good', score: 4.5 }
 * ```
 * @throws {TurnfoldError} `invalid_signature`, with the position in its details: `start`, `end`, `line` and `column` in a
 * text (in UTF-16 units; line and column from 1), `path` in an object.
 */
export function parseSignature<const S extends string | SignatureInit>(text: S): Signature<InputsOf<S>, OutputsOf<S>> {
  return readSignature(text) as unknown as Signature<InputsOf<S>, OutputsOf<S>>;
}

/** A signature as it is passed to the wasm: a text, or the JSON of the fields. */
interface SignatureSource {
  readonly text?: string;
  readonly inputs?: string;
  readonly outputs?: string;
}

/** A parsed signature as the wasm returns it. */
interface SignatureRecord {
  readonly text: string;
  /** JSON of each field. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly returns: string;
  readonly visible: string;
}

/**
 * The key of the members of a signature that are not public.
 *
 * @internal
 */
export const signatureKey: unique symbol = Symbol.for("turnfold.signature");

/** @internal */
export interface OwnSignature extends Signature {
  /** `visible` is the text without hidden fields, for models. */
  readonly [signatureKey]: { readonly source: SignatureSource; readonly visible: string };
}

const FIELD_MEMBERS: Record<keyof Field, true> = {
  name: true,
  type: true,
  optional: true,
  description: true,
  oneOf: true,
  default: true,
};

/**
 * Reads the signature of a text, an object or another signature.
 *
 * @throws {TurnfoldError} `invalid_signature`; the errors of {@link encode} for choices and defaults.
 *
 * @internal
 */
export function readSignature(given: unknown): OwnSignature {
  if (typeof given === "string") return signatureOf({ text: given }, undefined);
  return wrapReadErrors("invalid_signature", "the signature", () => {
    if (typeof given !== "object" || given === null || Array.isArray(given)) {
      throw invalidSignature(`a signature is a text or an object of fields, got ${describe(given)}`, "");
    }
    if (isPlain(given)) checkFieldMembers("a signature", given, ["inputs", "outputs", "instructions"], "");
    const { inputs, outputs, instructions } = given as SignatureInit;
    if (instructions !== undefined && typeof instructions !== "string") {
      throw invalidSignature(`instructions are a text, got ${describe(instructions)}`, "instructions");
    }
    return signatureOf(
      { inputs: encodeFields(inputs, "inputs"), outputs: encodeFields(outputs, "outputs") },
      instructions,
    );
  });
}

/**
 * Reads the signature of a tool.
 *
 * @throws {TurnfoldError} `invalid_signature`, which names the tool.
 *
 * @internal
 */
export function readToolSignature(tool: string, text: string): OwnSignature {
  try {
    return readSignature(text);
  } catch (error) {
    if (!TurnfoldError.isInstance(error)) throw error;
    const { code, message, hint, details } = error;
    throw new TurnfoldError(code, `the signature of the tool "${tool}" can't be read: ${message}`, { details, hint });
  }
}

/**
 * Coerces the arguments of a call of a tool, by their names. Keys that are no parameters are problems. Null means absent
 * for an optional parameter, because strict modes of providers require all parameters.
 *
 * @internal
 */
export function coerceArguments(
  { [signatureKey]: { source } }: OwnSignature,
  args: unknown,
): { value: Record<string, unknown> } | { problems: readonly Problem[] } {
  const fit: FitResult = call("signatures", (wasm) => wasm.toolArguments(source, encode(args)));
  if (fit.problems !== undefined) return { problems: fit.problems };
  return { value: decodePlain(JSON.parse(fit.value)) as Record<string, unknown> };
}

function encodeFields(fields: unknown, side: "inputs" | "outputs"): string {
  if (!Array.isArray(fields)) throw invalidSignature(`${side} is a list of fields, got ${describe(fields)}`, side);
  const copies = (fields as unknown[]).map((field, at) =>
    checkFieldMembers("a field", field, Object.keys(FIELD_MEMBERS), `${side}[${at}]`),
  );
  return encode(copies, side);
}

function checkFieldMembers(
  what: string,
  given: unknown,
  known: readonly string[],
  path: string,
): Record<string, unknown> {
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

function invalidSignature(message: string, path: string): TurnfoldError {
  return new TurnfoldError("invalid_signature", message, {
    details: { path },
    hint: '"question -> answer", or { inputs: [{ name: "question", type: "str" }], outputs: [{ name: "answer", type: "str" }] }',
  });
}

function signatureOf(source: SignatureSource, instructions: string | undefined): OwnSignature {
  const record: SignatureRecord = call("signatures", (wasm) => wasm.readSignature(source));
  return new Parsed(source, record, instructions) as unknown as OwnSignature;
}

class Parsed {
  readonly inputs: readonly Field[];
  readonly outputs: readonly Field[];
  readonly returns: string;
  readonly instructions: string | undefined;
  readonly "~standard": StandardSchema<unknown>;
  declare private readonly text: string;

  constructor(source: SignatureSource, record: SignatureRecord, instructions: string | undefined) {
    const { text, inputs, outputs, returns, visible } = record;
    Object.defineProperties(this, {
      [signatureKey]: { value: Object.freeze({ source: Object.freeze(source), visible }) },
      text: { value: text },
    });
    this.inputs = frozenFields(inputs);
    this.outputs = frozenFields(outputs);
    this.returns = returns;
    this.instructions = instructions;
    const schema = () => this.jsonSchema();
    this["~standard"] = Object.freeze({
      version: 1,
      vendor: "turnfold",
      validate: (value: unknown) => validateStandard(this, value),
      jsonSchema: Object.freeze({ input: schema, output: schema }),
    });
    Object.freeze(this);
  }

  toString(): string {
    return this.text;
  }

  jsonSchema(side: "input" | "output" = "output"): Record<string, unknown> {
    const input = isInput(side);
    return JSON.parse(call("signatures", (wasm) => wasm.signatureSchema(wasmSource(this), input)));
  }

  check(value: unknown, side: "input" | "output" = "output"): Problem[] {
    const { options } = this.fitOptions(value, side);
    return call("signatures", (wasm) => wasm.checkSignature(options));
  }

  coerce(value: unknown, side: "input" | "output" = "output"): { value: unknown; warnings: string[] } {
    const { options, history } = this.fitOptions(value, side);
    const coerced: CoercedValue = call("signatures", (wasm) => wasm.coerceSignature(options));
    const fitting = decodePlain(JSON.parse(coerced.value)) as Record<string, unknown>;
    if (history !== null) fitting[history.field] = history.given;
    return { value: fitting, warnings: coerced.warnings };
  }

  private fitOptions(value: unknown, side: unknown) {
    const input = isInput(side);
    const { history, others } = input ? this.separateHistory(value) : { history: null, others: value };
    return { options: { signature: wasmSource(this), input, value: encode(others, "value") }, history };
  }

  /** Separates the history, which is not a language value and is checked by {@link takeHistory}. */
  private separateHistory(value: unknown): { history: { field: string; given: unknown } | null; others: unknown } {
    const field = historyField(this.inputs);
    if (field === undefined || typeof value !== "object" || value === null) return { history: null, others: value };
    const { given, others } = takeHistory(field, value);
    return { history: given === undefined ? null : { field, given }, others };
  }
}

function wasmSource(signature: unknown): SignatureSource {
  return (signature as OwnSignature)[signatureKey].source;
}

function isInput(side: unknown): boolean {
  if (side === "input" || side === "output") return side === "input";
  throw new TurnfoldError("invalid_argument", `the side is "input" or "output", got ${describe(side)}`);
}

/**
 * Returns the name of the input of the type `History`.
 *
 * @internal
 */
export function historyField(inputs: readonly Field[]): string | undefined {
  return inputs.find(({ type }) => type === "History")?.name;
}

/** A coerced value as the wasm returns it. */
interface CoercedValue {
  problems?: undefined;
  /** JSON. */
  value: string;
  warnings: string[];
}

/**
 * A coerced value or its mismatches, as the wasm returns them. `repair` is the message that asks a model again, if the
 * value is its reply; otherwise null.
 *
 * @internal
 */
export type FitResult = CoercedValue | { problems: Problem[]; repair: string | null };

/**
 * Returns the JSON Schema of the inputs of a tool, with descriptions by their paths.
 *
 * @throws {TurnfoldError} `invalid_tool` for a path that no parameter has.
 *
 * @internal
 */
export function describedSchema(
  signature: Signature,
  descriptions: Readonly<Record<string, string>> = {},
  tool: string,
): Record<string, unknown> {
  const schema = signature.jsonSchema("input");
  for (const [path, description] of Object.entries(descriptions)) {
    const field = path.split(".").reduce(memberSchema, schema);
    if (field === undefined) {
      throw new TurnfoldError("invalid_tool", `the tool ${JSON.stringify(tool)} has no parameter ${path}`, {
        details: { tool, path },
        hint: `the tool is ${signature}`,
      });
    }
    field.description = description;
  }
  return schema;
}

type JsonSchema = Record<string, unknown>;

/** Returns the schema of a member of an object, or of the objects in a list. */
function memberSchema(schema: JsonSchema | undefined, name: string): JsonSchema | undefined {
  let object = schema;
  while (object?.items !== undefined) object = object.items as JsonSchema;
  const properties = object?.properties as Record<string, JsonSchema> | undefined;
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/**
 * Returns whether a value of the schema may be absent at a path, because a member on the way may be null. In the schema
 * of a signature, all members are required, and optional ones are also null.
 *
 * @internal
 */
export function mayBeAbsent(schema: JsonSchema, path: readonly string[]): boolean {
  let member: JsonSchema | undefined = schema;
  for (const name of path) {
    member = memberSchema(member, name);
    if (member === undefined) return false;
    const {
      type,
      enum: values = [],
      anyOf = [],
    } = member as { type?: unknown; enum?: unknown[]; anyOf?: JsonSchema[] };
    const types = [type, ...anyOf.map((each) => each.type)].flat();
    if (types.includes("null") || values.includes(null) || Object.keys(member).length === 0) return true;
  }
  return false;
}

/**
 * Joins the problems to one text.
 *
 * @internal
 */
export function problemsText(problems: readonly Problem[]): string {
  return problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ");
}

function validateStandard(signature: Parsed, value: unknown): ReturnType<StandardSchema<unknown>["validate"]> {
  try {
    return { value: signature.coerce(value).value };
  } catch (error) {
    const { details, message } = error as TurnfoldError;
    const problems = details.problems as Problem[] | undefined;
    if (problems === undefined) return { issues: [{ message }] };
    return { issues: problems.map(({ path, message }) => ({ message, path: pathKeys(path) })) };
  }
}

/** `items[2].price` as `["items", 2, "price"]`. */
function pathKeys(path: string): (string | number)[] {
  return Array.from(path.matchAll(/\[(\d+)\]|[^.[\]]+/g), ([name, index]) =>
    index === undefined ? name : Number(index),
  );
}

/** @param fields JSON of each. */
function frozenFields(fields: readonly string[]): readonly Field[] {
  return Object.freeze(
    fields.map((json) => {
      const field = decodePlain(JSON.parse(json)) as unknown as Field;
      if (field.oneOf !== undefined) Object.freeze(field.oneOf);
      return Object.freeze(field);
    }),
  );
}

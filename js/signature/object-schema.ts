import { callWhenReady } from "../boundary/host.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { describe, isPlain } from "../values/describe.ts";
import { withNumbers } from "../values/exact-json.ts";
import type { AloneOutputsOf, OutputsOf } from "./infer.ts";
import { jsonSchemaOf, schemaAdvice } from "./json-schema.ts";
import { JsonValidator } from "./json-validator.ts";
import type { Schema } from "./schema-facts.ts";
import { type OwnSignature, readSignature } from "./signature.ts";
import type { SignatureInit } from "./types.ts";

/**
 * The type of an object that matches a schema: the outputs of a signature, the output of a Standard Schema, and unknown
 * for a JSON Schema.
 */
export type ObjectOf<S> = S extends string
  ? AloneOutputsOf<S>
  : S extends { readonly "~standard": { readonly types?: infer Types } }
    ? NonNullable<Types> extends { readonly output: infer Output }
      ? Output
      : unknown
    : S extends SignatureInit
      ? OutputsOf<S>
      : unknown;

/** The type of a requested object: `T` if it is given, otherwise that of its schema. */
export type ObjectAs<T, S> = [T] extends [never] ? ObjectOf<S> : T;

/** The coerced object, or its problems. */
export type Fit = { object: unknown } | { problems: string[] };

/**
 * Checks a value.
 *
 * @internal
 */
export type Check = (value: unknown) => Fit | Promise<Fit>;

/** A schema of an object, in any of the accepted forms. */
export interface ObjectSchema {
  /** JSON Schema for the model; null when the schema can't produce one. */
  readonly json: unknown;
  /** How to make the schema available to the model; null when it is. */
  readonly advice: string | null;
  /** Returns the coerced object, or its problems. */
  fit(value: unknown): Promise<Fit>;
}

/**
 * The part of a Standard Schema that checks values.
 *
 * @internal
 */
export interface StandardValidator {
  validate(value: unknown): StandardResult | Promise<StandardResult>;
}

/**
 * The result of a Standard Schema: its output, or its issues.
 *
 * @internal
 */
export type StandardResult =
  | { value: unknown; issues?: undefined }
  | { issues: readonly { message: string; path?: readonly unknown[] | undefined }[] };

/**
 * Reads a signature, a Standard Schema, or JSON Schema.
 *
 * @throws {TurnfoldError} `invalid_schema`, `invalid_signature`
 *
 * @internal
 */
export function readSchema(schema: unknown): ObjectSchema {
  return wrapReadErrors("invalid_schema", "the schema", () => {
    if (typeof schema === "string") return schemaOfText(schema);
    if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) throw invalidSchema(schema);
    const { "~standard": standard } = schema as { "~standard"?: unknown };
    if (typeof (standard as Partial<StandardValidator> | undefined)?.validate === "function") {
      return schemaOfStandard(schema, standard as StandardValidator);
    }
    if (isSignatureInit(schema))
      return schemaOfSignature(readSignature({ ...schema, inputs: schema.inputs ?? REQUEST }));
    const json = jsonSchemaOf(schema);
    if (json === undefined || !isPlain(json)) throw invalidSchema(schema);
    return schemaOfJson(json);
  });
}

function invalidSchema(schema: unknown): TurnfoldError {
  return new TurnfoldError("invalid_schema", `a schema is needed, got ${describe(schema)}`, {
    hint: 'a signature such as "-> name: str, tags: list[str]", a JSON Schema, or a Standard Schema such as Zod\'s',
  });
}

/** Adds inputs if they are absent, because only the outputs are used. */
function withInputs(text: string): string {
  const outputs = text.startsWith("->") ? text.slice(2) : text;
  if (outputs.includes("->")) return text;
  return /^\s*[:[{"]/.test(outputs) ? `() -> ${outputs}` : `_request -> ${outputs}`;
}

/** The input of a signature that is given without inputs. */
const REQUEST: SignatureInit["inputs"] = [{ name: "_request", type: "str" }];

/** True for a signature in its form as an object; JSON Schema has no member `outputs`. */
function isSignatureInit(schema: object): schema is SignatureInit {
  return isPlain(schema) && "outputs" in schema && !("type" in schema) && !("properties" in schema);
}

function schemaOfText(text: string): ObjectSchema {
  const given = text.trim();
  const complete = withInputs(given);
  try {
    return schemaOfSignature(readSignature(complete));
  } catch (error) {
    throw TurnfoldError.isInstance(error) ? errorInText(error, text, complete.length - given.length) : error;
  }
}

/** The error of a signature with `added` characters before the text that was given, with positions in that text. */
function errorInText({ code, message, hint, details }: TurnfoldError, text: string, added: number): TurnfoldError {
  const { start, end } = details;
  if (typeof start !== "number" || typeof end !== "number") return new TurnfoldError(code, message, { details, hint });
  const shift = text.length - text.trimStart().length - added;
  const [from, to] = [start, end].map((position) => Math.min(Math.max(position + shift, 0), text.length));
  const lines = text.slice(0, from).split("\n");
  const place = { start: from, end: to, line: lines.length, column: (lines.at(-1) as string).length + 1 };
  return new TurnfoldError(code, message, { details: { ...details, ...place, signature: text }, hint });
}

function schemaOfSignature(signature: OwnSignature): ObjectSchema {
  return {
    json: signature.jsonSchema("output"),
    advice: null,
    async fit(value) {
      const result = await signature["~standard"].validate(value);
      return standardFit(result as StandardResult);
    },
  };
}

function schemaOfStandard(schema: object, standard: StandardValidator): ObjectSchema {
  let json: unknown = null;
  try {
    const produced = jsonSchemaOf(schema);
    if (produced !== undefined) json = JSON.parse(JSON.stringify(produced));
  } catch {
    // Not every validator can produce JSON Schema.
  }
  const advice = json === null ? schemaAdvice(schema) : null;
  const check = standardCheck(standard);
  return { json, advice, fit: async (value) => check(value) };
}

/**
 * Makes the check of a Standard Schema; asynchronous if the schema is.
 *
 * @internal
 */
export function standardCheck(standard: StandardValidator): Check {
  const { validate } = standard;
  return numberCheck((value) => callWhenReady(validate.call(standard, value), standardFit));
}

/**
 * Makes a check that gives a validator numbers in place of big integers where it refuses those, as most schemas of numbers do.
 *
 * @internal
 */
export function numberCheck(check: Check): Check {
  return (value) =>
    callWhenReady(check(value), (exact) => {
      const numbers = "problems" in exact ? withNumbers(value) : value;
      return numbers === value ? exact : check(numbers);
    });
}

/**
 * Returns the object of a Standard Schema's result, or its problems with their paths.
 *
 * @internal
 */
export function standardFit(result: StandardResult): Fit {
  if (result.issues === undefined) return { object: result.value };
  return {
    problems: result.issues.map(({ message, path = [] }) => {
      const keys = path.map((key) => String(typeof key === "object" ? (key as { key: unknown }).key : key));
      return keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
    }),
  };
}

function schemaOfJson(json: object): ObjectSchema {
  const fit = jsonCheck(json);
  return { json, advice: null, fit: async (value) => fit(value) };
}

/**
 * Makes a check of values by a JSON Schema.
 *
 * @throws {TurnfoldError} `invalid_schema`
 *
 * @internal
 */
export function jsonCheck(json: object): (value: unknown) => Fit {
  const validator = new JsonValidator(plainJson(json));
  return (value) => {
    const problems = validator.validate(withNumbers(value));
    return problems.length === 0 ? { object: value } : { problems };
  };
}

/** A copy of a schema, which its owner can't change. */
function plainJson(json: object): Schema {
  try {
    return JSON.parse(JSON.stringify(json)) as Schema;
  } catch (cause) {
    throw new TurnfoldError("invalid_schema", "the JSON Schema can't be read", { cause });
  }
}

import { Validator } from "@cfworker/json-schema";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { describe, isPlain } from "../values/describe.ts";
import type { AloneOutputsOf } from "./infer.ts";
import { jsonSchemaOf, schemaAdvice } from "./json-schema.ts";
import { readSignature } from "./signature.ts";

/**
 * The type of an object that matches a schema: the outputs of a signature's text, the output of a Standard Schema, and
 * unknown for a JSON Schema.
 */
export type ObjectOf<S> = S extends string
  ? AloneOutputsOf<S>
  : S extends { readonly "~standard": { readonly types?: infer Types } }
    ? NonNullable<Types> extends { readonly output: infer Output }
      ? Output
      : unknown
    : unknown;

/** The type of a requested object: `T` if it is given, otherwise that of its schema. */
export type ObjectAs<T, S> = [T] extends [never] ? ObjectOf<S> : T;

/** A schema of an object, in any of the accepted forms. */
export interface ObjectSchema {
  /** JSON Schema for the model; null when the schema can't produce one. */
  readonly json: unknown;
  /** How to make the schema available to the model; null when it is. */
  readonly advice: string | null;
  /** Returns the coerced object, or its problems. */
  fit(value: unknown): Promise<{ object: unknown } | { problems: string[] }>;
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
 * Reads a signature's text, a Standard Schema, or JSON Schema.
 *
 * @throws {TurnfoldError} `invalid_schema`, `invalid_signature`
 *
 * @internal
 */
export function readSchema(schema: unknown): ObjectSchema {
  return wrapReadErrors("invalid_schema", "the schema", () => {
    if (typeof schema === "string") return schemaOfSignature(schema);
    if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) throw invalidSchema(schema);
    const { "~standard": standard } = schema as { "~standard"?: unknown };
    if (typeof (standard as Partial<StandardValidator> | undefined)?.validate === "function") {
      return schemaOfStandard(schema, standard as StandardValidator);
    }
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

function schemaOfSignature(text: string): ObjectSchema {
  const signature = readSignature(withInputs(text.trim()));
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
  return { json, advice, fit: async (value) => standardFit(await standard.validate(value)) };
}

/**
 * Returns the object of a Standard Schema's result, or its problems with their paths.
 *
 * @internal
 */
export function standardFit(result: StandardResult): { object: unknown } | { problems: string[] } {
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
 * @throws {TurnfoldError} `invalid_schema`. The check itself throws when a reference in the schema has no target.
 *
 * @internal
 */
export function jsonCheck(json: object): (value: unknown) => { object: unknown } | { problems: string[] } {
  let validator: Validator;
  try {
    validator = new Validator(JSON.parse(JSON.stringify(json)), "2020-12", false);
  } catch (cause) {
    throw new TurnfoldError("invalid_schema", "the JSON Schema can't be read", { cause });
  }
  return (value) => {
    const { valid, errors } = validator.validate(value);
    if (valid) return { object: value };
    // The validator also reports an error of a member for the object that contains it, less specifically.
    const own = errors.filter(({ keyword }) => keyword !== "properties" && keyword !== "items");
    const problems = own.map(
      ({ instanceLocation, error }) => `${instanceLocation.replace(/^#\/?/, "") || "it"}: ${error}`,
    );
    return { problems: [...new Set(problems)] };
  };
}

import { Validator } from "@cfworker/json-schema";
import { messageOf } from "../boundary/host.ts";
import { reading, TurnfoldError } from "../errors.ts";
import { describe, isPlain } from "../values/describe.ts";
import type { OutputsOf } from "./infer.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import { readSignature } from "./signature.ts";

/**
 * What an object is that fits a schema: the outputs of a signature's text, what a Standard Schema gives, and unknown for a JSON
 * Schema.
 */
export type ObjectOf<S> = S extends string
  ? OutputsOf<S extends `${string}->${string}` ? (S extends `->${string}` ? `_request ${S}` : S) : `_request -> ${S}`>
  : S extends { readonly "~standard": { readonly types?: infer Types } }
    ? NonNullable<Types> extends { readonly output: infer Output }
      ? Output
      : unknown
    : unknown;

/** The type of an object that was asked for: the one that is given, else that of its schema. */
export type ObjectAs<T, S> = [T] extends [never] ? ObjectOf<S> : T;

/** A schema of an object, in any of the accepted forms. */
export interface ObjectSchema {
  /** JSON Schema for the model; null where the schema can't produce one. */
  readonly json: unknown;
  /** The coerced object, or its problems. */
  fit(value: unknown): Promise<{ object: unknown } | { problems: string[] }>;
}

interface StandardSchema {
  validate(value: unknown): StandardResult | Promise<StandardResult>;
}

type StandardResult =
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
  return reading("invalid_schema", "the schema", () => {
    if (typeof schema === "string") return ofSignature(schema);
    if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) throw invalid(schema);
    const { "~standard": standard } = schema as { "~standard"?: unknown };
    if (typeof (standard as Partial<StandardSchema> | undefined)?.validate === "function") {
      return ofStandard(schema, standard as StandardSchema);
    }
    const json = jsonSchemaOf(schema);
    if (json === undefined || !isPlain(json)) throw invalid(schema);
    return ofJson(json);
  });
}

function invalid(schema: unknown): TurnfoldError {
  return new TurnfoldError("invalid_schema", `a schema is needed, got ${describe(schema)}`, {
    hint: 'a signature such as "-> name: str, tags: list[str]", a JSON Schema, or a Standard Schema such as Zod\'s',
  });
}

/** Only the outputs matter, so the inputs may be absent. */
function withInputs(text: string): string {
  const outputs = text.startsWith("->") ? text.slice(2) : text;
  if (outputs.includes("->")) return text;
  return /^\s*[:[{]/.test(outputs) ? `() -> ${outputs}` : `_request -> ${outputs}`;
}

function ofSignature(text: string): ObjectSchema {
  const signature = readSignature(withInputs(text.trim()));
  return {
    json: signature.jsonSchema("output"),
    async fit(value) {
      const result = await signature["~standard"].validate(value);
      return fitted(result as StandardResult);
    },
  };
}

function ofStandard(schema: object, standard: StandardSchema): ObjectSchema {
  let json: unknown = null;
  try {
    const said = jsonSchemaOf(schema);
    // Zod's JSON Schema is a Standard Schema too. One that can't produce any is what is left of the validator itself.
    if (said !== undefined && said !== schema) json = JSON.parse(JSON.stringify(said));
  } catch {
    // Not every validator can produce a JSON Schema.
  }
  return { json, fit: async (value) => fitted(await standard.validate(value)) };
}

function fitted(result: StandardResult): { object: unknown } | { problems: string[] } {
  if (result.issues === undefined) return { object: result.value };
  return {
    problems: result.issues.map(({ message, path = [] }) => {
      const keys = path.map((key) => String(typeof key === "object" ? (key as { key: unknown }).key : key));
      return keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
    }),
  };
}

/** What a validator of the AI SDK's `jsonSchema()` gives. */
type Validated = { success: true; value: unknown } | { success: false; error?: { message?: unknown } };

/**
 * Runs the validator of a tool's input schema: a Standard Schema, or one of the AI SDK. Its output is what the tool is given.
 *
 * @param name of the tool, for errors.
 * @returns the input that fits, or a promise of it where the validator is asynchronous. Null for a schema without a validator.
 *
 * @internal
 */
export function inputValidator(name: string, schema: unknown): ((input: unknown) => unknown) | null {
  const { "~standard": standard, validate } = Object(schema) as { "~standard"?: unknown; validate?: unknown };
  const run = (standard as Partial<StandardSchema> | undefined)?.validate;
  if (typeof run === "function")
    return (input) => whenReady(run.call(standard, input), (result) => inputOf(name, fitted(result)));
  if (typeof validate !== "function") return null;
  return (input) =>
    whenReady(validate.call(schema, input) as Validated | Promise<Validated>, (result) =>
      inputOf(name, result.success ? { object: result.value } : { problems: [messageOf(result.error)] }),
    );
}

/**
 * Goes on with a value, at once unless it is a promise.
 *
 * @internal
 */
export function whenReady<T, R>(given: T | Promise<T>, next: (value: T) => R): R | Promise<R> {
  return typeof (given as Promise<T> | null)?.then === "function" ? (given as Promise<T>).then(next) : next(given as T);
}

/**
 * Checks a tool's input by a JSON Schema.
 *
 * @returns null for a schema that can't be read: the tool is called without a check.
 *
 * @internal
 */
export function jsonInputCheck(name: string, schema: object): ((input: unknown) => Promise<unknown>) | null {
  try {
    const { fit } = ofJson(schema);
    return async (input) => {
      // A reference that leads nowhere shows only now.
      const fitted = await fit(input).catch(() => ({ object: input }));
      return inputOf(name, fitted);
    };
  } catch {
    return null;
  }
}

/** @throws {TurnfoldError} `validation_error`, with all problems. */
function inputOf(name: string, fit: { object: unknown } | { problems: string[] }): unknown {
  if ("object" in fit) return fit.object;
  throw new TurnfoldError("validation_error", `the arguments of ${name} do not fit: ${fit.problems.join("; ")}`, {
    details: { tool: name, problems: fit.problems },
  });
}

function ofJson(json: object): ObjectSchema {
  let validator: Validator;
  try {
    validator = new Validator(JSON.parse(JSON.stringify(json)), "2020-12", false);
  } catch (cause) {
    throw new TurnfoldError("invalid_schema", "the JSON Schema can't be read", { cause });
  }
  return {
    json,
    async fit(value) {
      const { valid, errors } = validator.validate(value);
      if (valid) return { object: value };
      // The validator reports an error of a member for the object around it too, in vaguer words.
      const own = errors.filter(({ keyword }) => keyword !== "properties" && keyword !== "items");
      const problems = own.map(
        ({ instanceLocation, error }) => `${instanceLocation.replace(/^#\/?/, "") || "it"}: ${error}`,
      );
      return { problems: [...new Set(problems)] };
    },
  };
}

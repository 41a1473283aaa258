import { callWhenReady, messageOf } from "../boundary/host.ts";
import { TurnfoldError } from "../errors.ts";
import { isPlain } from "../values/describe.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import {
  type Check,
  type Fit,
  jsonCheck,
  numberCheck,
  type StandardResult,
  type StandardValidator,
  standardCheck,
  standardFit,
} from "./object-schema.ts";
import { programForms } from "./program-forms.ts";
import type { Schema } from "./schema-facts.ts";

/** The result of a validator of the AI SDK. */
type ValidationResult = { success: true; value: unknown } | { success: false; error?: unknown };

/** Converts the model's input to that of the tool; returns a promise if the schema is asynchronous. */
type InputCheck = (input: unknown) => unknown;

/**
 * Makes the check of a tool's input by its schema: a Standard Schema, or a schema of the AI SDK with a validator, is
 * run, and its output is the tool's input; with JSON Schema the input is validated. The check throws `validation_error`
 * with all problems.
 *
 * @param name the name of the tool, for errors.
 * @param isOfProgram true when the input is an argument map of a program, see {@link programForms}.
 * @returns null for a schema that can't check anything.
 * @throws {TurnfoldError} `invalid_tool` for JSON Schema that can't be used.
 *
 * @internal
 */
export function inputCheck(name: string, schema: unknown, isOfProgram = false): InputCheck | null {
  const json = plainSchemaOf(schema);
  const validator = validatorCheck(schema);
  const check = validator ?? (json && jsonInputCheck(name, json));
  if (check === undefined || check === null) return null;
  const formsOf = (input: unknown) => (isOfProgram ? programForms(input, json as Schema, validator !== null) : [input]);
  return (input) => callWhenReady(firstFit(check, formsOf(input)), (fit) => requireFit(name, fit));
}

/** Returns the fit of the first form that fits, or the problems of the first form. */
function firstFit(check: Check, forms: readonly unknown[]): Fit | Promise<Fit> {
  const [form, ...others] = forms;
  return callWhenReady(check(form), (fit) => {
    if ("object" in fit || others.length === 0) return fit;
    return callWhenReady(firstFit(check, others), (other) => ("object" in other ? other : fit));
  });
}

function validatorCheck(schema: unknown): Check | null {
  try {
    const { "~standard": standard, validate } = Object(schema) as { "~standard"?: unknown; validate?: unknown };
    const run = (standard as Partial<StandardValidator> | undefined)?.validate;
    if (typeof run === "function") return standardCheck(standard as StandardValidator);
    if (typeof validate !== "function") return null;
    const validated = (input: unknown) => validate.call(schema, input) as ValidationResult | Promise<ValidationResult>;
    return numberCheck((input) =>
      callWhenReady(validated(input), (result) =>
        result.success ? { object: result.value } : { problems: problemsOf(result.error) },
      ),
    );
  } catch {
    // The tool can be called without its schema.
    return null;
  }
}

/**
 * Returns the problems of an error: its issues or those of its cause if it is an error of a Standard Schema, otherwise
 * its message.
 */
function problemsOf(error: unknown): string[] {
  const { issues, cause } = Object(error) as { issues?: unknown; cause?: unknown };
  const found = [issues, Object(cause).issues, cause].find((list) => Array.isArray(list) && list.length > 0);
  try {
    const fit = standardFit({ issues: (found ?? []) as NonNullable<StandardResult["issues"]> });
    if ("problems" in fit && fit.problems.length > 0) return fit.problems;
  } catch {
    // They are not issues of a Standard Schema.
  }
  return [messageOf(error)];
}

/** @throws {TurnfoldError} `invalid_tool` */
function jsonInputCheck(name: string, json: object): Check {
  try {
    return jsonCheck(json);
  } catch (cause) {
    const { message, details, hint } = cause as TurnfoldError;
    throw new TurnfoldError("invalid_tool", `the input schema of the tool ${JSON.stringify(name)}: ${message}`, {
      cause,
      details: { ...details, tool: name },
      hint,
    });
  }
}

/**
 * Returns the JSON Schema of a tool's input; undefined when the schema has none.
 *
 * @internal
 */
export function plainSchemaOf(schema: unknown): object | undefined {
  try {
    const json = jsonSchemaOf(schema);
    return json !== undefined && isPlain(json) ? json : undefined;
  } catch {
    // The tool can be called without it.
    return undefined;
  }
}

/** @throws {TurnfoldError} `validation_error`, with all problems. */
function requireFit(name: string, fit: Fit): unknown {
  if ("object" in fit) return fit.object;
  throw new TurnfoldError("validation_error", `the arguments of ${name} do not fit: ${fit.problems.join("; ")}`, {
    details: { tool: name, problems: fit.problems },
  });
}

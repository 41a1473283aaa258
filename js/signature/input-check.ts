import { callWhenReady, messageOf } from "../boundary/host.ts";
import { TurnfoldError } from "../errors.ts";
import { isPlain } from "../values/describe.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import {
  jsonCheck,
  numberCheck,
  type StandardResult,
  type StandardValidator,
  standardCheck,
  standardFit,
} from "./object-schema.ts";

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
 * @returns null for a schema that can't check anything.
 *
 * @internal
 */
export function inputCheck(name: string, schema: unknown): InputCheck | null {
  return validatorCheck(name, schema) ?? jsonInputCheck(name, schema);
}

function validatorCheck(name: string, schema: unknown): InputCheck | null {
  try {
    const { "~standard": standard, validate } = Object(schema) as { "~standard"?: unknown; validate?: unknown };
    const run = (standard as Partial<StandardValidator> | undefined)?.validate;
    const require = (check: ReturnType<typeof numberCheck>): InputCheck => {
      return (input) => callWhenReady(check(input), (fit) => requireFit(name, fit));
    };
    if (typeof run === "function") return require(standardCheck(standard as StandardValidator));
    if (typeof validate !== "function") return null;
    const validated = (input: unknown) => validate.call(schema, input) as ValidationResult | Promise<ValidationResult>;
    return require(
      numberCheck((input) =>
        callWhenReady(validated(input), (result) =>
          result.success ? { object: result.value } : { problems: problemsOf(result.error) },
        ),
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

/** The validator is made on first use, because most tools of an agent are never called. */
function jsonInputCheck(name: string, schema: unknown): InputCheck | null {
  const json = plainSchemaOf(schema);
  if (json === undefined) return null;
  let check: ReturnType<typeof jsonCheck> | null | undefined;
  return (input) => {
    let fit: ReturnType<ReturnType<typeof jsonCheck>>;
    try {
      check ??= jsonCheck(json);
      fit = check(input);
    } catch {
      // The schema can't be read, or a reference in it has no target.
      return input;
    }
    return requireFit(name, fit);
  };
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
function requireFit(name: string, fit: { object: unknown } | { problems: string[] }): unknown {
  if ("object" in fit) return fit.object;
  throw new TurnfoldError("validation_error", `the arguments of ${name} do not fit: ${fit.problems.join("; ")}`, {
    details: { tool: name, problems: fit.problems },
  });
}

import type { Value } from "../values/values.ts";

/** An input or an output of a signature. */
export interface Field {
  /** A letter or `_`, then letters, digits, `_` and `-`. */
  readonly name: string;
  /** In the notation of typed calls, `list[str]`, or in that of tools, `[{id :int}]`, `"open" | "paid"`. */
  readonly type: string;
  /**
   * Whether it may be absent or null. By default a field is optional when its type is, such as `Optional[str]`; with
   * false such a field must be present and may be null.
   */
  readonly optional?: boolean | undefined;
  /** The purpose, which models see. */
  readonly description?: string | undefined;
  /** The allowed texts, numbers or booleans; any value of the type when absent. */
  readonly oneOf?: readonly unknown[] | undefined;
  /** The value that replaces an absent or null one; it makes the field optional. */
  readonly default?: unknown;
}

/** A signature as an object. It can have descriptions, defaults and instructions, which a text can't express. */
export interface SignatureInit {
  /** At least one. */
  readonly inputs: readonly Field[];
  /** At least one. */
  readonly outputs: readonly Field[];
  /** The task of the model; absent by default. */
  readonly instructions?: string | undefined;
}

/** A mismatch between a value and a signature. */
export interface Problem {
  /** The path, such as `items[2].price`; empty for the whole value. */
  path: string;
  /** The reason, such as `expected float, got string "12"`. */
  message: string;
}

/** Standard Schema, version 1, with its JSON Schema extension: <https://standardschema.dev>. */
export interface StandardSchema<O> {
  readonly version: 1;
  readonly vendor: "turnfold";
  /** Returns the coerced value, or its mismatches. Never throws. */
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

/** The inputs and outputs of a call. {@link parseSignature} makes one; it is immutable. */
export interface Signature<I = Record<string, unknown>, O = Record<string, Value>> {
  readonly inputs: readonly Field[];
  /** The fields of the returned record; empty when another type is returned. */
  readonly outputs: readonly Field[];
  /** The return type in the notation of tools. */
  readonly returns: string;
  /** The task of the model, if the signature was given as an object that has one. */
  readonly instructions: string | undefined;
  /**
   * Returns a text that parses as the same signature, without descriptions, defaults and instructions. It is in the
   * notation of tools; with a `History` in that of typed calls, in which a field that may be null is optional.
   */
  toString(): string;
  /**
   * Returns JSON Schema, draft 2020-12, in the form that strict modes of providers accept. It omits an input of the
   * type `History`.
   *
   * @param side `output` by default.
   * @throws {TurnfoldError} `invalid_argument` for another side.
   */
  jsonSchema(side?: "input" | "output"): Record<string, unknown>;
  /**
   * Returns the mismatches of a value; empty when it matches.
   *
   * @param side `output` by default.
   * @throws {TurnfoldError} `invalid_argument` for another side; `invalid_value`, `cyclic_value` or `nesting_too_deep`, with
   * the path; for inputs with a history `invalid_inputs` and `invalid_history_value` too.
   */
  check(value: unknown, side?: "input" | "output"): Problem[];
  /**
   * Returns the value coerced to the signature: names are spelled as declared, numbers and booleans are parsed from
   * texts, and undeclared members are omitted.
   *
   * @param side `output` by default.
   * @throws {TurnfoldError} `validation_error`, with `problems` in its details; the errors of {@link Signature.check}.
   */
  coerce<S extends "input" | "output" = "output">(
    value: unknown,
    side?: S,
  ): { value: S extends "input" ? I : O; warnings: string[] };
  /** The schema of the outputs. */
  readonly "~standard": StandardSchema<O>;
}

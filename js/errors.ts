import type { ErrorCode } from "./error-codes.ts";
import { knownNamesHint } from "./values/nearest-name.ts";
import { printable } from "./values/printable.ts";

const brand: unique symbol = Symbol.for("turnfold.error");

/**
 * The only class of errors that Turnfold throws.
 *
 * `code` is for programs: it never changes its meaning. `message` says what is wrong, `hint` what to write instead,
 * `details` hold the facts (`path`, `known`, `index` …), and `cause` is the host's error that led to it, if any. `message`
 * and `hint` may quote a server or a model; control characters except line ends and tabs are replaced in them.
 *
 * @example
 * ```ts
 * try {
 *   toMessages(turns, null, options);
 * } catch (error) {
 *   if (TurnfoldError.isInstance(error) && error.code === "unknown_strategy") console.error(error.hint);
 *   else throw error;
 * }
 * ```
 */
export class TurnfoldError extends Error {
  /** Snake case, such as `invalid_value`. */
  readonly code: ErrorCode;
  /** The facts of the error; empty when there are none. */
  readonly details: Record<string, unknown>;
  /** How to correct it, or null. */
  readonly hint: string | null;

  constructor(
    code: ErrorCode,
    message: string,
    extra: { details?: Record<string, unknown> | undefined; hint?: string | null | undefined; cause?: unknown } = {},
  ) {
    super(printable(message), "cause" in extra ? { cause: extra.cause } : undefined);
    this.code = code;
    this.details = extra.details ?? {};
    this.hint = typeof extra.hint === "string" ? printable(extra.hint) : null;
  }

  /** True for errors of every loaded copy of this package; `instanceof` recognizes only those of its own copy. */
  static isInstance(error: unknown): error is TurnfoldError {
    try {
      return typeof error === "object" && error !== null && brand in error;
    } catch {
      // A proxy that can't be read is not an error of this package.
      return false;
    }
  }

  /** @internal */
  get [brand](): true {
    return true;
  }
}

Object.defineProperty(TurnfoldError.prototype, "name", { value: "TurnfoldError", writable: true, configurable: true });

/**
 * The path of a value, such as `toolCalls[2].args`; a function where the text is only needed for an error.
 *
 * @internal
 */
export type Path = string | (() => string);

/** @internal */
export function pathText(path: Path): string {
  return typeof path === "string" ? path : path();
}

/**
 * Runs code that reads objects of the host. An error of a getter or a proxy becomes the cause of a {@link TurnfoldError} with
 * `path` in its details.
 *
 * @internal
 */
export function wrapReadErrors<T>(code: ErrorCode, path: Path, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (TurnfoldError.isInstance(error)) throw error;
    const named = pathText(path);
    throw new TurnfoldError(code, `${named} could not be read`, {
      details: { path: named },
      hint: "a getter or a proxy threw, or JSON can't express the data; see the cause",
      cause: error,
    });
  }
}

/**
 * Returns a copy of the error with more details, and with another hint if one is given.
 *
 * @internal
 */
export function withDetails(
  error: TurnfoldError,
  more: Record<string, unknown>,
  hint: string | null = error.hint,
): TurnfoldError {
  const { code, message, details, stack } = error;
  const cause = "cause" in error ? { cause: error.cause } : {};
  const copy = new TurnfoldError(code, message, { details: { ...details, ...more }, hint, ...cause });
  if (stack !== undefined) copy.stack = stack;
  return copy;
}

/** The object that the wasm side throws for a mistake of the caller; anything else that it throws is a crash. */
interface WasmError {
  code: ErrorCode;
  message: string;
  details?: Record<string, unknown> | null;
  hint?: string | null;
}

/**
 * True for the plain object that reports a mistake of the caller.
 *
 * @internal
 */
export function isWasmError(thrown: unknown): thrown is WasmError {
  return (
    typeof thrown === "object" &&
    thrown !== null &&
    !(thrown instanceof Error) &&
    typeof (thrown as Partial<WasmError>).code === "string"
  );
}

/**
 * Converts a refusal to an error.
 *
 * @internal
 */
export function fromWasmError({ code, message, details, hint }: WasmError): TurnfoldError {
  const { option, known } = details ?? {};
  const isUnknown = typeof option === "string" && Array.isArray(known) && hint?.startsWith("there are ");
  return new TurnfoldError(code, message, {
    details: details ?? {},
    hint: isUnknown ? knownNamesHint(option, known as string[]) : (hint ?? null),
  });
}

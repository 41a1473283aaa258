import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { describe, isPlain } from "../values/describe.ts";
import { knownNamesHint } from "../values/nearest-name.ts";
import { pathStep } from "./encode.ts";

/** Levels of nesting that options may have; none has more than four. */
const MAX_LEVELS = 8;

/**
 * Copies the own enumerable members of an object; each getter runs once.
 *
 * @param what names the object in errors: `the options`.
 * @throws {TurnfoldError} `invalid_option`
 */
export function copyMembers(given: unknown, what: string, hint: string | null = null): Record<string, unknown> {
  return wrapReadErrors("invalid_option", what, () => {
    if (typeof given === "object" && given !== null && isRecord(given)) {
      const read = (name: string) => (given as Record<string, unknown>)[name];
      return Object.fromEntries(
        Object.keys(given).map((name) => [name, wrapReadErrors("invalid_option", name, () => read(name))]),
      );
    }
    throw new TurnfoldError("invalid_option", `${what} must be an object, got ${describe(given)}`, { hint });
  });
}

/**
 * Makes a plain copy of a host's options for the wasm, whose destructors do not run when a getter or a proxy throws.
 * Each getter runs once. A value that is not plain data becomes a symbol with its kind as description.
 *
 * @param what names the value in errors.
 * @param path the path that the paths of its members begin with; empty for the options themselves.
 * @throws {TurnfoldError} `invalid_option`, with the path of a value that can't be read, or is cyclic or nested too
 * deeply.
 */
export function plainCopy(given: unknown, what: string, path: string = what): unknown {
  return copyValue(given, what, path, []);
}

function copyValue(value: unknown, what: string, path: string, ancestors: readonly object[]): unknown {
  if (typeof value === "function") return Symbol("a function");
  if (typeof value !== "object" || value === null) return value;
  return wrapReadErrors("invalid_option", what, () => {
    if (ancestors.includes(value)) throw invalidStructure(what, "holds itself");
    if (ancestors.length >= MAX_LEVELS) throw invalidStructure(what, "is nested too deeply");
    const holders = [...ancestors, value];
    const member = (item: unknown, key: string | number) => {
      const name = path === "" ? String(key) : path + pathStep(key);
      return copyValue(item, name, name, holders);
    };
    if (Array.isArray(value)) return Array.from(value as unknown[], member);
    if (ancestors.length === 0 ? !isRecord(value) : !isPlain(value)) return Symbol(describe(value));
    return Object.fromEntries(
      Object.keys(value).map((key) => [key, member((value as Record<string, unknown>)[key], key)]),
    );
  });
}

/** True for plain objects and for instances of a host's classes, which may hold options too. */
function isRecord(value: object): boolean {
  return isPlain(value) || Object.prototype.toString.call(value) === "[object Object]";
}

/**
 * Returns a copy of an object of options, and checks their names, not their values.
 *
 * @param what a plural with "the", such as `the options`, or a singular without it.
 * @param otherNames names of options in other libraries, with their names here.
 * @throws {TurnfoldError} `invalid_option`
 */
export function checkMembers(
  what: string,
  given: unknown,
  known: readonly string[],
  otherNames: Readonly<Record<string, string>> = {},
): Record<string, unknown> {
  if (typeof given !== "object" || given === null || !isPlain(given)) {
    throw new TurnfoldError("invalid_option", `${what} must be an object, got ${describe(given)}`, {
      details: { known },
    });
  }
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const now = Object.hasOwn(otherNames, unknown) ? otherNames[unknown] : undefined;
    const have = what.startsWith("the ") ? "have" : "has";
    throw new TurnfoldError("invalid_option", `${what} ${have} no ${JSON.stringify(unknown)}`, {
      details: { option: unknown, known },
      hint: now === undefined ? knownNamesHint(unknown, known) : `it is ${now}`,
    });
  }
  return { ...given };
}

/** Makes the error of an option that has a wrong value. */
export function invalidOption(
  option: string,
  expected: string,
  got: unknown,
  hint: string | null = null,
): TurnfoldError {
  return new TurnfoldError("invalid_option", `${option} must be ${expected}, got ${describe(got)}`, {
    details: { option },
    hint,
  });
}

/**
 * Returns a whole number from `min` to `max`, or `usual` for undefined.
 *
 * @throws {TurnfoldError} `invalid_option`
 */
export function checkCount(
  option: string,
  count: unknown,
  defaultValue: number,
  min: number,
  max: number = Number.MAX_SAFE_INTEGER,
): number {
  if (count === undefined) return defaultValue;
  if (Number.isSafeInteger(count) && (count as number) >= min && (count as number) <= max) return count as number;
  throw invalidOption(option, `a whole number from ${min} up`, count);
}

/** The types of the values that `typeof` distinguishes. */
interface Kinds {
  string: string;
  boolean: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: the caller names the type of its function.
  function: (...args: any[]) => any;
}

/** The kinds of values as errors name them. */
const KINDS: Readonly<Record<keyof Kinds, string>> = {
  string: "a text",
  boolean: "true or false",
  function: "a function",
};

/**
 * Returns an option of a kind; undefined when it is absent.
 *
 * @throws {TurnfoldError} `invalid_option`
 */
export function checkKind<K extends keyof Kinds>(
  option: string,
  value: unknown,
  kind: K,
  hint: string | null = null,
): Kinds[K] | undefined {
  if (value === undefined || typeof value === kind) return value as Kinds[K] | undefined;
  throw invalidOption(option, KINDS[kind], value, hint);
}

/**
 * Returns a flag, or a default for undefined.
 *
 * @throws {TurnfoldError} `invalid_option`
 */
export function checkFlag<Default extends boolean | undefined>(
  option: string,
  flag: unknown,
  defaultValue: Default,
): boolean | Default {
  return checkKind(option, flag, "boolean") ?? defaultValue;
}

function invalidStructure(path: string, problem: string): TurnfoldError {
  return new TurnfoldError("invalid_option", `${path} ${problem}`, { details: { path } });
}

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
 * Returns the value of an option, or its default for undefined.
 *
 * @throws {TurnfoldError} `invalid_option`
 */
export type OptionCheck<T = unknown> = (value: unknown, option: string) => T;

/** A check for each option of a type. */
export type OptionChecks<Options> = { readonly [Name in keyof Options]-?: OptionCheck<Options[Name]> };

/** A check for each option, by name. */
export type OptionTable = Readonly<Record<string, OptionCheck>>;

/** Options as {@link readOptions} returns them. */
export type OptionValues<Checks extends OptionTable> = {
  [Name in keyof Checks]: ReturnType<Checks[Name]>;
};

/**
 * Reads an object of options: checks the names, then the values in the order of `checks`.
 *
 * @param what as for {@link checkMembers}.
 * @param prefix comes before the names in errors, such as `cache.`.
 * @throws {TurnfoldError} `invalid_option`, and the errors of the checks.
 */
export function readOptions<Checks extends OptionTable>(
  what: string,
  given: unknown,
  checks: Checks,
  otherNames: Readonly<Record<string, string>> = {},
  prefix: string = "",
): OptionValues<Checks> {
  return wrapReadErrors("invalid_option", what, () => {
    const own = checkMembers(what, given, Object.keys(checks), otherNames);
    const read = Object.entries(checks).map(([name, check]) => [name, check(own[name], prefix + name)]);
    return Object.fromEntries(read) as OptionValues<Checks>;
  });
}

/** The check of an option whose value is checked elsewhere. */
export const anyOption =
  <T>(): OptionCheck<T> =>
  (value) =>
    value as T;

/** The check of a whole number from `min` to `max`. */
export const countOption =
  <Default extends number | undefined>(
    defaultValue: Default,
    min: number,
    max: number = Number.MAX_SAFE_INTEGER,
  ): OptionCheck<number | Default> =>
  (count, option) => {
    if (count === undefined) return defaultValue;
    if (Number.isSafeInteger(count) && (count as number) >= min && (count as number) <= max) return count as number;
    throw invalidOption(option, `a whole number from ${min} up`, count);
  };

/** The check of one of several names. */
export const choiceOption =
  <const Name extends string, Default extends Name | undefined = undefined>(
    names: readonly Name[],
    defaultValue?: Default,
  ): OptionCheck<Name | Default> =>
  (value, option) => {
    if (value === undefined) return defaultValue as Default;
    if (names.includes(value as Name)) return value as Name;
    const quoted = names.map((name) => JSON.stringify(name));
    throw invalidOption(option, `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`, value);
  };

const kindOption =
  <T, Default>(kind: string, expected: string, hint: string | null, defaultValue: Default): OptionCheck<T | Default> =>
  (value, option) => {
    if (value === undefined) return defaultValue;
    if (typeof value === kind) return value as T;
    throw invalidOption(option, expected, value, hint);
  };

/** The check of a text. */
export const textOption: OptionCheck<string | undefined> = (text, option) =>
  kindOption<string, undefined>("string", "a text", null, undefined)(text, option);

/** The check of a flag. */
export const flagOption = <Default extends boolean | undefined>(
  defaultValue: Default,
): OptionCheck<boolean | Default> => kindOption("boolean", "true or false", null, defaultValue);

/** The check of a function, with the hint of its error. */
// biome-ignore lint/suspicious/noExplicitAny: the type of the option says which function.
export const functionOption = <F extends (...args: any[]) => any, Default extends F | undefined = undefined>(
  hint: string | null = null,
  defaultValue?: Default,
): OptionCheck<F | Default> => kindOption("function", "a function", hint, defaultValue as Default);

function invalidStructure(path: string, problem: string): TurnfoldError {
  return new TurnfoldError("invalid_option", `${path} ${problem}`, { details: { path } });
}

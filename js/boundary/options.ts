import { reading, TurnfoldError } from "../errors.ts";
import { describe, isPlain } from "../values/describe.ts";
import { step } from "./encode.ts";

/** Levels of nesting that options may have; none has more than four. */
const MOST_LEVELS = 8;

/**
 * A copy of the own enumerable members of an object; each getter runs once.
 *
 * @param what names the object in errors: `the options`.
 * @throws {TurnfoldError} `invalid_option`
 */
export function membersOf(given: unknown, what: string, hint: string | null = null): Record<string, unknown> {
  return reading("invalid_option", what, () => {
    if (typeof given === "object" && given !== null && isRecord(given)) {
      const read = (name: string) => (given as Record<string, unknown>)[name];
      return Object.fromEntries(
        Object.keys(given).map((name) => [name, reading("invalid_option", name, () => read(name))]),
      );
    }
    throw new TurnfoldError("invalid_option", `${what} must be an object, got ${describe(given)}`, { hint });
  });
}

/**
 * A plain copy of what a host gives, for the wasm to read: its destructors do not run when a getter or a proxy throws.
 * Each getter runs once. What is no plain data becomes a symbol whose description says what it is.
 *
 * @param what names the value in errors.
 * @param path is where its members are; empty for the options themselves.
 * @throws {TurnfoldError} `invalid_option`, with the path to what can't be read, or is cyclic or nested too deeply.
 */
export function plainCopy(given: unknown, what: string, path: string = what): unknown {
  return copied(given, what, path, []);
}

function copied(value: unknown, what: string, path: string, ancestors: readonly object[]): unknown {
  if (typeof value === "function") return Symbol("a function");
  if (typeof value !== "object" || value === null) return value;
  return reading("invalid_option", what, () => {
    if (ancestors.includes(value)) throw refused(what, "holds itself");
    if (ancestors.length >= MOST_LEVELS) throw refused(what, "is nested too deeply");
    const holders = [...ancestors, value];
    const member = (item: unknown, key: string | number) => {
      const name = path === "" ? String(key) : path + step(key);
      return copied(item, name, name, holders);
    };
    if (Array.isArray(value)) return Array.from(value as unknown[], member);
    if (ancestors.length === 0 ? !isRecord(value) : !isPlain(value)) return Symbol(describe(value));
    return Object.fromEntries(
      Object.keys(value).map((key) => [key, member((value as Record<string, unknown>)[key], key)]),
    );
  });
}

/** True also for instances of a host's classes, which hold options as plain objects do. */
function isRecord(value: object): boolean {
  return isPlain(value) || Object.prototype.toString.call(value) === "[object Object]";
}

/**
 * A copy of an object of options that are the host's own business, none of which is unknown.
 *
 * @param renamed what options are called elsewhere, and what they are called here.
 * @throws {TurnfoldError} `invalid_option`
 */
export function checkMembers(
  what: string,
  given: unknown,
  known: readonly string[],
  renamed: Readonly<Record<string, string>> = {},
): Record<string, unknown> {
  if (typeof given !== "object" || given === null || !isPlain(given)) {
    throw new TurnfoldError("invalid_option", `${what} must be an object, got ${describe(given)}`, {
      details: { known },
    });
  }
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const now = Object.hasOwn(renamed, unknown) ? renamed[unknown] : undefined;
    throw new TurnfoldError("invalid_option", `${what} have no ${JSON.stringify(unknown)}`, {
      details: { option: unknown, known },
      hint: now === undefined ? `there are ${known.join(", ")}` : `it is ${now}`,
    });
  }
  return { ...given };
}

/** The error of an option that is not what it must be. */
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
 * A whole number from `least` up, or `usual` where none is given.
 *
 * @throws {TurnfoldError} `invalid_option`
 */
export function checkCount(
  option: string,
  count: unknown,
  usual: number,
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): number {
  if (count === undefined) return usual;
  if (Number.isSafeInteger(count) && (count as number) >= least && (count as number) <= most) return count as number;
  throw invalidOption(option, `a whole number from ${least} up`, count);
}

function refused(path: string, problem: string): TurnfoldError {
  return new TurnfoldError("invalid_option", `${path} ${problem}`, { details: { path } });
}

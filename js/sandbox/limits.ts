import { describe, isPlain } from "../values/describe.ts";
import { reading, TurnfoldError } from "../errors.ts";

/** What one program may use. Absent members have the defaults. Passing a limit is an error of its own kind. */
export interface Limits {
  /** Steps: calls, rounds of loops, elements that functions go over; 20 million. `fuel_exceeded` */
  fuel?: number;
  /** Bytes that the program's values take at a time; 64 MB. `memory_exceeded` */
  heapBytes?: number;
  /** Calls inside calls; 10,000. `depth_exceeded` */
  depth?: number;
  /** Rounds of one loop; 10,000. `loop_limit_exceeded` */
  loopIterations?: number;
  /** Elements of one collection; 1,000,000. `collection_size_exceeded` */
  collectionSize?: number;
  /** Calls of `println`; 1,000. `print_limit_exceeded` */
  prints?: number;
  /** Characters kept of what one `println` writes; 2,000. */
  printLength?: number;
  /** Calls of tools; 1,000. `tool_call_limit_exceeded` */
  toolCalls?: number;
  /** The program's own time, not its tools', in milliseconds; 5,000. `timeout` */
  timeoutMs?: number;
}

const LIMITS: readonly (keyof Limits)[] = [
  "fuel",
  "heapBytes",
  "depth",
  "loopIterations",
  "collectionSize",
  "prints",
  "printLength",
  "toolCalls",
  "timeoutMs",
];

const MOST = Number.MAX_SAFE_INTEGER;

const DEFAULT_TIMEOUT = 5000;

/** Limits as the wasm takes them, and the one that is the host's own affair. */
export interface CheckedLimits {
  limits: Omit<Limits, "timeoutMs">;
  timeout: number;
}

/**
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function checkLimits(limits: unknown): CheckedLimits {
  const given = limits === undefined ? {} : reading("invalid_option", "the limits", () => readLimits(limits));
  const { timeoutMs = DEFAULT_TIMEOUT, ...others } = given;
  return { limits: others, timeout: timeoutMs };
}

function readLimits(limits: unknown): Limits {
  const given = checkMembers("the limits", limits, LIMITS);
  const checked: Limits = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (typeof value !== "number" || !(value >= 0)) {
      throw new TurnfoldError(
        "invalid_option",
        `the limit ${name} must be a number, not negative, got ${describe(value)}`,
        { details: { option: `limits.${name}` } },
      );
    }
    checked[name as keyof Limits] = Math.min(Math.floor(value), MOST);
  }
  return checked;
}

/**
 * A copy of an object of options, none of which is unknown.
 *
 * @param renamed what options were called before, and what they are called now.
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
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

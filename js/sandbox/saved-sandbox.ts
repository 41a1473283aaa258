import { decode } from "../boundary/decode.ts";
import { encode } from "../boundary/encode.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { describe, isPlain } from "../values/describe.ts";
import type { Value } from "../values/values.ts";
import { NO_CALLS } from "./kept-calls.ts";

const VERSION = 1;

/** The saved state of a sandbox, from which a new one can continue. Never changes. */
export interface SavedSandbox {
  /** Definitions by name, as JSON. */
  memory: ReadonlyMap<string, string>;
  /** `*1`, `*2`, `*3` as JSON. */
  recent: readonly string[];
  /** `*calls` as JSON. */
  calls: string;
  /** Names defined by programs that failed; the error for an undefined name among them says so. */
  rolledBack: readonly string[];
}

/**
 * The state of a sandbox as `Lisp.toJSON` gives it.
 *
 * @internal
 */
export function savedJson({ memory, recent, calls, rolledBack }: SavedSandbox): unknown {
  return {
    version: VERSION,
    memory: Object.fromEntries(Array.from(memory, ([name, json]) => [name, JSON.parse(json) as unknown])),
    recent: recent.map((json) => JSON.parse(json) as unknown),
    ...(calls === NO_CALLS ? {} : { calls: JSON.parse(calls) as unknown }),
    ...(rolledBack.length > 0 ? { rolledBack } : {}),
  };
}

/**
 * @throws {TurnfoldError} `invalid_json`, `unknown_version`
 *
 * @internal
 */
export function readSaved(json: unknown): SavedSandbox {
  const saved = (typeof json === "string" ? parseJson(json) : json) as Partial<Record<string, unknown>> | null;
  const { version, memory, recent, calls = [], rolledBack = [] } = saved ?? {};
  if (typeof memory !== "object" || memory === null || ![recent, calls, rolledBack].every(Array.isArray)) {
    throw new TurnfoldError("invalid_json", "this is not what Lisp.toJSON() gives", {
      hint: "give the object, or its JSON text",
    });
  }
  if (version !== VERSION) {
    throw new TurnfoldError("unknown_version", `a sandbox of version ${describe(version)} can't be read`, {
      details: { version },
      hint: "read it with the version of turnfold that saved it, or a newer one",
    });
  }
  return {
    memory: new Map(Object.entries(memory).map(([name, value]) => [name, JSON.stringify(value ?? null)])),
    recent: [0, 1, 2].map((index) => JSON.stringify((recent as unknown[])[index] ?? null)),
    calls: JSON.stringify(calls),
    rolledBack: (rolledBack as unknown[]).filter((name) => typeof name === "string"),
  };
}

/**
 * Definitions from the JSON of each.
 *
 * @internal
 */
export function decodeMembers(memory: ReadonlyMap<string, string>): Record<string, Value> {
  const members = Array.from(memory, ([name, json]) => [name, decode(JSON.parse(json))] as const);
  return Object.freeze(Object.fromEntries(members)) as Record<string, Value>;
}

/**
 * The JSON of each definition by its name.
 *
 * @internal
 */
export function encodeMembers(record: unknown, maxText?: number): Map<string, string> {
  const members = wrapReadErrors("invalid_value", "memory", () => checkRecord(record));
  return new Map(Object.entries(members).map(([name, value]) => [name, encode(value, `memory.${name}`, maxText)]));
}

function checkRecord(record: unknown): Record<string, unknown> {
  if (typeof record === "object" && record !== null && isPlain(record)) return record as Record<string, unknown>;
  throw new TurnfoldError("invalid_value", `memory must be a plain object of names, got ${describe(record)}`, {
    details: { path: "memory" },
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new TurnfoldError("invalid_json", "the saved sandbox is not JSON", { cause });
  }
}

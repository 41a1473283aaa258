import { decode, decodePlain, decodeRecord } from "../boundary/decode.ts";
import { call, send, type TurnHandle } from "../boundary/wasm.ts";
import { TurnfoldError } from "../errors.ts";
import type { Value } from "../values/values.ts";
import type { NestedStep } from "./nested-step.ts";
import { type CallRecord, invalidTurn, type TurnFacts } from "./turn-init.ts";

/** One call of a tool, as a turn records it. */
export interface ToolCall {
  readonly name: string;
  /** A map, or an array when the call was positional and the tool has no signature; null without arguments. */
  readonly args: Value;
  /** The result; of a call that failed the `data` of its error, or null. */
  readonly result?: Value;
  /** The error message of the tool, or null. */
  readonly error?: string | null;
  /** In milliseconds. */
  readonly durationMs?: number;
  /** The step of the nested agent, if the call ran one. */
  readonly step?: NestedStep;
}

/**
 * The part of a turn that is decoded on first access.
 *
 * @internal
 */
export interface TurnValues {
  readonly result: Value;
  readonly toolCalls: readonly ToolCall[];
  readonly memory: Readonly<Record<string, Value>>;
}

/** @internal */
export const EMPTY_MEMORY: Readonly<Record<string, Value>> = Object.freeze({});

/**
 * A turn as saved.
 *
 * @internal
 */
export interface TurnJSON {
  number: number;
  success: boolean;
  rawResponse: string;
  program: string | null;
  result: unknown;
  prints: string[];
  toolCalls: CallRecord[];
  memory?: unknown;
  docs: unknown;
  defined?: string[];
  at?: number;
}

/** @internal */
export function readFacts({
  number,
  success,
  rawResponse,
  program,
  prints,
  docs,
  defined,
  at,
  memory,
}: TurnJSON): TurnFacts {
  return {
    number,
    success,
    rawResponse,
    program,
    prints: Object.freeze(prints),
    docs: decodeRecord(docs) as Readonly<Record<string, string>>,
    defined: defined ? Object.freeze(defined) : null,
    at: at ?? null,
    remembers: memory !== undefined,
  };
}

/** Reads a saved step; set by `js/agent/step.ts`, because a turn must not import runs. */
let readStep: (json: unknown) => NestedStep;

/** @internal */
export function setStepReader(read: (json: unknown) => NestedStep): void {
  readStep = read;
}

/** @internal */
export function decodeValues({ result, toolCalls, memory }: TurnJSON): TurnValues {
  const calls = toolCalls.map(({ name, args, result, error, durationMs, step: nested }) => {
    const call: ToolCall = { name, args: decode(args), result: decode(result), error };
    const timed = durationMs === null ? call : { ...call, durationMs };
    return Object.freeze(nested === undefined ? timed : { ...timed, step: readStep(decodePlain(nested)) });
  });
  return {
    result: decode(result),
    toolCalls: Object.freeze(calls),
    memory: memory === undefined ? EMPTY_MEMORY : decodeRecord(memory),
  };
}

/**
 * Returns the canonical text of a saved turn, and the turn on the wasm side.
 *
 * @internal
 */
export function loadTurn(json: unknown): { text: string; handle: TurnHandle } {
  let given: unknown;
  try {
    given = typeof json === "string" ? json : JSON.stringify(json);
  } catch (cause) {
    throw new TurnfoldError("invalid_turn", "a saved turn must be JSON", {
      details: { path: "the saved turn" },
      hint: SAVED_BY_TO_JSON,
      cause,
    });
  }
  if (typeof given !== "string") throw invalidTurn("the saved turn", "an object or JSON text", json, SAVED_BY_TO_JSON);
  const text = given;
  try {
    const handle = call("turns", (wasm) => wasm.TurnHandle.fromJson(send(text)));
    return { text: call("turns", () => handle.toJson()), handle };
  } catch (error) {
    if (!TurnfoldError.isInstance(error) || !REPORTED_CODES.has(error.code)) throw error;
    const { message, details, hint } = error;
    const offset = typeof details.offset === "number" ? utf16Offset(text, details.offset) : null;
    const position = offset === null || typeof json !== "string" ? "" : `, at offset ${offset}`;
    throw new TurnfoldError("invalid_turn", `this is no saved turn: ${message}${position}`, {
      details: offset === null ? details : { ...details, offset },
      hint: hint ?? SAVED_BY_TO_JSON,
      cause: error,
    });
  }
}

/** Converts an offset in UTF-8 bytes, as the wasm side counts, to UTF-16 units. */
function utf16Offset(text: string, bytes: number): number {
  return new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, bytes)).length;
}

const SAVED_BY_TO_JSON = "give the result of toJSON() of a turn";

/** The codes of the wasm side for a text that is not a saved turn. */
const REPORTED_CODES = new Set([
  "invalid_turn",
  "invalid_json",
  "invalid_value",
  "nesting_too_deep",
  "unknown_version",
]);

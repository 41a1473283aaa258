import { encode, encodeRecord, pathStep } from "../boundary/encode.ts";
import { plainJson, quoteText, wellFormed } from "../boundary/plain-json.ts";
import { type Path, pathText, TurnfoldError, wrapReadErrors } from "../errors.ts";
import { describe, isPlain } from "../values/describe.ts";
import type { NestedStep } from "./nested-step.ts";

/** The input from which a {@link ToolCall} is made. */
export interface ToolCallInit {
  name: string;
  args?: unknown;
  result?: unknown;
  error?: string | null | undefined;
  durationMs?: number | undefined;
  step?: NestedStep | undefined;
}

/** The input from which a {@link Turn} is made. */
export interface TurnInit {
  /** Which turn of its run this is, from 1; 1 when absent. */
  number?: number | undefined;
  /** The model's reply, unchanged. When it is empty, the program is shown in a fence instead. */
  rawResponse?: string | undefined;
  /** The program that ran; null when the reply held none. */
  program?: string | null | undefined;
  /** The value of the program; for a failed turn `{ reason, message, hint? }`, or the message alone. */
  result?: unknown;
  /** One entry per `println`. */
  prints?: readonly string[] | undefined;
  /** In the order in which they were made; those of failed turns count too. */
  toolCalls?: readonly ToolCallInit[] | undefined;
  /** All definitions after this turn, by name. */
  memory?: Readonly<Record<string, unknown>> | undefined;
  /** Docstrings by the names they describe. */
  docs?: Readonly<Record<string, string>> | undefined;
  /**
   * Names that this turn defined; when absent, found by comparing with the previous turn. For a failed turn: the names
   * that its program would have defined, none of which is kept.
   */
  defined?: readonly string[] | undefined;
  /** Time at which the request for this turn was sent, in milliseconds since 1970. */
  at?: number | undefined;
}

/**
 * The part of a turn that needs no decoding.
 *
 * @internal
 */
export interface TurnFacts {
  number: number;
  success: boolean;
  rawResponse: string;
  program: string | null;
  prints: readonly string[];
  docs: Readonly<Record<string, string>>;
  defined: readonly string[] | null;
  at: number | null;
  /** Whether the turn has all definitions after it. */
  remembers: boolean;
}

const NO_DOCS: Readonly<Record<string, string>> = Object.freeze({});

/** Names of {@link TurnInit}, and `success`, which is present when a turn is spread into a new one. */
const TURN_MEMBERS: Record<keyof TurnInit | "success", true> = {
  number: true,
  success: true,
  rawResponse: true,
  program: true,
  result: true,
  prints: true,
  toolCalls: true,
  memory: true,
  docs: true,
  defined: true,
  at: true,
};

const CALL_MEMBERS: Record<keyof ToolCallInit, true> = {
  name: true,
  args: true,
  result: true,
  error: true,
  durationMs: true,
  step: true,
};

/**
 * A call as it is saved. Its values are encoded in a saved text, and still the host's own before.
 *
 * @internal
 */
export interface CallRecord {
  name: string;
  args: unknown;
  result: unknown;
  error: string | null;
  durationMs: number | null;
  step?: unknown;
}

/** The members of a saved turn in their order, values not encoded yet. */
interface TurnRecord {
  version: 1;
  number: number;
  success: boolean;
  rawResponse: string;
  program: string | null;
  result: unknown;
  prints: readonly string[];
  toolCalls: readonly CallRecord[];
  memory?: unknown;
  docs?: Readonly<Record<string, string>>;
  defined?: readonly string[];
  at?: number;
}

/**
 * Checks the input of a turn, and writes the saved text of the turn.
 *
 * @throws {TurnfoldError} `invalid_turn`, `invalid_value`, `cyclic_value`, `nesting_too_deep`
 *
 * @internal
 */
export function readInit(init: TurnInit, success: boolean): { facts: TurnFacts; text: string } {
  checkMembers(init, "the turn", TURN_MEMBERS);
  const { number = 1, program = null, at = null, memory } = init;
  if (!Number.isSafeInteger(number) || number < 0 || number > MAX_NUMBER) {
    throw invalidTurn("number", `a whole number from 0 to ${MAX_NUMBER}`, number);
  }
  if (program !== null) checkText("program", program);
  if (at !== null) checkMillis("at", at);
  const facts: TurnFacts = {
    number,
    success,
    rawResponse: wellFormed(checkText("rawResponse", init.rawResponse ?? "")),
    program: program === null ? null : wellFormed(program),
    prints: checkTexts("prints", init.prints ?? []),
    docs: init.docs === undefined ? NO_DOCS : wrapReadErrors("invalid_turn", "docs", () => checkDocs(init.docs)),
    defined: init.defined === undefined ? null : checkTexts("defined", init.defined),
    at,
    remembers: memory !== undefined,
  };
  const toolCalls = checkList("toolCalls", init.toolCalls ?? []).map((call, index) =>
    wrapReadErrors(
      "invalid_turn",
      () => `toolCalls[${index}]`,
      () => checkCall(call, index),
    ),
  );
  const result = success ? init.result : wrapReadErrors("invalid_turn", "result", () => failureResult(init.result));
  const record: TurnRecord = {
    version: 1,
    number,
    success,
    rawResponse: facts.rawResponse,
    program: facts.program,
    result: result === undefined ? null : result,
    prints: facts.prints,
    toolCalls,
  };
  if (facts.remembers) record.memory = memory;
  record.docs = facts.docs;
  if (facts.defined !== null) record.defined = facts.defined;
  if (at !== null) record.at = at;
  const text = (isObjectOrAbsent(memory) ? plainJson(record) : null) ?? encodeTurn(record);
  return { facts, text };
}

/** True for absent names and for an object of names; false for a list, and for a proxy that can't be read. */
function isObjectOrAbsent(names: unknown): boolean {
  if (names === undefined) return true;
  try {
    return typeof names === "object" && names !== null && !Array.isArray(names);
  } catch {
    return false;
  }
}

/**
 * Encodes a turn with values that plain JSON cannot express. Errors name the paths of values that cannot be encoded.
 */
function encodeTurn(record: TurnRecord): string {
  const { number, success, rawResponse, program, result, prints, toolCalls, docs, defined, at } = record;
  const calls = toolCalls.map(encodeCall);
  const members = [
    `"version":1,"number":${number},"success":${success}`,
    `"rawResponse":${quoteText(rawResponse)}`,
    `"program":${program === null ? "null" : quoteText(program)}`,
    `"result":${encode(result, "result")}`,
    `"prints":${JSON.stringify(prints)}`,
    `"toolCalls":[${calls.join()}]`,
  ];
  if ("memory" in record) members.push(`"memory":${encodeRecord(record.memory, "memory")}`);
  members.push(`"docs":${encodeRecord(docs, "docs")}`);
  if (defined !== undefined) members.push(`"defined":${JSON.stringify(defined)}`);
  if (at !== undefined) members.push(`"at":${at}`);
  return `{${members.join()}}`;
}

function encodeCall({ name, args, result, error, durationMs, step: nested }: CallRecord, index: number): string {
  const path = `toolCalls[${index}]`;
  const argsJson = encode(args, `${path}.args`);
  if (!/^(null|\[|\{(?!"\$)|\{"\$map":)/.test(argsJson)) throw invalidArgs(index, args);
  const members = [
    `"name":${quoteText(name)}`,
    `"args":${argsJson}`,
    `"result":${encode(result, `${path}.result`)}`,
    `"error":${error === null ? "null" : quoteText(error)}`,
    `"durationMs":${durationMs === null ? "null" : Number(durationMs)}`,
  ];
  if (nested !== undefined) members.push(`"step":${encode(nested, `${path}.step`)}`);
  return `{${members.join()}}`;
}

const MAX_NUMBER = 2 ** 32 - 1;

/** The result of a failed turn: at least a reason and a message. */
function failureResult(result: unknown): object {
  if (typeof result === "string") return { reason: "error", message: result };
  if (result instanceof Error) return { reason: "error", message: result.message };
  if (typeof result !== "object" || result === null || !isPlain(result)) {
    throw invalidTurn(
      "result",
      "{ reason, message, hint? } or a message",
      result,
      'such as { reason: "timeout", message: "…" }',
    );
  }
  const { reason, message, hint } = result as { reason?: unknown; message?: unknown; hint?: unknown };
  checkText("result.message", message);
  if (reason !== undefined) checkText("result.reason", reason);
  if (hint !== undefined && hint !== null) checkText("result.hint", hint);
  return reason === undefined ? { reason: "error", ...result } : result;
}

function checkCall(call: unknown, index: number): CallRecord {
  checkMembers(call, () => `toolCalls[${index}]`, CALL_MEMBERS);
  const { name, args = null, result = null, error = null, durationMs = null, step: nested } = call as ToolCallInit;
  if (typeof name !== "string") throw invalidTurn(`toolCalls[${index}].name`, "a string", name);
  if (name === "") throw invalidTurn(`toolCalls[${index}].name`, "the tool's name", name);
  if (error !== null && typeof error !== "string") throw invalidTurn(`toolCalls[${index}].error`, "a string", error);
  if (durationMs !== null) checkMillis(`toolCalls[${index}].durationMs`, durationMs);
  // Plain data that is neither an object nor an array is refused here, everything else when it is encoded.
  if (typeof args === "string" || typeof args === "number" || typeof args === "boolean") throw invalidArgs(index, args);
  const record: CallRecord = { name, args, result, error, durationMs };
  if (nested !== undefined) record.step = nested;
  return record;
}

function invalidArgs(index: number, args: unknown): TurnfoldError {
  return invalidTurn(`toolCalls[${index}].args`, "an object, or an array of positional arguments", args);
}

function checkDocs(docs: unknown): Readonly<Record<string, string>> {
  if (typeof docs !== "object" || docs === null || !isPlain(docs)) {
    throw invalidTurn("docs", "an object of docstrings by name", docs);
  }
  const copy = Object.entries(docs).map(([name, doc]: [string, unknown]) => [
    name,
    wellFormed(checkText(`docs${pathStep(name)}`, doc)),
  ]);
  return Object.freeze(Object.fromEntries(copy) as Record<string, string>);
}

function checkTexts(path: string, given: unknown): readonly string[] {
  return Object.freeze(checkList(path, given).map((text, index) => wellFormed(checkText(`${path}[${index}]`, text))));
}

function checkText(path: string, text: unknown): string {
  if (typeof text !== "string") throw invalidTurn(path, "a string", text);
  return text;
}

function checkMillis(path: string, millis: unknown): void {
  if (Number.isFinite(millis) && (millis as number) >= 0) return;
  throw invalidTurn(path, "a number of milliseconds, not negative", millis);
}

function checkMembers(given: unknown, path: Path, known: Record<string, true>): void {
  if (typeof given !== "object" || given === null) throw invalidTurn(pathText(path), "an object", given);
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  throw new TurnfoldError("invalid_turn", `${pathText(path)} has no member ${JSON.stringify(unknown)}`, {
    details: { path: unknown, known: Object.keys(known) },
    hint: `the members are ${Object.keys(known).join(", ")}`,
  });
}

/**
 * Returns a copy of the array `given`.
 *
 * @throws {TurnfoldError} `invalid_turn`
 *
 * @internal
 */
export function checkList(path: string, given: unknown): readonly unknown[] {
  // A copy, because holes are elements too, and so that a proxy is read only once.
  const copy = wrapReadErrors("invalid_turn", path, () => (Array.isArray(given) ? [...(given as unknown[])] : null));
  if (copy !== null) return copy;
  throw invalidTurn(path, "an array", given);
}

/** @internal */
export function invalidTurn(path: string, expected: string, got: unknown, hint: string | null = null): TurnfoldError {
  return new TurnfoldError("invalid_turn", `${path} must be ${expected}, got ${describe(got)}`, {
    details: { path },
    hint,
  });
}

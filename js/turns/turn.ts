import type { Step } from "../agent/step.ts";
import { decode, decodePlain, decodeRecord } from "../boundary/decode.ts";
import { encode, encodeRecord, step } from "../boundary/encode.ts";
import { plainJson, quote, wellFormed } from "../boundary/plain-json.ts";
import { call, generation, send, type TurnHandle } from "../boundary/wasm.ts";
import { type Path, pathOf, reading, TurnfoldError } from "../errors.ts";
import { describe, isPlain } from "../values/describe.ts";
import type { Value } from "../values/values.ts";

/** One call of a tool, as a turn remembers it. */
export interface ToolCall {
  readonly name: string;
  /** A map, or an array when the call was positional and the tool has no signature; null for none. */
  readonly args: Value;
  readonly result?: Value;
  /** What the tool failed with, or null. */
  readonly error?: string | null;
  /** In milliseconds. */
  readonly durationMs?: number;
  /** What the nested agent did whose run the call was. */
  readonly step?: Step;
}

/** What a {@link ToolCall} is made from. */
export interface ToolCallInit {
  name: string;
  args?: unknown;
  result?: unknown;
  error?: string | null;
  durationMs?: number;
  step?: Step;
}

/** What a {@link Turn} is made from. */
export interface TurnInit {
  /** Which turn of its run this is, from 1; 1 when absent. */
  number?: number;
  /** The model's reply as it was. Where it is empty, the program is shown in a fence in its place. */
  rawResponse?: string;
  /** The program that ran; null when the reply held none. */
  program?: string | null;
  /** What the program gave; of a failed turn `{ reason, message, hint? }`, or the message alone. */
  result?: unknown;
  /** One entry per `println`. */
  prints?: readonly string[];
  /** In the order in which they were made; those of failed turns count too. */
  toolCalls?: readonly ToolCallInit[];
  /** All definitions after this turn, by name. */
  memory?: Readonly<Record<string, unknown>>;
  /** Docstrings by the names they describe. */
  docs?: Readonly<Record<string, string>>;
  /**
   * Names that this turn defined; found by comparing with the turn before where absent. Of a turn that failed: the names that
   * its program would have defined, none of which is kept.
   */
  defined?: readonly string[];
  /** When the request was sent that the turn replied to, in milliseconds since 1970. */
  at?: number;
}

/** A turn's saved text. It is the turn's identity too, for a turn seen through a proxy is another object. */
interface Saved {
  text: string;
  /** True when the wasm wrote the text, so that it is the form that all equal turns have. */
  canonical: boolean;
  /** The values that the text holds, once somebody has looked at one. */
  values: Values | null;
  /** The turn on the wasm side of the copy of this package that used it last. */
  loaded: Loaded | null;
}

interface Loaded {
  handle: TurnHandle;
  /** {@link thisCopy} of the copy whose wasm the handle belongs to. */
  copy: object;
  /** The instance that the handle belongs to: after a crash the turn is loaded again from its text. */
  generation: number;
}

const thisCopy: object = Object.freeze({});

/** The part of a turn that is decoded when it is first looked at. */
interface Values {
  readonly result: Value;
  readonly toolCalls: readonly ToolCall[];
  readonly memory: Readonly<Record<string, Value>>;
}

/** The part that needs no decoding. */
interface Facts {
  number: number;
  success: boolean;
  rawResponse: string;
  program: string | null;
  prints: readonly string[];
  docs: Readonly<Record<string, string>>;
  defined: readonly string[] | null;
  at: number | null;
  /** Whether the turn knows all definitions after it. */
  remembers: boolean;
}

/** The property by which copies of this package know each other's turns. */
const savedKey: unique symbol = Symbol.for("turnfold.turn");

/**
 * Immutable record of one cycle: what the model wrote, what that program gave, printed, called and defined.
 *
 * What it was made from is copied, values are read out of that copy when they are first looked at, and all of it is
 * deeply frozen. A turn with a change is a new turn: `Turn.success({ ...turn, prints: [] })`.
 *
 * @example
 * ```ts
 * const turn = Turn.success({
 *   program: "(def reviews (tool/get-reviews {:id 7}))",
 *   toolCalls: [{ name: "get-reviews", args: { id: 7 }, result: ["Great"] }],
 *   memory: { reviews: ["Great"] },
 *   defined: ["reviews"],
 * });
 * const failed = Turn.failure({ program: "(foo)", result: { reason: "unbound_var", message: "`foo` is not defined" } });
 * ```
 */
export class Turn {
  /** Which turn of its run this is, from 1. */
  declare readonly number: number;
  /** False for a turn that ended in an error, or whose reply held no program. */
  declare readonly success: boolean;
  /** The model's reply as it was. */
  declare readonly rawResponse: string;
  /** The program that ran; null when the reply held none. */
  declare readonly program: string | null;
  /** What the program gave; of a failed turn `{ reason, message, hint? }`. */
  declare readonly result: Value;
  /** One entry per `println`. */
  declare readonly prints: readonly string[];
  /** In the order in which they were made. */
  declare readonly toolCalls: readonly ToolCall[];
  /** Docstrings by the names they describe. */
  declare readonly docs: Readonly<Record<string, string>>;
  /** When the request was sent that the turn replied to, in milliseconds since 1970. */
  declare readonly at?: number;

  private constructor(facts: Facts, saved: Saved) {
    this.number = facts.number;
    this.success = facts.success;
    this.rawResponse = facts.rawResponse;
    this.program = facts.program;
    this.prints = facts.prints;
    this.docs = facts.docs;
    // One by one: defining several at once takes twice as long.
    Object.defineProperty(this, "result", DECODED_RESULT);
    Object.defineProperty(this, "toolCalls", DECODED_CALLS);
    // Own only where they are known, so that a turn which is spread into a new one does not become sure of them.
    if (facts.remembers) Object.defineProperty(this, "memory", DECODED_MEMORY);
    if (facts.defined !== null) Object.defineProperty(this, "defined", { value: facts.defined, enumerable: true });
    if (facts.at !== null) this.at = facts.at;
    Object.defineProperty(this, savedKey, { value: saved });
    Object.freeze(this);
  }

  /** All definitions after this turn, by name; empty when the turn was made without them. */
  get memory(): Readonly<Record<string, Value>> {
    return NO_MEMORY;
  }

  /** Names that this turn defined, or, when it failed, that were not kept; empty when the turn was made without them. */
  get defined(): readonly string[] {
    return NO_NAMES;
  }

  /**
   * A turn whose program ran to its end.
   *
   * @throws {TurnfoldError} `invalid_turn`, `invalid_value`, `cyclic_value` or `nesting_too_deep`, all with the path to
   * the culprit in `details.path`, such as `memory.x.items[2]`.
   */
  static success(init: TurnInit): Turn {
    return reading("invalid_turn", "the turn", () => make(init, true));
  }

  /**
   * A turn that ended in an error, or whose reply held no program. Its `result` is `{ reason, message, hint? }`; a text
   * or an `Error` is taken as the message.
   *
   * @throws {TurnfoldError} as {@link Turn.success}; `invalid_turn` also when there is no message.
   */
  static failure(init: TurnInit): Turn {
    return reading("invalid_turn", "the turn", () => make(init, false));
  }

  /**
   * Reads what {@link Turn.toJSON} wrote, as an object or as JSON text. The turn is saved to the same bytes again and
   * shows the same in messages.
   *
   * @throws {TurnfoldError} `invalid_turn`; its `cause` says more.
   */
  static fromJSON(json: unknown): Turn {
    const { text, handle } = load(json);
    const loaded = { handle, copy: thisCopy, generation: generation() };
    const saved: Saved = { text, canonical: true, values: null, loaded };
    return construct(factsOf(JSON.parse(text) as TurnJSON), saved);
  }

  /**
   * The turn as plain JSON with a `version`; nothing is lost. `JSON.stringify(turn)` uses it, and `structuredClone` of it
   * works.
   */
  toJSON(): unknown {
    const saved = savedOf(this) as Saved;
    if (!saved.canonical) {
      const handle = handleOf(this);
      saved.text = call(() => handle.toJson());
      saved.canonical = true;
    }
    return JSON.parse(saved.text);
  }
}

const NO_MEMORY: Readonly<Record<string, Value>> = Object.freeze({});
const NO_NAMES: readonly string[] = Object.freeze([]);
const NO_DOCS: Readonly<Record<string, string>> = Object.freeze({});

const DECODED_RESULT: PropertyDescriptor = {
  enumerable: true,
  get(this: Turn) {
    return valuesOf(this).result;
  },
};

const DECODED_CALLS: PropertyDescriptor = {
  enumerable: true,
  get(this: Turn) {
    return valuesOf(this).toolCalls;
  },
};

const DECODED_MEMORY: PropertyDescriptor = {
  enumerable: true,
  get(this: Turn) {
    return valuesOf(this).memory;
  },
};

/** The constructor is the module's own affair. */
const construct = (facts: Facts, saved: Saved): Turn =>
  new (Turn as unknown as new (facts: Facts, saved: Saved) => Turn)(facts, saved);

/**
 * The turn on the wasm side.
 *
 * @internal
 */
export function handleOf(turn: Turn): TurnHandle {
  const saved = savedOf(turn) as Saved;
  const { loaded } = saved;
  if (loaded !== null && loaded.generation === generation() && loaded.copy === thisCopy) return loaded.handle;
  const handle = call((wasm) => wasm.TurnHandle.fromEncoded(send(saved.text)));
  saved.loaded = { handle, copy: thisCopy, generation: generation() };
  return handle;
}

/**
 * True when both are the same turn, seen directly or through a proxy.
 *
 * @internal
 */
export function sameTurn(a: Turn, b: Turn): boolean {
  return a === b || savedOf(a) === savedOf(b);
}

/**
 * The definitions after these turns, by the last one that knows them.
 *
 * @internal
 */
export function memoryAfter(turns: readonly Turn[]): Readonly<Record<string, Value>> {
  for (let index = turns.length - 1; index >= 0; index--) {
    const turn = turns[index] as Turn;
    if (Object.hasOwn(turn, "memory")) return turn.memory;
  }
  return NO_MEMORY;
}

/**
 * The key of the turn in a `WeakMap`.
 *
 * @internal
 */
export function identityOf(turn: Turn): object {
  return savedOf(turn) as Saved;
}

/**
 * `value`, when it is a turn, of this copy of the package or another.
 *
 * @throws {TurnfoldError} `invalid_turn`
 *
 * @internal
 */
export function checkTurn(value: unknown, path: string): Turn {
  if (reading("invalid_turn", path, () => savedOf(value)) !== undefined) return value as Turn;
  throw invalid(path, "a Turn", value, "make it with Turn.success, Turn.failure or Turn.fromJSON");
}

/**
 * What stands first in a list of turns; undefined in an empty one.
 *
 * @throws {TurnfoldError} `invalid_turn` when it is no array.
 *
 * @internal
 */
export function firstOf(turns: unknown): unknown {
  const first = reading("invalid_turn", "turns", () => (Array.isArray(turns) ? { turn: turns[0] } : null));
  if (first !== null) return first.turn;
  throw invalid("turns", "an array", turns);
}

/**
 * A copy of `given`, when it is an array.
 *
 * @throws {TurnfoldError} `invalid_turn`
 *
 * @internal
 */
export function checkList(path: string, given: unknown): readonly unknown[] {
  // A copy, for holes are elements too, and a proxy is read here and nowhere else.
  const copy = reading("invalid_turn", path, () => (Array.isArray(given) ? [...(given as unknown[])] : null));
  if (copy !== null) return copy;
  throw invalid(path, "an array", given);
}

/**
 * A copy of a list of turns; errors as {@link checkTurn}.
 *
 * @internal
 */
export function checkTurns(turns: unknown): Turn[] {
  return checkList("turns", turns).map((turn, index) => checkTurn(turn, `turns[${index}]`));
}

function savedOf(turn: unknown): Saved | undefined {
  return typeof turn === "object" && turn !== null ? (turn as { [savedKey]?: Saved })[savedKey] : undefined;
}

function valuesOf(turn: Turn): Values {
  const saved = savedOf(turn) as Saved;
  saved.values ??= decodeValues(JSON.parse(saved.text) as TurnJSON);
  return saved.values;
}

/** A turn as saved. */
interface TurnJSON {
  number: number;
  success: boolean;
  rawResponse: string;
  program: string | null;
  result: unknown;
  prints: string[];
  toolCalls: {
    name: string;
    args: unknown;
    result: unknown;
    error: string | null;
    durationMs: number | null;
    step?: unknown;
  }[];
  memory?: unknown;
  docs: unknown;
  defined?: string[];
  at?: number;
}

function factsOf({ number, success, rawResponse, program, prints, docs, defined, at, memory }: TurnJSON): Facts {
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
let readStep: (json: unknown) => Step;

/** @internal */
export function setStepReader(read: (json: unknown) => Step): void {
  readStep = read;
}

function decodeValues({ result, toolCalls, memory }: TurnJSON): Values {
  const calls = toolCalls.map(({ name, args, result, error, durationMs, step: nested }) => {
    const call: ToolCall = { name, args: decode(args), result: decode(result), error };
    const timed = durationMs === null ? call : { ...call, durationMs };
    return Object.freeze(nested === undefined ? timed : { ...timed, step: readStep(decodePlain(nested)) });
  });
  return {
    result: decode(result),
    toolCalls: Object.freeze(calls),
    memory: memory === undefined ? NO_MEMORY : decodeRecord(memory),
  };
}

/** The canonical text of a saved turn, and the turn on the wasm side. */
function load(json: unknown): { text: string; handle: TurnHandle } {
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
  if (typeof given !== "string") throw invalid("the saved turn", "an object or JSON text", json, SAVED_BY_TO_JSON);
  const text = given;
  try {
    const handle = call((wasm) => wasm.TurnHandle.fromJson(send(text)));
    return { text: call(() => handle.toJson()), handle };
  } catch (error) {
    if (!TurnfoldError.isInstance(error) || !REFUSED.has(error.code)) throw error;
    const { message, details, hint } = error;
    const offset = typeof details.offset === "number" ? unitsBefore(text, details.offset) : null;
    const place = offset === null || typeof json !== "string" ? "" : `, at offset ${offset}`;
    throw new TurnfoldError("invalid_turn", `this is no saved turn: ${message}${place}`, {
      details: offset === null ? details : { ...details, offset },
      hint: hint ?? SAVED_BY_TO_JSON,
      cause: error,
    });
  }
}

/** An offset in UTF-8, as the wasm side counts, in UTF-16 units. */
function unitsBefore(text: string, bytes: number): number {
  return new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, bytes)).length;
}

const SAVED_BY_TO_JSON = "give the result of toJSON() of a turn";

/** How the wasm side says that a text is no saved turn. */
const REFUSED = new Set(["invalid_turn", "invalid_json", "invalid_value", "nesting_too_deep", "unknown_version"]);

/** Names of {@link TurnInit}, and `success`, which is there when a turn is spread into a new one. */
const MEMBERS: Record<keyof TurnInit | "success", true> = {
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

/** A call as it is saved, its values not encoded yet. */
interface CallRecord {
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

function make(init: TurnInit, success: boolean): Turn {
  checkMembers(init, "the turn", MEMBERS);
  const { number = 1, program = null, at = null, memory } = init;
  if (!Number.isSafeInteger(number) || number < 0 || number > MAX_NUMBER) {
    throw invalid("number", `a whole number from 0 to ${MAX_NUMBER}`, number);
  }
  if (program !== null) checkText("program", program);
  if (at !== null) checkMillis("at", at);
  const facts: Facts = {
    number,
    success,
    rawResponse: wellFormed(checkText("rawResponse", init.rawResponse ?? "")),
    program: program === null ? null : wellFormed(program),
    prints: texts("prints", init.prints ?? []),
    docs: init.docs === undefined ? NO_DOCS : reading("invalid_turn", "docs", () => docstrings(init.docs)),
    defined: init.defined === undefined ? null : texts("defined", init.defined),
    at,
    remembers: memory !== undefined,
  };
  const toolCalls = checkList("toolCalls", init.toolCalls ?? []).map((call, index) =>
    reading(
      "invalid_turn",
      () => `toolCalls[${index}]`,
      () => callRecord(call, index),
    ),
  );
  const result = success ? init.result : reading("invalid_turn", "result", () => failure(init.result));
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
  const text = (isObject(memory) ? plainJson(record) : null) ?? encodeTurn(record);
  return construct(facts, { text, canonical: false, values: null, loaded: null });
}

/** True for absent names and for an object of names; false for a list, and for a proxy that can't be read. */
function isObject(names: unknown): boolean {
  if (names === undefined) return true;
  try {
    return typeof names === "object" && names !== null && !Array.isArray(names);
  } catch {
    return false;
  }
}

/** A turn with values that plain JSON has no form for, or none at all: the errors name their places. */
function encodeTurn(record: TurnRecord): string {
  const { number, success, rawResponse, program, result, prints, toolCalls, docs, defined, at } = record;
  const calls = toolCalls.map(encodeCall);
  const members = [
    `"version":1,"number":${number},"success":${success}`,
    `"rawResponse":${quote(rawResponse)}`,
    `"program":${program === null ? "null" : quote(program)}`,
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
    `"name":${quote(name)}`,
    `"args":${argsJson}`,
    `"result":${encode(result, `${path}.result`)}`,
    `"error":${error === null ? "null" : quote(error)}`,
    `"durationMs":${durationMs === null ? "null" : Number(durationMs)}`,
  ];
  if (nested !== undefined) members.push(`"step":${encode(nested, `${path}.step`)}`);
  return `{${members.join()}}`;
}

const MAX_NUMBER = 2 ** 32 - 1;

/** The result of a failed turn: at least a reason and a message. */
function failure(result: unknown): object {
  if (typeof result === "string") return { reason: "error", message: result };
  if (result instanceof Error) return { reason: "error", message: result.message };
  if (typeof result !== "object" || result === null || !isPlain(result)) {
    throw invalid(
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

function callRecord(call: unknown, index: number): CallRecord {
  checkMembers(call, () => `toolCalls[${index}]`, CALL_MEMBERS);
  const { name, args = null, result = null, error = null, durationMs = null, step: nested } = call as ToolCallInit;
  if (typeof name !== "string") throw invalid(`toolCalls[${index}].name`, "a string", name);
  if (name === "") throw invalid(`toolCalls[${index}].name`, "the tool's name", name);
  if (error !== null && typeof error !== "string") throw invalid(`toolCalls[${index}].error`, "a string", error);
  if (durationMs !== null) checkMillis(`toolCalls[${index}].durationMs`, durationMs);
  // Plain data that is neither an object nor an array is refused here, all else where it is encoded.
  if (typeof args === "string" || typeof args === "number" || typeof args === "boolean") throw invalidArgs(index, args);
  const record: CallRecord = { name, args, result, error, durationMs };
  if (nested !== undefined) record.step = nested;
  return record;
}

function invalidArgs(index: number, args: unknown): TurnfoldError {
  return invalid(`toolCalls[${index}].args`, "an object, or an array of positional arguments", args);
}

function docstrings(docs: unknown): Readonly<Record<string, string>> {
  if (typeof docs !== "object" || docs === null || !isPlain(docs)) {
    throw invalid("docs", "an object of docstrings by name", docs);
  }
  const copy = Object.entries(docs).map(([name, doc]: [string, unknown]) => [
    name,
    wellFormed(checkText(`docs${step(name)}`, doc)),
  ]);
  return Object.freeze(Object.fromEntries(copy) as Record<string, string>);
}

function texts(path: string, given: unknown): readonly string[] {
  return Object.freeze(checkList(path, given).map((text, index) => wellFormed(checkText(`${path}[${index}]`, text))));
}

function checkText(path: string, text: unknown): string {
  if (typeof text !== "string") throw invalid(path, "a string", text);
  return text;
}

function checkMillis(path: string, millis: unknown): void {
  if (Number.isFinite(millis) && (millis as number) >= 0) return;
  throw invalid(path, "a number of milliseconds, not negative", millis);
}

function checkMembers(given: unknown, path: Path, known: Record<string, true>): void {
  if (typeof given !== "object" || given === null) throw invalid(pathOf(path), "an object", given);
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  throw new TurnfoldError("invalid_turn", `${pathOf(path)} has no member ${JSON.stringify(unknown)}`, {
    details: { path: unknown, known: Object.keys(known) },
    hint: `the members are ${Object.keys(known).join(", ")}`,
  });
}

function invalid(path: string, expected: string, got: unknown, hint: string | null = null): TurnfoldError {
  return new TurnfoldError("invalid_turn", `${path} must be ${expected}, got ${describe(got)}`, {
    details: { path },
    hint,
  });
}

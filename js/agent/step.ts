import { decodePlain, decodeRecord } from "../boundary/decode.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { copyMessages, type Message } from "../model/message.ts";
import type { Usage } from "../model/usage.ts";
import type { ToolDescription } from "../tools/tool.ts";
import type { Compression, RenderOptions } from "../turns/options.ts";
import type { RenderStats } from "../turns/rendered.ts";
import { setStepReader } from "../turns/saved-turn.ts";
import { toMessages } from "../turns/to-messages.ts";
import { memoryAfter, type Turn } from "../turns/turn.ts";
import { describe } from "../values/describe.ts";
import type { Value } from "../values/values.ts";
import type { RunRecord } from "../waiting/run-record.ts";
import { loadWaiting, type SavedWaiting, type WaitingCall } from "../waiting/waiting-call.ts";
import { loadTurns, type SavedTurn, saveTurns } from "./saved-turns.ts";

/** Why an agent has no result. */
export interface Failure {
  /**
   * The reason that its program passed to `fail`, or one of `max_turns_exceeded`, `llm_error`, `validation_error`,
   * `aborted`, `turn_budget_exhausted`, `chained_failure`, or the code of another error, such as `invalid_strategy`;
   * for an agent with one turn also the kind of that turn's error, such as `no_code_found` or `unbound_var`.
   */
  reason: string;
  message: string;
  details?: Value;
}

/** The usage of a run. */
export interface StepUsage extends Usage {
  /** Turns of the agent itself. Tokens and calls include those of nested agents. */
  turns: number;
  /** Duration of the run in milliseconds. */
  durationMs: number;
  /** Calls of tools that programs made. */
  toolCalls: number;
  /** Statistics of the last request. */
  compression: RenderStats;
}

/**
 * The time and the usage of a reply.
 */
export interface LogEntry {
  /** The time that the program reads from its clock, in milliseconds since 1970. */
  at: number;
  usage: Usage;
  /** Usage of nested agents in the turn, aborted ones included. */
  nested?: Usage & { toolCalls: number };
  /** True for a turn that was ended by the host's clock or signal, which a replay does not repeat. */
  stopped?: true;
  /** The ids of the turn's calls, unless they are 0, 1, 2 and so on. */
  order?: number[];
  /** The warnings of the turn. */
  warnings?: string[];
  /** The arguments that the program gave, of calls that were made with those of an answer; by their ids. */
  edited?: Record<string, { args: unknown; by?: string }>;
}

/**
 * The parts of a step. Values are lossless JSON texts.
 *
 * @internal
 */
export interface StepParts {
  ok: boolean;
  returned: string;
  fail: { reason: string; message: string; details: string } | null;
  /** The calls that wait, the records of their turn, and the id of the run; null when nothing waits. */
  waiting: { readonly run: string; readonly calls: SavedWaiting; readonly records: readonly RunRecord[] } | null;
  turns: readonly Turn[];
  /** The saved form of a strategy with a function of the host, which a loaded step does not have. */
  savedCompression?: unknown;
  /** The options from which messages are rendered; tools as they are listed. */
  options: Omit<RenderOptions, "data" | "tools"> & { tools?: Record<string, ToolDescription> };
  data: string;
  /** The messages of each request, when a function of the host contributed to them. */
  sent: readonly (readonly Message[])[] | null;
  warnings: readonly string[];
  usage: StepUsage;
  log: readonly LogEntry[];
}

/** The property by which copies of this package recognize each other's steps. */
const partsKey: unique symbol = Symbol.for("turnfold.step");

const VERSION = 1;

/**
 * The result of a run, or its failure, with everything that happened. It can be saved, replayed and forked. Immutable. `R` is the
 * type of the result.
 *
 * @example
 * ```ts
 * const saved = JSON.stringify(step);
 * const loaded = Step.fromJSON(saved);
 * console.log(loaded.return, loaded.turns.length, loaded.messagesAt(1).length);
 * ```
 */
export class Step<out R = Value> {
  /** True when the agent returned a result. */
  declare readonly ok: boolean;
  /** `waiting`: calls wait, nothing else is left to do, and {@link SubAgent.resume} goes on after the answers. */
  declare readonly status: "done" | "failed" | "waiting";
  /** The failure; null when there is a result. That of a step that waits has the reason `waiting` and says what for. */
  declare readonly fail: Failure | null;
  /** The calls that wait, those of nested agents too. */
  declare readonly waiting: readonly WaitingCall[];
  /** The turns. */
  declare readonly turns: readonly Turn[];
  /** The signature of the agent. */
  declare readonly signature: string | null;
  /** Warnings: coerced arguments, hidden names, results that did not match the signature and were accepted. */
  declare readonly warnings: string[];
  /** The usage of the run. */
  declare readonly usage: StepUsage;

  private constructor(parts: StepParts) {
    const { ok, fail, waiting, turns, options, warnings, usage } = parts;
    const calls = waiting === null ? [] : loadWaiting(waiting.calls);
    this.ok = ok;
    this.status = ok ? "done" : waiting === null ? "failed" : "waiting";
    this.waiting = Object.freeze(calls);
    this.fail = waiting === null ? fail && failureOf(fail) : waitingFailure(calls);
    this.turns = Object.freeze([...turns]);
    this.signature = options.signature ?? null;
    this.warnings = [...warnings];
    this.usage = Object.freeze({ ...usage, compression: Object.freeze({ ...usage.compression }) });
    Object.defineProperty(this, partsKey, { value: parts });
    Object.freeze(this);
  }

  /** What the program returned, as plain JavaScript; null when the run failed. */
  get return(): R | null {
    return decodePlain(JSON.parse(partsOf(this).returned)) as R | null;
  }

  /** All definitions after the last turn, lossless. */
  get memory(): Record<string, Value> {
    return memoryAfter(this.turns);
  }

  /** The options from which messages are rendered, so that a saved step shows what the model saw. */
  get request(): RenderOptions {
    const { options, data } = partsOf(this);
    return { ...options, data: { ...decodeRecord(JSON.parse(data)) } };
  }

  /** The request for the last turn, with the model's reply. */
  get messages(): Message[] {
    const last = this.turns.length;
    if (last === 0) return partsOf(this).sent?.length === 0 ? [] : this.messagesAt(1);
    const { rawResponse } = this.turns[last - 1] as Turn;
    return [...this.messagesAt(last), { role: "assistant", content: rawResponse }];
  }

  /**
   * The messages of the request for a turn, from 1; for the number after the last turn, those of the next request.
   *
   * @throws {TurnfoldError} `out_of_range`
   */
  messagesAt(turn: number): Message[] {
    const { sent } = partsOf(this);
    const most = sent === null ? this.turns.length + 1 : sent.length;
    if (!Number.isSafeInteger(turn) || turn < 1 || turn > most) {
      const range = most === 0 ? "the model was never asked" : `they go from 1 to ${most}`;
      throw new TurnfoldError("out_of_range", `there is no turn ${describe(turn)}: ${range}`, {
        details: { turn, most },
      });
    }
    if (sent !== null) return copyMessages(sent[turn - 1] ?? []);
    const { at } = this.turns[turn - 1] ?? {};
    return toMessages(this.turns.slice(0, turn - 1), null, { ...this.request, ...(at === undefined ? {} : { at }) })
      .messages;
  }

  /** The step as plain, lossless JSON with a `version`. Memory is saved as differences from turn to turn. */
  toJSON(): unknown {
    const { ok, returned, fail, waiting, turns, options, data, sent, warnings, usage, log, savedCompression } =
      partsOf(this);
    const { compression, ...others } = options;
    const strategy = savedCompression ?? strategyOf(compression);
    return {
      version: VERSION,
      ok,
      return: JSON.parse(returned),
      fail: fail && { ...fail, details: JSON.parse(fail.details) },
      turns: saveTurns(turns),
      request: { ...others, compression: strategy, data: JSON.parse(data) },
      ...(sent === null ? {} : { sent }),
      ...(waiting === null ? {} : { waiting }),
      warnings,
      usage,
      log,
    };
  }

  /**
   * Restores a step from the result of {@link Step.toJSON}, as an object or as JSON text. Invalid members are refused
   * here, so that nothing throws later.
   *
   * @throws {TurnfoldError} `invalid_step`, `unknown_version`, and the errors of rendering with the saved options
   */
  static fromJSON(json: unknown): FinishedStep {
    return wrapReadErrors("invalid_step", "the saved step", () => {
      const saved = (typeof json === "string" ? parseSaved(json) : json) as Partial<SavedStep> | null;
      if (typeof saved !== "object" || saved === null || !Array.isArray(saved.turns)) throw notSavedStep(json);
      if (saved.version !== VERSION) {
        throw new TurnfoldError("unknown_version", `a step of version ${describe(saved.version)} can't be read`, {
          details: { version: saved.version },
          hint: "read it with the version of turnfold that saved it, or a newer one",
        });
      }
      const { ok, return: returned, fail, turns, request, sent, waiting, warnings, usage, log } = saved as SavedStep;
      // These parts are saved again as they are.
      if (!isWritable([warnings, usage, log, sent], MAX_NESTING)) throw notSavedStep(json);
      if (typeof request?.mission !== "string" || typeof usage?.compression !== "object") throw notSavedStep(json);
      const lists = [log ?? [], warnings ?? [], sent ?? []];
      if (!lists.every(Array.isArray) || (fail && typeof fail.message !== "string")) throw notSavedStep(json);
      if (!(sent ?? []).every((messages) => Array.isArray(messages) && messages.every(isMessage)))
        throw notSavedStep(json);
      // Array.from visits holes too.
      if (!Array.from(log ?? []).every(isLogEntry)) throw notSavedStep(json);
      const { data = {}, ...options } = request;
      if (typeof data !== "object" || data === null) throw notSavedStep(json);
      if (waiting) checkWaiting(waiting, json);
      const known = sent === undefined ? options.compression : null;
      const step = makeStep({
        ok: ok === true,
        returned: JSON.stringify(returned ?? null),
        fail: fail ? { ...fail, details: JSON.stringify(fail.details ?? null) } : null,
        waiting: waiting ?? null,
        turns: loadTurns(turns),
        options: { ...options, compression: known as Compression },
        ...(sent === undefined ? {} : { savedCompression: options.compression }),
        data: JSON.stringify(data ?? {}),
        sent: sent ?? null,
        warnings: warnings ?? [],
        usage,
        log: log ?? [],
      });
      void [step.return, step.fail, step.memory];
      // Steps of nested agents are read with the calls of their turn.
      step.turns.forEach((turn, index) => {
        if (hasNestedStep(turns[index])) void turn.toolCalls;
      });
      if (sent === undefined) step.messagesAt(1);
      return step;
    });
  }
}

function hasNestedStep(turn: SavedTurn | undefined): boolean {
  const calls = turn?.toolCalls;
  return Array.isArray(calls) && calls.some((call) => "step" in Object(call));
}

/** Maximum levels of nesting of the parts that are saved as they are, which functions walk through. */
const MAX_NESTING = 1000;

/** True for data that JSON can express, with at most so many levels of objects and arrays. */
function isWritable(data: unknown, levels: number): boolean {
  if (typeof data !== "object" || data === null) return typeof data !== "bigint";
  return levels > 0 && Object.values(data).every((item) => isWritable(item, levels - 1));
}

function isMessage(message: unknown): boolean {
  const { role, content } = Object(message) as Partial<Message>;
  return typeof role === "string" && (typeof content === "string" || content === null || Array.isArray(content));
}

/** @internal */
export function isLogEntry(entry: unknown): boolean {
  if (typeof entry !== "object" || entry === null) return false;
  const { nested = {}, order = [], warnings = [] } = entry as Partial<Record<keyof LogEntry, unknown>>;
  return typeof nested === "object" && nested !== null && Array.isArray(order) && Array.isArray(warnings);
}

/** @throws {TurnfoldError} `invalid_step` */
function checkWaiting({ run, records }: NonNullable<StepParts["waiting"]>, json: unknown): void {
  if (typeof run !== "string" || !Array.isArray(records) || !isWritable(records, MAX_NESTING)) throw notSavedStep(json);
}

/** The failure of a step that waits, for code that only asks whether there is a result. */
function waitingFailure(calls: readonly WaitingCall[]): Failure {
  const named = calls.map(({ tool, reason }) => `${tool} (${reason})`).join(", ");
  return { reason: "waiting", message: `it waits for ${named}: resume() goes on after the answers` };
}

setStepReader((json) => Step.fromJSON(json));

/** A step whose `ok` discriminates between `return` and `fail`, and whose `status` tells one that waits. */
export type FinishedStep<R = Value> = Step<R> &
  (
    | { readonly ok: true; readonly status: "done"; readonly fail: null; readonly return: R }
    | { readonly ok: false; readonly status: "failed" | "waiting"; readonly fail: Failure; readonly return: null }
  );

/**
 * Makes a step from its parts.
 *
 * @internal
 */
export function makeStep(parts: StepParts): FinishedStep {
  return new (Step as unknown as new (parts: StepParts) => FinishedStep)(parts);
}

/**
 * The parts of a step, of this copy of the package or another.
 *
 * @internal
 */
export function partsOf(step: Step<unknown>): StepParts {
  return (step as unknown as { [partsKey]: StepParts })[partsKey];
}

/**
 * True for steps of every copy of this package.
 *
 * @internal
 */
export function isStep(value: unknown): value is Step {
  try {
    return typeof value === "object" && value !== null && partsKey in value;
  } catch {
    // A proxy that can't be read is not a step.
    return false;
  }
}

/**
 * Returns `step` if it is a step.
 *
 * @throws {TurnfoldError} `invalid_argument`
 *
 * @internal
 */
export function checkStep(step: unknown): Step {
  if (isStep(step)) return step;
  throw new TurnfoldError("invalid_argument", `a step is needed, got ${describe(step)}`, {
    hint: "give the result of run(), or Step.fromJSON(saved)",
  });
}

function failureOf({ reason, message, details }: NonNullable<StepParts["fail"]>): Failure {
  const value = decodePlain(JSON.parse(details));
  return value === null ? { reason, message } : { reason, message, details: value };
}

/** The JSON of a step. */
interface SavedStep extends Omit<StepParts, "returned" | "fail" | "turns" | "options" | "data" | "sent" | "waiting"> {
  version: number;
  return: unknown;
  fail: { reason: string; message: string; details: unknown } | null;
  turns: SavedTurn[];
  request: StepParts["options"] & { data: unknown };
  sent?: Message[][];
  waiting?: StepParts["waiting"];
}

function parseSaved(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new TurnfoldError("invalid_step", `this is no JSON: ${(cause as Error).message}`, {
      hint: "give the result of toJSON() of a step, or its JSON text",
      cause,
    });
  }
}

function notSavedStep(json: unknown): TurnfoldError {
  return new TurnfoldError("invalid_step", `this is not what toJSON() of a step gives: ${describe(json)}`, {
    hint: "give the object, or its JSON text",
  });
}

/** The strategy to save. Functions of the host can't be saved; only their names are. */
function strategyOf(compression: Compression | undefined): unknown {
  const [strategy, options] = Array.isArray(compression) ? (compression as [unknown, object]) : [compression, null];
  if (typeof strategy === "object" && strategy !== null) return { custom: (strategy as { name: string }).name };
  if (options === null) return strategy ?? false;
  const { counter, ...others } = options as { counter?: { name: string } };
  return [strategy, counter === undefined ? others : { ...others, counter: counter.name }];
}

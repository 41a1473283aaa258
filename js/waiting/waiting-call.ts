import { decodePlain } from "../boundary/decode.ts";
import { encode } from "../boundary/encode.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { describe } from "../values/describe.ts";
import type { Value } from "../values/values.ts";

/**
 * Why a call waits. `approval`: its tool asks whether it may run · `later`: the tool answers later · `interrupted`: it had
 * begun when its process ended, and nobody knows whether it finished · `suspended`: its tool, of a framework where tools do so, has
 * suspended itself to ask for what `info` says; only in a sandbox.
 */
export type WaitReason = "approval" | "later" | "interrupted" | "suspended";

/** A call of a tool that waits for a decision or for its result. */
export interface WaitingCall {
  /** By which `answers` names the call. It never changes. Calls of nested agents have the ids of their callers before it. */
  readonly id: string;
  /** The name of the tool. */
  readonly tool: string;
  /** The arguments by their names, or a list where a program calls a tool without a signature. */
  readonly args: Value;
  readonly reason: WaitReason;
  /** What {@link later} was given, or what a tool suspended itself with; null without it. */
  readonly info: Value;
  /** The tools that are the agents in which the call is, outermost first; empty for a call of the run itself. */
  readonly path: readonly string[];
}

/**
 * The answer to a waiting call. `true` runs it · `false` or a reason denies it · `args` runs it with other arguments ·
 * `result` and `error` are its outcome, and it does not run · `resume` is what a tool that suspended itself asked for. `by` is noted in
 * the records.
 *
 * A call that waits for its result (`later`) can't be run: it has run.
 */
export type Answer =
  | boolean
  | string
  | { readonly result: unknown; readonly by?: string | undefined }
  | { readonly error: string; readonly by?: string | undefined }
  | { readonly resume: unknown; readonly by?: string | undefined }
  | { readonly args: Readonly<Record<string, unknown>> | readonly unknown[]; readonly by?: string | undefined };

/** Answers by the ids of waiting calls. A call without an answer goes on waiting. */
export type Answers = Readonly<Record<string, Answer>>;

/** Answers, or a function that looks up those of the calls that wait, which is called once, before anything runs, where calls wait. */
export type AnswerSource = Answers | ((waiting: readonly WaitingCall[]) => Answers | Promise<Answers>);

const laterKey: unique symbol = Symbol.for("turnfold.later");

/** What a tool returns to answer later. */
export interface Later {
  readonly [laterKey]: Value;
}

/**
 * Returned by a tool that answers later, when a person, a queue or another server has the result: the call waits, and its
 * run resolves when nothing else is left to do.
 *
 * @param info what the host needs to find the call again; JSON.
 *
 * @example
 * ```ts
 * const tools = { review: ["(text :string) -> :string", async () => later({ ticket: 17 })] as const };
 * const agent = new SubAgent({ mission: "Have it reviewed.", tools, llm: () => '(return (tool/review "Dear Ann"))' });
 * const step = await agent.run();
 * const answers = Object.fromEntries(step.waiting.map(({ id }) => [id, { result: "fine" }]));
 * const done = await agent.resume(step, { answers });
 * ```
 * @throws {TurnfoldError} `invalid_value` when `info` is not JSON.
 */
export function later(info: unknown = null): Later {
  return { [laterKey]: jsonOf(info, "the info of later()") as Value };
}

/**
 * True for what {@link later} of any copy of this package returned.
 *
 * @internal
 */
export function isLater(value: unknown): value is Later {
  return typeof value === "object" && value !== null && laterKey in value;
}

/**
 * Why a call waits, as its tool or its approval says; `agent` when its tool is an agent that waits.
 *
 * @internal
 */
export interface Wait {
  readonly reason: WaitReason | "agent";
  readonly info: Value;
}

/**
 * A call that waits, in place of its result.
 *
 * @internal
 */
export class Waits {
  readonly wait: Wait;
  /** JSON of the step of the agent that waits. */
  readonly step: string | undefined;

  constructor(wait: Wait, step?: string) {
    this.wait = wait;
    this.step = step;
  }
}

/**
 * The wait of a call whose tool is an agent that waits; its `info` has the calls that wait there.
 *
 * @param step JSON of the step.
 *
 * @internal
 */
export const waitingAgent = (waiting: readonly WaitingCall[], step?: string): Waits =>
  new Waits({ reason: "agent", info: saveWaiting(waiting) as unknown as Value }, step);

/**
 * Calls that wait, as JSON; their arguments have their lossless form.
 *
 * @internal
 */
export type SavedWaiting = readonly (Omit<WaitingCall, "args"> & { readonly args: unknown })[];

/** @internal */
export const saveWaiting = (calls: readonly WaitingCall[]): SavedWaiting =>
  calls.map((call) => ({ ...call, args: JSON.parse(encode(call.args)) as unknown }));

/**
 * The calls that {@link saveWaiting} saved.
 *
 * @throws {TurnfoldError} `invalid_argument`
 *
 * @internal
 */
export function loadWaiting(saved: unknown): WaitingCall[] {
  return wrapReadErrors("invalid_argument", "the calls that wait", () =>
    Array.from(saved as SavedWaiting, ({ id, tool, args, reason, info, path }) => {
      if (Array.isArray(path) && [id, tool, reason, ...path].every((text) => typeof text === "string")) {
        // Refuses what is nested too deeply.
        encode(info, "info");
        // Decoding changes the data.
        return { id, tool, args: decodePlain(structuredClone(args)), reason, info, path };
      }
      throw new TurnfoldError("invalid_argument", `${describe(id)} is no call that waits`);
    }),
  );
}

/**
 * The wait of a call whose tool, or whose approval, returned {@link later}.
 *
 * @internal
 */
export const waitsFor = (given: Later, reason: WaitReason): Waits => new Waits({ reason, info: given[laterKey] });

/**
 * The wait of a call whose tool has suspended itself.
 *
 * @throws {TurnfoldError} `invalid_value` when `info` is not JSON.
 *
 * @internal
 */
export const suspended = (info: unknown): Waits =>
  new Waits({ reason: "suspended", info: jsonOf(info, "what it suspended itself with") as Value });

/**
 * A copy of data as JSON has it.
 *
 * @throws {TurnfoldError} `invalid_value`
 *
 * @internal
 */
export function jsonOf(data: unknown, what: string): unknown {
  try {
    return JSON.parse(JSON.stringify(data) ?? "null");
  } catch (cause) {
    throw new TurnfoldError("invalid_value", `${what} must be JSON, got ${describe(data)}`, { cause });
  }
}

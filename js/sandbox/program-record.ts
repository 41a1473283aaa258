import { decode } from "../boundary/decode.ts";
import { encode } from "../boundary/encode.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import type { Value } from "../values/values.ts";
import { loadAnswer } from "../waiting/answers.ts";
import type { RunRecord } from "../waiting/run-record.ts";
import { type Answer, loadWaiting, type Wait } from "../waiting/waiting-call.ts";

/** The next request of a session; one of these. */
export interface Request<Done> {
  /** Tools to call concurrently. */
  calls?: ToolRequest[];
  /** A slice of fuel is used up. */
  pause?: true;
  /** The number of the turn that the model is called for. */
  ask?: number;
  done?: Done;
}

/** A tool call that a program waits for. */
export interface ToolRequest {
  id: number;
  tool: string;
  /** JSON of a value. */
  args: string;
}

/** The result of a tool as JSON, or the message of its error. */
export interface ToolReply {
  id: number;
  result?: string;
  /** With `result`, which is then the data of the error. */
  error?: string;
  /** True when the error says that the call was not approved: programs can't catch it. */
  isDenied?: true;
  /** The error that the tool threw. It is not sent to the wasm side. */
  cause?: unknown;
  durationMs: number;
  /** The step of the nested agent that the tool is, as JSON. */
  step?: string;
  /** JSON of the arguments with which the call was made in place of the requested ones. */
  args?: string;
}

/** A reply for the wasm side. */
export type WireToolReply = Omit<ToolReply, "cause">;

/** A call of a tool, and what became of it. */
export interface TrackedCall extends ToolRequest {
  reply?: ToolReply;
  /** The round in which the program received the reply. */
  round?: number;
  /** Why it waits; `agent` for a nested agent that waits. */
  wait?: Wait | undefined;
  /** JSON of the waiting step of the nested agent that the tool is. */
  step?: string | undefined;
  /** True when its tool was called, as far as the records say. */
  hasBegun?: boolean;
  /** The answer that was given while it waited. */
  answer?: Answer | undefined;
  /** What a tool that suspended itself was given, one for each time. */
  resumes?: readonly unknown[];
  /** JSON of the arguments with which it is made in place of the requested ones, and who gave them. */
  edited?: { readonly args: string; readonly by?: string | undefined } | undefined;
}

/** The code of the error of a program that would go another way than its record. */
export const DIVERGED = "replay_diverged";

/** The error of a program that would go another way than its record. */
function diverged(problem: string, details: object): TurnfoldError {
  return new TurnfoldError(DIVERGED, `the program would go another way: ${problem}`, {
    details: { ...details },
    hint: "resume with the tools, the definitions and the version of turnfold with which it began",
  });
}

/**
 * The record of a running program, from which it runs again to the same point: after its instance crashed, and in another
 * process.
 */
export class ProgramRecord {
  /** The calls that it has made. */
  readonly calls: TrackedCall[] = [];
  private readonly byId = new Map<number, TrackedCall>();
  /** How often it has received replies. */
  private received = 0;
  private waitsForCalls = false;

  get rounds(): number {
    return this.received;
  }

  /** Returns what is known of a call, which is added if it is new. The caller sets its reply when there is one. */
  track(request: ToolRequest): TrackedCall {
    const known = this.byId.get(request.id);
    if (known !== undefined) return known;
    const tracked: TrackedCall = { ...request };
    this.byId.set(request.id, tracked);
    this.calls.push(tracked);
    return tracked;
  }

  /** Notes what the program requests after these replies. */
  note(request: Request<unknown>, replies?: readonly WireToolReply[]): void {
    for (const { id } of replies ?? []) {
      const tracked = this.byId.get(id);
      if (tracked !== undefined) tracked.round = this.received;
    }
    if (replies !== undefined) this.received++;
    this.waitsForCalls = request.calls !== undefined;
  }

  /**
   * Brings a program that has begun again to the point of its last request.
   *
   * @returns the request, with all calls that have no reply yet, or the one that the program makes when it pauses before.
   * @throws {TurnfoldError} `replay_diverged` when it makes other calls.
   */
  replay<R extends Request<unknown>>(begun: R, resume: () => R, answer: (replies: readonly WireToolReply[]) => R): R {
    let request = begun;
    const open = new Map<number, ToolRequest>();
    const untilCalls = () => {
      while (request.pause === true) request = resume();
      for (const call of request.calls ?? []) {
        this.compare(call);
        open.set(call.id, call);
      }
    };
    const notCalled = () => this.calls.find(({ id, round }) => (round ?? rounds) >= rounds && !open.has(id));
    let rounds = 0;
    for (const replies of this.repliesByRound()) {
      // Replies of the last round may not have been received; that a later call was recorded says that they were.
      if (rounds >= this.received) untilCalls();
      if (rounds >= this.received && notCalled() === undefined) break;
      untilCalls();
      for (const { id } of replies) {
        if (!open.delete(id)) throw this.missing(id);
      }
      request = answer(replies);
      rounds++;
    }
    this.received = rounds;
    for (const call of this.calls) {
      if ((call.round ?? 0) >= rounds) delete call.round;
    }
    if (!this.waitsForCalls) return request;
    untilCalls();
    const lost = notCalled();
    if (lost !== undefined) throw this.missing(lost.id);
    return request.calls === undefined ? request : { ...request, calls: [...open.values()] };
  }

  private repliesByRound(): WireToolReply[][] {
    const answered = this.calls.filter(({ round }) => round !== undefined);
    const last = answered.reduce((most, { round = 0 }) => Math.max(most, round + 1), this.received);
    const rounds: WireToolReply[][] = Array.from({ length: last }, () => []);
    for (const { round, reply } of answered.sort((left, right) => left.id - right.id)) {
      const { cause: _, ...wire } = reply as ToolReply;
      rounds[round as number]?.push(wire);
    }
    return rounds;
  }

  private compare({ id, tool, args }: ToolRequest): void {
    const known = this.byId.get(id);
    if (known?.args === UNKNOWN) known.args = args;
    if (known === undefined || (known.tool === tool && sameJson(known.args, args))) return;
    throw diverged(`it would call ${tool} with ${args} instead of ${known.tool} with ${known.args}`, {
      tool,
      args: JSON.parse(args),
    });
  }

  private missing(id: number): TurnfoldError {
    const { tool = "a tool", args = "" } = this.byId.get(id) ?? {};
    return diverged(`it would not call ${tool} with ${args}`, { tool });
  }

  /** The record of a program from what was recorded of it. Replies that it may not have received yet are kept for its calls. */
  static from(records: readonly RunRecord[]): ProgramRecord {
    return wrapReadErrors("invalid_argument", "the records", () => ProgramRecord.read(records));
  }

  private static read(records: readonly RunRecord[]): ProgramRecord {
    const program = new ProgramRecord();
    const track = ({ id, tool, args }: { id: string; tool: string; args?: unknown }) =>
      program.track({ id: numberOf(id), tool, args: args === undefined ? UNKNOWN : JSON.stringify(args) });
    // What it waited for was decided before it began.
    const begin = (call: TrackedCall) => {
      takeAnswer(call, call.answer);
      return Object.assign(call, { hasBegun: true, wait: undefined, answer: undefined });
    };
    for (const record of records) {
      if (record.type === "call") begin(track(record));
      if (record.type === "waiting") {
        const { reason, info, step } = record;
        // Refuses what can't be read.
        if (reason === "agent") loadWaiting(info);
        const call = track(record);
        call.wait = { reason, info: info as Value };
        call.step = step === undefined ? undefined : JSON.stringify(step);
        takeAnswer(call, call.answer);
        call.answer = undefined;
      } else if (record.type === "answer") {
        const call = program.byId.get(numberOf(record.id));
        if (call !== undefined) call.answer = loadAnswer(record.answer);
      } else if (record.type === "result") {
        const { id, tool, value, call } = record;
        // Refuses what is no value; decoding changes the data.
        decode(structuredClone(value));
        Object.assign(begin(track({ id, tool, args: call })), { reply: replyOf(record), round: record.round });
        program.received = Math.max(program.received, record.round ?? 0);
      } else if (record.type === "suspended") program.received = Math.max(program.received, record.rounds);
      // Each round has a result.
      if (!Number.isInteger(program.received) || program.received > program.calls.length) {
        throw new TurnfoldError("invalid_argument", `the records count ${program.received} rounds of results`, {
          hint: "give the records as onRecord got them, in their order",
        });
      }
    }
    program.waitsForCalls = true;
    return program;
  }
}

/** Notes with what a call is made, as an answer says. */
export function takeAnswer(call: TrackedCall, answer: Answer | undefined): void {
  if (typeof answer !== "object") return;
  if ("args" in answer) call.edited = { args: encode(answer.args, "args"), by: answer.by };
  if ("resume" in answer) call.resumes = [...(call.resumes ?? []), answer.resume];
}

/** The arguments of a call that was denied or refused before it was recorded as made. */
const UNKNOWN = "";

/** The number of a call in its program, from its id in a run: 2 of `7.2`. */
const numberOf = (id: string): number => Number(id.slice(id.lastIndexOf(".") + 1));

/** JSON texts of the same data. */
function sameJson(left: string, right: string): boolean {
  return left === right || JSON.stringify(JSON.parse(left)) === JSON.stringify(JSON.parse(right));
}

/** The record of a reply. */
export function resultRecord(id: string, { tool }: ToolRequest, reply: ToolReply, round: number): RunRecord {
  const { result, error, durationMs, args, step } = reply;
  return {
    type: "result",
    id,
    tool,
    round,
    ...(result === undefined ? {} : { value: JSON.parse(result) }),
    ...(error === undefined ? {} : { error }),
    ...(args === undefined ? {} : { args: JSON.parse(args) }),
    ...(step === undefined ? {} : { step: JSON.parse(step) }),
    durationMs,
  };
}

function replyOf(record: RunRecord & { type: "result" }): ToolReply {
  const { id, value, error, args, step, durationMs } = record;
  return {
    id: numberOf(id),
    ...(value === undefined ? {} : { result: JSON.stringify(value) }),
    ...(error === undefined ? {} : { error }),
    ...(args === undefined ? {} : { args: JSON.stringify(args) }),
    ...(step === undefined ? {} : { step: JSON.stringify(step) }),
    durationMs,
  };
}

import { decodePlain } from "../boundary/decode.ts";
import { encode } from "../boundary/encode.ts";
import { denial } from "../tools/approval.ts";
import type { Recorder } from "../waiting/recorder.ts";
import { type Answer, loadWaiting, type WaitingCall, type WaitReason, Waits } from "../waiting/waiting-call.ts";
import {
  type ProgramRecord,
  resultRecord,
  type ToolReply,
  type ToolRequest,
  type TrackedCall,
  takeAnswer,
} from "./program-record.ts";

/** What is known of a call before it is made: its reply; that it waits; or whether it is approved. */
type KnownCall = { reply: ToolReply } | "waits" | "interrupted" | { isApproved: boolean };

/**
 * What is known of a call from the record of its program and from an answer. A call that had begun and is not idempotent waits
 * as `interrupted`.
 */
function knownCall(call: TrackedCall, answer: Answer | undefined, isIdempotent: boolean): KnownCall {
  if (call.reply !== undefined) return { reply: call.reply };
  if (answer === undefined) {
    if (call.wait !== undefined) return "waits";
    if (call.hasBegun !== true) return { isApproved: false };
    if (isIdempotent) return { isApproved: true };
    return "interrupted";
  }
  if (answer === true) return { isApproved: true };
  const { id } = call;
  if (answer === false) return { reply: { id, error: denial("The call was not approved."), durationMs: 0 } };
  if (typeof answer === "string") return { reply: { id, error: denial(answer), durationMs: 0 } };
  if ("args" in answer || "resume" in answer) {
    takeAnswer(call, answer);
    return { isApproved: true };
  }
  if ("error" in answer) return { reply: { id, error: answer.error, durationMs: 0 } };
  return { reply: { id, result: encode(answer.result, "result"), durationMs: 0 } };
}

/** A call, and how it is made. */
interface CallToMake {
  readonly program: ProgramRecord;
  readonly recorder: Recorder;
  /** The id of the call in its run. */
  readonly id: string;
  /** `true` also for an agent whose own calls are answered. */
  readonly answer: Answer | undefined;
  readonly isIdempotent: boolean;
  /**
   * Makes the call.
   *
   * @param args JSON of the arguments.
   * @param begin called, and awaited, before the tool.
   * @returns the reply, or why the call waits.
   */
  make(args: string, isApproved: boolean, begin: () => Promise<void>): Promise<ToolReply | Waits>;
}

/**
 * Makes a call of a program, unless its outcome is known, and records what happens before it has an effect.
 *
 * @returns null when it waits.
 * @throws {TurnfoldError} `record_failed`
 */
export async function recordedCall(
  request: ToolRequest,
  { program, recorder, id, answer, isIdempotent, make }: CallToMake,
): Promise<ToolReply | null> {
  const call = program.track(request);
  const { tool } = request;
  const about = () => ({ id, tool, args: JSON.parse(request.args) as unknown });
  const wait = async ({ reason, info }: Waits["wait"], step?: string): Promise<null> => {
    call.wait = { reason, info };
    call.step = step;
    const waits = () => ({ type: "waiting" as const, ...about(), reason, info });
    // What a nested agent did is in its own records, where all are stored.
    const kept = step === undefined ? waits : () => ({ ...waits(), step: JSON.parse(step) as unknown });
    await recorder.write(waits, kept);
    return null;
  };
  const known = knownCall(call, answer ?? call.answer, isIdempotent);
  // It decides this time only: the call may wait again.
  call.answer = undefined;
  if (known === "waits") return null;
  if (known === "interrupted") return wait({ reason: "interrupted", info: null });
  let reply: ToolReply | Waits;
  if ("reply" in known) {
    reply = known.reply;
    if (call.reply !== undefined) return reply;
  } else {
    // A saved state has a call in its result: nothing runs when it is saved.
    const begin = () => recorder.send(() => ({ type: "call", ...about() }));
    const { args = request.args } = call.edited ?? {};
    reply = await make(args, known.isApproved, begin);
    if (reply instanceof Waits) return wait(reply.wait, reply.step);
    // A replay learns of edited arguments from the reply.
    if (call.edited !== undefined) reply.args = call.edited.args;
  }
  const made = reply;
  // Known here: the record may be made later.
  const { rounds } = program;
  call.reply = made;
  const result = () => resultRecord(id, call, made, rounds);
  await recorder.write(result, () => ({ ...result(), call: JSON.parse(request.args) as unknown }));
  return made;
}

/**
 * The calls of a program that wait.
 *
 * @param within returns the calls that wait in the nested agent that a call is, where more is known of it than that it waits; null
 * for any other call.
 * @param isRepeatable whether a call of a tool that had begun is made again without an answer.
 */
export function waitingCalls(
  program: ProgramRecord,
  idOf: (call: TrackedCall) => string,
  within: (call: TrackedCall, id: string) => readonly WaitingCall[] | null = () => null,
  isRepeatable: (tool: string) => boolean = () => false,
): WaitingCall[] {
  return program.calls.flatMap((call): WaitingCall[] => {
    const { tool, args, wait, reply, hasBegun, answer } = call;
    const id = idOf(call);
    if (reply !== undefined || answer !== undefined) return [];
    const inner = within(call, id) ?? (wait?.reason === "agent" ? loadWaiting(wait.info) : null);
    if (inner !== null) {
      return inner.map((each) => ({ ...each, id: `${id}/${each.id}`, path: [tool, ...each.path] }));
    }
    if (wait === undefined && (hasBegun !== true || isRepeatable(tool))) return [];
    const { reason = "interrupted", info = null } = wait ?? {};
    return [{ id, tool, args: decodePlain(JSON.parse(args)), reason: reason as WaitReason, info, path: [] }];
  });
}

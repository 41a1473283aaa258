import { TurnfoldError } from "../../errors.ts";
import { isPlain } from "../../values/describe.ts";
import type { Answer, Answers, WaitingCall } from "../../waiting/waiting-call.ts";
import { dataFor, denied, needsData, noAnswer, outerId, plainJson, question } from "../shared/waiting-calls.ts";

/** An interrupt of the protocol. */
export interface AGUIInterrupt {
  id: string;
  reason: string;
  message: string;
  toolCallId?: string;
  responseSchema: Record<string, unknown>;
  metadata: { turnfold: Record<string, unknown> };
}

/** An entry of the member `resume` of the protocol's input. */
export interface AGUIResumeEntry {
  readonly interruptId: string;
  readonly status: "resolved" | "cancelled";
  readonly payload?: unknown;
}

/** How interrupts are named. The answers need the same options. */
export interface AGUIInterruptOptions {
  /** Begins the ids: that of the run, or of the call of a program. The ids of calls are unique only in their run. */
  run?: string | undefined;
  /** The id of the call among the events of the stream. Without it, an interrupt is a question of its own. */
  toolCallId?: string | ((call: WaitingCall) => string | undefined) | undefined;
}

const APPROVAL = {
  type: "object",
  properties: {
    approved: { type: "boolean" },
    reason: { type: "string", description: "Why the call is denied." },
    editedArgs: { type: "object", description: "Replaces all arguments." },
  },
  required: ["approved"],
};

const RESULT = {
  type: "object",
  properties: { result: {}, error: { type: "string" } },
  minProperties: 1,
  maxProperties: 1,
};

/**
 * The interrupts of a run that waits: those of a step, of a reply of an `Agent`, or of a program.
 *
 * @example
 * ```ts
 * const step = await agent.run();
 * const outcome = { type: "interrupt", interrupts: interruptsOf(step.waiting, { run: runId }) };
 * ```
 */
export function interruptsOf(waiting: readonly WaitingCall[], options: AGUIInterruptOptions = {}): AGUIInterrupt[] {
  return waiting.map((call) => {
    const { tool, args, reason, info, path } = call;
    const toolCallId = typeof options.toolCallId === "function" ? options.toolCallId(call) : options.toolCallId;
    const isLater = needsData(call);
    return {
      id: outerId(call, options.run),
      reason: isLater ? "input_required" : toolCallId === undefined ? "confirmation" : "tool_call",
      message: question(call),
      ...(toolCallId === undefined ? {} : { toolCallId }),
      responseSchema: isLater ? RESULT : APPROVAL,
      metadata: { turnfold: { tool, args: plainJson(args), reason, info: plainJson(info), path: [...path] } },
    };
  });
}

/**
 * The answers to calls that wait, from the responses to their interrupts. A response that was cancelled denies its call.
 *
 * @throws {TurnfoldError} `invalid_answer` for a response to another interrupt or of another form, and when an interrupt has none.
 *
 * @example
 * ```ts
 * const done = await agent.resume(step, { answers: answersFromResume(input.resume, step.waiting, { run: runId }) });
 * ```
 */
export function answersFromResume(
  resume: readonly AGUIResumeEntry[] | undefined,
  waiting: readonly WaitingCall[],
  options: AGUIInterruptOptions = {},
): Answers {
  const calls = new Map(waiting.map((call) => [outerId(call, options.run), call]));
  const answers: Record<string, Answer> = {};
  for (const entry of resume ?? []) {
    const call = calls.get(entry.interruptId);
    if (call === undefined) {
      throw new TurnfoldError("invalid_answer", `no interrupt ${JSON.stringify(entry.interruptId)} is open`, {
        details: { id: entry.interruptId, waiting: [...calls.keys()] },
      });
    }
    answers[call.id] = entry.status === "cancelled" ? false : answerOf(call, entry.payload);
  }
  const open = waiting.filter(({ id }) => !(id in answers)).map((call) => outerId(call, options.run));
  if (open.length === 0) return answers;
  throw new TurnfoldError("invalid_answer", `the response to these interrupts is missing: ${open.join(", ")}`, {
    details: { waiting: open },
    hint: "the protocol asks for a response to each open interrupt",
  });
}

function answerOf(call: WaitingCall, payload: unknown): Answer {
  const { approved, reason, editedArgs, result, error } = Object(payload) as Record<string, unknown>;
  if (needsData(call)) {
    if (typeof error === "string") return { error };
    if (result !== undefined) return dataFor(call, result);
    throw noAnswer(call, payload, "it waits for { result } or { error }");
  }
  const isApproved = typeof payload === "boolean" ? payload : approved;
  if (isApproved === false) return denied(reason);
  const isEdited = editedArgs !== undefined && editedArgs !== null;
  if (isApproved !== true || (isEdited && (typeof editedArgs !== "object" || !isPlain(editedArgs)))) {
    throw noAnswer(
      call,
      payload,
      "it waits for { approved: true }, { approved: true, editedArgs } or { approved: false }",
    );
  }
  return isEdited ? { args: editedArgs as Record<string, unknown> } : true;
}

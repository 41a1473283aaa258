import type { Answer, Answers, WaitingCall } from "../../waiting/waiting-call.ts";
import { dataFor, denied, needsData, outerId, plainJson } from "../shared/waiting-calls.ts";
import type { AISDKWaitingChunk } from "./framework.ts";

/** How calls that wait are named. The answers need the same options. */
export interface WaitingCallOptions {
  /** Begins the ids: that of the run. The ids of calls are unique only in their run; those of an `Agent` are everywhere. */
  run?: string | undefined;
}

/**
 * Chunks of a stream of UI messages that show the calls for which a step or a reply of an `Agent` waits: each is a part of a dynamic
 * tool, which asks for an approval, or for its output if its tool answers later.
 *
 * @example
 * ```ts
 * const reply = await agent.chat(question);
 * for (const chunk of waitingChunks(reply.waiting)) writer.write(chunk);
 * ```
 */
export function waitingChunks(waiting: readonly WaitingCall[], { run }: WaitingCallOptions = {}): AISDKWaitingChunk[] {
  return waiting.flatMap((call): AISDKWaitingChunk[] => {
    const toolCallId = outerId(call, run);
    const input = plainJson(call.args);
    const shown = { type: "tool-input-available" as const, toolCallId, toolName: call.tool, input, dynamic: true };
    return needsData(call) ? [shown] : [shown, { type: "tool-approval-request", approvalId: toolCallId, toolCallId }];
  });
}

/**
 * The answers that the messages of a chat in a page have for calls that wait: approvals, and outputs of tools that answer later. Calls
 * without one are omitted, and go on waiting.
 *
 * @param messages UI messages, the newest last.
 *
 * @example
 * ```ts
 * const reply = await agent.resume({ answers: (waiting) => answersFromMessages(messages, waiting) });
 * ```
 */
export function answersFromMessages(
  messages: readonly { readonly parts: readonly unknown[] }[],
  waiting: readonly WaitingCall[],
  { run }: WaitingCallOptions = {},
): Answers {
  const parts = messages.flatMap((message) => message.parts.map((part) => Object(part) as ToolPart));
  const byId = new Map(parts.map((part) => [part.toolCallId, part]));
  return Object.fromEntries(
    waiting.flatMap((call) => {
      const part = byId.get(outerId(call, run));
      const answer = part === undefined ? undefined : answerOf(call, part);
      return answer === undefined ? [] : [[call.id, answer] as const];
    }),
  );
}

/** What is read of a part of a tool. */
interface ToolPart {
  readonly toolCallId?: unknown;
  readonly state?: unknown;
  readonly output?: unknown;
  readonly errorText?: unknown;
  readonly approval?: { readonly approved?: unknown; readonly reason?: unknown } | undefined;
}

function answerOf(call: WaitingCall, { state, output, errorText, approval }: ToolPart): Answer | undefined {
  if (approval?.approved === false) return denied(approval.reason);
  if (!needsData(call)) return state === "approval-responded" && approval?.approved === true ? true : undefined;
  if (state === "output-error") return { error: String(errorText) };
  return state === "output-available" && output !== undefined ? dataFor(call, output) : undefined;
}

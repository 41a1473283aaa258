import { isPlain } from "../../values/describe.ts";
import type { Answer, Answers, WaitingCall } from "../../waiting/waiting-call.ts";
import { denied, outerId } from "./waiting-calls.ts";

/** The calls that are asked about together: those that need a decision; or one that asks itself; or those that need a result. */
export function askedTogether(waiting: readonly WaitingCall[]): readonly WaitingCall[] {
  const decisions = waiting.filter(({ reason }) => reason === "approval" || reason === "interrupted");
  if (decisions.length > 0) return decisions;
  const asking = waiting.filter(({ reason }) => reason === "suspended");
  return asking.length > 0 ? asking.slice(0, 1) : waiting;
}

/**
 * Reads what a person, or whoever asked one, gave for waiting calls: one decision for all; decisions in their order, as LangChain
 * writes them; answers by their ids; or the answer to the only call, which is anything for one that suspended itself.
 *
 * @returns the answers, or what is wrong.
 */
export function readAnswers(given: unknown, toolCallId: string, asked: readonly WaitingCall[]): Answers | string {
  const [only] = asked;
  const isNamed = asked.some((call) => Object.hasOwn(Object(given) as object, outerId(call, toolCallId)));
  if (asked.length === 1 && only?.reason === "suspended" && !isNamed) return { [only.id]: { resume: given } };
  if (typeof given === "boolean" || typeof given === "string") {
    return Object.fromEntries(asked.map(({ id }) => [id, given] as const));
  }
  if (typeof given !== "object" || given === null || !isPlain(given))
    return "an answer is true, false, a reason or an object";
  const { decisions } = given as { decisions?: unknown };
  if (Array.isArray(decisions)) return readDecisions(decisions, asked);
  const answers = given as Readonly<Record<string, Answer>>;
  const named = asked.filter((call) => Object.hasOwn(answers, outerId(call, toolCallId)));
  if (named.length > 0) {
    return Object.fromEntries(named.map((call) => [call.id, answers[outerId(call, toolCallId)] as Answer]));
  }
  if (only !== undefined && asked.length === 1) return { [only.id]: given as Answer };
  return `there are ${asked.length} calls: answer them by their ids`;
}

interface Decision {
  readonly type?: unknown;
  readonly message?: unknown;
  readonly editedAction?: { readonly name?: unknown; readonly args?: unknown } | undefined;
}

function readDecisions(decisions: readonly Decision[], asked: readonly WaitingCall[]): Answers | string {
  if (decisions.length !== asked.length) return `there are ${asked.length} calls and ${decisions.length} decisions`;
  const answers: Record<string, Answer> = {};
  for (const [index, { id, tool }] of asked.entries()) {
    const answer = readDecision(Object(decisions[index]) as Decision, tool);
    if (answer === null)
      return `decision ${index + 1} is none: approve, reject with a message, or edit the arguments of ${tool}`;
    answers[id] = answer;
  }
  return answers;
}

function readDecision({ type, message, editedAction: edited }: Decision, tool: string): Answer | null {
  if (type === "approve") return true;
  if (type === "reject") return denied(message);
  const isEdit = type === "edit" && edited?.name === tool && typeof edited.args === "object" && edited.args !== null;
  return isEdit ? { args: edited.args as Readonly<Record<string, unknown>> } : null;
}

import { isPlain } from "../../values/describe.ts";
import type { Answer, Answers, WaitingCall } from "../../waiting/waiting-call.ts";

/** The id of a waiting call among all calls of programs. */
export const questionId = (toolCallId: string, { id }: WaitingCall): string => `${toolCallId}/${id}`;

/** The calls that are asked about together: those that need a decision, or otherwise those that need a result. */
export function askedTogether(waiting: readonly WaitingCall[]): readonly WaitingCall[] {
  const decisions = waiting.filter(({ reason }) => reason !== "later");
  return decisions.length > 0 ? decisions : waiting;
}

/**
 * Reads what a person, or whoever asked one, gave for waiting calls: one decision for all; decisions in their order, as LangChain
 * writes them; answers by their ids; or the answer to the only call.
 *
 * @returns the answers, or what is wrong.
 */
export function readAnswers(given: unknown, toolCallId: string, asked: readonly WaitingCall[]): Answers | string {
  if (typeof given === "boolean" || typeof given === "string") {
    return Object.fromEntries(asked.map(({ id }) => [id, given] as const));
  }
  if (typeof given !== "object" || given === null || !isPlain(given))
    return "an answer is true, false, a reason or an object";
  const { decisions } = given as { decisions?: unknown };
  if (Array.isArray(decisions)) return readDecisions(decisions, asked);
  const answers = given as Readonly<Record<string, Answer>>;
  const named = asked.filter((call) => Object.hasOwn(answers, questionId(toolCallId, call)));
  if (named.length > 0) {
    return Object.fromEntries(named.map((call) => [call.id, answers[questionId(toolCallId, call)] as Answer]));
  }
  const [only] = asked;
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
  if (type === "reject") return typeof message === "string" && message !== "" ? message : false;
  const isEdit = type === "edit" && edited?.name === tool && typeof edited.args === "object" && edited.args !== null;
  return isEdit ? { args: edited.args as Readonly<Record<string, unknown>> } : null;
}

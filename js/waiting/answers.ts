import { decode } from "../boundary/decode.ts";
import { encode } from "../boundary/encode.ts";
import { TurnfoldError } from "../errors.ts";
import { describe, isPlain } from "../values/describe.ts";
import type { Recorder } from "./recorder.ts";
import type { RunRecord } from "./run-record.ts";
import type { Answer, Answers, WaitingCall, WaitReason } from "./waiting-call.ts";

/** The answers that a call can get, by why it waits. */
const ACCEPTED: Readonly<Record<WaitReason, string>> = {
  approval: "true, false, a reason, { args }, { result } or { error }",
  interrupted: "true to run it again, false, a reason, { args }, { result } or { error }",
  later: "{ result }, { error }, false or a reason",
  suspended: "{ resume }, { result }, { error }, false or a reason",
};

/**
 * Checks answers before anything happens, after a function has looked them up.
 *
 * @param source answers, or a function that gives them.
 * @throws {TurnfoldError} as {@link checkAnswers}; what the function throws
 *
 * @internal
 */
export async function readAnswers(
  source: unknown,
  waiting: readonly WaitingCall[],
  fit?: (call: WaitingCall, args: unknown) => void,
): Promise<Answers> {
  if (typeof source !== "function") return checkAnswers(source, waiting, fit);
  return waiting.length === 0 ? {} : checkAnswers(await source(waiting), waiting, fit);
}

/**
 * Checks answers before anything happens.
 *
 * @param fit returns the problems of arguments that an answer gives a tool; throws, or returns nothing, when they fit.
 * @throws {TurnfoldError} `invalid_answer`
 *
 * @internal
 */
export function checkAnswers(
  given: unknown,
  waiting: readonly WaitingCall[],
  fit: (call: WaitingCall, args: unknown) => void = () => {},
): Answers {
  if (given === undefined) return {};
  if (typeof given !== "object" || given === null || !isPlain(given)) {
    throw new TurnfoldError("invalid_answer", `answers must be an object by the ids of calls, got ${describe(given)}`, {
      hint: "answers: { [step.waiting[0].id]: true }",
    });
  }
  const answers: Record<string, Answer> = {};
  for (const [id, answer] of Object.entries(given)) {
    const call = waiting.find((each) => each.id === id);
    if (call === undefined) {
      throw new TurnfoldError("invalid_answer", `no call ${JSON.stringify(id)} waits`, {
        details: { id, waiting: waiting.map((each) => each.id) },
        hint: waiting.length === 0 ? "nothing waits" : `these wait: ${waiting.map((each) => each.id).join(", ")}`,
      });
    }
    if (answer === undefined) continue;
    answers[id] = checkAnswer(call, answer);
    if (typeof answer === "object" && "args" in (answer as object)) {
      try {
        fit(call, (answer as { args: unknown }).args);
      } catch (cause) {
        throw new TurnfoldError(
          "invalid_answer",
          `the arguments for ${call.tool} (${id}): ${(cause as Error).message}`,
          {
            details: { id },
            cause,
          },
        );
      }
    }
  }
  return answers;
}

function checkAnswer(call: WaitingCall, answer: unknown): Answer {
  const { id, tool, reason } = call;
  const isLater = reason === "later" || reason === "suspended";
  if (answer === false || typeof answer === "string" || (answer === true && !isLater)) return answer;
  if (typeof answer === "object" && answer !== null && isPlain(answer)) {
    const { result, error, args, resume: _, by, ...others } = answer as Record<string, unknown>;
    const given = ["result", "error", "args", "resume"].filter((name) => Object.hasOwn(answer, name));
    const fits =
      given.length === 1 &&
      Object.keys(others).length === 0 &&
      (by === undefined || typeof by === "string") &&
      (error === undefined || typeof error === "string") &&
      (args === undefined || (!isLater && typeof args === "object" && args !== null)) &&
      (given[0] !== "result" || result !== undefined) &&
      (given[0] !== "resume" || reason === "suspended");
    if (fits) return answer as Answer;
  }
  throw new TurnfoldError("invalid_answer", `the answer to ${tool} (${id}) is ${describe(answer)}`, {
    details: { id, reason },
    hint: `it waits for ${ACCEPTED[reason]}`,
  });
}

/**
 * The answers to the calls of a nested agent, with their ids there.
 *
 * @param id of the call that is the agent.
 *
 * @internal
 */
export function answersWithin(answers: Answers, id: string): Answers {
  const prefix = `${id}/`;
  const own = Object.entries(answers).filter(([each]) => each.startsWith(prefix));
  return Object.fromEntries(own.map(([each, answer]) => [each.slice(prefix.length), answer]));
}

/**
 * Records answers, without those of nested agents, which record their own.
 *
 * @throws {TurnfoldError} `record_failed`
 *
 * @internal
 */
export async function recordAnswers(recorder: Recorder, answers: Answers): Promise<void> {
  for (const [id, answer] of Object.entries(answers)) {
    if (!id.includes("/")) await recorder.write(() => ({ type: "answer", id, answer: saveAnswer(answer) }));
  }
}

/**
 * Answers as the records of a run, to which those of nested agents belong.
 *
 * @internal
 */
export const answerRecords = (answers: Answers): RunRecord[] =>
  Object.entries(answers).map(([id, answer]) => {
    const at = id.lastIndexOf("/");
    const record = { type: "answer" as const, id: id.slice(at + 1), answer: saveAnswer(answer) };
    return at < 0 ? record : { in: id.slice(0, at), ...record };
  });

/**
 * An answer as JSON; values have their lossless form.
 */
function saveAnswer(answer: Answer): unknown {
  if (typeof answer !== "object" || "error" in answer) return answer;
  const { by } = answer;
  const [name, value] = dataOf(answer);
  return { [name]: JSON.parse(encode(value, name)) as unknown, ...(by === undefined ? {} : { by }) };
}

function dataOf(answer: Exclude<Answer, boolean | string | { error: string }>): [name: string, value: unknown] {
  if ("args" in answer) return ["args", answer.args];
  return "resume" in answer ? ["resume", answer.resume] : ["result", answer.result];
}

/**
 * The answer that {@link saveAnswer} saved.
 *
 * @internal
 */
export function loadAnswer(saved: unknown): Answer {
  if (typeof saved !== "object" || saved === null || "error" in saved) return saved as Answer;
  const { by, ...given } = saved as { args?: unknown; result?: unknown; resume?: unknown; by?: string };
  const about = by === undefined ? {} : { by };
  // Decoding changes the data.
  const decoded = decode(structuredClone(given.args ?? given.result ?? given.resume));
  if (given.args !== undefined) return { args: decoded as object[], ...about };
  return "resume" in given ? { resume: decoded, ...about } : { result: decoded, ...about };
}

import { forwardAbort } from "../boundary/abort.ts";
import { nextTask } from "../boundary/clock.ts";
import { messageOf, unlessAborted } from "../boundary/host.ts";
import { TurnfoldError } from "../errors.ts";
import { type Answer, callModel, type LLM, type LLMRequest } from "../model/model.ts";
import type { Retry } from "../model/retry.ts";
import { addUsage, type Usage } from "../model/usage.ts";
import type { HistoryReport } from "./history-report.ts";
import type { Planning, PlanRecord, SummaryRequest } from "./planning.ts";
import { summaryProblem } from "./summary-problem.ts";

/** The model that writes summaries, and how it is called. */
export interface SummaryModelOptions {
  llm: LLM | undefined;
  retry: Retry | undefined;
  signal: AbortSignal | undefined;
  /** Maximum number of concurrent requests. */
  concurrency: number;
}

/**
 * The calls of the model that write summaries, and the usage of their replies, those that can't be used included.
 *
 * @internal
 */
export interface SummarySpending {
  usage: Usage;
  calls: number;
}

/**
 * Requests the summaries of a plan. After a failure no further request is made, running ones are aborted, and
 * `onFailure` receives the answers so far.
 *
 * @param skipped true for a request that is not made; its answer is null.
 * @throws {TurnfoldError} `missing_llm`, `compression_failed`, `aborted`
 *
 * @internal
 */
export async function requestSummaries(
  planning: Planning,
  requests: PlanRecord["requests"],
  { llm, retry, signal, concurrency }: SummaryModelOptions,
  spent: SummarySpending,
  skipped: (request: PlanRecord["requests"][number]) => boolean,
  onFailure: (answers: readonly (Answer | null)[]) => Promise<void>,
): Promise<(Answer | null)[]> {
  const answers: (Answer | null)[] = requests.map(() => null);
  const waiting = requests.map((request, index) => ({ request, index })).filter(({ request }) => !skipped(request));
  if (waiting.length === 0) return answers;
  if (llm === undefined) {
    throw new TurnfoldError("missing_llm", `${planning.strategy} asks for summaries, and there is no llm`, {
      details: { option: "llm", report: planning.reportSoFar() },
      hint: "{ llm: async ({ messages, signal }) => text }",
    });
  }
  const own = new AbortController();
  const release = forwardAbort(signal, own);
  const failure = (problem: string, message: string, request: number, cause?: unknown) => {
    // Now, and not when the rejection arrives: another answer may arrive before it.
    waiting.length = 0;
    return new TurnfoldError("compression_failed", `${planning.strategy}: ${message}`, {
      details: { strategy: planning.strategy, problem, request, report: planning.reportSoFar(spent.calls) },
      hint: "the conversation is unchanged; call again, or use another strategy or model",
      ...(cause === undefined ? {} : { cause }),
    });
  };
  const call = async (summary: SummaryRequest, index: number): Promise<Answer> => {
    let answer: Answer | null;
    try {
      spent.calls++;
      answer = await callModel(
        llm,
        { ...(summary as LLMRequest), purpose: planning.purpose, signal: own.signal },
        retry,
      );
    } catch (cause) {
      throw failure("model", messageOf(cause), index, cause);
    }
    if (answer === null) throw abortedError(signal, planning.reportSoFar(spent.calls));
    addUsage(spent.usage, answer.usage);
    return answer;
  };
  const ask = async (request: PlanRecord["requests"][number], index: number): Promise<Answer> => {
    // A cache may compare `toolChoice` too, so the conversation is first sent as its answers were requested.
    const { toolChoice, ...summary } = planning.summaryRequest(request);
    let answer = await call(summary, index);
    const onlyCalled = answer.toolCalls.length > 0 && answer.content.trim() === "";
    if (toolChoice !== undefined && onlyCalled) answer = await call({ ...summary, toolChoice }, index);
    const problem = summaryProblem(answer, request.instruction);
    if (problem !== null) throw failure(problem.problem, problem.message, index);
    return answer;
  };
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      answers[next.index] = await ask(next.request, next.index);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, waiting.length) }, work));
    return answers;
  } catch (error) {
    waiting.length = 0;
    own.abort(error);
    // An abort does not wait for a store that does not answer.
    if ((await unlessAborted(onFailure(answers), signal)) === null) await nextTask();
    throw signal?.aborted ? abortedError(signal, planning.reportSoFar(spent.calls)) : error;
  } finally {
    release();
  }
}

/**
 * The error of an aborted call.
 *
 * @internal
 */
export function abortedError(signal: AbortSignal | undefined, report?: HistoryReport): TurnfoldError {
  return new TurnfoldError("aborted", "the call was aborted", {
    details: report === undefined ? {} : { strategy: report.strategy, report },
    cause: signal?.reason,
  });
}

import { forwardAbort } from "../boundary/abort.ts";
import { messageOf } from "../boundary/host.ts";
import { checkMembers, invalidOption } from "../boundary/options.ts";
import { reading, TurnfoldError } from "../errors.ts";
import {
  type Answer,
  addUsage,
  askModel,
  checkLLM,
  checkRetry,
  checkSignal,
  type LLM,
  type LLMRequest,
  type Retry,
  type Usage,
} from "../model/model.ts";
import type { Message } from "../turns/message.ts";
import { describe } from "../values/describe.ts";
import type { Conversation } from "./conversation.ts";
import { type CheckedParameters, checkParameters, type RequestParameters } from "./parameters.ts";
import { type Fate, type HistoryContext, type HistoryReport, Planning, type TokenChange } from "./planning.ts";
import { summaryProblem } from "./summary-problem.ts";

/** A plan for a conversation, made without calling a model. */
export interface Plan {
  /**
   * `unchanged`: nothing to do · `skipped`: no strategy runs, for the given `reason` · `summarize`: needs the summaries of
   * `requests` · `ready`: can be applied at once.
   */
  outcome: "unchanged" | "skipped" | "summarize" | "ready";
  reason: string | null;
  messages: Fate[];
  /** One model call each; `covers` are the indexes of the messages that it summarizes. */
  requests: { messages: Message[]; covers: number[] }[];
  /** `after` is an estimate until the summaries are known. */
  tokens: TokenChange;
  warnings: string[];
}

/** Context of {@link manageHistory}. */
export interface ManageOptions extends HistoryContext {
  /** The model that writes the summaries. */
  llm?: LLM;
  retry?: Retry;
  signal?: AbortSignal;
  /** Receives warnings; default `console.warn`. */
  onWarning?: (text: string) => void;
}

/** A managed conversation and its report. */
export interface Managed {
  conversation: Conversation;
  report: HistoryReport;
}

/** With the usage of the summaries. */
type ManagedWithUsage = Managed & { usage: Usage };

/** The planning behind each plan, for {@link applyPlan}. */
const plannings = new WeakMap<Plan, Planning>();

/**
 * Plans the management of a conversation without calling a model: which messages stay, what each summary covers, the requests
 * for summaries, and the tokens before and after. Deterministic.
 *
 * @example
 * ```ts
 * const plan = planHistory(conversation, { compressionStrategy: chunked(10), minMessages: 0 });
 * for (const { covers, messages } of plan.requests) console.log(covers.length, messages.length);
 * ```
 * @throws {TurnfoldError} `max_tokens_below_system`, `pins_over_limit`, `request_over_budget`, `missing_timestamp`,
 * `invalid_option`, `invalid_strategy`, `invalid_counter`, `invalid_message`
 */
export function planHistory(
  conversation: Conversation,
  parameters: RequestParameters,
  context: HistoryContext = {},
): Plan {
  return planWith(new Planning(conversation, checkParameters(parameters), contextOf(context)));
}

function contextOf(context: unknown): HistoryContext {
  if (typeof context === "object" && context !== null) return context;
  throw new TurnfoldError("invalid_option", `the context is { request, tools, schema }, got ${describe(context)}`);
}

function planWith(planning: Planning): Plan {
  const { ready, requests, warnings, reason, fates, tokens } = planning.plan();
  const does = ready?.outcome === "applied" || ready?.outcome === "trimmed";
  const plan: Plan = {
    outcome: ready === null ? "summarize" : does ? "ready" : (ready.outcome as "unchanged" | "skipped"),
    reason: ready?.reason ?? reason,
    messages: planning.fates(ready?.fates ?? fates),
    requests: requests.map(({ instruction, transcript, covers }) => ({
      messages: [
        { role: "system", content: instruction },
        { role: "user", content: transcript },
      ],
      covers,
    })),
    tokens: planning.change(ready?.tokens ?? tokens),
    warnings: ready?.warnings ?? warnings,
  };
  plannings.set(plan, planning);
  return plan;
}

/**
 * Applies a plan with the summaries for its requests, in the same order.
 *
 * @example
 * ```ts
 * const plan = planHistory(conversation, { compressionStrategy: wholeHistory() });
 * const { conversation: shorter } = applyPlan(
 *   plan,
 *   plan.requests.map(() => "They greeted each other."),
 * );
 * ```
 * @throws {TurnfoldError} `compression_failed` when a summary is empty or longer than what it replaces,
 * with the report so far in `details`; `invalid_summaries` when their number is not that of the requests, `invalid_plan` for
 * a value that {@link planHistory} did not return.
 */
export function applyPlan(plan: Plan, summaries: readonly string[]): Managed {
  const planning = plannings.get(plan);
  if (planning === undefined) {
    throw new TurnfoldError("invalid_plan", "applyPlan takes a plan that planHistory returned", {
      hint: "a copy or a saved plan can't be applied: plan again, which gives the same",
    });
  }
  const texts = reading("invalid_summaries", "summaries", () => {
    const copied: unknown[] | null = Array.isArray(summaries) ? Array.from(summaries) : null;
    const wrong = copied?.find((text) => typeof text !== "string");
    if (copied?.every((text) => typeof text === "string")) return copied as string[];
    throw new TurnfoldError(
      "invalid_summaries",
      `summaries must be a list of texts, got ${copied === null ? describe(summaries) : `${describe(wrong)} in it`}`,
    );
  });
  return applyWith(planning, texts);
}

function applyWith(planning: Planning, summaries: readonly string[]): Managed {
  let applied: ReturnType<Planning["apply"]>;
  try {
    applied = planning.apply(summaries);
  } catch (error) {
    if (TurnfoldError.isInstance(error)) error.details.report = planning.reportSoFar();
    throw error;
  }
  return {
    conversation: planning.result(applied),
    report: {
      outcome: applied.outcome,
      strategy: planning.strategy,
      reason: applied.reason,
      warnings: applied.warnings,
      messages: planning.fates(applied.fates),
      inserted: applied.inserted,
      llmCalls: summaries.length,
      tokens: planning.change(applied.tokens),
    },
  };
}

const OPTIONS = ["request", "tools", "schema", "llm", "retry", "signal", "onWarning"];

/**
 * Plans, requests the summaries concurrently, and applies the plan. When it rejects, nothing has changed.
 *
 * @example
 * ```ts
 * const { conversation: shorter, report } = await manageHistory(
 *   conversation,
 *   { compressionStrategy: lastNMessages(10), maxTokens: 50_000 },
 *   { llm },
 * );
 * ```
 * @throws {TurnfoldError} as {@link planHistory}; `compression_failed` when a summary can't be used, with the strategy, the
 * report so far and the `problem` in `details`: `model` (the call failed; see the cause), `empty`, `cut_off`, `refused`, `error`
 * (the provider could not complete it), `repeats_instructions`, or `longer` than what it replaces; `aborted`.
 */
export async function manageHistory(
  conversation: Conversation,
  parameters: RequestParameters,
  options: ManageOptions = {},
): Promise<Managed> {
  const checked = checkParameters(parameters);
  const { usage: _, ...managed } = await manage(conversation, checked, checkOptions(options));
  return managed;
}

function checkOptions(options: unknown): ManageOptions {
  return reading("invalid_option", "the options", () => {
    const given = checkMembers("the options", options, OPTIONS) as ManageOptions;
    checkLLM(given.llm);
    checkRetry(given.retry);
    checkWarn(given.onWarning);
    checkSignal(given.signal);
    return given;
  });
}

/**
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function checkWarn(onWarning: unknown): void {
  if (onWarning === undefined || typeof onWarning === "function") return;
  throw invalidOption("onWarning", "a function", onWarning);
}

/**
 * {@link manageHistory} with checked arguments.
 *
 * @internal
 */
export async function manage(
  conversation: Conversation,
  parameters: CheckedParameters,
  { llm, retry, signal, onWarning = console.warn, ...context }: ManageOptions,
): Promise<ManagedWithUsage> {
  if (signal?.aborted) throw aborted(signal);
  const planning = new Planning(conversation, parameters, context);
  const plan = planWith(planning);
  const usage: Usage = {};
  const answers = plan.requests.length === 0 ? [] : await askAll(planning, plan, llm, retry, signal);
  for (const answer of answers) addUsage(usage, answer.usage);
  const managed = applyWith(
    planning,
    answers.map(({ content }) => content),
  );
  for (const warning of managed.report.warnings) warn(onWarning, warning);
  return { ...managed, usage };
}

/**
 * Reports a warning. An error that the host's callback throws is written to the console, so that it does not undo what succeeded.
 *
 * @internal
 */
export function warn(onWarning: (text: string) => void, warning: string): void {
  try {
    onWarning(warning);
  } catch (error) {
    console.error(error);
  }
}

/**
 * The error of an aborted call.
 *
 * @internal
 */
export function aborted(signal: AbortSignal | undefined, report?: HistoryReport): TurnfoldError {
  return new TurnfoldError("aborted", "the call was aborted", {
    details: report === undefined ? {} : { strategy: report.strategy, report },
    cause: signal?.reason,
  });
}

async function askAll(
  planning: Planning,
  plan: Plan,
  llm: LLM | undefined,
  retry: Retry | undefined,
  signal: AbortSignal | undefined,
): Promise<Answer[]> {
  if (llm === undefined) {
    throw new TurnfoldError("invalid_option", `${planning.strategy} asks for summaries, and there is no llm`, {
      details: { option: "llm", report: planning.reportSoFar() },
      hint: "{ llm: async ({ messages, signal }) => text }",
    });
  }
  // A failure aborts the other requests.
  const own = new AbortController();
  const release = forwardAbort(signal, own);
  const failed = (problem: string, message: string, request: number, cause?: unknown) =>
    new TurnfoldError("compression_failed", `${planning.strategy}: ${message}`, {
      details: { strategy: planning.strategy, problem, request, report: planning.reportSoFar() },
      hint: "the conversation is unchanged; call again, or use another strategy or model",
      ...(cause === undefined ? {} : { cause }),
    });
  const ask = async ({ messages }: Plan["requests"][number], request: number): Promise<Answer> => {
    let answer: Answer | null;
    try {
      const asked: LLMRequest = {
        messages: messages.map((message) => ({ ...message })),
        purpose: planning.purpose,
        signal: own.signal,
      };
      answer = await askModel(llm, asked, retry);
    } catch (cause) {
      throw failed("model", messageOf(cause), request, cause);
    }
    if (answer === null) throw aborted(signal, planning.reportSoFar());
    const problem = summaryProblem(answer, messages[0]?.content as string);
    if (problem !== null) throw failed(problem.problem, problem.message, request);
    return answer;
  };
  try {
    return await Promise.all(plan.requests.map(ask));
  } catch (error) {
    own.abort(error);
    throw signal?.aborted ? aborted(signal, planning.reportSoFar()) : error;
  } finally {
    release();
  }
}

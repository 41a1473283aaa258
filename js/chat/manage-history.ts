import { checkSignal } from "../boundary/abort.ts";
import { handleRejection, unlessAborted } from "../boundary/host.ts";
import { anyOption, functionOption, type OptionChecks, readOptions } from "../boundary/options.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { checkLLM, type LLM } from "../model/model.ts";
import { checkRetry, type Retry } from "../model/retry.ts";
import type { RequestCost } from "../turns/rendered.ts";
import { describe } from "../values/describe.ts";
import { printable } from "../values/printable.ts";
import { abortedError, type SummarySpending } from "./ask-summaries.ts";
import { BoundThinking } from "./bound-thinking.ts";
import { type Conversation, localConversation } from "./conversation.ts";
import { type ExchangeContext, type HistoryContext, requestMessages } from "./history-context.ts";
import type { Fate, TokenChange } from "./history-report.ts";
import { type CheckedParameters, checkParameters, type RequestParameters } from "./parameters.ts";
import { Planning, type SummaryRequest } from "./planning.ts";
import { hasSigned } from "./signed-thinking.ts";
import { applyWithReport, type Managed, managedResult, summarize, summarizeStored } from "./summarize.ts";
import { checkStore, StoredSummaries, type SummaryStorage } from "./summary-store.ts";

/** A plan for a conversation, made without calling a model. */
export interface Plan {
  /**
   * `unchanged`: nothing to do · `skipped`: no strategy runs, for the given `reason` · `summarize`: needs the summaries of
   * `requests` · `ready`: can be applied at once.
   */
  outcome: "unchanged" | "skipped" | "summarize" | "ready";
  reason: string | null;
  messages: Fate[];
  /**
   * One model call each; `covers` are the indexes of the messages that it summarizes, `tools` those of the conversation
   * for a request behind it. `toolChoice` is for asking again when the model called a tool instead; a provider's cache
   * may compare it, so it is left out at first. `expectedTokens` is the assumed length of the answer: 15 % of the tokens
   * that it summarizes, 7.5 % of those above 4,000, from 40 to 2,000, and at most as many as the summarized messages have.
   */
  requests: (SummaryRequest & { covers: number[]; expectedTokens: number })[];
  /** `after` is an estimate until the summaries are known. */
  tokens: TokenChange;
  warnings: string[];
  /** What the next request costs, without its reply and without the summaries. Present with `prices` or `worthIt`. */
  cache?: RequestCost;
}

/** Context of {@link manageHistory}. */
export interface ManageOptions extends HistoryContext {
  /** The model that writes the summaries. */
  llm?: LLM | undefined;
  retry?: Retry | undefined;
  signal?: AbortSignal | undefined;
  /** Receives warnings; default `console.warn`. */
  onWarning?: ((text: string) => void) | undefined;
  /**
   * Stores summaries, so that a host that passes the whole history each time pays for each summary once. Of the
   * messages to summarize, the longest beginning with a stored summary is replaced by it; a new summary is requested
   * only when the limits are still exceeded or, without a limit, when `minMessages` or more messages remain.
   */
  summaryStore?: SummaryStorage | undefined;
}

/** The planning from which each plan was made, for {@link applyPlan}. */
const planningOfPlan = new WeakMap<Plan, Planning>();

/**
 * Plans the management of a conversation without calling a model: which messages are kept, which messages each summary
 * covers, the requests for summaries, and the tokens before and after. Deterministic.
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
  return makePlan(new Planning(conversation, checkParameters(parameters), checkContext(context)));
}

function checkContext(context: unknown): HistoryContext {
  if (typeof context === "object" && context !== null) return context;
  throw new TurnfoldError("invalid_option", `the context is { request, tools, schema }, got ${describe(context)}`);
}

function makePlan(planning: Planning): Plan {
  const { ready, requests, warnings, reason, fates, tokens } = planning.plan();
  const changes = ready?.outcome === "applied" || ready?.outcome === "trimmed";
  const isBound = changes && planning.conversation.messages.some(hasSigned);
  const managed = isBound ? withoutChangedThinking(planning, managedResult(planning, ready, 0)) : null;
  const plan: Plan = {
    outcome: ready === null ? "summarize" : changes ? "ready" : (ready.outcome as "unchanged" | "skipped"),
    reason: ready?.reason ?? reason,
    messages: managed?.report.messages ?? planning.expandFates(ready?.fates ?? fates),
    requests: requests.map((request) => {
      const { covers, expectedTokens } = request;
      return { ...planning.summaryRequest(request), covers, expectedTokens };
    }),
    tokens: managed?.report.tokens ?? planning.tokenChange(ready?.tokens ?? tokens),
    warnings: ready?.warnings ?? warnings,
    ...planning.cost(ready),
  };
  planningOfPlan.set(plan, planning);
  return plan;
}

/** Returns the result of a plan without the thinking that is not valid. */
function withoutChangedThinking({ conversation, requests, parameters }: Planning, managed: Managed): Managed {
  return BoundThinking.in(conversation, requests ?? [], parameters)?.remove(managed).managed ?? managed;
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
 * When a summary is null, or not shorter than the messages it replaces, these messages are kept.
 *
 * @throws {TurnfoldError} `compression_failed` when a summary is empty, with the report so far in `details`;
 * `invalid_summaries` when the number of summaries is not that of the requests, `invalid_plan` for a value that
 * {@link planHistory} did not return.
 */
export function applyPlan(plan: Plan, summaries: readonly (string | null)[]): Managed {
  const planning = planningOfPlan.get(plan);
  if (planning === undefined) {
    throw new TurnfoldError("invalid_plan", "applyPlan takes a plan that planHistory returned", {
      hint: "a copied plan, a saved one and one of another copy of the package can't be applied: plan again, which gives the same",
    });
  }
  const texts = wrapReadErrors("invalid_summaries", "summaries", () => {
    const copied: unknown[] | null = Array.isArray(summaries) ? Array.from(summaries) : null;
    const isText = (text: unknown) => typeof text === "string" || text === null;
    const wrong = copied?.find((text) => !isText(text));
    if (copied?.every(isText)) return copied as (string | null)[];
    throw new TurnfoldError(
      "invalid_summaries",
      `summaries must be a list of texts or null, got ${copied === null ? describe(summaries) : `${describe(wrong)} in it`}`,
    );
  });
  const calls = texts.filter((text) => text !== null).length;
  return withoutChangedThinking(planning, managedResult(planning, applyWithReport(planning, texts), calls));
}

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
 * @throws {TurnfoldError} as {@link planHistory}; `missing_llm` when summaries are needed and there is no `llm`;
 * `compression_failed` when a summary can't be used, with the strategy, the report so far and the `problem` in
 * `details`: `model` (the call failed; see the cause), `empty`, `cut_off`, `refused`, `error` (the provider could not
 * complete it) or `repeats_instructions`; `aborted`. When one of several summaries fails, none is applied; a
 * `summaryStore` keeps the others.
 */
export async function manageHistory(
  conversation: Conversation,
  parameters: RequestParameters,
  options: ManageOptions = {},
): Promise<Managed> {
  const checked = checkParameters(parameters);
  const given = checkOptions(options);
  return manageChecked(localConversation(conversation), checked, given);
}

function checkOptions(options: unknown): ManageOptions {
  return readOptions("the options", options, {
    request: anyOption(),
    tools: anyOption(),
    schema: anyOption(),
    idleSeconds: anyOption(),
    calibration: anyOption(),
    llm: checkLLM,
    retry: checkRetry,
    onWarning: functionOption(),
    signal: checkSignal,
    summaryStore: checkStore,
  } satisfies OptionChecks<ManageOptions>);
}

/**
 * {@link manageHistory} with checked arguments.
 *
 * @param spent receives the calls for summaries and their usage, also when the promise rejects.
 *
 * @internal
 */
export async function manageChecked(
  conversation: Conversation,
  parameters: CheckedParameters,
  { llm, retry, signal, onWarning = console.warn, summaryStore, ...context }: ManageOptions & ExchangeContext,
  spent: SummarySpending = { usage: {}, calls: 0 },
): Promise<Managed> {
  if (signal?.aborted) throw abortedError(signal);
  const warnings: string[] = [];
  const addWarning = (text: string) => warnings.push(text);
  const storeFor = (about: Conversation) =>
    summaryStore === undefined
      ? null
      : new StoredSummaries(summaryStore, about, parameters.summaryKeyContext, addWarning, signal);
  const thinking = BoundThinking.in(conversation, requestMessages(context) ?? [], parameters);
  const forms = thinking === null ? null : storeFor(thinking.whole);
  await thinking?.readForm(forms);
  const changedFrom = thinking?.changedFrom;
  const planning = new Planning(conversation, parameters, context, changedFrom);
  const { requests } = planning.plan();
  const modelOptions = { llm, retry, signal, concurrency: parameters.concurrency };
  const isPlain = requests.length === 0 && !parameters.weighs;
  const stored = isPlain ? null : storeFor(conversation);
  const summarized =
    stored === null
      ? await summarize(planning, modelOptions, spent)
      : await summarizeStored(stored, planning, {
          conversation,
          parameters,
          context,
          changedFrom,
          modelOptions,
          spent,
        });
  const { managed, form } = thinking?.remove(summarized) ?? { managed: summarized, form: null };
  if (forms !== null && form !== null) await unlessAborted(forms.addSentForm(form()), signal);
  managed.report.warnings.push(...warnings);
  for (const warning of managed.report.warnings) warn(onWarning, warning);
  return managed;
}

/**
 * Reports a warning. An error that the host's callback throws or rejects with is written to the console, so that the call still
 * succeeds.
 *
 * @internal
 */
export function warn(onWarning: (text: string) => void, warning: string): void {
  try {
    handleRejection(onWarning(printable(warning)) as unknown, (error) => console.error(error));
  } catch (error) {
    console.error(error);
  }
}

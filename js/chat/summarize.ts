import { unlessAborted } from "../boundary/host.ts";
import { TurnfoldError } from "../errors.ts";
import type { Breakpoint } from "../model/message.ts";
import type { Answer } from "../model/model.ts";
import { requestSummaries, type SummaryModelOptions, type SummarySpending } from "./ask-summaries.ts";
import { breakpointsOf } from "./breakpoints.ts";
import type { Calibration } from "./calibration.ts";
import type { ChatMessage } from "./chat-message.ts";
import type { Conversation } from "./conversation.ts";
import type { ExchangeContext } from "./history-context.ts";
import type { Fate, HistoryReport } from "./history-report.ts";
import type { CheckedParameters } from "./parameters.ts";
import { type Applied, asSent, Planning, type SummaryGroup } from "./planning.ts";
import {
  type MessageSource,
  type ShortenedConversation,
  type StoredSummaries,
  withSummaries,
} from "./summary-store.ts";

/** A managed conversation and its report. */
export interface Managed {
  /** The places at which to mark the provider's cache: at most four, the oldest first. */
  breakpoints: Breakpoint[];
  /** The conversation to go on with, which has the results of tools as they were returned. */
  conversation: Conversation;
  /** The messages to send: those of `conversation`, with results as `arrival` says. */
  messages: readonly ChatMessage[];
  report: HistoryReport;
  /** For the next request: pass it as `calibration`, with the `usage` of the reply to this one. */
  calibration: Calibration;
}

/**
 * Applies a plan. An error has the report in its details.
 *
 * @internal
 */
export function applyWithReport(planning: Planning, summaries: readonly (string | null)[]): Applied {
  try {
    return planning.apply(summaries);
  } catch (error) {
    const llmCalls = summaries.filter((text) => text !== null).length;
    if (TurnfoldError.isInstance(error)) error.details.report = planning.reportSoFar(llmCalls);
    throw error;
  }
}

/**
 * Returns the conversation and the report of an applied plan.
 *
 * @internal
 */
export function managedResult(planning: Planning, applied: Applied, llmCalls: number): Managed {
  const conversation = planning.result(applied);
  planning.release();
  const messages = asSent(conversation.messages, applied.sent);
  return {
    conversation,
    messages,
    breakpoints: breakpointsOf(messages),
    calibration: planning.nextCalibration(applied, conversation),
    report: {
      outcome: applied.outcome,
      strategy: planning.strategy,
      reason: applied.reason,
      warnings: applied.warnings,
      messages: planning.expandFates(applied.fates),
      inserted: applied.inserted,
      llmCalls,
      tokens: planning.tokenChange(applied.tokens),
      ...planning.cost(applied),
    },
  };
}

/**
 * Tokens of groups whose summary was not shorter, by the first message of the group. Such a group is summarized again
 * when it has grown by half.
 */
const rejectedTokens = new WeakMap<ChatMessage, number>();
const RETRY_GROWTH = 1.5;

/**
 * Requests the summaries of a plan and applies it.
 *
 * @internal
 */
export async function summarize(
  planning: Planning,
  options: SummaryModelOptions,
  spent: SummarySpending,
  { skips = () => false, keep = async () => {} }: Partial<SummaryHooks> = {},
): Promise<Managed> {
  const { requests } = planning.plan();
  const { groups } = planning;
  const first = (group: number) => planning.messageAt(groups[group]?.covers[0] as number);
  const isRejected = (group: number) =>
    (groups[group]?.covered ?? 0) < RETRY_GROWTH * (rejectedTokens.get(first(group)) ?? 0);
  const skipped = groups.map(({ covers }, group) => isRejected(group) || skips(covers));
  const apply = (answers: readonly (Answer | null)[]) =>
    applyWithReport(
      planning,
      answers.map((answer) => answer?.content ?? null),
    );
  const answers = await requestSummaries(
    planning,
    requests,
    options,
    spent,
    ({ group }) => skipped[group] === true,
    // The summaries that succeeded are stored.
    async (some) => {
      const isWhole = (group: number) =>
        requests.every((request, index) => request.group !== group || some[index] !== null);
      if (some.some((answer) => answer !== null)) {
        const part = some.map((answer, index) =>
          isWhole((requests[index] as { group: number }).group) ? answer : null,
        );
        const isSkipped = groups.map((_, group) => skipped[group] === true || !isWhole(group));
        await keep(apply(part), groups, isSkipped);
      }
    },
  );
  const applied = apply(answers);
  applied.left.forEach((isLeft, group) => {
    if (isLeft && skipped[group] !== true) rejectedTokens.set(first(group), groups[group]?.covered ?? 0);
  });
  await unlessAborted(keep(applied, groups, skipped), options.signal);
  return managedResult(planning, applied, spent.calls);
}

interface SummaryHooks {
  /** True for a group, given by the indexes of its messages, that is not summarized. */
  skips: (covers: readonly number[]) => boolean;
  /** Receives the summaries of the groups; `skipped` marks those that were not requested. */
  keep: (applied: Applied, groups: readonly SummaryGroup[], skipped: readonly boolean[]) => Promise<void>;
}

/**
 * Like {@link summarize}, after replacing messages by the stored summaries that cover them.
 *
 * @internal
 */
export async function summarizeStored(
  stored: StoredSummaries,
  planning: Planning,
  given: {
    conversation: Conversation;
    parameters: CheckedParameters;
    context: ExchangeContext;
    /** The first message that earlier requests had in another form. */
    changedFrom: number | undefined;
    modelOptions: SummaryModelOptions;
    spent: SummarySpending;
  },
): Promise<Managed> {
  const { conversation, parameters, context, changedFrom = Number.POSITIVE_INFINITY, modelOptions, spent } = given;
  const found: { covers: number[]; text: string; followed: number | null }[] = [];
  // A stored summary was worth its price when it was made, even if the next one is not.
  const isCostBased = parameters.weighs;
  const unconditional = { ...parameters, wire: { ...parameters.wire, when: "always" } };
  const allPlanned = isCostBased ? new Planning(conversation, unconditional, context) : planning;
  for (const { covers } of allPlanned.groups) {
    const summary = await stored.find(covers);
    if (summary !== null) found.push({ ...summary, covers: covers.slice(0, summary.covers) });
  }
  const shortened = withSummaries(conversation, found, {
    role: parameters.summaryRole,
    strategy: parameters.strategies.at(-1)?.name ?? "",
  });
  const originalIndexes = (covers: readonly number[]) =>
    covers.flatMap((index) => shortened.sources[index]?.covers ?? []);
  const next =
    found.length === 0
      ? planning
      : new Planning(
          shortened.conversation,
          parameters,
          shiftedContext(context, shortened),
          Math.min(
            changedFrom,
            shortened.sources.findIndex(({ isStored }) => isStored),
          ),
        );
  // Limits and prices decide when a new summary is needed; without them, `minMessages` does.
  const isDecided = parameters.hasLimits || isCostBased;
  const isNew = (index: number) => shortened.sources[index]?.isStored === false;
  const isEarly = (covers: readonly number[]) =>
    found.length > 0 && !isDecided && covers.filter(isNew).length < parameters.minMessages;
  const rejected = new Set<number | undefined>();
  for (const { covers, covered } of next.groups) {
    if (covered < RETRY_GROWTH * (await stored.rejectedTokens(originalIndexes(covers)))) rejected.add(covers[0]);
  }
  const skips = (covers: readonly number[]) => rejected.has(covers[0]) || isEarly(covers);
  const keep: SummaryHooks["keep"] = async ({ entries, left }, groups, skipped) => {
    for (const [group, { covers, covered }] of groups.entries()) {
      if (left[group] && !skipped[group]) await stored.addRejected(originalIndexes(covers), covered);
    }
    const summaries = entries.filter((entry) => "covers" in entry);
    const made = groups.filter((_, group) => left[group] === false);
    for (const [index, { covers }] of made.entries()) {
      const summary = summaries[index];
      if (made.length === summaries.length && summary !== undefined) await stored.add(originalIndexes(covers), summary);
    }
  };
  const managed = await summarize(next, modelOptions, spent, { skips, keep });
  return found.length === 0 ? managed : { ...managed, report: originalReport(planning, managed.report, shortened) };
}

/** Adjusts the position of the question to the shortened conversation. */
function shiftedContext(context: ExchangeContext, { sources }: ShortenedConversation): ExchangeContext {
  const { question } = context;
  if (question === undefined) return context;
  const start = sources.findIndex(({ covers }) => covers[0] === question.start);
  return { ...context, question: { start, end: start + question.end - question.start } };
}

/** Converts the report about a shortened conversation to one about the given conversation. */
function originalReport(planning: Planning, report: HistoryReport, { sources }: ShortenedConversation): HistoryReport {
  const before = planning.reportSoFar();
  const messages = before.messages.slice();
  let inserted = report.inserted;
  report.messages.forEach(({ fate, reason }, position) => {
    const { covers, isStored } = sources[position] as MessageSource;
    const isInserted = isStored && fate === "kept";
    if (isInserted) inserted++;
    const own = isInserted ? { fate: "summarized" as const, reason: report.strategy } : { fate, reason };
    for (const index of covers) messages[index] = { ...(messages[index] as Fate), ...own };
  });
  return {
    ...report,
    outcome: "applied",
    reason: null,
    messages,
    inserted,
    tokens: { ...report.tokens, before: before.tokens.before },
    ...(report.cache && {
      cache: { ...report.cache, uncompressedCost: planning.cost(null).cache?.uncompressedCost as number },
    }),
  };
}

import type { ChatParameters } from "../../chat/calls.ts";
import { labelOf } from "../../chat/options.ts";
import { parametersOf, settingsOf } from "../../chat/parameters.ts";
import { amounts, calls, largestSummary, parameters, source } from "../../chat/plan.ts";
import { type HistoryChoice, historyChoices } from "../../chat/state.ts";
import { chat, chooseChatStrategy } from "../../chat/store.ts";
import { result, sizes } from "../../chat/summaries.ts";
import { Deferred } from "../../controls/deferred.tsx";
import { Group } from "../../controls/group.tsx";
import { allowed } from "../../custom/ran.ts";
import { audited } from "../../import/audited.ts";
import { shortCode } from "../../page/audit-words.ts";
import type { CostJob } from "../../tokens/cost-rows.ts";
import { CostPlot } from "../tokens/cost-plot.tsx";
import type { Figure } from "../tokens/figure.tsx";
import { FigureSentence, StrategyTable } from "../tokens/figure-details.tsx";
import { type Costs, useCosts } from "../tokens/use-costs.ts";
import { TokenViews } from "../tokens/views.tsx";
import { ChatRunPlot } from "./run-plot.tsx";
import { CHOSEN, type Recorded, useRecorded } from "./use-recorded.ts";

/** The strategies that are compared with the chosen one. The others need input of the user: a time, or concepts. */
const compared: readonly HistoryChoice[] = [
  "none",
  "clearToolResults",
  "digest",
  "lastNMessages",
  "chunked",
  "wholeHistory",
];

/** The name of the row for the unchanged conversation, without limits. No strategy has this name. */
const UNCHANGED = "as it is";

/**
 * The most tokens of all calls together for which costs are computed. Every call is planned and billed again, which would take
 * minutes for more.
 */
const MAX_TOKENS = 300_000_000;

/** The figure of a chat. */
export interface ChatFigure extends Figure {
  /** The audit of an opened recording; null for estimates. */
  readonly recorded: Recorded | null;
}

/** The tokens and costs of a chat: of a recording as it was opened those of its audit. Null without a plan. */
export function useChatFigure(): ChatFigure | null {
  const { recorded, isNotAudited } = useRecorded();
  const { conversation } = source.value;
  const size = sizes.value;
  const { strategy } = chat.value;
  const { prices } = amounts.value;
  const scale = audited.value?.scale ?? null;
  const jobs = [...jobsOf(namesFor(strategy).toSorted((a, b) => Number(b === strategy) - Number(a === strategy)))];
  const jobsText = JSON.stringify(jobs);
  const pricesText = JSON.stringify(prices);
  const isTooLong = (size?.before ?? 0) * calls.value > 2 * MAX_TOKENS;
  const make = (): CostJob => ({
    kind: "chat",
    conversation: conversation?.toJSON(),
    strategies: jobs,
    scale,
    prices: isTooLong ? null : prices,
    counter: "estimate",
  });
  const isAudited = audited.value !== null && isNotAudited === null;
  const estimates = useCosts(conversation === null || isAudited ? null : make, conversation?.messages.length ?? 0, [
    conversation,
    jobsText,
    pricesText,
    isTooLong,
    scale,
    isAudited,
    allowed.value,
  ]);
  if (size === null || conversation === null || conversation.messages.length === 0) return null;
  return {
    before: size.before,
    after: size.after,
    isEstimate: true,
    isRough: size.isRough,
    calls: calls.value,
    plain: recorded === null ? estimates.rows.get(UNCHANGED) : recorded.plain,
    folded: recorded === null ? estimates.rows.get(strategy) : recorded.folded,
    costs: recorded?.costs ?? { ...estimates, stale: estimates.stale || isAudited },
    largestSummary: largestSummary.value,
    tooLong: isTooLong && !isAudited ? TOO_LONG : null,
    audit: recorded?.audit ?? null,
    isNotAudited,
    recorded,
  };
}

/** The strategies of the table: those that are always compared, the chosen one, and one that the user wrote. */
const namesFor = (strategy: HistoryChoice): readonly HistoryChoice[] =>
  historyChoices.filter(
    (name) => name === strategy || compared.includes(name) || (name === "custom" && chat.value.customStrategy !== ""),
  );

const loadNeeds = async () => (await import("./needs.tsx")).Needs;

/** The costs as a sentence, the strategies side by side, and the views of the window and the prices. */
export const ChatStatistics = ({ figure }: { readonly figure: ChatFigure }) => (
  <>
    <ChatRunPlot figure={figure} strategy={chat.value.strategy} />
    <FigureSentence {...figure} />
    {figure.recorded === null ? <Strategies costs={figure.costs} /> : <AuditedStrategies {...figure.recorded} />}
    <Group
      id="needs"
      title="What later calls needed"
      summary="values of earlier messages that calls use, and whether they were still there"
    >
      <Deferred load={loadNeeds} what="The plot" />
    </Group>
    <TokenViews
      tokens={figure.after}
      frame={null}
      messages={(result.value.managed?.conversation ?? source.value.conversation)?.messages ?? null}
      timeline={null}
    >
      {null}
    </TokenViews>
  </>
);

const Strategies = ({ costs }: { readonly costs: Costs }) => (
  <StrategyTable
    names={namesFor(chat.value.strategy)}
    labelOf={labelOf}
    chosen={chat.value.strategy}
    costs={costs}
    isEstimate
    unit="call"
    onPick={(name) => {
      const picked = historyChoices.find((choice) => choice === name);
      if (picked !== undefined) chooseChatStrategy(picked);
    }}
  />
);

/** The costs of the audit, request by request; its table is under “What was billed”. */
const AuditedStrategies = ({ chosen, costs, audit }: Recorded) =>
  audit.unit === "dollars" && audit.requests.length > 1 ? (
    <Group id="side-by-side" title="All strategies" summary="what they cost from request to request">
      <CostPlot
        names={[...costs.rows.keys()]}
        labelOf={(name) => (name === CHOSEN ? labelOf(chat.value.strategy) : shortCode(name))}
        chosen={chosen}
        costs={costs}
        unit="request"
      />
    </Group>
  ) : null;

const TOO_LONG =
  "The cost of the whole run is not computed for such a long conversation: compareCosts of the package computes it in a few minutes.";

/** The chosen strategy, the unchanged conversation, and the others, with the options of the page. */
function* jobsOf(names: readonly HistoryChoice[]): Generator<readonly [string, ChatParameters]> {
  const settings = settingsOf(chat.value);
  for (const [index, name] of names.entries()) {
    const { given, problems } =
      index === 0 ? parameters.value : parametersOf({ ...settings, strategy: name }, amounts.value);
    if (problems.size === 0) yield [name, given];
    if (index === 0) yield [UNCHANGED, { strategies: [], others: { provider: settings.provider } }];
  }
}

import "../../style/details.css";
import { PRICES_DATE } from "turnfold/model/model-prices";
import { Group } from "../../controls/group.tsx";
import { titleOf } from "../../page/audit-words.ts";
import { counted, formatted, money, rough } from "../../page/numbers.ts";
import { chooseStrategy, comparable, state } from "../../states/store.ts";
import { type Amounts, amountsOf } from "../../tokens/settings.ts";
import { labelOf } from "../../turns/options.ts";
import { CostPlot } from "./cost-plot.tsx";
import { change, costsOf, FEW_CALLS, type Figure, fits, isDearer, obstacle, SOURCES } from "./figure.tsx";
import type { Costs } from "./use-costs.ts";

/** The costs of the whole run as a sentence. */
export const FigureSentence = (figure: Figure) => (
  <p class="figure-run" role="status">
    {runSentence(figure, amountsOf(state.value.tokens))}
  </p>
);

function runSentence(props: Figure, amounts: Amounts): string {
  const why = obstacle(props, amounts);
  if (why !== null) return why;
  const { calls, folded, plain, audit = null, isNotAudited = null } = props;
  if (audit !== null) {
    const all = `All ${counted(audit.billed.requests, "request")} of the recording`;
    if (plain === undefined) return `${all}: computing the costs …`;
    const own = folded === undefined ? "computing …" : money(folded.cost ?? 0);
    const amount = `${money(plain.cost ?? 0)} ${SOURCES[audit.source]}`;
    return `${all}: ${folded === plain ? amount : `${amount}, ${own} with these settings`}, as under “${titleOf(audit)}”.`;
  }
  const all = calls === 1 ? "The one call of the run" : `All ${counted(calls, "call")} of the run`;
  const summaries =
    folded === undefined || folded.summaries === 0 ? "" : ` and ${formatted(folded.summaries)} requests for summaries`;
  const known = costsOf(props);
  // About as long as the final sentence, so that the content below does not move.
  const amount = known === null ? "computing the costs …" : `about ${change(money(known[0]), money(known[1]))}`;
  // Of similar lengths, for the same reason.
  const remark = !isDearer(props)
    ? "including the savings of the provider’s cache"
    : calls < FEW_CALLS
      ? "as so short a run has nothing to save yet"
      : "more than without a strategy: rewritten text misses the cache";
  const estimate = isNotAudited === null ? "" : ` ${isNotAudited}`;
  return `${all}${summaries}: ${amount}, ${remark}. Prices of ${PRICES_DATE}.${estimate}`;
}

interface StrategyTableProps {
  readonly names: readonly string[];
  /** The label of a strategy. */
  labelOf(name: string): string;
  readonly chosen: string;
  readonly costs: Costs;
  readonly isEstimate: boolean;
  /** What a request is of: “turn”, “call”. */
  readonly unit: string;
  onPick(name: string): void;
}

/** A table of strategies, folded to one line at first. A strategy is chosen by its name. */
export function StrategyTable(props: StrategyTableProps) {
  const { names, labelOf, costs } = props;
  const known = names.flatMap((name) => costs.rows.get(name)?.cost ?? []);
  const least = known.length > 1 ? Math.min(...known) : null;
  const best = names.filter((name) => least !== null && costs.rows.get(name)?.cost === least);
  const summary =
    least === null ? "tokens, costs and cache of each" : `least: ${labelOf(best[0] ?? "")}, about ${money(least)}`;
  return (
    <Group id="side-by-side" title="All strategies" summary={summary}>
      <CostPlot {...props} />
      <Rows {...props} least={least} />
    </Group>
  );
}

function Rows({
  names,
  labelOf,
  chosen,
  costs,
  isEstimate,
  onPick,
  least,
}: StrategyTableProps & { readonly least: number | null }) {
  const amounts = amountsOf(state.value.tokens);
  return (
    <table class="strategy-table" data-stale={costs.stale || undefined} aria-busy={costs.stale}>
      <caption class="visually-hidden">Strategies side by side</caption>
      <thead>
        <tr>
          <th scope="col">Strategy</th>
          <th scope="col">{isEstimate ? "Tokens, about" : "Tokens"}</th>
          <th scope="col">Whole run, about</th>
          <th scope="col">From cache</th>
          <th scope="col">Fits</th>
        </tr>
      </thead>
      <tbody>
        {names.map((name) => {
          const row = costs.rows.get(name);
          return (
            <tr key={name} data-chosen={name === chosen || undefined}>
              <th scope="row">
                <button type="button" class="link" aria-pressed={name === chosen} onClick={() => onPick(name)}>
                  {labelOf(name)}
                </button>
              </th>
              {row === undefined ? (
                <td colSpan={4}>{costs.stale ? "…" : "–"}</td>
              ) : row.problem !== "" ? (
                <td colSpan={4} class="strategy-problem">
                  {row.problem}
                </td>
              ) : (
                <>
                  <td>{row.isRough ? rough(row.tokens) : formatted(row.tokens)}</td>
                  <td>
                    {row.cost === least && least !== null && <span class="strategy-least">least </span>}
                    {row.cost === null ? "–" : money(row.cost)}
                  </td>
                  <td>{row.cost === null ? "–" : `${Math.round(100 * row.known)} %`}</td>
                  <td>{fits(amounts, row.tokens, row.largestSummary) ? "yes" : "no"}</td>
                </>
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The strategies side by side; a click chooses one. */
export const TurnsStrategies = ({ figure: { costs, isEstimate } }: { readonly figure: Figure }) => (
  <StrategyTable
    names={comparable.value.map(({ name }) => name)}
    labelOf={labelOf}
    chosen={state.value.strategy}
    costs={costs}
    isEstimate={isEstimate}
    unit="turn"
    onPick={(name) => {
      const picked = comparable.value.find((entry) => entry.name === name);
      if (picked !== undefined) chooseStrategy(picked.name);
    }}
  />
);

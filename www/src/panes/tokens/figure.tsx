import { Group } from "../../controls/group.tsx";
import { Icon } from "../../controls/icon.tsx";
import { counted } from "../../counted.ts";
import { editTokens, state } from "../../store.ts";
import type { CostRow } from "../../tokens/cost-rows.ts";
import { modelChoices, models, PRICES_DATE } from "../../tokens/models.ts";
import { type Amounts, amountsOf } from "../../tokens/settings.ts";
import { formatted, money, rough } from "../../tokens/words.ts";
import type { Costs } from "./use-costs.ts";

export interface Figure {
  /** Tokens of the next request without the strategy, and with it. */
  readonly before: number;
  readonly after: number;
  /** Whether the token counts are estimates. */
  readonly isEstimate: boolean;
  /** Whether `after` includes summaries that no model has written yet. */
  readonly isRough?: boolean;
  /** The number of calls of the run. */
  readonly calls: number;
  /** The cost of the run without the strategy, and with it. */
  readonly plain: CostRow | undefined;
  readonly folded: CostRow | undefined;
  readonly costs: Costs;
  /** Tokens of the largest request for a summary. */
  readonly largestSummary?: number;
  /** Why costs are not computed; null when they are. */
  readonly tooLong?: string | null;
}

/** The model, and the effect of a strategy in one line: tokens, costs, and whether the request fits the model's window. */
export function FigureLine(figure: Figure) {
  const { before, after, isEstimate, isRough = false } = figure;
  const amounts = amountsOf(state.value.tokens);
  const isChanged = before !== after;
  const about = isEstimate ? "about " : "";
  const then = isRough ? `${isEstimate ? "" : "about "}${rough(after)}` : formatted(after);
  return (
    <>
      <ModelChoice />
      <p class="figure-line">
        <strong>
          {about}
          {isChanged ? `${formatted(before)} → ${then}` : formatted(after)} tokens
        </strong>{" "}
        <RunCost {...figure} amounts={amounts} />{" "}
        <Fits amounts={amounts} tokens={after} largestSummary={figure.largestSummary ?? 0} />
      </p>
    </>
  );
}

/** The costs of the whole run as a sentence. */
export const FigureSentence = (figure: Figure) => (
  <p class="figure-run" role="status">
    {runSentence(figure, amountsOf(state.value.tokens))}
  </p>
);

/** The cost of the run. */
function RunCost({ amounts, ...props }: Figure & { readonly amounts: Amounts }) {
  const { before, after, calls, costs } = props;
  if (obstacle(props, amounts) !== null) return null;
  const known = costsOf(props);
  if (isDearer(props) && calls < FEW_CALLS) return <span class="figure-unit">nothing to save yet</span>;
  return (
    <strong data-stale={costs.stale || undefined}>
      {known === null ? <Unknown isChanged={before !== after} /> : change(money(known[0]), money(known[1]))}{" "}
      <span class="figure-unit">a run</span>
    </strong>
  );
}

/** Reserves the space of a cost that is being computed, so that the content below does not move under the pointer. */
const Unknown = ({ isChanged }: { readonly isChanged: boolean }) => (
  <>
    {isChanged && (
      <>
        <span class="figure-unknown">…</span> →{" "}
      </>
    )}
    <span class="figure-unknown">…</span>
  </>
);

const ModelChoice = () => (
  <select
    class="input"
    aria-label="Model and prices"
    value={state.value.tokens.model}
    onChange={(event) => {
      const chosen = modelChoices.find((name) => name === event.currentTarget.value);
      if (chosen !== undefined) editTokens({ model: chosen });
    }}
  >
    {modelChoices.map((name) => (
      <option key={name} value={name}>
        {models[name].label}
      </option>
    ))}
  </select>
);

/** Tokens that the reply to a request for a summary may have. */
export const SUMMARY_REPLY = 1000;

/** Whether a request and the requests for its summaries fit the model’s window. */
export const fits = ({ window, reserve }: Amounts, tokens: number, largestSummary: number): boolean =>
  tokens + reserve <= window && (largestSummary === 0 || largestSummary + SUMMARY_REPLY <= window);

interface FitsProps {
  readonly amounts: Amounts;
  readonly tokens: number;
  readonly largestSummary: number;
}

/** A warning when the request does not fit. */
const Fits = ({ amounts, tokens, largestSummary }: FitsProps) =>
  fits(amounts, tokens, largestSummary) ? null : (
    <span class="figure-fits">
      <Icon name="alert" /> does not fit its {formatted(amounts.window)} tokens
    </span>
  );

/** Why no costs are shown; null when they are known or being computed. */
function obstacle({ calls, plain, folded, costs, tooLong = null }: Figure, { prices }: Amounts): string | null {
  if (costs.failed !== null) return `The costs could not be computed: ${costs.failed}. Reload the page to try again.`;
  if (prices === null) return "Choose a model, or enter prices under Price, to see what the run costs.";
  if (calls === 0) return "Costs are shown from the first call on.";
  if (tooLong !== null) return tooLong;
  const problem = folded?.problem || plain?.problem;
  return problem ? `The cost can’t be computed: ${problem}.` : null;
}

/** The costs of the run without the strategy and with it; null until both are computed. */
function costsOf({ plain, folded }: Figure): readonly [number, number] | null {
  const [without, cost] = [plain?.cost ?? null, folded?.cost ?? null];
  return without === null || cost === null ? null : [without, cost];
}

/** A run of fewer calls is too short for its strategy to pay. */
const FEW_CALLS = 30;

/** Whether the run costs more with the strategy. Rounded amounts would not show a smaller difference. */
function isDearer(figure: Figure): boolean {
  const known = costsOf(figure);
  return known !== null && known[1] > known[0] * 1.005 && figure.plain !== figure.folded;
}

function runSentence(props: Figure, amounts: Amounts): string {
  const why = obstacle(props, amounts);
  if (why !== null) return why;
  const { calls, folded } = props;
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
  return `${all}${summaries}: ${amount}, ${remark}. Prices of ${PRICES_DATE}.`;
}

const change = (from: string, to: string): string => (from === to ? to : `${from} → ${to}`);

interface StrategyTableProps {
  readonly names: readonly string[];
  readonly chosen: string;
  readonly costs: Costs;
  readonly isEstimate: boolean;
  onPick(name: string): void;
}

/** A table of strategies, folded to one line at first. A strategy is chosen by its name. */
export function StrategyTable(props: StrategyTableProps) {
  const { names, costs } = props;
  const known = names.flatMap((name) => costs.rows.get(name)?.cost ?? []);
  const least = known.length > 1 ? Math.min(...known) : null;
  const best = names.filter((name) => least !== null && costs.rows.get(name)?.cost === least);
  const summary = least === null ? "tokens, costs and cache of each" : `least: ${best[0]}, about ${money(least)}`;
  return (
    <Group id="side-by-side" title="All strategies" summary={summary}>
      <Rows {...props} least={least} />
    </Group>
  );
}

function Rows({
  names,
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
                  {name}
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

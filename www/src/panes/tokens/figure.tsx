import type { Audit } from "turnfold/audit";
import { Icon } from "../../controls/icon.tsx";
import { formatted, money, rough } from "../../page/numbers.ts";
import { editTokens, state } from "../../states/store.ts";
import type { CostRow } from "../../tokens/cost-rows.ts";
import { modelChoices, modelOf } from "../../tokens/models.ts";
import { type Amounts, amountsOf } from "../../tokens/settings.ts";
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
  /** The audit whose numbers `plain` and `folded` are; null when they are estimates. */
  readonly audit?: Audit | null;
  /** Why they are estimates although there is an audit; null otherwise. */
  readonly isNotAudited?: string | null;
}

/** What the dollars of an audit are. */
export const SOURCES: Readonly<Record<Audit["source"], string>> = {
  recorded: "billed",
  mixed: "partly estimated",
  estimated: "estimated",
};

/** The model, and the effect of a strategy in one line: tokens, costs, and whether the request fits the model's window. */
export function FigureLine(figure: Figure) {
  const { before, after, isEstimate, isRough = false, audit = null, plain, folded } = figure;
  const amounts = amountsOf(state.value.tokens);
  const isChanged = before !== after;
  const about = isEstimate ? "about " : "";
  const then = isRough ? `${isEstimate ? "" : "about "}${rough(after)}` : formatted(after);
  return (
    <>
      <ModelChoice />
      <p class="figure-line">
        {audit === null || plain === undefined ? (
          <strong>
            {about}
            {isChanged ? `${formatted(before)} → ${then}` : formatted(after)} tokens
          </strong>
        ) : (
          <strong data-stale={folded === undefined || undefined}>
            {change(formatted(plain.tokens), folded === undefined ? "…" : formatted(folded.tokens))} tokens sent
          </strong>
        )}{" "}
        <RunCost {...figure} amounts={amounts} />{" "}
        <Fits amounts={amounts} tokens={after} largestSummary={figure.largestSummary ?? 0} />
      </p>
    </>
  );
}

/** The cost of the run. */
function RunCost({ amounts, ...props }: Figure & { readonly amounts: Amounts }) {
  const { before, after, calls, costs, audit = null, isNotAudited = null, plain } = props;
  if (obstacle(props, amounts) !== null) return null;
  const known = costsOf(props);
  if (audit !== null && plain !== undefined)
    return (
      <strong>
        {money(plain.cost ?? 0)} <span class="figure-unit">{SOURCES[audit.source]}</span>
        {known === null ? (
          <>
            {" "}
            → <span class="figure-unknown">…</span>
          </>
        ) : (
          plain !== props.folded && ` → ${money(known[1])}`
        )}
      </strong>
    );
  if (isDearer(props) && calls < FEW_CALLS) return <span class="figure-unit">nothing to save yet</span>;
  return (
    <strong data-stale={costs.stale || undefined}>
      {known === null ? <Unknown isChanged={before !== after} /> : change(money(known[0]), money(known[1]))}{" "}
      <span class="figure-unit">a run{isNotAudited !== null && ", estimated"}</span>
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

/** The models of the chooser, and one of the package's list that a recording names. */
function ModelChoice() {
  const { model } = state.value.tokens;
  return (
    <select
      class="input"
      aria-label="Model and prices"
      value={model}
      onChange={({ currentTarget }) => editTokens({ model: currentTarget.value })}
    >
      {[...new Set([...modelChoices, model])].map((name) => (
        <option key={name} value={name}>
          {modelOf(name).label}
        </option>
      ))}
    </select>
  );
}

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
export function obstacle({ calls, plain, folded, costs, tooLong = null }: Figure, { prices }: Amounts): string | null {
  if (costs.failed !== null) return `The costs could not be computed: ${costs.failed}. Reload the page to try again.`;
  if (prices === null) return "Choose a model, or enter prices under Price, to see what the run costs.";
  if (calls === 0) return "Costs are shown from the first call on.";
  if (tooLong !== null) return tooLong;
  const problem = folded?.problem || plain?.problem;
  return problem ? `The cost can’t be computed: ${problem}.` : null;
}

/** The costs of the run without the strategy and with it; null until both are computed. */
export function costsOf({ plain, folded }: Figure): readonly [number, number] | null {
  const [without, cost] = [plain?.cost ?? null, folded?.cost ?? null];
  return without === null || cost === null ? null : [without, cost];
}

/** A run of fewer calls is too short for its strategy to pay. */
export const FEW_CALLS = 30;

/** Whether the run costs more with the strategy. Rounded amounts would not show a smaller difference. */
export function isDearer(figure: Figure): boolean {
  const known = costsOf(figure);
  return known !== null && known[1] > known[0] * 1.005 && figure.plain !== figure.folded;
}

export const change = (from: string, to: string): string => (from === to ? to : `${from} → ${to}`);

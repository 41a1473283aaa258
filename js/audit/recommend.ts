import type { Audit, Recommendation, StrategyAudit } from "./audit-result.ts";

/** A strategy that saves less is not worth the change. */
const MIN_SAVING = 0.05;

/** The share of needed names that may be missing. */
const MAX_MISSING = 0.05;

const percent = (share: number) => `${Math.round(100 * share)} %`;

/**
 * Returns the cheapest strategy that certainly saves something, and with which hardly a name would have been missing.
 */
export function recommend(strategies: readonly StrategyAudit[], unit: Audit["unit"]): Recommendation {
  const [none, ...others] = strategies as [StrategyAudit, ...StrategyAudit[]];
  const missingShare = ({ names }: StrategyAudit) => (names.of === 0 ? 0 : names.missing / names.of);
  const costOf = ({ costWithForgetting }: StrategyAudit) => costWithForgetting / none.cost;
  const cheap = others.filter((row) => 1 - row.share >= MIN_SAVING && row.interval[1] < 1 && costOf(row) < 1);
  const safe = cheap.filter((row) => missingShare(row) <= MAX_MISSING);
  const [best] = [...safe].sort((left, right) => costOf(left) - costOf(right));
  if (best !== undefined) {
    const { names, interval, cost } = best;
    const kept =
      names.of === 0
        ? "no later request needs a name from far back"
        : `${names.of - names.missing} of ${names.of} names that later requests use from far back stay`;
    const saving = `it saves ${percent(1 - best.share)} (${percent(1 - interval[1])} to ${percent(1 - interval[0])})`;
    return { code: best.code, reason: `${saving}, and ${kept}`, saved: none.cost - cost };
  }
  const change = (reason: string) => ({ code: null, reason, saved: 0 });
  const [lossy] = [...cheap].sort((left, right) => costOf(left) - costOf(right));
  if (lossy !== undefined) {
    return change(
      `what saves most, ${percent(1 - lossy.share)}, would have lost ${lossy.names.missing} of ${lossy.names.of} names that later requests use`,
    );
  }
  const [cheapest] = [...others].sort((left, right) => left.share - right.share);
  if (none.cost === 0 || cheapest === undefined) return change("there is nothing to save");
  if (cheapest.share >= 1)
    return change("every strategy would have cost as much or more: what is repeated is read from the cache");
  return change(
    `the cheapest strategy would have saved ${percent(1 - cheapest.share)}${unit === "dollars" ? "" : " of the cost"}, too little to be sure of it`,
  );
}

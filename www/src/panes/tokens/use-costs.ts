import { useEffect, useState } from "preact/hooks";
import { loads } from "../../states/store.ts";
import type { CostJob, CostRow } from "../../tokens/cost-rows.ts";
import { runCosts } from "../../tokens/run-costs.ts";

/** Costs are computed after a pause, so that typing stays fast. */
const PAUSE_MS = 300;

export interface Costs {
  /** The rows by the name of the strategy. Rows of the last run stay until the new ones are computed. */
  readonly rows: ReadonlyMap<string, CostRow>;
  /** Whether rows are still being computed. */
  readonly stale: boolean;
  /** Why the costs could not be computed; null when they could. */
  readonly failed: string | null;
}

const NOTHING: Costs = { rows: new Map(), stale: true, failed: null };

/** Costs, with the number of the load whose run they are of. */
interface Known {
  readonly costs: Costs;
  readonly loads: number;
}

/** The costs of a job, which is computed again when a dependency changes. `size` is as in `runCosts`; null for no job. */
export function useCosts(make: (() => CostJob) | null, size: number, dependencies: readonly unknown[]): Costs {
  const [known, setKnown] = useState<Known>({ costs: NOTHING, loads: loads.value });
  const now = loads.value;
  useEffect(() => {
    const setCosts = (next: (before: Costs) => Costs): void =>
      setKnown((before) => ({ costs: next(before.loads === now ? before.costs : NOTHING), loads: now }));
    if (make === null) {
      setCosts(() => ({ ...NOTHING, stale: false }));
      return;
    }
    const fresh = new Map<string, CostRow>();
    setCosts((before) => ({ ...before, stale: true }));
    return runCosts(make, size, PAUSE_MS, {
      row(row) {
        fresh.set(row.name, row);
        setCosts((before) => ({ ...before, rows: new Map([...before.rows, ...fresh]) }));
      },
      end: (failed) => setCosts(() => ({ rows: fresh, stale: false, failed })),
    });
  }, dependencies);
  // The costs of another state would be false for this one.
  return known.loads === now ? known.costs : NOTHING;
}

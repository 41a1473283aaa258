import { useEffect, useState } from "preact/hooks";
import type { CostJob, CostRow } from "../../tokens/cost-rows.ts";
import { runCosts } from "../../tokens/run-costs.ts";

/** Costs are computed after a pause, so that typing stays fast. */
const PAUSE_MS = 300;

export interface Costs {
  /** By the name of the strategy; those of the last run until the new ones are there. */
  readonly rows: ReadonlyMap<string, CostRow>;
  /** Whether rows are still computed. */
  readonly stale: boolean;
  readonly failed: boolean;
}

const NOTHING: Costs = { rows: new Map(), stale: true, failed: false };

/** The costs of a job of this size, which is made again when one of the dependencies changes; null for none. */
export function useCosts(make: (() => CostJob) | null, size: number, dependencies: readonly unknown[]): Costs {
  const [costs, setCosts] = useState(NOTHING);
  useEffect(() => {
    if (make === null) {
      setCosts({ ...NOTHING, stale: false });
      return;
    }
    const fresh = new Map<string, CostRow>();
    setCosts((before) => ({ ...before, stale: true }));
    return runCosts(make, size, PAUSE_MS, {
      row(row) {
        fresh.set(row.name, row);
        setCosts((before) => ({ ...before, rows: new Map([...before.rows, ...fresh]) }));
      },
      end: (failed) => setCosts({ rows: fresh, stale: false, failed }),
    });
  }, dependencies);
  return costs;
}

import { useMemo } from "preact/hooks";
import { money } from "../../page/numbers.ts";
import { PlotFigure } from "../../plots/figure.tsx";
import { costFinding } from "../../plots/findings.ts";
import { linesPlot } from "../../plots/lines.ts";
import type { Plot } from "../../plots/plot.ts";
import type { Costs } from "./use-costs.ts";

interface CostPlotProps {
  readonly names: readonly string[];
  labelOf(name: string): string;
  readonly chosen: string;
  readonly costs: Costs;
  /** What a request is of: “turn”, “call”. */
  readonly unit: string;
}

/** The cost of the run up to each request, with each strategy. */
export function CostPlot({ names, labelOf, chosen, costs, unit }: CostPlotProps) {
  const plot = useMemo(() => plotOf({ names, labelOf, chosen, costs, unit }), [names.join(), chosen, costs, unit]);
  return plot === null ? null : <PlotFigure name="costs" plot={plot} isStale={costs.stale} />;
}

function plotOf({ names, labelOf, chosen, costs, unit }: CostPlotProps): Plot | null {
  const sums = names.flatMap((name) => {
    let sum = 0;
    const values = costs.rows.get(name)?.requests.map(({ cost }) => (sum += cost)) ?? [];
    return values.length > 1 ? [{ name, label: labelOf(name), values }] : [];
  });
  // While a run changes, some rows are of the run before.
  const requests = sums.find(({ name }) => name === chosen)?.values.length;
  const shown = sums.filter(({ values }) => values.length === requests);
  if (shown.length < 2) return null;
  const last = ({ values }: (typeof shown)[number]): number => values.at(-1) ?? 0;
  const least = shown.reduce((best, line) => (last(line) < last(best) ? line : best));
  return linesPlot({
    title: "What the run costs",
    finding: costFinding(shown, chosen, unit),
    unit,
    amount: money,
    lines: shown.map((line) => ({
      ...line,
      role: line.name === chosen ? "chosen" : line.name === "none" ? "none" : line === least ? "least" : "other",
    })),
  });
}

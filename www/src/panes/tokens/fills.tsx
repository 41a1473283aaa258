import { useMemo } from "preact/hooks";
import { formatted, percent } from "../../page/numbers.ts";
import { PlotFigure } from "../../plots/figure.tsx";
import { type Ranking, ranksPlot } from "../../plots/ranks.ts";
import { chatFills, turnFills } from "../../tokens/fills.ts";
import type { ViewProps } from "./views.tsx";

/** What fills the request: bars by turn, definition, tool or file. */
export function Fills({ tokens, frame, messages }: Pick<ViewProps, "tokens" | "frame" | "messages">) {
  const plot = useMemo(() => {
    const rankings = frame !== null ? turnFills(frame) : chatFills(messages ?? []);
    return rankings.length === 0
      ? null
      : ranksPlot({ title: "What fills the window", finding: finding(rankings, tokens), rankings, total: tokens });
  }, [tokens, frame, messages]);
  return plot === null ? null : <PlotFigure name="fills" plot={plot} />;
}

/** The largest of each ranking. */
function finding(rankings: readonly Ranking[], total: number): string {
  const largest = rankings.map(({ noun, rows: [row] }) => {
    const [name, tokens] = row as readonly [string, number];
    return `${noun} ${name} (${percent(tokens, total)})`.trim();
  });
  return `The largest parts of ${formatted(total)} tokens: ${largest.join(", ")}.`;
}

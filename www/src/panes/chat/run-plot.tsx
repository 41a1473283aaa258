import { useMemo } from "preact/hooks";
import { labelOf } from "../../chat/options.ts";
import { barsPlot, type Series } from "../../plots/bars.ts";
import { PlotFigure } from "../../plots/figure.tsx";
import { courseFinding } from "../../plots/findings.ts";
import type { Plot } from "../../plots/plot.ts";
import type { CostRequest } from "../../tokens/cost-rows.ts";
import { type MessageKind, messageKinds } from "../../tokens/request-parts.ts";
import type { Figure } from "../tokens/figure.tsx";
import { billSeries, Division, isByBill } from "../tokens/run-plot.tsx";

/** The names of the kinds of messages, and the sections whose colours they have. */
const KINDS: Readonly<Record<MessageKind, readonly [label: string, like: string]>> = {
  system: ["system", "system"],
  user: ["user", "mission"],
  assistant: ["model", "program"],
  tool: ["tool results", "toolCalls"],
  summary: ["summaries", "user"],
};

interface ChatRunPlotProps {
  readonly figure: Figure;
  readonly strategy: string;
}

/** The tokens of each request of a chat. */
export function ChatRunPlot({ figure: { plain, folded, costs }, strategy }: ChatRunPlotProps) {
  const requests = folded?.requests ?? [];
  const before = strategy === "none" ? null : (plain?.requests ?? []);
  const byBill = isByBill(requests);
  const plot = useMemo(
    () => (requests.length < 2 ? null : plotOf(requests, before, strategy, byBill)),
    [folded, plain, strategy, byBill],
  );
  if (plot === null) return costs.stale ? <div class="plot-space" /> : null;
  return (
    <PlotFigure name="run" plot={plot} isStale={costs.stale}>
      <Division hasBill />
    </PlotFigure>
  );
}

function plotOf(
  requests: readonly CostRequest[],
  before: readonly CostRequest[] | null,
  strategy: string,
  byBill: boolean,
): Plot {
  const numbers = requests.map((_, index) => index + 1);
  const plain = before?.length === requests.length ? before.map(sizeOf) : null;
  const parts = messageKinds.map(
    (kind): Series => ({
      label: KINDS[kind][0],
      look: { class: "plot-part", "data-kind": KINDS[kind][1] },
      values: requests.map(({ kinds }) => kinds[kind] ?? 0),
    }),
  );
  const tokens = requests.map(sizeOf);
  return barsPlot({
    title: "Tokens of each request",
    finding: courseFinding({
      unit: "call",
      numbers,
      tokens,
      plain,
      strategy: strategy === "none" ? null : labelOf(strategy),
    }),
    unit: "call",
    numbers,
    series: byBill ? billSeries(requests) : parts,
    line: plain === null ? null : { label: "without a strategy", values: plain },
    folds: [...requests.keys()].filter((index) => requests[index]?.isRewritten),
  });
}

const sizeOf = ({ kinds }: CostRequest): number => Object.values(kinds).reduce((sum, tokens) => sum + tokens, 0);

import { useMemo } from "preact/hooks";
import { labelOf } from "../../chat/options.ts";
import { barsPlot, type Series } from "../../plots/bars.ts";
import { PlotFigure } from "../../plots/figure.tsx";
import { courseFinding } from "../../plots/findings.ts";
import type { Plot } from "../../plots/plot.ts";
import type { CostRequest } from "../../tokens/cost-rows.ts";
import { type MessageKind, messageKinds } from "../../tokens/request-parts.ts";
import { billSeries, Division, isByBill } from "../tokens/run-plot.tsx";
import type { ChatFigure } from "./figure.tsx";
import type { Recorded } from "./use-recorded.ts";

/** The names of the kinds of messages, and the sections whose colours they have. */
const KINDS: Readonly<Record<MessageKind, readonly [label: string, like: string]>> = {
  unknown: ["not in the recording", "feedback"],
  system: ["system", "system"],
  user: ["user", "mission"],
  assistant: ["model", "program"],
  tool: ["tool results", "toolCalls"],
  summary: ["summaries", "user"],
};

interface ChatRunPlotProps {
  readonly figure: ChatFigure;
  readonly strategy: string;
}

/** The tokens of each request of a chat. */
export function ChatRunPlot({ figure: { plain, folded, costs, recorded }, strategy }: ChatRunPlotProps) {
  const requests = folded?.requests ?? [];
  const isPlain = recorded === null ? strategy === "none" : folded === plain;
  const before = isPlain ? null : (plain?.requests ?? []);
  // An audit has the parts of what was sent only.
  const isDivided = recorded === null || isPlain;
  const byBill = isDivided && isByBill(requests);
  const plot = useMemo(
    () =>
      requests.length < 2
        ? null
        : plotOf(requests, before, isPlain ? "none" : strategy, { byBill, isDivided, recorded }),
    [folded, plain, strategy, byBill, isPlain, isDivided],
  );
  if (plot === null) return costs.stale ? <div class="plot-space" /> : null;
  return (
    <PlotFigure name="run" plot={plot} isStale={costs.stale}>
      <Division hasBill={isDivided} />
    </PlotFigure>
  );
}

function plotOf(
  requests: readonly CostRequest[],
  before: readonly CostRequest[] | null,
  strategy: string,
  { byBill, isDivided, recorded }: { byBill: boolean; isDivided: boolean; recorded: Recorded | null },
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
  const unit = recorded === null ? "call" : "request";
  const own: Series = {
    label: "with the strategy",
    look: { class: "plot-part", "data-kind": "program" },
    values: tokens,
  };
  return barsPlot({
    title: "Tokens of each request",
    finding: courseFinding({
      unit,
      numbers,
      tokens,
      plain,
      strategy: strategy === "none" ? null : labelOf(strategy),
    }),
    unit,
    numbers,
    series: isDivided ? (byBill ? billSeries(requests) : parts) : [own],
    line: plain === null ? null : { label: recorded === null ? "without a strategy" : "as it was", values: plain },
    ...(recorded === null ? {} : { fold: "shorter than the one before" }),
    folds: [...requests.keys()].filter((index) => requests[index]?.isRewritten),
  });
}

/** A request of an audit with a strategy has no kinds of messages. */
function sizeOf({ kinds, read, written, fresh }: CostRequest): number {
  const known = Object.values(kinds);
  return known.length === 0 ? read + written + fresh : known.reduce((sum, tokens) => sum + tokens, 0);
}

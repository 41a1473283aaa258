import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { SectionKind } from "turnfold";
import { Choices } from "../../controls/choices.tsx";
import { moveTo, previewed } from "../../page/view.ts";
import { barsPlot, type Series, withRest } from "../../plots/bars.ts";
import { PlotFigure } from "../../plots/figure.tsx";
import { courseFinding } from "../../plots/findings.ts";
import type { Plot } from "../../plots/plot.ts";
import type { CostRequest } from "../../tokens/cost-rows.ts";
import type { Point } from "../../tokens/timeline.ts";
import { labelOf } from "../../turns/options.ts";
import type { Frame } from "../../turns/render.ts";
import { sectionNames } from "../turns/section-names.ts";
import type { Figure } from "./figure.tsx";
import type { Points } from "./use-timeline.ts";

interface RunPlotProps {
  /** The requests of all turns; null until they are counted. */
  readonly timeline: Points | null;
  /** The figure of the request that is shown. */
  readonly figure: Figure;
  /** The frame after all turns. */
  readonly latest: Frame;
  /** The number of turns of the request that is shown, and of all. */
  readonly turns: number;
  readonly count: number;
  /** Whether another request can be shown. */
  readonly canMove: boolean;
}

/** The tokens of each request of a run. The pointer shows the messages of a request, and a click or a key keeps them. */
export function RunPlot({ timeline, figure, latest, turns, count, canMove }: RunPlotProps) {
  const bill = useBill(figure, turns === count ? latest : null, latest);
  const hover = usePreview();
  const strategy = latest.stats.strategy ?? null;
  const byBill = isByBill(bill);
  const points = useMemo(
    // The request that follows the last turn was not made.
    () => (timeline?.points ?? []).filter((point) => !byBill || point.turns < bill.length),
    [timeline?.points, byBill, bill],
  );
  const plot = useMemo(
    () => (points.length < 2 ? null : turnsPlot(points, bill, strategy, byBill)),
    [points, bill, strategy, byBill],
  );
  // Reserves its space, so that nothing moves when it appears.
  if (plot === null)
    return (
      <div class="plot-space">
        {timeline === null && <p class="view-note">Counting the tokens of each request …</p>}
      </div>
    );
  return (
    <PlotFigure
      name="run"
      plot={plot}
      step={points.findLastIndex((point) => point.turns <= turns)}
      onStep={(step) => {
        const point = points[step];
        if (canMove && point !== undefined) moveTo(point.turns, count);
      }}
      onHover={canMove ? (step, area) => hover(step === null ? null : (points[step]?.turns ?? null), area) : undefined}
      isStale={timeline?.stale}
    >
      <Division hasBill={bill.length > 0} />
    </PlotFigure>
  );
}

/** How long the pointer has to rest on a request before its messages are shown. */
const REST_MS = 80;

/** Returns a function that shows the messages before a number of turns; null for those that were shown before. */
function usePreview(): (turns: number | null, area: HTMLElement) => void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const end = (): void => {
    clearTimeout(timer.current);
    previewed.value = null;
  };
  useEffect(() => end, []);
  return (turns, area) => {
    const frame = area.closest<HTMLElement>(".frame");
    if (turns === null) {
      end();
      if (frame !== null) frame.style.minHeight = "";
      return;
    }
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      // Shorter messages would make the pane scroll, and move the plot under the pointer.
      if (frame !== null && previewed.value === null) frame.style.minHeight = `${frame.offsetHeight}px`;
      previewed.value = turns;
    }, REST_MS);
  };
}

/** How the bars are divided. Not part of the state. */
const division = signal<"parts" | "bill">("parts");

const DIVISIONS = [
  { name: "parts", label: "Parts" },
  { name: "bill", label: "Cache" },
] as const;

/** Whether requests with this bill are divided by it. */
export const isByBill = (bill: readonly CostRequest[]): boolean => division.value === "bill" && bill.length > 0;

export const Division = ({ hasBill }: { readonly hasBill: boolean }) =>
  hasBill ? (
    <Choices
      name="plot-division"
      legend="Divide the requests by"
      options={DIVISIONS}
      value={division.value}
      onChange={(name) => {
        division.value = name;
      }}
    />
  ) : null;

/** The bill of the whole run. That of an earlier request is of a part of the run only. */
function useBill({ folded }: Figure, shown: Frame | null, latest: Frame): readonly CostRequest[] {
  const known = useRef<{ readonly of: Frame; readonly requests: readonly CostRequest[] } | null>(null);
  const requests = folded?.requests ?? NONE;
  if (shown === latest) known.current = { of: latest, requests };
  return known.current?.of === latest ? known.current.requests : requests;
}

const NONE: readonly CostRequest[] = [];

function turnsPlot(
  points: readonly Point[],
  bill: readonly CostRequest[],
  strategy: string | null,
  byBill: boolean,
): Plot {
  const kinds = [...new Set(points.flatMap((point) => point.kinds.map(([kind]) => kind)))];
  const parts = withRest(
    kinds.map((kind) => ({
      label: nameOf(kind),
      look: { class: "plot-part", "data-kind": kind },
      values: points.map((point) => point.kinds.find(([name]) => name === kind)?.[1] ?? 0),
    })),
  );
  return barsPlot({
    title: "Tokens of each request",
    finding: courseFinding({
      unit: "turn",
      numbers: points.map(({ turns }) => turns + 1),
      tokens: points.map(({ folded }) => folded.tokens),
      plain: strategy === null ? null : points.map(({ plain }) => plain.tokens),
      strategy: strategy === null ? null : labelOf(strategy),
    }),
    unit: "turn",
    numbers: points.map(({ turns }) => turns + 1),
    series: byBill ? billSeries(points.map(({ turns }) => bill[turns])) : parts,
    line: strategy === null ? null : { label: "without a strategy", values: points.map(({ plain }) => plain.tokens) },
    folds: foldsOf(
      points.map(({ turns }) => turns),
      bill,
    ),
  });
}

const nameOf = (kind: SectionKind | "message"): string =>
  kind === "message" || kind === "separator" ? "other" : sectionNames[kind];

/** What the provider bills a request's tokens as. */
export const billSeries = (requests: readonly (CostRequest | undefined)[]): readonly Series[] =>
  (
    [
      ["read", "read from the cache"],
      ["written", "written to it"],
      ["fresh", "not cached"],
    ] as const
  ).map(([name, label]) => ({
    label,
    look: { class: `plot-${name}` },
    values: requests.map((request) => request?.[name] ?? 0),
  }));

/** The indexes of the shown requests that are rewritten, or that follow one which is not shown and is. */
function foldsOf(turns: readonly number[], bill: readonly CostRequest[]): number[] {
  return [...turns.keys()].filter((index) =>
    bill
      .slice(index === 0 ? 0 : (turns[index - 1] as number) + 1, (turns[index] as number) + 1)
      .some(({ isRewritten }) => isRewritten),
  );
}

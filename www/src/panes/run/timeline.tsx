import { useMemo } from "preact/hooks";
import type { Step } from "turnfold";
import { counted } from "../../page/numbers.ts";
import { PlotFigure } from "../../plots/figure.tsx";
import { type Span, spansPlot, time } from "../../plots/spans.ts";
import { spansOf } from "../../run/timeline.ts";

/** The times of the model and of tools in a run; nothing where none are recorded. */
export function Timeline({ step }: { readonly step: Step }) {
  const plot = useMemo(() => {
    const { spans, duration } = spansOf(step);
    if (spans.length === 0) return null;
    return spansPlot({ title: "Where the time goes", finding: finding(spans, duration), spans, duration });
  }, [step]);
  return plot === null ? null : <PlotFigure name="timeline" plot={plot} />;
}

function finding(spans: readonly Span[], duration: number): string {
  const of = (lane: Span["lane"]): readonly Span[] => spans.filter((span) => span.lane === lane);
  const sum = (list: readonly Span[]): number => list.reduce((all, { duration }) => all + duration, 0);
  const [model, tools] = [of("model"), of("tools")];
  const longest = spans.reduce((most, span) => (span.duration > most.duration ? span : most));
  const sentences = [
    ...(model.length === 0 ? [] : [`${time(sum(model))} of ${time(duration)} are the model’s.`]),
    ...(tools.length === 0
      ? []
      : [
          `${counted(tools.length, "call")} of tools ${tools.length === 1 ? "takes" : "take"} ${time(sum(tools))}${sum(tools) > duration ? ", many at once" : ""}.`,
        ]),
    `The longest is ${longest.label} in turn ${longest.turn}, ${time(longest.duration)}.`,
  ];
  return sentences.join(" ");
}

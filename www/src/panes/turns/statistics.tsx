import { useMemo } from "preact/hooks";
import { formatted, percent } from "../../page/numbers.ts";
import { labelOf } from "../../turns/options.ts";
import type { Frame } from "../../turns/render.ts";
import { Counter } from "../tokens/counter.tsx";
import type { Figure } from "../tokens/figure.tsx";
import { FigureSentence, TurnsStrategies } from "../tokens/figure-details.tsx";
import { RunPlot } from "../tokens/run-plot.tsx";
import { Total, TotalBar } from "../tokens/totals.tsx";
import { type Points, useTimeline } from "../tokens/use-timeline.ts";
import { TokenViews } from "../tokens/views.tsx";
import { ViewBar, type ViewBarProps } from "./view-bar.tsx";

interface StatisticsProps {
  readonly frame: Frame;
  readonly figure: Figure;
  /** Whether the frame uses the strategy of the page, so that another strategy can be chosen here. */
  readonly isChosen: boolean;
  /** The requests up to that of the frame. */
  readonly timeline: Points | null;
}

interface RunStatisticsProps extends Omit<StatisticsProps, "timeline"> {
  /** The frame after all `count` turns; `frame` is that after `turns`. */
  readonly latest: Frame;
  readonly turns: number;
  readonly count: number;
  /** Whether the frame after another number of turns can be shown. */
  readonly canMove: boolean;
}

/** The requests of a run, and the statistics of the frame that is shown. */
function RunStatistics({ latest, turns, count, canMove, ...shown }: RunStatisticsProps) {
  const timeline = useTimeline(latest);
  const until = useMemo(
    () => timeline && { ...timeline, points: timeline.points.filter((point) => point.turns <= turns) },
    [timeline, turns],
  );
  return (
    <>
      {count > 0 && (
        <RunPlot
          timeline={timeline}
          figure={shown.figure}
          latest={latest}
          turns={turns}
          count={count}
          canMove={canMove}
        />
      )}
      <Statistics {...shown} timeline={until} />
    </>
  );
}

/** The totals of a frame: its tokens compared with the uncompressed history, and how much of it is shown. */
function Statistics({ frame, figure, isChosen, timeline }: StatisticsProps) {
  const { tokens, plainTokens, stats, messages, budget, requestHistory } = frame;
  const largest = Math.max(tokens, plainTokens, 1);
  const isEstimate = frame.counter.method === "estimate";
  return (
    <section class="statistics" aria-label="Statistics">
      <FigureSentence {...figure} />
      {isChosen && requestHistory !== null && <TurnsStrategies figure={figure} />}
      <div class="totals">
        <Total label={labelOf(stats.strategy ?? "none")} tokens={tokens} kind="folded" isEstimate={isEstimate}>
          <TotalBar messages={messages} tokens={tokens} largest={largest} />
        </Total>
        {stats.enabled && (
          <Total label={labelOf("none")} tokens={plainTokens} kind="plain" isEstimate={isEstimate}>
            <span class="total-bar" style={{ width: `${(100 * plainTokens) / largest}%` }} />
          </Total>
        )}
      </div>
      <dl class="facts">
        {stats.enabled && plainTokens > 0 && (
          <Fact name={tokens > plainTokens ? "tokens more" : "tokens saved"} value={saved(tokens, plainTokens)} />
        )}
        <Fact name="messages" value={formatted(messages.length)} />
        {stats.enabled && <Fact name="turns folded" value={formatted(stats.turnsCompressed)} />}
        <Fact name="calls shown" value={share(stats.toolCallsShown, stats.toolCallsTotal)} />
        <Fact name="prints shown" value={share(stats.printlnsShown, stats.printlnsTotal)} />
        <Fact name="errors folded" value={formatted(stats.errorTurnsCollapsed)} />
        {budget !== null && (
          <Fact name="budget used" value={`${formatted(budget.used)} of ${formatted(budget.budget)}`} />
        )}
      </dl>
      {budget?.fits === false && <p class="over-budget">The required parts exceed the budget; they are sent anyway.</p>}
      <TokenViews tokens={tokens} frame={frame} messages={null} timeline={timeline}>
        <Counter counter={frame.counter} />
      </TokenViews>
    </section>
  );
}

/** Everything about a frame that is not in the line above it. */
export const FrameDetails = ({ hasOriginal, decision, ...props }: RunStatisticsProps & ViewBarProps) => (
  <>
    <RunStatistics {...props} />
    <ViewBar frame={props.frame} hasOriginal={hasOriginal} decision={decision} count={props.count} />
  </>
);

const Fact = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);

const share = (shown: number, total: number): string =>
  shown === total ? formatted(total) : `${formatted(shown)} of ${formatted(total)}`;

function saved(tokens: number, plainTokens: number): string {
  const difference = Math.abs(plainTokens - tokens);
  return `${formatted(difference)} (${percent(difference, plainTokens)})`;
}

import { formatted, percent } from "../../page/numbers.ts";
import { state } from "../../states/store.ts";
import { amountsOf, overSentence } from "../../tokens/settings.ts";
import type { Point } from "../../tokens/timeline.ts";
import { labelOf } from "../../turns/options.ts";
import { AmountFields } from "./amounts.tsx";
import { Fills } from "./fills.tsx";
import type { ViewProps } from "./views.tsx";

/** How much of the model's window the request and the reserve for the reply take. */
export function WindowView({ tokens, frame, messages, timeline }: ViewProps) {
  const amounts = amountsOf(state.value.tokens);
  const { window, reserve } = amounts;
  const free = window - reserve - tokens;
  const whole = Math.max(window, tokens + reserve, 1);
  const width = (part: number): string => `${(100 * part) / whole}%`;
  return (
    <>
      <AmountFields names={["window", "reserve"]} />
      <div class="window-track" data-over={free < 0 || undefined} aria-hidden="true">
        <span class="window-used" style={{ width: width(tokens) }} />
        <span class="window-free" style={{ width: width(Math.max(0, free)) }} />
        <span class="window-reserve" style={{ width: width(reserve) }} />
      </div>
      <dl class="facts">
        <div>
          <dt>used of the window</dt>
          <dd>
            {formatted(tokens)} ({percent(tokens, window)})
          </dd>
        </div>
        <div>
          <dt>reserved for the reply</dt>
          <dd>{formatted(reserve)}</dd>
        </div>
        <div>
          <dt>free</dt>
          <dd>{formatted(Math.max(0, free))}</dd>
        </div>
      </dl>
      {free < 0 && (
        <p class="over-budget" role="alert">
          {overSentence(tokens, amounts)}
        </p>
      )}
      {timeline !== null && frame?.stats.enabled === true && (
        <p class="view-note">{courseOf(timeline.points, window - reserve, frame.stats.strategy ?? "none")}</p>
      )}
      <Fills tokens={tokens} frame={frame} messages={messages} />
    </>
  );
}

/** Sentences about the first turn whose request does not fit the window, with and without the strategy. */
function courseOf(points: readonly Point[], room: number, strategy: string): string {
  const over = (of: "folded" | "plain"): Point | undefined => points.find((point) => point[of].tokens > room);
  const [folded, plain] = [over("folded"), over("plain")];
  const last = (points.at(-1)?.turns ?? 0) + 1;
  if (folded === undefined && plain === undefined)
    return `Every turn up to turn ${formatted(last)} fits, and without a strategy too.`;
  const part = (point: Point | undefined): string =>
    point === undefined
      ? `every turn up to turn ${formatted(last)} fits`
      : `turn ${formatted(point.turns + 1)} does not fit any more`;
  return `With “${labelOf(strategy)}”, ${part(folded)}; without a strategy, ${part(plain)}.`;
}

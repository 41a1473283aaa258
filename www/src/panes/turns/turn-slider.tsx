import { useId } from "preact/hooks";
import { formatted } from "../../page/numbers.ts";
import { moveTo, shownOf } from "../../page/view.ts";

/** The choice of the number of turns after which the messages are shown. */
export function TurnSlider({ count }: { readonly count: number }) {
  const id = useId();
  const turns = shownOf(count);
  return (
    <div class="turn-slider">
      <label for={id}>As the model saw it</label>
      <input
        type="range"
        id={id}
        min={0}
        max={count}
        value={turns}
        aria-valuetext={`${turnLabel(turns)} of ${formatted(count)}`}
        onInput={(event) => moveTo(event.currentTarget.valueAsNumber, count)}
      />
      <span class="turn-place" aria-hidden="true">
        {turnLabel(turns)} of {formatted(count)}
      </span>
      {turns < count && (
        <button type="button" class="link" onClick={() => moveTo(count, count)}>
          Go to the latest
        </button>
      )}
    </div>
  );
}

const turnLabel = (turns: number): string => (turns === 0 ? "before turn 1" : `after turn ${formatted(turns)}`);

interface SourceButtonProps {
  readonly turns: readonly number[];
  readonly isTabStop: boolean;
}

/** Names the turns that a stretch comes from, and goes to the newest of them. What it does when pressed is up to the list that it stands in. */
export const SourceButton = ({ turns, isTabStop }: SourceButtonProps) => (
  <button
    type="button"
    class="source"
    data-turn={turns.at(-1)}
    tabIndex={isTabStop ? 0 : -1}
    title={`Go to turn ${turns.at(-1)}`}
    // A text that is clipped away instead is one more layer to paint, for each of hundreds of lines.
    aria-label={`from ${named(turns)}`}
  >
    {named(turns)}
  </button>
);

const MOST_NAMED = 3;

/** “turns 3, 4 … 9” in place of all of many. */
const named = (turns: readonly number[]): string =>
  turns.length === 1
    ? `turn ${turns[0]}`
    : `turns ${turns.length <= MOST_NAMED ? turns.join(", ") : `${turns.slice(0, 2).join(", ")} … ${turns.at(-1)}`}`;

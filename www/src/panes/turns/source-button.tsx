interface SourceButtonProps {
  readonly turns: readonly number[];
  readonly isTabStop: boolean;
}

/** A button that names the turns of a segment and goes to the newest one. The list around it handles clicks. */
export const SourceButton = ({ turns, isTabStop }: SourceButtonProps) => (
  <button
    type="button"
    class="source"
    data-turn={turns.at(-1)}
    tabIndex={isTabStop ? 0 : -1}
    title={`Go to turn ${turns.at(-1)}`}
    // A clipped hidden text instead would add a paint layer for each of hundreds of lines.
    aria-label={`from ${named(turns)}`}
  >
    {named(turns)}
  </button>
);

const MAX_NAMED = 3;

/** The numbers of the turns in words, shortened for many turns: “turns 3, 4 … 9”. */
const named = (turns: readonly number[]): string =>
  turns.length === 1
    ? `turn ${turns[0]}`
    : `turns ${turns.length <= MAX_NAMED ? turns.join(", ") : `${turns.slice(0, 2).join(", ")} … ${turns.at(-1)}`}`;

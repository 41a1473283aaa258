import { useMemo } from "preact/hooks";
import type { ChatMessage, Conversation } from "turnfold";
import { headOf, piecesOf } from "../../chat/parts.ts";
import { memo } from "../../reuse.ts";
import { formatted } from "../../tokens/words.ts";
import { type Compared, differencesFrom } from "../../turns/differences.ts";
import { DifferencesView } from "../comparison.tsx";

interface ResultComparisonProps {
  readonly before: Conversation;
  readonly after: Conversation;
  /** For each message of `after`, the index of its origin in `before`; null for a new message. */
  readonly from: readonly (number | null)[];
}

/** The result compared with the input, line by line. */
export const ResultComparison = memo(({ before, after, from }: ResultComparisonProps) => {
  const differences = useMemo(() => {
    const old = before.messages.map((message, index) => comparedOf(message, formatted(index + 1)));
    const now = after.messages.map((message, resultIndex) => {
      const index = from[resultIndex] ?? null;
      if (index === null) return comparedOf(message, "new");
      return before.messages[index] === message ? (old[index] as Compared) : comparedOf(message, formatted(index + 1));
    });
    return differencesFrom(old, now, from);
  }, [before, after, from]);
  return (
    <section class="diff" aria-label="Comparison">
      <DifferencesView differences={differences}>
        Against <strong>the input</strong>
      </DifferencesView>
    </section>
  );
});

const comparedOf = (message: ChatMessage, name: string): Compared => ({
  role: `${message.role} · ${name}`,
  content: piecesOf(message)
    .map((piece) => ("id" in piece ? `${headOf(piece)} ${piece.text}` : piece.text))
    .join("\n"),
  sections: [],
});

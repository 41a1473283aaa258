import type { SavedTurn } from "../states/saved.ts";

export const fenced = (program: string): string => `\`\`\`clojure\n${program}\n\`\`\``;

/** The replies that produce these turns, followed by more replies. */
export const repliesOf = (turns: readonly SavedTurn[], ...more: readonly string[]): readonly string[] => [
  ...turns.map(({ reply, program = "" }) => reply ?? fenced(program)),
  ...more,
];

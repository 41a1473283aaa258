import type { Step, Turn } from "turnfold";
import { failureFrom, recordOf } from "../running/record.ts";
import { newId, type TurnEntry } from "../states/state.ts";
import { remember } from "../turns/history.ts";
import { Memory } from "../turns/memory.ts";

const fenced = (program: string): string => `\`\`\`clojure\n${program}\n\`\`\``;

/** The fields of a turn that has run. */
export function entryOf(turn: Turn): TurnEntry {
  const { program, rawResponse, success, result, memory, defined } = turn;
  return {
    id: newId(),
    program: program ?? "",
    reply: program !== null && rawResponse === fenced(program) ? "" : rawResponse,
    ...recordOf({ ...turn, memory, defined, value: result, failure: success ? null : failureFrom(result) }),
  };
}

/** The fields of all turns of a step. */
export function entriesOf({ turns }: Step): readonly TurnEntry[] {
  let before = Memory.none.all;
  return turns.map((turn) => {
    const entry = entryOf(turn);
    remember(entry, turn, before);
    before = turn.memory;
    return entry;
  });
}

/** A text that is the same for entries that differ only in their ids. */
export const textOf = (entries: readonly TurnEntry[]): string =>
  JSON.stringify(entries, (name, value: unknown) => (name === "id" ? undefined : value));

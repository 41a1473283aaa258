import { Turn } from "../turns/turn.ts";

/** The JSON of a turn whose memory is saved as the difference from the previous turn. */
export interface SavedTurn {
  memory?: Record<string, unknown>;
  changed?: { values: Record<string, unknown>; names?: string[] };
  [member: string]: unknown;
}

/** True when JSON objects keep the order of all names; otherwise the memory is saved as a whole. */
const isPlainMemory = (memory: unknown): memory is Record<string, unknown> =>
  typeof memory === "object" && memory !== null && Object.keys(memory).every((name) => !/^[$\d]/.test(name));

/**
 * The JSON of a turn, with its memory as the difference from that of the turn before.
 *
 * @internal
 */
export function saveTurn(turn: Turn, before: Turn | undefined): SavedTurn {
  const { memory: known } = before === undefined ? { memory: {} } : (before.toJSON() as SavedTurn);
  return difference(turn.toJSON() as SavedTurn, isPlainMemory(known) ? known : {});
}

/**
 * The JSON of turns, each as {@link saveTurn} has it.
 *
 * @internal
 */
export function saveTurns(turns: readonly Turn[]): SavedTurn[] {
  let before: Record<string, unknown> = {};
  return turns.map((turn) => {
    const saved = turn.toJSON() as SavedTurn;
    const { memory } = saved;
    const changed = difference(saved, before);
    if (isPlainMemory(memory)) before = memory;
    return changed;
  });
}

function difference({ memory, ...others }: SavedTurn, known: Record<string, unknown>): SavedTurn {
  if (!isPlainMemory(memory)) return memory === undefined ? others : { ...others, memory };
  const values = Object.fromEntries(
    Object.entries(memory).filter(
      ([name, value]) => !Object.hasOwn(known, name) || JSON.stringify(known[name]) !== JSON.stringify(value),
    ),
  );
  const names = Object.keys(memory);
  const sameOrder = Object.keys({ ...known, ...values }).join("\n") === names.join("\n");
  return { ...others, changed: sameOrder ? { values } : { values, names } };
}

/**
 * The turns that {@link saveTurns} saved.
 *
 * @internal
 */
export function loadTurns(saved: readonly SavedTurn[]): Turn[] {
  let before: Record<string, unknown> = {};
  // Array.from visits holes too, which are not turns and throw.
  return Array.from(saved, ({ changed, ...turn }) => {
    if (changed === undefined) {
      if (isPlainMemory(turn.memory)) before = turn.memory;
      return Turn.fromJSON(turn);
    }
    const merged: Record<string, unknown> = { ...before, ...changed.values };
    before = changed.names ? Object.fromEntries(changed.names.map((name) => [name, merged[name]])) : merged;
    return Turn.fromJSON({ ...turn, memory: before });
  });
}

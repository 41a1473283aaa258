import { batch, signal } from "@preact/signals";
import { Fn, type LispResult, type Value } from "turnfold/lisp";
import { problemOf, problemText } from "../page/problem.ts";
import { patched, type TurnEntry } from "../states/state.ts";
import { edit, loads, moment, notice, showProblem, state } from "../states/store.ts";
import { memoryOf } from "../turns/history.ts";
import { outdated } from "./outdated.ts";
import { failureFrom, type Ran, recordOf } from "./record.ts";
import { obstacle } from "./sandbox.ts";

/** The current run: the program of a turn by its id, the REPL, the agent, or a typed call. One at a time. */
export const running = signal<{
  readonly what: number | "repl" | "agent" | "call";
  readonly stop: AbortController;
} | null>(null);

export const stop = (): void => running.value?.stop.abort();

/** Runs the program of one turn with the memory of the previous turns, and records its result in the turn. */
export const runTurn = (id: number): Promise<void> => runTurns([id]);

/** Runs the programs of all turns in order, each with the memory of the previous one. */
export const runAll = (): Promise<void> =>
  runTurns(state.value.turns.filter((turn) => turn.program.trim() !== "").map((turn) => turn.id));

async function runTurns(ids: readonly number[]): Promise<void> {
  if (running.value !== null) return;
  if (obstacle.value !== null) return showProblem(obstacle.value);
  const undo = moment();
  const controller = new AbortController();
  const loaded = loads.value;
  const leave = loads.subscribe((count) => count !== loaded && controller.abort());
  const outcomes: TurnOutcome[] = [];
  const ends: string[] = [];
  try {
    for (const id of ids) {
      running.value = { what: id, stop: controller };
      const { sandboxAfter } = await import("./sandbox-after.ts");
      const index = state.value.turns.findIndex((turn) => turn.id === id);
      const entry = state.value.turns[index];
      if (entry === undefined) continue;
      using lisp = sandboxAfter(state.value.turns.slice(0, index));
      const result = await lisp.run(entry.program, { signal: controller.signal });
      if (controller.signal.aborted) break;
      const patch = record(id, result);
      outcomes.push({ number: index + 1, failure: patch.success === true ? null : (patch.message ?? "") });
    }
  } catch (error) {
    ends.push(problemText(problemOf(error)));
  } finally {
    leave();
  }
  if (controller.signal.aborted) ends.push("Stopped");
  batch(() => {
    running.value = null;
    // Another state was loaded during the run.
    if (loads.value !== loaded) return;
    const text = [...linesOf(outcomes), ...ends].map((line) => `${line}.`).join(" ");
    notice.value = { tone: "info", text, undo: outcomes.length > 0 ? undo : null };
  });
}

/** Records a result in a turn, and returns the fields of the turn that it changes. */
export function record(id: number, result: LispResult): Partial<TurnEntry> {
  const { turns } = state.value;
  const index = turns.findIndex((turn) => turn.id === id);
  const patch = recordOf({ ...result, failure: failureOf(result) }, turns[index]?.functions);
  batch(() => {
    edit({ turns: withReturns(patched(turns, id, patch), index, result.memory) });
    outdated.value = new Map([...outdated.value].filter(([each]) => each !== id));
  });
  return patch;
}

interface TurnOutcome {
  readonly number: number;
  readonly failure: string | null;
}

function linesOf(outcomes: readonly TurnOutcome[]): string[] {
  const failed = outcomes.filter(({ failure }) => failure !== null);
  if (failed.length > 0) return failed.map(({ number, failure }) => `Turn ${number} failed: ${failure}`);
  if (outcomes.length > 1) return [`${outcomes.length} turns succeeded`];
  return outcomes.map(({ number }) => `Turn ${number} succeeded`);
}

/** Adds the return types of functions to their turns. They are known after a later turn has called the functions. */
function withReturns(
  turns: readonly TurnEntry[],
  index: number,
  memory: Readonly<Record<string, Value>>,
): readonly TurnEntry[] {
  const { functions } = memoryOf(turns.slice(0, index));
  return turns.map((turn) => {
    const rows = turn.functions.map((row) => {
      const value = functions.get(row.name.trim()) === turn ? memory[row.name.trim()] : undefined;
      const returns = value instanceof Fn ? value.returnType : null;
      return returns === null || returns === row.returns ? row : { ...row, returns };
    });
    return rows.some((row, index) => row !== turn.functions[index]) ? { ...turn, functions: rows } : turn;
  });
}

/** The error, or the argument of `fail`. */
function failureOf({ error, signal: ending, value }: LispResult): Ran["failure"] {
  if (error !== null) return { reason: error.kind, message: error.message, hint: error.hint ?? "" };
  return ending === "fail" ? failureFrom(value) : null;
}

import { batch, signal } from "@preact/signals";
import { Fn, Keyword, type LispResult, toClojure, type Value } from "turnfold";
import { memoryOf } from "./history.ts";
import { memoryText, readableText } from "./print.ts";
import { problemOf, problemText } from "./problem.ts";
import { obstacle, sandboxAfter } from "./sandbox.ts";
import { newId, patched, type TurnEntry } from "./state.ts";
import { edit, notice, origin, state } from "./store.ts";

/** What runs now: the program of a turn, or that of the REPL. One at a time. */
export const running = signal<{ readonly what: number | "repl"; readonly stop: AbortController } | null>(null);

export const stop = (): void => running.value?.stop.abort();

/** Runs the program of one turn in the memory of the turn before it, and writes down what came of it. */
export const runTurn = (id: number): Promise<void> => runTurns([id]);

/** Runs the programs of all turns in order, each in the memory that the one before it has left. */
export const runAll = (): Promise<void> =>
  runTurns(state.value.turns.filter((turn) => turn.program.trim() !== "").map((turn) => turn.id));

async function runTurns(ids: readonly number[]): Promise<void> {
  if (running.value !== null) return;
  if (obstacle.value !== null) {
    notice.value = { tone: "problem", text: obstacle.value, undo: null };
    return;
  }
  const undo = { state: state.value, origin: origin.value };
  const controller = new AbortController();
  const ran: Ran[] = [];
  const ends: string[] = [];
  try {
    for (const id of ids) {
      running.value = { what: id, stop: controller };
      const index = state.value.turns.findIndex((turn) => turn.id === id);
      const entry = state.value.turns[index];
      if (entry === undefined) continue;
      using lisp = sandboxAfter(state.value.turns.slice(0, index));
      const result = await lisp.run(entry.program, { signal: controller.signal });
      if (controller.signal.aborted) break;
      const patch = recordOf(result, entry);
      edit({ turns: withReturns(patched(state.value.turns, id, patch), index, result.memory) });
      ran.push({ number: index + 1, failure: patch.success ? null : patch.message });
    }
  } catch (error) {
    ends.push(problemText(problemOf(error)));
  }
  if (controller.signal.aborted) ends.push("Stopped");
  batch(() => {
    running.value = null;
    const text = [...linesOf(ran), ...ends].map((line) => `${line}.`).join(" ");
    notice.value = { tone: "info", text, undo: ran.length > 0 ? undo : null };
  });
}

interface Ran {
  readonly number: number;
  readonly failure: string | null;
}

function linesOf(ran: readonly Ran[]): string[] {
  const failed = ran.filter(({ failure }) => failure !== null);
  if (failed.length > 0) return failed.map(({ number, failure }) => `Turn ${number} failed: ${failure}`);
  if (ran.length > 1) return [`${ran.length} turns succeeded`];
  return ran.map(({ number }) => `Turn ${number} succeeded`);
}

type Recorded = Omit<TurnEntry, "id" | "program" | "reply">;

/** What a run leaves in the fields of its turn. */
function recordOf(result: LispResult, entry: TurnEntry): Recorded {
  const { memory, defined } = result;
  const seen = {
    prints: result.prints.map((text) => ({ id: newId(), text })),
    calls: result.toolCalls.map((call) => ({
      id: newId(),
      name: call.name,
      args: readableText(call.args),
      result: call.error ? "" : readableText(call.result ?? null),
      error: call.error ?? "",
    })),
  };
  const failure = failureOf(result);
  if (failure !== null) return { ...seen, success: false, result: "", memory: "", functions: [], ...failure };
  // A function that has not been called yet: what a later turn got from it last time.
  const known = (name: string): string => entry.functions.find((row) => row.name === name)?.returns ?? "";
  const own = Object.fromEntries(defined.map((name): [string, Value] => [name, memory[name] ?? null]));
  return {
    ...seen,
    success: true,
    result: readableText(result.value),
    reason: "",
    message: "",
    hint: "",
    memory: memoryText(own),
    functions: Object.entries(own).flatMap(([name, value]) =>
      value instanceof Fn
        ? [{ id: newId(), name, params: value.params, doc: value.doc ?? "", returns: value.returnType ?? known(name) }]
        : [],
    ),
  };
}

/** What a program's calls tell of the functions that earlier turns defined. */
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
    return rows.some((row, place) => row !== turn.functions[place]) ? { ...turn, functions: rows } : turn;
  });
}

/** An error, or what the program gave to `fail`: a map with a reason and a message, or anything. */
function failureOf({
  error,
  signal: ending,
  value,
}: LispResult): Pick<TurnEntry, "reason" | "message" | "hint"> | null {
  if (error !== null) return { reason: error.kind, message: error.message, hint: error.hint ?? "" };
  if (ending !== "fail") return null;
  const { reason, message } = isRecord(value) ? value : {};
  return {
    reason: reason instanceof Keyword ? reason.name : typeof reason === "string" ? reason : "failed",
    message: typeof message === "string" ? message : toClojure(value).text,
    hint: "",
  };
}

const isRecord = (value: Value): value is Readonly<Record<string, Value>> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

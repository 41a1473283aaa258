import { batch, signal } from "@preact/signals";
import { Fn, Lisp, type LispResult, toClojure, typeOf, type Value } from "turnfold/lisp";
import { type Problem, problemOf } from "../page/problem.ts";
import { showProblem, state } from "../states/store.ts";
import { running } from "./running.ts";
import { inputs, obstacle } from "./sandbox.ts";

const collator = new Intl.Collator("en", { numeric: true });

/** Compares names in natural order: x2 before x10. */
const naturally = (one: string, other: string): number => collator.compare(one, other);

/** A run of the REPL. */
export interface Run {
  readonly number: number;
  readonly program: string;
  /** Clojure text of the value; null after an error. */
  readonly value: string | null;
  readonly signal: LispResult["signal"];
  readonly error: (Problem & { readonly kind: string; readonly hint: string | null }) | null;
  readonly prints: readonly string[];
  readonly calls: readonly {
    readonly name: string;
    readonly args: string;
    readonly result: string;
    readonly error: string | null;
    readonly durationMs: number | null;
  }[];
  readonly fuel: number;
  readonly milliseconds: number;
}

export interface Definition {
  readonly name: string;
  readonly type: string;
  readonly value: string;
}

/** The runs, the newest first. */
export const runs = signal<readonly Run[]>([]);
export const memory = signal<readonly Definition[]>([]);

const MAX_RUNS = 100;
/** The shown part of a value, which may have a million elements. */
const SHOWN = { limit: 50, printableLimit: 2000 };
const GLANCE = { limit: 8, printableLimit: 120 };

let lisp: Lisp | null = null;
let madeFrom: unknown = null;
let lastNumber = 0;

/** Runs the program with the memory of the earlier runs. */
export async function runProgram(): Promise<void> {
  const program = state.value.program;
  if (running.value !== null || program.trim() === "") return;
  if (obstacle.value !== null) return showProblem(obstacle.value);
  const controller = new AbortController();
  running.value = { what: "repl", stop: controller };
  try {
    const sandbox = sandboxForInputs();
    const begun = performance.now();
    const result = await sandbox.run(program, { signal: controller.signal });
    const milliseconds = performance.now() - begun;
    // The memory was reset during the run.
    if (sandbox !== lisp) return;
    batch(() => {
      runs.value = [runOf(result, program, milliseconds), ...runs.value].slice(0, MAX_RUNS);
      memory.value = Object.entries(sandbox.memory)
        .sort(([one], [other]) => naturally(one, other))
        .map(definitionOf);
    });
  } catch (error) {
    showProblem(problemOf(error).message);
  } finally {
    running.value = null;
  }
}

/** Clears definitions and runs, but not the program, tools, data and limits. */
export function resetRepl(): void {
  if (running.value?.what === "repl") running.value.stop.abort();
  batch(() => {
    lisp = null;
    lastNumber = 0;
    runs.value = [];
    memory.value = [];
  });
}

/** The sandbox. A change of data, tools or limits replaces it by one with the same memory. */
function sandboxForInputs(): Lisp {
  const { options } = inputs.value;
  if (lisp === null) lisp = new Lisp({ ...options, keywords: "keep" });
  else if (madeFrom !== options) {
    const next = Lisp.fromJSON(lisp.toJSON(), { ...options, keywords: "keep" });
    lisp.dispose();
    lisp = next;
  }
  madeFrom = options;
  return lisp;
}

function runOf(result: LispResult, program: string, milliseconds: number): Run {
  const { error, signal: ending, prints, toolCalls, fuelUsed } = result;
  return {
    number: ++lastNumber,
    program,
    value: error === null ? toClojure(result.value, SHOWN).text : null,
    signal: ending,
    error: error === null ? null : { kind: error.kind, message: error.message, hint: error.hint, place: error.span },
    prints,
    calls: toolCalls.map((call) => ({
      name: call.name,
      args: toClojure(call.args, SHOWN).text,
      result: toClojure(call.result ?? null, SHOWN).text,
      error: call.error ?? null,
      durationMs: call.durationMs ?? null,
    })),
    fuel: fuelUsed,
    milliseconds,
  };
}

const definitionOf = ([name, value]: [string, Value]): Definition => ({
  name,
  type: typeOf(value),
  value: value instanceof Fn ? (value.source ?? value.doc ?? "") : toClojure(value, GLANCE).text,
});

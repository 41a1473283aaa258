// Loaded when a program first runs: the sandbox is not needed to show messages.

import { Lisp, readClojure } from "turnfold/lisp";
import { unlessRefused } from "../page/problem.ts";
import type { TurnEntry } from "../states/state.ts";
import { memoryOf } from "../turns/history.ts";
import { definitionOf, type Givens, inputs } from "./sandbox.ts";

const RECENT = 3;

/** A sandbox with the memory and the last results of these turns. */
export function sandboxAfter(turns: readonly TurnEntry[], options: Givens = inputs.value.options): Lisp {
  const { values, functions } = memoryOf(turns);
  const lisp = new Lisp({ ...options, memory: values, keywords: "keep" });
  // The code of a function is only in the program of its turn.
  for (const [name, { program }] of functions) {
    const form = definitionOf(program, name);
    if (form !== null) lisp.runSync(form);
  }
  for (const { result } of turns.filter((turn) => turn.success).slice(-RECENT)) lisp.runSync(literalOr(result, "nil"));
  return lisp;
}

const literalOr = (text: string, fallback: string): string =>
  unlessRefused(() => {
    readClojure(text);
    return text;
  }, fallback);

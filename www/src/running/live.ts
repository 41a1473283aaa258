// Programs run while they are edited: after a pause in typing, with recorded or scripted answers of tools and short limits.

import { effect } from "@preact/signals";
import { check, type ToolFunction, toClojure, type Value } from "turnfold/lisp";
import { Fn } from "turnfold/turns";
import { complaint, type Problem, problemOf } from "../page/problem.ts";
import type { TurnEntry } from "../states/state.ts";
import { loads, outcome, state } from "../states/store.ts";
import { joinChange } from "../states/undo.ts";
import { memoryOf } from "../turns/history.ts";
import { plain, readAnswer } from "./answers.ts";
import { readLiteral } from "./literal.ts";
import { outdated } from "./outdated.ts";
import { record, running } from "./running.ts";
import { definitionOf, type Givens, inputs, obstacle, toolsWith } from "./sandbox.ts";

const PAUSE_MS = 300;
const MAX_MS = 2000;

/** The turns whose program was edited and has not run yet, by id: as they were before. */
const edited = new Map<number, TurnEntry>();
let timer: ReturnType<typeof setTimeout> | undefined;
let stop = new AbortController();

effect(() => {
  loads.value;
  cancel();
  edited.clear();
  outdated.value = new Map();
});

// A run that was started by hand goes first.
effect(() => {
  if (running.value !== null) cancel();
});

// An undo brings the turn back as it was before the edit, with the results of all turns.
effect(() => {
  const { turns } = state.value;
  if (edited.size === 0) return;
  for (const turn of turns) if (edited.get(turn.id) === turn) edited.delete(turn.id);
  if (edited.size === 0) {
    cancel();
    outdated.value = new Map();
  }
});

function cancel(): void {
  clearTimeout(timer);
  stop.abort();
}

/**
 * Runs the program of a turn after a pause in typing, and then the programs that depend on it.
 *
 * @param before the turn before the edit.
 */
export function runAfterEdit(before: TurnEntry): void {
  cancel();
  if (!edited.has(before.id)) edited.set(before.id, before);
  timer = setTimeout(() => void runEdited(), PAUSE_MS);
}

function mark(id: number, problem: Problem | null | undefined): void {
  const next = new Map(outdated.peek());
  if (problem === undefined) next.delete(id);
  else next.set(id, problem);
  outdated.value = next;
}

/** Runs the edited programs and those whose results are outdated, in order. */
async function runEdited(): Promise<void> {
  if (running.value !== null) return;
  stop = new AbortController();
  const { signal: stopped } = stop;
  for (let index = 0; index < state.value.turns.length; index++) {
    const entry = state.value.turns[index] as TurnEntry;
    if (!(edited.has(entry.id) || outdated.value.has(entry.id)) || entry.program.trim() === "") continue;
    const problem = await runEntry(entry, index, stopped);
    if (stopped.aborted) return;
    const before = edited.get(entry.id) ?? entry;
    if (problem === null) edited.delete(entry.id);
    mark(entry.id, problem ?? undefined);
    const after = state.value.turns[index];
    if (after === undefined) return;
    const changed = problem === null ? changedNames(before, after) : NO_NAMES;
    for (const later of state.value.turns.slice(index + 1)) if (mentions(later, changed)) mark(later.id, null);
  }
}

/** Runs a program and records its result. Returns why there is none; null for success. */
async function runEntry(entry: TurnEntry, index: number, stopped: AbortSignal): Promise<Problem | null> {
  if (obstacle.value !== null) return complaint(obstacle.value);
  const before = state.value.turns.slice(0, index);
  if (edited.has(entry.id)) {
    const [found] = check(entry.program, {
      tools: state.value.tools.map(({ name }) => name.trim()).filter((name) => name !== ""),
      data: Object.keys(outcome.value.data),
      memory: Object.keys(memoryOf(before).values),
    });
    if (found !== undefined) return { message: found.message, place: found.span };
  }
  const missing: string[] = [];
  try {
    const { sandboxAfter } = await import("./sandbox-after.ts");
    using lisp = sandboxAfter(before, givensFor(entry, missing));
    const result = await lisp.run(entry.program, { signal: stopped });
    if (stopped.aborted) return null;
    const place = result.error?.span ?? null;
    if (missing[0] !== undefined) return { message: missing[0], place };
    if (result.error !== null && LIMITS.test(result.error.kind))
      return { message: `${result.error.message}. Press Run to run it with the limits of the page.`, place };
    joinChange(() => record(entry.id, result));
    return null;
  } catch (error) {
    return problemOf(error);
  }
}

/** The kinds of errors that are due to a limit. */
const LIMITS = /^timeout$|_exceeded$/;

/** The page's options of programs with shorter limits. Calls without a recorded or scripted answer are added to `missing`. */
function givensFor(entry: TurnEntry, missing: string[]): Givens {
  const { options } = inputs.value;
  const recorded = [entry, ...state.value.turns].flatMap(({ calls }) => calls);
  const functionOf =
    ({ name, answer }: { readonly name: string; readonly answer: string }): ToolFunction =>
    (...given) => {
      const { signal: stopped } = given.pop() as { readonly signal?: AbortSignal };
      const args = given as Value[];
      if (answer.trim() !== "") return readAnswer(answer)(args, stopped);
      const value = args.length === 1 ? (args[0] as Value) : args;
      const wanted = keyOf(value);
      const call = recorded.find(
        (row) => row.name.trim() === name.trim() && row.result + row.error !== "" && keyOfText(row.args) === wanted,
      );
      if (call === undefined) {
        missing.push(
          `No answer is recorded for (tool/${name.trim()} ${toClojure(value).text}). Write one under Tools, or add the call below with its result.`,
        );
        throw new Error("no answer is recorded");
      }
      if (call.error !== "") throw new Error(call.error);
      return readLiteral(call.result);
    };
  return {
    ...options,
    tools: toolsWith(state.value.tools, functionOf),
    limits: { ...options.limits, timeoutMs: Math.min(options.limits?.timeoutMs ?? MAX_MS, MAX_MS) },
  };
}

/** A text that is the same for equal arguments. */
const keyOf = (value: Value): string =>
  JSON.stringify(plain(value), (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );

function keyOfText(text: string): string | null {
  try {
    return keyOf(readLiteral(text.trim() === "" ? "{}" : text));
  } catch {
    return null;
  }
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** The names whose value differs between two versions of a turn; with another result, also those of the last results. */
function changedNames(before: TurnEntry, after: TurnEntry): ReadonlySet<string> {
  if (before === after) return NO_NAMES;
  const [old, fresh] = [definitionsOf(before), definitionsOf(after)];
  const names = [...new Set([...old.keys(), ...fresh.keys()])].filter((name) => old.get(name) !== fresh.get(name));
  return new Set(before.result === after.result ? names : [...names, "*1", "*2", "*3"]);
}

/** The texts of what a turn defined. */
const definitionsOf = (entry: TurnEntry): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(memoryOf([entry]).values).map(([name, value]) => [
      name,
      value instanceof Fn ? (definitionOf(entry.program, name) ?? "") : toClojure(value).text,
    ]),
  );

/** Whether a program mentions one of these names outside of strings and comments. */
function mentions({ program }: TurnEntry, names: ReadonlySet<string>): boolean {
  if (names.size === 0) return false;
  const code = program.replace(/"(?:[^"\\]|\\[\s\S])*"?|;[^\n]*/g, " ");
  return code.split(/[\s,()[\]{}'`@^]+/).some((word) => names.has(word));
}

import { Turn, type TurnInit, type Value } from "turnfold";
import { readClojure } from "turnfold/lisp";
import { Fn, fn } from "turnfold/turns";
import { attempt, complaint, fieldId, type Problems } from "../page/problem.ts";
import { readLiteral } from "../running/literal.ts";
import type { TurnEntry } from "../states/state.ts";
import { type Definitions, Memory } from "./memory.ts";
import { Placed, TurnList } from "./turn-list.ts";

/** The parsed texts of a turn, independent of other turns. */
interface Reading {
  readonly problems: Problems;
  readonly definitions: Definitions;
  readonly docs: Readonly<Record<string, string>>;
  readonly result: Value;
  readonly calls: NonNullable<TurnInit["toolCalls"]>;
}

const NOTHING: Definitions = {};

/** Reads Clojure text or JSON of a map whose keys are names. An empty text is an empty map. */
export function readNamed(text: string): Definitions {
  if (text.trim() === "") return NOTHING;
  const value = readLiteral(text);
  if (!isNamed(value)) throw new TypeError("Write a map whose keys are keywords: {:name value}");
  return value;
}

/** Only a map whose keys are all keywords is a plain object; other values are instances of classes or primitives. */
export const isNamed = (value: Value): value is Definitions =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const readOptional = (text: string): Value | undefined => (text.trim() === "" ? undefined : readClojure(text));

const readings = new WeakMap<TurnEntry, Reading>();

function readingOf(entry: TurnEntry): Reading {
  let reading = readings.get(entry);
  if (reading === undefined) {
    reading = read(entry);
    readings.set(entry, reading);
  }
  return reading;
}

function read(entry: TurnEntry): Reading {
  const problems: Problems = new Map();
  const calls = entry.calls
    .filter((call) => call.name.trim() !== "")
    .map((call) => {
      const args = attempt(problems, fieldId("args", call), undefined, () => readOptional(call.args));
      const result = attempt(problems, fieldId("call-result", call), undefined, () => readOptional(call.result));
      return { name: call.name.trim(), args, result, error: call.error === "" ? null : call.error };
    });
  if (!entry.success) {
    const hint = entry.hint === "" ? {} : { hint: entry.hint };
    return {
      problems,
      definitions: NOTHING,
      docs: {},
      result: { reason: entry.reason, message: entry.message, ...hint },
      calls,
    };
  }
  const values = attempt(problems, fieldId("memory", entry), NOTHING, () => readNamed(entry.memory));
  const named = entry.functions.filter((row) => row.name.trim() !== "");
  const functions = named.map((row): [string, Fn] => [
    row.name.trim(),
    fn(functionInit(row.params, row.doc, row.returns)),
  ]);
  for (const row of named) {
    if (Object.hasOwn(values, row.name.trim()))
      problems.set(fieldId("function", row), complaint("The memory of this turn already has a value with this name"));
  }
  return {
    problems,
    definitions: { ...values, ...Object.fromEntries(functions) },
    docs: Object.fromEntries(named.filter((row) => row.doc !== "").map((row) => [row.name.trim(), row.doc])),
    result: attempt(problems, fieldId("result", entry), null, () => readOptional(entry.result) ?? null),
    calls,
  };
}

const functionInit = (params: string, doc: string, returns: string): Parameters<typeof fn>[0] => ({
  params: params.trim(),
  ...(doc === "" ? {} : { doc }),
  ...(returns.trim() === "" ? {} : { returnType: returns.trim() }),
});

function turnOf(entry: TurnEntry, number: number, memory: Definitions, reading: Reading): Turn {
  const init: TurnInit = {
    number,
    program: entry.program.trim() === "" ? null : entry.program,
    ...(entry.reply === "" ? {} : { rawResponse: entry.reply }),
    result: reading.result,
    prints: entry.prints.map((row) => row.text),
    toolCalls: reading.calls,
    memory,
    docs: reading.docs,
    defined: entry.success ? Object.keys(reading.definitions) : entry.lost.split(/\s+/).filter((name) => name !== ""),
  };
  return entry.success ? Turn.success(init) : Turn.failure(init);
}

/** The turn of a run that an entry was made from, and the memory before it. */
interface Origin {
  readonly turn: Turn;
  readonly before: Definitions;
}

const origins = new WeakMap<TurnEntry, Origin>();

/**
 * Makes an entry render from the original turn of a run, including values without a text form, such as functions in its
 * memory. This ends when the entry or a turn before it is edited.
 */
export function remember(entry: TurnEntry, turn: Turn, before: Definitions): void {
  origins.set(entry, { turn, before });
}

/** The values that the turns define, and for each function the last turn that defines it. */
export function memoryOf(entries: readonly TurnEntry[]): {
  readonly values: Definitions;
  readonly functions: ReadonlyMap<string, TurnEntry>;
} {
  const values: Record<string, Value> = {};
  const functions = new Map<string, TurnEntry>();
  for (const entry of entries) {
    for (const [name, value] of Object.entries(readingOf(entry).definitions)) {
      values[name] = value;
      if (value instanceof Fn) functions.set(name, entry);
      else functions.delete(name);
    }
  }
  return { values, functions };
}

/**
 * Converts the entries of the page to turns of the package. An unchanged entry at the same index keeps its Turn object, so
 * that the package need not read it again.
 */
export class History {
  #places = new Map<number, Place>();

  /** Adds problems by field to `problems`, and the entry of each of these fields to `owners`. */
  turns(entries: readonly TurnEntry[], problems: Problems, owners: Map<string, TurnEntry>): TurnList {
    const next = new Map<number, Place>();
    const turns: Placed[] = [];
    let memory = Memory.none;
    for (const [index, entry] of entries.entries()) {
      const place = this.#place(entry, index + 1, memory);
      for (const [field, problem] of place.problems) {
        problems.set(field, problem);
        owners.set(field, entry);
      }
      next.set(entry.id, place);
      if (place.turn !== null) turns.push(place.turn);
      memory = place.after;
    }
    this.#places = next;
    return new TurnList(turns, memory);
  }

  #place(entry: TurnEntry, number: number, before: Memory): Place {
    const last = this.#places.get(entry.id);
    const sameBefore = last !== undefined && last.before === before;
    const sameEntry = last !== undefined && last.entry === entry && last.number === number;
    if (sameEntry && sameBefore) return last;
    const origin = origins.get(entry);
    if (origin !== undefined && origin.turn.number === number && origin.before === before.all) {
      const after = before.becoming(origin.turn.memory);
      const turn = new Placed(origin.turn, () => origin.turn);
      return { entry, number, before, after, turn, problems: readingOf(entry).problems, isOrigin: true };
    }
    const reading = readingOf(entry);
    const sameMemory =
      sameBefore &&
      !last.isOrigin &&
      last.entry.memory === entry.memory &&
      last.entry.functions === entry.functions &&
      last.entry.success === entry.success;
    const after = sameMemory ? last.after : before.with(reading.definitions);
    const problems: Problems = new Map(reading.problems);
    // Definitions of earlier turns do not change a turn that holds only its own definitions.
    const own =
      sameEntry && !last.isOrigin && last.turn !== null
        ? last.turn.own
        : attempt(problems, fieldId("turn", entry), null, () => turnOf(entry, number, reading.definitions, reading));
    const turn = own === null ? null : new Placed(own, () => turnOf(entry, number, after.all, reading));
    return { entry, number, before, after, turn, problems, isOrigin: false };
  }
}

/** An entry at its index, with the memory before and after it. */
interface Place {
  readonly entry: TurnEntry;
  readonly number: number;
  readonly before: Memory;
  readonly after: Memory;
  /** The turn; null when the entry can't be read. */
  readonly turn: Placed | null;
  readonly problems: Problems;
  /** Whether `turn` is the original turn of a run. */
  readonly isOrigin: boolean;
}

import { Fn, fn, readClojure, Turn, type TurnInit, type Value } from "turnfold";
import { readLiteral } from "./literal.ts";
import { attempt, complaint, fieldId, type Problems } from "./problem.ts";
import type { TurnEntry } from "./state.ts";

export type Definitions = Readonly<Record<string, Value>>;

/** What a turn's texts say, apart from the turns around it. */
interface Reading {
  readonly problems: Problems;
  readonly definitions: Definitions;
  readonly docs: Readonly<Record<string, string>>;
  readonly result: Value;
  readonly calls: NonNullable<TurnInit["toolCalls"]>;
}

/** A turn in its place, with the memory before and after it. */
interface Placed {
  readonly entry: TurnEntry;
  readonly number: number;
  readonly before: Definitions;
  readonly after: Definitions;
  readonly turn: Turn | null;
}

const NOTHING: Definitions = {};

/** Clojure text or JSON of a map whose keys are names; nothing is written for an empty one. */
export function readNamed(text: string): Definitions {
  if (text.trim() === "") return NOTHING;
  const value = readLiteral(text);
  if (!isNamed(value)) throw new TypeError("Write a map whose keys are keywords: {:name value}");
  return value;
}

/** A map whose keys are all keywords is a plain object; every other value is of a class, or no object. */
const isNamed = (value: Value): value is Definitions =>
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
      problems.set(fieldId("function", row), complaint("The memory of this turn has a value of this name"));
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
    defined: Object.keys(reading.definitions),
  };
  return entry.success ? Turn.success(init) : Turn.failure(init);
}

/** The turn of a run that an entry was written from, and the memory that it began with. */
interface Origin {
  readonly turn: Turn;
  readonly before: Definitions;
}

const origins = new WeakMap<TurnEntry, Origin>();

/**
 * Lets an entry stand for a turn as it was, with what has no text, such as the functions in its memory; until it is
 * edited, or the turns before it are.
 */
export function remember(entry: TurnEntry, turn: Turn, before: Definitions): void {
  origins.set(entry, { turn, before });
}

/** The values that the turns define together, and the functions of each name with the turn that defined them last. */
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
 * Keeps the package's turns for the entries of the page: an entry that has not changed, in its place and in the memory
 * before it, keeps its Turn object, which the package then need not read again.
 */
export class History {
  #placed = new Map<number, Placed>();
  #memory = NOTHING;

  /** What is defined after the last turn. The same object as long as nothing before it changes. */
  get memory(): Definitions {
    return this.#memory;
  }

  /** Notes problems by field, and the turn that each of these fields belongs to. */
  turns(entries: readonly TurnEntry[], problems: Problems, owners: Map<string, TurnEntry>): Turn[] {
    const next = new Map<number, Placed>();
    const turns: Turn[] = [];
    let memory = NOTHING;
    for (const [index, entry] of entries.entries()) {
      const reading = readingOf(entry);
      const own: Problems = new Map(reading.problems);
      const placed = this.#place(entry, index + 1, memory, reading, own);
      for (const [field, problem] of own) {
        problems.set(field, problem);
        owners.set(field, entry);
      }
      next.set(entry.id, placed);
      if (placed.turn !== null) turns.push(placed.turn);
      memory = placed.after;
    }
    this.#placed = next;
    this.#memory = memory;
    return turns;
  }

  #place(entry: TurnEntry, number: number, before: Definitions, reading: Reading, problems: Problems): Placed {
    const last = this.#placed.get(entry.id);
    const sameBefore = last !== undefined && last.before === before;
    if (sameBefore && last.entry === entry && last.number === number && last.turn !== null) return last;
    const origin = origins.get(entry);
    if (origin?.before === before && origin.turn.number === number) {
      return { entry, number, before, after: origin.turn.memory, turn: origin.turn };
    }
    const sameMemory =
      sameBefore &&
      last.entry.memory === entry.memory &&
      last.entry.functions === entry.functions &&
      last.entry.success === entry.success;
    const after = sameMemory
      ? last.after
      : Object.keys(reading.definitions).length === 0
        ? before
        : { ...before, ...reading.definitions };
    const turn = attempt(problems, fieldId("turn", entry), null, () => turnOf(entry, number, after, reading));
    return { entry, number, before, after, turn };
  }
}

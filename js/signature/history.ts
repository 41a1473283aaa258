import { decode } from "../boundary/decode.ts";
import { encode } from "../boundary/encode.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { describe, isPlain } from "../values/describe.ts";
import { Keyword } from "../values/values.ts";

/** An earlier turn of a typed call: some of its inputs and some of its outputs, by their names. */
export type HistoryTurn = Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>;

/**
 * The key of the turns of a history, shared by all copies of this package.
 *
 * @internal
 */
const turnsKey: unique symbol = Symbol.for("turnfold.history");

/** The turns of a history. Histories that `append` makes from it share the list. */
interface HistoryTurns {
  /** JSON of each turn. */
  readonly list: string[];
  /** Number of turns of the list, from the first, that belong to this history. */
  readonly length: number;
}

/**
 * The conversation so far, for an input of the type `History`. Contains copies of the turns; immutable.
 *
 * Whether the names are inputs or outputs is not checked here, but by the typed call before it calls the model.
 *
 * @example
 * ```ts
 * const ask = new Predict("question, history: History -> answer");
 * let history = new History();
 * const question = "What is the tallest tower in Paris?";
 * const { answer } = await ask.call({ question, history }, { llm });
 * history = history.append({ question, answer });
 * ```
 */
export class History {
  /**
   * @param messages the turns, from the first; none by default.
   * @throws {TurnfoldError} `invalid_history_value` for a value that is not a list; `invalid_history_element` for a
   * turn that is not an object or `Map`, or contains an unsupported value, with `index` and `reason` in the details.
   */
  constructor(messages: readonly HistoryTurn[] = []) {
    const list = wrapReadErrors("invalid_history_value", "the messages of a history", () => {
      if (!Array.isArray(messages)) throw invalidHistory(null, "a list of turns", messages);
      return messages.map(encodeTurn);
    });
    setTurns(this, { list, length: list.length });
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return isHistory(value);
  }

  /** Frozen copies of the turns, from the first. */
  get messages(): readonly HistoryTurn[] {
    return Object.freeze(encodedTurns(this).map((text) => decode(JSON.parse(text)) as HistoryTurn));
  }

  /**
   * Returns a history with one more turn.
   *
   * @throws {TurnfoldError} `invalid_history_element`
   */
  append(turn: HistoryTurn): History {
    const { list, length } = (this as unknown as { [turnsKey]: HistoryTurns })[turnsKey];
    const text = encodeTurn(turn, length);
    // Only the history that has the whole list may append to it.
    const own = list.length === length ? list : list.slice(0, length);
    own.push(text);
    const longer = Object.create(History.prototype) as History;
    setTurns(longer, { list: own, length: length + 1 });
    return longer;
  }

  /** `{ messages }`, so that `new History(saved.messages)` restores the conversation. */
  toJSON(): { messages: readonly HistoryTurn[] } {
    return { messages: this.messages };
  }
}

function setTurns(history: History, turns: HistoryTurns): void {
  Object.defineProperty(history, turnsKey, { value: turns });
  Object.freeze(history);
}

function isHistory(value: unknown): value is History {
  return typeof value === "object" && value !== null && turnsKey in value;
}

/** JSON of each turn. */
function encodedTurns(history: History): readonly string[] {
  const { list, length } = (history as unknown as { [turnsKey]: HistoryTurns })[turnsKey];
  return list.slice(0, length);
}

function encodeTurn(turn: unknown, index: number): string {
  const refuse = (reason: string, problem: string, cause?: unknown) =>
    new TurnfoldError("invalid_history_element", `element ${index} of the history ${problem}`, {
      details: { index, reason },
      hint: "an element is { question: …, answer: … }, some inputs and some outputs of the signature",
      ...(cause === undefined ? {} : { cause }),
    });
  try {
    const given = entriesOf(turn);
    if (given === null) throw refuse("not_a_map", `is ${describe(turn)}`);
    // An undefined member is absent; null is a value.
    const members = Array.from(given).filter(([, value]) => value !== undefined);
    const copy = isPlain(turn as object) ? Object.fromEntries(members) : new Map(members);
    return encode(copy, `history[${index}]`);
  } catch (error) {
    if (TurnfoldError.isInstance(error)) {
      if (error.code === "invalid_history_element") throw error;
      const { path } = error.details;
      throw Object.assign(refuse(error.code, `can't be read: ${error.message}`, error), {
        details: { index, reason: error.code, path },
      });
    }
    throw refuse("invalid_value", "can't be read", error);
  }
}

/** The entries of a plain object or a `Map`; null for other values. */
function entriesOf(given: unknown): Iterable<readonly [unknown, unknown]> | null {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return null;
  if (isPlain(given)) return Object.entries(given);
  if (Object.prototype.toString.call(given) === "[object Map]")
    return (given as ReadonlyMap<unknown, unknown>).entries();
  return null;
}

function invalidHistory(field: string | null, expected: string, got: unknown): TurnfoldError {
  const what = field === null ? "the messages of a history" : `the input ${JSON.stringify(field)}`;
  return new TurnfoldError("invalid_history_value", `${what} must be ${expected}, got ${describe(got)}`, {
    details: { field, expected, got: describe(got) },
    hint: "new History([{ question: …, answer: … }]) makes one",
  });
}

/**
 * Separates the history from the other inputs. `history` has the JSON of each turn; it is null when there is no history.
 *
 * @param field the name of the input of the type `History`, if the signature has one.
 * @throws {TurnfoldError} `invalid_history_value`; `invalid_inputs` for a value that is not an object or `Map`.
 *
 * @internal
 */
export function takeHistory(
  field: string | undefined,
  inputs: unknown,
): { history: readonly string[] | null; given: History | undefined; others: object } {
  return wrapReadErrors("invalid_inputs", "the inputs", () => {
    const members = entriesOf(inputs);
    if (members === null) {
      throw new TurnfoldError("invalid_inputs", `inputs are an object of values by name, got ${describe(inputs)}`, {
        hint: '{ question: "…" }',
      });
    }
    const entries = Array.from(members);
    const keys = field === undefined ? [] : historyKeys(field, entries);
    const [given] = keys.map((key) => entries.find(([name]) => name === key)?.[1]).filter((value) => value != null);
    const others = entries.filter(([name]) => !keys.includes(name));
    if (given !== undefined && !isHistory(given)) throw invalidHistory(field as string, "a History", given);
    return {
      history: given === undefined ? null : encodedTurns(given),
      given,
      others: isPlain(inputs as object) ? Object.fromEntries(others) : new Map(others),
    };
  });
}

/** Returns the keys that name the field in any spelling, the exact one first. */
function historyKeys(field: string, entries: readonly (readonly [unknown, unknown])[]): unknown[] {
  const folded = (key: unknown) => {
    const name = key instanceof Keyword ? key.name : key;
    return typeof name === "string" ? name.replaceAll(/(?!^)[-_]/g, "").toLowerCase() : null;
  };
  const keys = entries.map(([name]) => name).filter((name) => folded(name) === folded(field));
  return keys.sort((left, right) => Number(right === field) - Number(left === field));
}

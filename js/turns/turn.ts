import { HandlePool, HandleSlot } from "../boundary/handles.ts";
import { call, type RendererHandle, send, type TurnHandle } from "../boundary/wasm.ts";
import { type Path, pathText, wrapReadErrors } from "../errors.ts";
import type { Value } from "../values/values.ts";
import {
  decodeValues,
  EMPTY_MEMORY,
  loadTurn,
  readFacts,
  type ToolCall,
  type TurnJSON,
  type TurnValues,
} from "./saved-turn.ts";
import { checkList, invalidTurn, readInit, type TurnFacts, type TurnInit } from "./turn-init.ts";

export type { ToolCall } from "./saved-turn.ts";
export type { ToolCallInit, TurnInit } from "./turn-init.ts";

/** A turn's saved text. */
interface SavedText {
  text: string;
  /** True when the wasm wrote the text; then all equal turns have the same text. */
  canonical: boolean;
  /** The values in the text; null until one is first read. */
  values: TurnValues | null;
  /** The turn on the wasm side of the copy of this package that used it last. */
  loaded: LoadedTurn | null;
}

interface LoadedTurn {
  slot: HandleSlot<TurnHandle>;
  /** {@link packageCopy} of the copy whose wasm the handle belongs to. */
  copy: object;
}

const pool = new HandlePool("turns", 16 * 2 ** 20, 2_048);

const packageCopy: object = Object.freeze({});

/** The property by which copies of this package recognize each other's turns. */
const savedKey: unique symbol = Symbol.for("turnfold.turn");

/**
 * Immutable record of one cycle: the model's reply, the value of its program, its prints, calls and definitions.
 *
 * The input is copied, values are decoded from that copy on first access, and everything is deeply frozen. To change a
 * turn, make a new one: `Turn.success({ ...turn, prints: [] })`.
 *
 * @example
 * ```ts
 * const turn = Turn.success({
 *   program: "(def reviews (tool/get-reviews {:id 7}))",
 *   toolCalls: [{ name: "get-reviews", args: { id: 7 }, result: ["Great"] }],
 *   memory: { reviews: ["Great"] },
 *   defined: ["reviews"],
 * });
 * const failed = Turn.failure({ program: "(foo)", result: { reason: "unbound_var", message: "`foo` is not defined" } });
 * ```
 */
export class Turn {
  /** Which turn of its run this is, from 1. */
  declare readonly number: number;
  /** False for a turn that ended in an error, or whose reply held no program. */
  declare readonly success: boolean;
  /** The model's reply, unchanged. */
  declare readonly rawResponse: string;
  /** The program that ran; null when the reply held none. */
  declare readonly program: string | null;
  /** The value of the program; for a failed turn `{ reason, message, hint? }`. */
  declare readonly result: Value;
  /** One entry per `println`. */
  declare readonly prints: readonly string[];
  /** In the order in which they were made. */
  declare readonly toolCalls: readonly ToolCall[];
  /** Docstrings by the names they describe. */
  declare readonly docs: Readonly<Record<string, string>>;
  /** Time at which the request for this turn was sent, in milliseconds since 1970. */
  declare readonly at?: number;

  private constructor(facts: TurnFacts, saved: SavedText) {
    this.number = facts.number;
    this.success = facts.success;
    this.rawResponse = facts.rawResponse;
    this.program = facts.program;
    this.prints = facts.prints;
    this.docs = facts.docs;
    // One by one, because `Object.defineProperties` takes twice as long.
    Object.defineProperty(this, "result", DECODED_RESULT);
    Object.defineProperty(this, "toolCalls", DECODED_CALLS);
    // Own properties only when they were given, so that spreading a turn into a new one does not give empty ones.
    if (facts.remembers) Object.defineProperty(this, "memory", DECODED_MEMORY);
    if (facts.defined !== null) Object.defineProperty(this, "defined", { value: facts.defined, enumerable: true });
    if (facts.at !== null) this.at = facts.at;
    Object.defineProperty(this, savedKey, { value: saved });
    Object.freeze(this);
  }

  /** All definitions after this turn, by name; empty when the turn was made without them. */
  get memory(): Readonly<Record<string, Value>> {
    return EMPTY_MEMORY;
  }

  /**
   * Names that this turn defined; for a failed turn, the names that it would have defined; empty when the turn was made
   * without them.
   */
  get defined(): readonly string[] {
    return NO_NAMES;
  }

  /**
   * Makes a turn whose program ran to its end.
   *
   * @throws {TurnfoldError} `invalid_turn`, `invalid_value`, `cyclic_value` or `nesting_too_deep`, all with the path of
   * the invalid value in `details.path`, such as `memory.x.items[2]`.
   */
  static success(init: TurnInit): Turn {
    return wrapReadErrors("invalid_turn", "the turn", () => makeTurn(init, true));
  }

  /**
   * Makes a turn that ended in an error, or whose reply held no program. Its `result` is `{ reason, message, hint? }`;
   * a text or an `Error` is used as the message.
   *
   * @throws {TurnfoldError} as {@link Turn.success}; `invalid_turn` also when there is no message.
   */
  static failure(init: TurnInit): Turn {
    return wrapReadErrors("invalid_turn", "the turn", () => makeTurn(init, false));
  }

  /**
   * Reads the result of {@link Turn.toJSON}, as an object or as JSON text. The turn is saved to the same bytes again
   * and renders to the same messages.
   *
   * @throws {TurnfoldError} `invalid_turn`; its `cause` has the details.
   */
  static fromJSON(json: unknown): Turn {
    const { text, handle } = loadTurn(json);
    const saved: SavedText = { text, canonical: true, values: null, loaded: null };
    setHandle(saved, handle);
    return constructTurn(readFacts(JSON.parse(text) as TurnJSON), saved);
  }

  /**
   * The turn as plain JSON with a `version`; nothing is lost. `JSON.stringify(turn)` uses it, and `structuredClone` of it
   * works.
   */
  toJSON(): unknown {
    const saved = savedOf(this) as SavedText;
    if (!saved.canonical) {
      const handle = handleOf(this);
      saved.text = call("turns", () => handle.toJson());
      saved.canonical = true;
    }
    return JSON.parse(saved.text);
  }
}

const NO_NAMES: readonly string[] = Object.freeze([]);

const DECODED_RESULT: PropertyDescriptor = {
  enumerable: true,
  get(this: Turn) {
    return valuesOf(this).result;
  },
};

const DECODED_CALLS: PropertyDescriptor = {
  enumerable: true,
  get(this: Turn) {
    return valuesOf(this).toolCalls;
  },
};

const DECODED_MEMORY: PropertyDescriptor = {
  enumerable: true,
  get(this: Turn) {
    return valuesOf(this).memory;
  },
};

/** Calls the constructor, which is private to this module. */
const constructTurn = (facts: TurnFacts, saved: SavedText): Turn =>
  new (Turn as unknown as new (facts: TurnFacts, saved: SavedText) => Turn)(facts, saved);

function makeTurn(init: TurnInit, success: boolean): Turn {
  const { facts, text } = readInit(init, success);
  return constructTurn(facts, { text, canonical: false, values: null, loaded: null });
}

/**
 * Returns the handle of the turn on the wasm side; loads the turn when there is none.
 *
 * @internal
 */
export function handleOf(turn: Turn): TurnHandle {
  const saved = savedOf(turn) as SavedText;
  const { loaded } = saved;
  const current = loaded !== null && loaded.copy === packageCopy ? loaded.slot.current : null;
  return (
    current ??
    setHandle(
      saved,
      call("turns", (wasm) => wasm.TurnHandle.fromEncoded(send(saved.text))),
    )
  );
}

function setHandle(saved: SavedText, handle: TurnHandle): TurnHandle {
  if (saved.loaded === null || saved.loaded.copy !== packageCopy) {
    saved.loaded = { slot: new HandleSlot(pool), copy: packageCopy };
  }
  return saved.loaded.slot.set(handle, saved.text.length);
}

/**
 * Adds turns to a history on the wasm side, and returns the length of the texts that they are loaded from.
 *
 * @internal
 */
export function pushTurns(history: RendererHandle, turns: readonly Turn[]): number {
  return call("turns", () => {
    let length = 0;
    for (const turn of turns) {
      history.push(handleOf(turn));
      length += (savedOf(turn) as SavedText).text.length;
    }
    return length;
  });
}

/**
 * Returns the definitions of the last turn that has them.
 *
 * @internal
 */
export function memoryAfter(turns: readonly Turn[]): Readonly<Record<string, Value>> {
  for (let index = turns.length - 1; index >= 0; index--) {
    const turn = turns[index] as Turn;
    if (Object.hasOwn(turn, "memory")) return turn.memory;
  }
  return EMPTY_MEMORY;
}

/**
 * Returns `value` if it is a turn, of this or another copy of the package.
 *
 * @throws {TurnfoldError} `invalid_turn`
 *
 * @internal
 */
export function checkTurn(value: unknown, path: Path): Turn {
  if (wrapReadErrors("invalid_turn", path, () => savedOf(value)) !== undefined) return value as Turn;
  throw invalidTurn(pathText(path), "a Turn", value, "make it with Turn.success, Turn.failure or Turn.fromJSON");
}

/**
 * Returns a copy of a list of turns; errors as {@link checkTurn}.
 *
 * @internal
 */
export function checkTurns(turns: unknown): Turn[] {
  return checkList("turns", turns).map((turn, index) => checkTurn(turn, () => `turns[${index}]`));
}

function savedOf(turn: unknown): SavedText | undefined {
  return typeof turn === "object" && turn !== null ? (turn as { [savedKey]?: SavedText })[savedKey] : undefined;
}

function valuesOf(turn: Turn): TurnValues {
  const saved = savedOf(turn) as SavedText;
  saved.values ??= decodeValues(JSON.parse(saved.text) as TurnJSON);
  return saved.values;
}

import { copyMembers, plainCopy } from "../boundary/options.ts";
import { call } from "../boundary/wasm.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { type Prices, priceList } from "../model/prices.ts";
import { checkCounter, estimate, type TokenCounter } from "../tokens/tokens.ts";
import { isPlain } from "../values/describe.ts";
import type { Value } from "../values/values.ts";
import type { Message } from "./message.ts";
import type { RenderOptions } from "./options.ts";
import type { Turn } from "./turn.ts";

/** Limits of the shown part of a history: whole numbers from 0 up. */
export interface CoalescedOptions {
  /** Number of most recent prints shown. Default 15. */
  printlnLimit?: number | undefined;
  /** Number of most recent tool calls shown. Default 20. */
  toolCallLimit?: number | undefined;
  /** Items of each collection in samples and arguments. Default 3. */
  sampleLimit?: number | undefined;
  /**
   * Graphemes of a string in samples. The values of a map share them, each has at least 10. A word of up to 120 bytes is
   * not cut in two: the string ends before it, or behind it when less than half would be left. Default 80.
   */
  samplePrintableLimit?: number | undefined;
  /**
   * Number of paths, addresses, hashes, codes and identifiers of a text that are listed after its sample, each preceded
   * by a word that was next to it in the text. Default 0.
   */
  sampleNames?: number | undefined;
  /** Characters of each print. */
  printLength?: number | undefined;
  /** Shows ` => sample` after the calls of turns that printed nothing. Default false. */
  toolResults?: boolean | undefined;
}

/** The built-in strategies and their options. */
export interface StrategyOptions {
  /** Everything folded into one USER message. The default. */
  "single-user-coalesced": CoalescedOptions;
  /** The last `keep` turns (default 2) as pairs of messages, older ones folded. */
  "rolling-window": CoalescedOptions & { keep?: number | undefined };
  /** Each turn a pair of messages: its program, and its definitions, calls and prints. */
  "per-turn-summary": CoalescedOptions;
  /** Folded, and reduced to `budget` tokens (default 1000) by `counter` (default the estimate). */
  aggressive: CoalescedOptions & { budget?: number | undefined; counter?: TokenCounter | undefined };
  /**
   * A folded state that stays the same, followed by what each turn added; folded again when that is worth its price.
   */
  journal: CoalescedOptions & JournalOptions;
}

/** The options of the strategy `journal`. */
export interface JournalOptions {
  /** Number of turns that a fold leaves unfolded. Default 1. */
  keep?: number | undefined;
  /** What tokens cost: decides when to fold. Default those of {@link PriceList}. */
  prices?: Prices | undefined;
  /** Folds when not folding has cost this many times the price of a fold. Default 1; a lower number folds earlier. */
  patience?: number | undefined;
  /**
   * Maximum tokens of the part that depends on the turns. A request that exceeds it is folded, and the folded part is
   * reduced to 0.7 of the budget, as `aggressive` does. Default none.
   */
  budget?: number | undefined;
  /** Counts tokens. Default the estimate. */
  counter?: TokenCounter | undefined;
}

/** The names of the built-in strategies. */
export type StrategyName = keyof StrategyOptions;

/**
 * A strategy of the host.
 *
 * @example
 * ```ts
 * const lastPrint: CustomStrategy = {
 *   name: "last-print",
 *   toMessages: (turns, memory, { mission, turnsLeft }) => [
 *     { role: "user", content: `${mission}\n\n${turns.at(-1)?.prints.at(-1) ?? ""}\n\nTurns left: ${turnsLeft}` },
 *   ],
 * };
 * ```
 */
export interface CustomStrategy<O = Record<string, unknown>> {
  name: string;
  /**
   * Must be pure. `options` are the host's, with `turnsLeft` resolved and `data` as {@link Value}s;
   * `options.strategyOptions` are the options in the pair with the strategy. `options` can be spread into a call of
   * `toMessages` with another `compression`.
   */
  toMessages(
    turns: readonly Turn[],
    memory: Readonly<Record<string, Value>>,
    options: RenderOptions & { turnsLeft: number; strategyOptions: O },
  ): Message[];
}

/** A setting of compression: on, off, or a strategy. */
export type Compression =
  | boolean
  | null
  | StrategyName
  | CustomStrategy
  | { [N in StrategyName]: readonly [N, StrategyOptions[N]] }[StrategyName]
  | readonly [CustomStrategy, Record<string, unknown>];

/** The result of {@link normalizeCompression}. */
export interface NormalizedCompression {
  /** Null when off. */
  strategy: StrategyName | CustomStrategy | null;
  options: Record<string, unknown>;
}

/**
 * The strategy and options of a `compression` setting: `true` is the default strategy, `false`, `null` and `undefined` are
 * none, a pair is a strategy with options.
 *
 * @example
 * ```ts
 * normalizeCompression(true); // => { strategy: 'single-user-coalesced', options: {} }
 * normalizeCompression(["rolling-window", { keep: 3 }]); // => { strategy: 'rolling-window', options: { keep: 3 } }
 * ```
 * @throws {TurnfoldError} `unknown_strategy` and `invalid_option`, whose hints list the known ones; `invalid_strategy`
 * for a host object without `name` or `toMessages`; `invalid_counter`.
 */
export function normalizeCompression(value: Compression | undefined): NormalizedCompression {
  // Absent means off here; in the options of rendering it means on.
  const { setting, custom, options } = readCompression(value ?? null);
  if (custom !== null) return { strategy: custom, options };
  const strategy = call("turns", (wasm) => wasm.normalizeCompression(setting)) ?? null;
  return { strategy: strategy as StrategyName | null, options };
}

/**
 * The parts of a setting of compression.
 *
 * @internal
 */
export interface CompressionSetting {
  /** The setting for the wasm side, which checks it; false for a strategy of the host. */
  setting: unknown;
  /** The host's strategy. */
  custom: CustomStrategy | null;
  /** Copies of the strategy's options. */
  options: Record<string, unknown>;
  /** The host's counter; null for the estimate, which is in the wasm. */
  counter: TokenCounter | null;
}

/**
 * Separates the host's functions from a setting.
 *
 * @throws {TurnfoldError} `invalid_option`, `invalid_strategy`, `invalid_counter`
 *
 * @internal
 */
export function readCompression(value: unknown): CompressionSetting {
  return wrapReadErrors("invalid_option", "compression", () => {
    const pair = Array.isArray(value) ? [...(value as unknown[])] : [value];
    const [strategy, given] = pair;
    if (pair.length === 0) throw invalidCompression("must be a pair of a strategy and its options, got an empty list");
    if (typeof strategy === "object" && strategy !== null && !Array.isArray(strategy)) {
      if (pair.length > 2)
        throw invalidCompression(`must be a pair of a strategy and its options, got ${pair.length} values`);
      const options = given === undefined ? {} : copyMembers(given, "the options of compression", COMPRESSION_HINT);
      return { setting: false, custom: checkStrategy(strategy), options, counter: null };
    }
    const options =
      typeof given === "object" && given !== null && isPlain(given) ? copyMembers(given, "compression") : {};
    let counter: TokenCounter | null = null;
    if ((strategy === "aggressive" || strategy === "journal") && options.counter !== undefined) {
      const checkedCounter = checkCounter(options.counter);
      if (checkedCounter !== estimate) counter = checkedCounter;
      pair[1] = { ...options, counter: counter === null ? "estimate" : "host" };
    }
    if (strategy === "journal" && options.prices !== undefined) {
      pair[1] = { ...(pair[1] as object), prices: priceList(options.prices) };
    }
    const setting = plainCopy(Array.isArray(value) ? pair : value, "compression");
    return { setting, custom: null, options, counter };
  });
}

function checkStrategy(strategy: object): CustomStrategy {
  const { name, toMessages } = strategy as Partial<CustomStrategy>;
  if (typeof name === "string" && name !== "" && typeof toMessages === "function") return strategy as CustomStrategy;
  throw new TurnfoldError("invalid_strategy", "a strategy has a name and a function toMessages", {
    details: { strategy: typeof name === "string" ? name : null },
    hint: '{ name: "mine", toMessages(turns, memory, options) { return [{ role: "user", content: "…" }]; } }',
  });
}

const COMPRESSION_HINT =
  'true, false, a name, [name, options], or { name, toMessages }; such as ["rolling-window", { keep: 3 }]';

function invalidCompression(problem: string): TurnfoldError {
  return new TurnfoldError("invalid_option", `compression ${problem}`, {
    details: { option: "compression" },
    hint: COMPRESSION_HINT,
  });
}

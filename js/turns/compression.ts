import { copyMembers, plainCopy } from "../boundary/options.ts";
import { call } from "../boundary/wasm.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { priceList } from "../model/prices.ts";
import { checkCounter, estimate, type TokenCounter } from "../tokens/tokens.ts";
import { isPlain } from "../values/describe.ts";
import type { Compression, CustomStrategy, StrategyName } from "./options.ts";

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

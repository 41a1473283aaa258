import { describe, isPlain } from "../values/describe.ts";
import { reading, TurnfoldError } from "../errors.ts";
import type { Message } from "./message.ts";
import type { RenderOptions } from "./options.ts";
import { checkCounter, type TokenCounter } from "../tokens/tokens.ts";
import type { Turn } from "./turn.ts";
import type { Value } from "../values/values.ts";
import { call } from "../boundary/wasm.ts";

/** How much of a history is shown. Each limit is a whole number, not negative. */
export interface CoalescedOptions {
  /** The most recent prints shown; 15 [API-004]. */
  printlnLimit?: number;
  /** The most recent tool calls shown; 20 [API-005]. */
  toolCallLimit?: number;
  /** Items of each collection in samples and arguments; 3 [TRN-002, TRN-003]. */
  sampleLimit?: number;
  /** Graphemes of each string in samples; 80 [TRN-002]. */
  samplePrintableLimit?: number;
  /** Characters of each print. */
  printLength?: number;
  /** Shows ` => sample` behind the calls of turns that printed nothing; off. */
  toolResults?: boolean;
}

/** The built-in strategies with what stands beside their names. */
export interface StrategyOptions {
  /** Everything folded into one USER message. The default. */
  "single-user-coalesced": CoalescedOptions;
  /** The last `keep` turns (2) as pairs of messages, everything older folded. */
  "rolling-window": CoalescedOptions & { keep?: number };
  /** Each turn a pair of messages: its program, and what it defined, called, printed. */
  "per-turn-summary": CoalescedOptions;
  /** Folded, and squeezed under `budget` tokens (1000) as `counter` counts them (the estimate). */
  aggressive: CoalescedOptions & { budget?: number; counter?: TokenCounter };
}

/** The names of the built-in strategies. */
export type StrategyName = keyof StrategyOptions;

/**
 * A strategy of the host's own.
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
   * Pure. `options` are those that the host gave, with `turnsLeft` resolved and `data` as {@link Value}s;
   * `options.strategyOptions` is what stood beside the strategy. They can be spread into a call of `toMessages` with
   * another `compression`.
   */
  toMessages(
    turns: readonly Turn[],
    memory: Readonly<Record<string, Value>>,
    options: RenderOptions & { turnsLeft: number; strategyOptions: O },
  ): Message[];
}

/** On, off, or which one. */
export type Compression =
  | boolean
  | null
  | StrategyName
  | CustomStrategy
  | { [N in StrategyName]: readonly [N, StrategyOptions[N]] }[StrategyName]
  | readonly [CustomStrategy, Record<string, unknown>];

/** What {@link normalizeCompression} gives. */
export interface NormalizedCompression {
  /** Null when off. */
  strategy: StrategyName | CustomStrategy | null;
  options: Record<string, unknown>;
}

/**
 * What a `compression` setting means [API-006]: `true` is the default strategy [API-001], `false`, `null` and
 * `undefined` are none [API-003], a pair carries options [API-002].
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
  const compression = reading("invalid_option", "compression", () => readCompression(value));
  const { strategy, options } = compression;
  if (typeof strategy === "string") {
    const wire = reading("invalid_option", "compression", () => wireOptions(strategy, options));
    call((wasm) => wasm.normalizeCompression(strategy, wire));
  }
  return compression;
}

const DEFAULT_STRATEGY = "single-user-coalesced";

/**
 * The same without asking the wasm about names and options, which whoever renders with them does anyway.
 *
 * @internal
 */
export function readCompression(value: unknown): NormalizedCompression {
  if (value === undefined || value === null || value === false) return { strategy: null, options: {} };
  if (value === true) return { strategy: DEFAULT_STRATEGY, options: {} };
  if (!Array.isArray(value)) return { strategy: checkStrategy(value), options: {} };
  const [strategy, options = {}] = value as unknown[];
  if (value.length > 2) throw invalid(`must be a pair of a strategy and its options, got ${value.length} values`);
  if (typeof options !== "object" || options === null || !isPlain(options)) {
    throw invalid(`must have an object of options beside the strategy, got ${describe(options)}`);
  }
  return { strategy: checkStrategy(strategy), options: { ...options } };
}

function checkStrategy(strategy: unknown): StrategyName | CustomStrategy {
  if (typeof strategy === "string") return strategy as StrategyName;
  if (typeof strategy !== "object" || strategy === null) throw invalid(`can't be ${describe(strategy)}`);
  const { name, toMessages } = strategy as Partial<CustomStrategy>;
  if (typeof name === "string" && name !== "" && typeof toMessages === "function") return strategy as CustomStrategy;
  throw new TurnfoldError("invalid_strategy", "a strategy has a name and a function toMessages", {
    details: { strategy: typeof name === "string" ? name : null },
    hint: '{ name: "mine", toMessages(turns, memory, options) { return [{ role: "user", content: "…" }]; } }',
  });
}

/**
 * The counter of a strategy that takes one.
 *
 * @internal
 */
export function counterOf({ strategy, options }: NormalizedCompression): TokenCounter | null {
  return strategy === "aggressive" && options.counter !== undefined ? checkCounter(options.counter) : null;
}

/**
 * The options that the wasm is told: a counter is asked from this side.
 *
 * @internal
 */
export function wireOptions(strategy: StrategyName, options: Record<string, unknown>): Record<string, unknown> {
  const defined = Object.entries(options).filter(([name, value]) => {
    if (name === "counter" && strategy === "aggressive") checkCounter(value ?? undefined);
    return value !== undefined && !(name === "counter" && strategy === "aggressive");
  });
  return Object.fromEntries(defined);
}

function invalid(problem: string): TurnfoldError {
  return new TurnfoldError("invalid_option", `compression ${problem}`, {
    details: { option: "compression" },
    hint: 'true, false, a name, [name, options], or { name, toMessages }; such as ["rolling-window", { keep: 3 }]',
  });
}

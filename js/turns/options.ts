import type { Breakpoint, Message } from "../model/message.ts";
import type { Prices } from "../model/prices.ts";
import type { TokenCounter } from "../tokens/tokens.ts";
import type { ToolDescription, Tools } from "../tools/tool.ts";
import type { Value } from "../values/values.ts";
import type { Turn } from "./turn.ts";

/** Options of rendering. Limits can be given here or in the options of the strategy, which take precedence. */
export interface RenderOptions extends CoalescedOptions {
  /** The task of the agent: the first part of the USER message. */
  mission: string;
  /** The SYSTEM message. Default the built-in one. */
  systemPrompt?: string | undefined;
  /** Tools, called by programs as `tool/name`. */
  tools?: Tools | Record<string, ToolDescription> | undefined;
  /**
   * Maximum tokens of the list of tools, by the estimate. For what does not fit, the list has less of each tool: first it
   * omits descriptions of parameters, then descriptions, then all but the names, then it counts names by their first
   * word. The first tools keep more, as far as the budget goes. Programs find the others with `(find-doc "word")`, `(apropos "word")` and
   * `(doc tool/name)`. The list is the same in all messages of a run. Default none: everything is listed.
   */
  toolBudget?: number | undefined;
  /** Values that programs read as `data/name`. Copied: later changes take effect only when it is passed again. */
  data?: Record<string, unknown> | undefined;
  /** Such as `(query :string) -> {total :float}`; its return type becomes the section of expected output. */
  signature?: string | undefined;
  /** Descriptions of fields of the expected output, by their paths: `{ "items.price": "in euros" }`. */
  fieldDescriptions?: Record<string, string> | undefined;
  /** Maximum number of turns. Default 5. Turns left are `maxTurns` minus the number of turns; 1 disables compression. */
  maxTurns?: number | undefined;
  /** Overrides the number of turns left. */
  turnsLeft?: number | undefined;
  /**
   * Time at which the request is sent, in milliseconds since 1970, like {@link Turn.at}: with both, a strategy with
   * prices finds out whether the provider's cache has expired.
   */
  at?: number | undefined;
  /** Default `true`, the default strategy. */
  compression?: Compression | undefined;
}

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
  /** Characters of each print; `journal` shows as many of the beginning and of the end of all that a turn printed. */
  printLength?: number | undefined;
  /**
   * How prints are shown, as `arrival` of a chat: `lossless` writes lists of records in JSON as tables, other JSON without
   * blanks, equal lines in a row counted, hits of a search below the name of their file, no escape sequences of terminals
   * and no padding before line numbers. In turns with calls that read files only that padding goes. Results of calls and
   * values stay as they are: samples of them are shown. Default: prints are shown as they are.
   */
  arrival?: "lossless" | undefined;
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
   * `toMessages` with another `compression`, whose result can be returned.
   *
   * @returns the messages, alone or with at most four `breakpoints`: places up to which the next request repeats them, at
   * which the provider's cache is marked. Without breakpoints the end of the system messages is marked, and if there are
   * replies of the model, also the end of the previous request and that of this one.
   */
  toMessages(
    turns: readonly Turn[],
    memory: Readonly<Record<string, Value>>,
    options: RenderOptions & { turnsLeft: number; strategyOptions: O },
  ): readonly Message[] | { messages: readonly Message[]; breakpoints?: readonly Breakpoint[] | undefined };
}

/** A setting of compression: on, off, or a strategy. */
export type Compression =
  | boolean
  | null
  | StrategyName
  | CustomStrategy
  | { [N in StrategyName]: readonly [N, StrategyOptions[N]] }[StrategyName]
  | readonly [CustomStrategy, Record<string, unknown>];

import { checkMembers } from "../boundary/options.ts";
import { reading, TurnfoldError } from "../errors.ts";
import { checkCounter, estimate, type TokenCounter } from "../tokens/tokens.ts";
import { describe } from "../values/describe.ts";
import { type CustomHistoryStrategy, type HistoryStrategy, specOf } from "./strategies.ts";

/** Whose marks around messages are counted. */
export type Provider = "openai" | "anthropic";

/**
 * How a history is managed before a model is called. Nothing ever happens without `compressionStrategy`, `maxTokens` or
 * `maxHistorySize`; they apply in that order.
 */
export interface RequestParameters {
  /** One, or several in a row, of which only the last may ask for summaries. */
  compressionStrategy?: HistoryStrategy | CustomHistoryStrategy | readonly (HistoryStrategy | CustomHistoryStrategy)[];
  /** When strategies run: on every call, or when a limit is exceeded, which is what happens when there is a limit. */
  when?: "always" | "overLimit";
  /** 10. With fewer messages of history, system messages aside, no strategy runs. */
  minMessages?: number;
  /** 2. So many messages are left by a strategy at least. */
  keepAtLeast?: number;
  /** Tokens that may be sent, or a share of the model's window. Units of the oldest messages are left out beyond it. */
  maxTokens?: number | { fraction: number; window: number };
  /** 0. Tokens of those that are left for the reply. */
  reserveTokens?: number;
  /** Messages that may be sent, system messages and the request included. */
  maxHistorySize?: number;
  /** True. Whether the tokens of a message are counted once, or again each time; the numbers are the same. */
  enableTokenCaching?: boolean;
  /** What counts tokens; {@link estimate}. */
  counter?: TokenCounter;
  /** Whose marks around messages are counted; `openai`. */
  provider?: Provider;
  /** What a model is told to do with the messages that it summarises. */
  summaryPrompt?: string;
  /** Who says the summaries; `user`. */
  summaryRole?: "user" | "assistant";
  /** A longer request for a summary is asked in pieces, which become one summary. */
  summaryMaxTokens?: number;
}

const KNOWN: readonly (keyof RequestParameters)[] = [
  "compressionStrategy",
  "when",
  "minMessages",
  "keepAtLeast",
  "maxTokens",
  "reserveTokens",
  "maxHistorySize",
  "enableTokenCaching",
  "counter",
  "provider",
  "summaryPrompt",
  "summaryRole",
  "summaryMaxTokens",
];

const RENAMED = { strategy: "compressionStrategy", maxMessages: "maxHistorySize", tokenCounter: "counter" };

/**
 * Parameters that were checked, and copied as far as they are read.
 *
 * @internal
 */
export interface CheckedParameters {
  strategies: readonly (HistoryStrategy | CustomHistoryStrategy)[];
  counter: TokenCounter;
  /** Read once: a counter is the host's. */
  counterName: string;
  caches: boolean;
  /** Everything else as the wasm side takes it. */
  wire: Record<string, unknown>;
}

/**
 * @param beside members that mean something to the caller.
 * @throws {TurnfoldError} `invalid_option`, with the name in `details.option`; `invalid_strategy`, `invalid_counter`.
 *
 * @internal
 */
export function checkParameters(parameters: unknown, beside: readonly string[] = []): CheckedParameters {
  return reading("invalid_option", "the parameters", () => {
    const given = checkMembers("the parameters", parameters, [...KNOWN, ...beside], RENAMED) as RequestParameters;
    const { compressionStrategy, enableTokenCaching: caches = true, counter = estimate } = given;
    const strategies = strategyList(compressionStrategy);
    const maxTokens = tokenLimit(given.maxTokens);
    const reserveTokens = whole("reserveTokens", given.reserveTokens, 0);
    if (maxTokens !== undefined && reserveTokens !== undefined && reserveTokens >= maxTokens) {
      throw refused("reserveTokens", `must leave some of maxTokens, ${maxTokens}, got ${reserveTokens}`);
    }
    const maxHistorySize = whole("maxHistorySize", given.maxHistorySize, 1);
    const when = oneOf("when", given.when, ["always", "overLimit"]);
    if (when === "overLimit" && maxTokens === undefined && maxHistorySize === undefined) {
      throw refused("when", 'is "overLimit", and there is no limit', "give maxTokens or maxHistorySize too");
    }
    if (typeof caches !== "boolean")
      throw refused("enableTokenCaching", `must be true or false, got ${describe(caches)}`);
    const wire = {
      strategies: strategies.map(specOf),
      when,
      minMessages: whole("minMessages", given.minMessages, 0),
      keepAtLeast: whole("keepAtLeast", given.keepAtLeast, 0),
      maxTokens,
      reserveTokens,
      maxHistorySize,
      provider: oneOf("provider", given.provider, ["openai", "anthropic"]),
      summaryPrompt: promptOf(given.summaryPrompt),
      summaryRole: oneOf("summaryRole", given.summaryRole, ["user", "assistant"]),
      summaryMaxTokens: whole("summaryMaxTokens", given.summaryMaxTokens, 1),
    };
    checkCounter(counter);
    return { strategies, counter, counterName: counter.name, caches, wire };
  });
}

const FREE = new Set(["clearToolResults"]);

function strategyList(given: unknown): CheckedParameters["strategies"] {
  if (given === undefined || given === null) return [];
  const list = (Array.isArray(given) ? [...given] : [given]) as CheckedParameters["strategies"];
  list.forEach((strategy, place) => {
    const { name } = specOf(strategy);
    if (place < list.length - 1 && name !== "host" && !FREE.has(name)) {
      throw new TurnfoldError("invalid_option", `${name} asks for summaries, which only the last strategy may do`, {
        details: { option: "compressionStrategy" },
        hint: "[clearToolResults(), lastNMessages(20)]",
      });
    }
  });
  return list;
}

function tokenLimit(given: unknown): number | undefined {
  if (given === undefined || given === null || typeof given === "number") return whole("maxTokens", given, 1);
  const { fraction, window } = Object(given) as { fraction?: unknown; window?: unknown };
  const share = Math.floor((fraction as number) * (window as number));
  if (typeof fraction === "number" && fraction > 0 && fraction <= 1 && Number.isSafeInteger(share) && share > 0)
    return share;
  throw refused(
    "maxTokens",
    `must be a number of tokens or { fraction, window }, got ${describe(given)}`,
    "{ fraction: 0.7, window: 128_000 }",
  );
}

function promptOf(given: unknown): string | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given === "string" && given.trim() !== "") return given;
  throw refused("summaryPrompt", `must be a text, got ${describe(given)}`);
}

function whole(option: string, given: unknown, least: number): number | undefined {
  if (given === undefined || given === null) return undefined;
  if (Number.isSafeInteger(given) && (given as number) >= least) return given as number;
  throw refused(option, `must be a whole number from ${least} up, got ${describe(given)}`);
}

function oneOf(option: string, given: unknown, known: readonly string[]): string | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given === "string" && known.includes(given)) return given;
  throw refused(option, `must be ${known.map((name) => JSON.stringify(name)).join(" or ")}, got ${describe(given)}`);
}

function refused(option: string, problem: string, hint: string | null = null): TurnfoldError {
  return new TurnfoldError("invalid_option", `${option} ${problem}`, { details: { option }, hint });
}

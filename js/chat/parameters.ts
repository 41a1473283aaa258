import { checkMembers, invalidOption, plainCopy } from "../boundary/options.ts";
import { call } from "../boundary/wasm.ts";
import { reading } from "../errors.ts";
import { checkCounter, estimate, type TokenCounter } from "../tokens/tokens.ts";
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
  /** Read once: the host may change its counter. */
  counterName: string;
  caches: boolean;
  /** The other parameters, as the wasm reads them. */
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
    const { compressionStrategy, enableTokenCaching: caches = true, counter = estimate, ...others } = given;
    const strategies = strategyList(compressionStrategy);
    const wire = wireOf(others, strategies, beside);
    call((wasm) => wasm.checkParameters(wire));
    if (typeof caches !== "boolean") throw invalidOption("enableTokenCaching", "true or false", caches);
    checkCounter(counter);
    return { strategies, counter, counterName: counter.name, caches, wire };
  });
}

/** Null stands for an absent parameter. */
function wireOf(
  parameters: RequestParameters,
  strategies: CheckedParameters["strategies"],
  beside: readonly string[],
): Record<string, unknown> {
  const given = Object.entries(parameters).filter(([name, value]) => value !== null && !beside.includes(name));
  const wire = plainCopy(Object.fromEntries(given), "the parameters", "") as Record<string, unknown>;
  return { ...wire, strategies: strategies.map(specOf) };
}

function strategyList(given: unknown): CheckedParameters["strategies"] {
  if (given === undefined || given === null) return [];
  return (Array.isArray(given) ? [...given] : [given]) as CheckedParameters["strategies"];
}

import {
  checkMembers,
  choiceOption,
  countOption,
  flagOption,
  invalidOption,
  type OptionChecks,
  plainCopy,
  readOptions,
} from "../boundary/options.ts";
import { call } from "../boundary/wasm.ts";
import { wrapReadErrors } from "../errors.ts";
import { type PriceList, type Prices, priceList } from "../model/prices.ts";
import { checkCounter, estimate, type TokenCounter } from "../tokens/tokens.ts";
import { type CustomHistoryStrategy, type HistoryStrategy, type StrategySpec, specOf } from "./strategies.ts";

/** A number of tokens, or a fraction of a model's window in tokens. */
export type TokenLimit = number | { fraction: number; window: number };

/** A provider, whose additional tokens around messages are counted. */
export type Provider = "openai" | "anthropic" | "gemini";

/**
 * How results of tools are sent, from the first request on that has them. The conversation keeps what the tools returned.
 */
export interface ArrivalOptions {
  /**
   * Whether results are written in shorter forms in which every name and number stays readable, and lines that are in
   * an earlier result of the same request become a reference to them. Default true.
   */
  lossless?: boolean | undefined;
  /**
   * Results of more estimated tokens are shown in part: their size, the beginning, names in the rest, and the id with
   * which the model gets all of it from the tool `recall`. {@link Agent} offers that tool; {@link resultTool} is it for
   * other hosts. Default: all results are shown.
   */
  above?: number | undefined;
}

/**
 * How a history is managed before a model is called. Without `compressionStrategy`, `maxTokens` and `maxHistorySize` it
 * is not changed; they apply in that order.
 */
export interface RequestParameters {
  /** One strategy, or a chain in which only the last may ask for summaries. */
  compressionStrategy?:
    | HistoryStrategy
    | CustomHistoryStrategy
    | readonly (HistoryStrategy | CustomHistoryStrategy)[]
    | undefined;
  /**
   * When strategies run: on every call; when a limit or its `trigger` is exceeded; or when not running them has cost
   * `patience` times the price of breaking the provider's cache and of writing summaries, and also when a limit or its
   * `trigger` is exceeded. Default `worthIt` for `digest()`, because a fold breaks the provider's cache and pays only
   * when enough requests follow; for other strategies `overLimit` if there is a limit, else `always`.
   */
  when?: "always" | "overLimit" | "worthIt" | undefined;
  /** Within the limits, no strategy runs with fewer messages, not counting system messages. Default 10. */
  minMessages?: number | undefined;
  /** Minimum number of messages that a strategy leaves within the limits, and of rounds in an exchange. Default 2. */
  keepAtLeast?: number | undefined;
  /**
   * Maximum tokens to send, or a fraction of the model's window. A history that exceeds `trigger` is reduced: the
   * strategies run, and summaries cover as much as is needed to reach `target`. What then exceeds the limit, or without
   * a strategy the trigger, is cut to `target` from its oldest messages on; the cut stays until it is exceeded again.
   * Both are a share of the limit up to 1, or a larger number of tokens. Default trigger: the limit; default target: 0.7
   * of the trigger. With a target of 1 only as much is removed as necessary.
   */
  maxTokens?: TokenLimit | { limit: TokenLimit; trigger?: number | undefined; target?: number | undefined } | undefined;
  /** Tokens of `maxTokens` that are reserved for the reply. Default 0. */
  reserveTokens?: number | undefined;
  /**
   * Maximum number of messages to send, system messages and the request included; `trigger` and `target` as those of
   * `maxTokens`, in messages.
   */
  maxHistorySize?: number | { limit: number; trigger?: number | undefined; target?: number | undefined } | undefined;
  /**
   * What to do when the parts that may not be removed exceed a limit: system and pinned messages, the question and the
   * last round of calls, tools and schema. `error` throws `request_over_budget`; `send` removes everything else and
   * sends these parts; `truncateResults` cuts the longest tool results that no model has read yet, with a note in their
   * texts. Default `error`.
   */
  onOverflow?: "error" | "send" | "truncateResults" | undefined;
  /**
   * What a cut history begins with, after system messages. With `user`, answers and tool results at its beginning are
   * removed too, or the question that they reply to is kept; pinned messages, summaries and `keepAtLeast` take
   * precedence. Default `user`.
   */
  startWith?: "user" | "any" | undefined;
  /**
   * Whether `Agent` joins consecutive messages of one role in what it sends, as {@link mergeRoles} does; its
   * conversation is not changed. For chat templates that require turns to alternate. Default true with
   * `provider: "anthropic"`, else false.
   */
  mergeRoles?: boolean | undefined;
  /**
   * How results of tools are written when they are first sent, and in the same way in every later request. `lossless`:
   * lists of records in JSON as tables, other JSON without blanks, equal lines in a row counted, hits of a search below
   * the name of their file, no escape sequences of terminals, no padding before line numbers; and lines that an earlier
   * result of the request shows as a reference to it. A result of a call that reads a file only loses the padding before
   * line numbers. Pinned messages stay as they are. Default: results are sent as they are.
   */
  arrival?: "lossless" | ArrivalOptions | undefined;
  /** The token counter. Default {@link estimate}. */
  counter?: TokenCounter | undefined;
  /** The provider whose additional tokens around messages are counted. Default `openai`. */
  provider?: Provider | undefined;
  /**
   * The type of thinking that requests to Claude ask for. Thinking that Claude signed is removed once something before
   * it changes, because models with `adaptive` thinking refuse it. The `enabled` thinking of older models is not checked
   * and may not be missing from the last round of calls, so it stays. Default `adaptive`.
   */
  thinking?: "adaptive" | "enabled" | undefined;
  /** The instruction for summaries. */
  summaryPrompt?: string | undefined;
  /** The role of summaries. Default `user`. */
  summaryRole?: "user" | "assistant" | undefined;
  /** Maximum number of summaries that are requested concurrently. Default 4. */
  concurrency?: number | undefined;
  /** What tokens cost, for `worthIt` and for the costs in the report. Default those of {@link PriceList}. */
  prices?: Prices | undefined;
  /**
   * With `worthIt`: changes the history when not changing it has cost this many times the price of the change. A digest
   * also waits until that price makes the conversation so far at most 2 % dearer than without folds, divided by this
   * number. Default 1.
   */
  patience?: number | undefined;
  /**
   * How summaries are requested: `separate`, with a transcript in a request of its own, or `behind` the conversation as
   * it was sent, with its tools: the provider reads most of it from its cache. Messages that are not the beginning of
   * the conversation are always summarized separately. Default `separate`.
   */
  summaryRequest?: "separate" | "behind" | undefined;
  /** Maximum tokens of a request for a summary. A longer one is split into requests whose replies become one summary. */
  summaryMaxTokens?: number | undefined;
  /**
   * How many names of the summarized messages that a summary leaves out are listed below it: paths, identifiers, hashes
   * and codes, and labels with their values. Those that the model used come first. Default 0.
   */
  summaryNames?: number | undefined;
}

/** @internal */
export const PARAMETER_NAMES: readonly (keyof RequestParameters)[] = [
  "compressionStrategy",
  "when",
  "minMessages",
  "keepAtLeast",
  "maxTokens",
  "reserveTokens",
  "maxHistorySize",
  "onOverflow",
  "startWith",
  "mergeRoles",
  "arrival",
  "counter",
  "provider",
  "thinking",
  "summaryPrompt",
  "summaryRole",
  "summaryMaxTokens",
  "summaryNames",
  "summaryRequest",
  "prices",
  "patience",
  "concurrency",
];

/**
 * Names that other libraries use for these parameters.
 *
 * @internal
 */
export const RENAMED_PARAMETERS = {
  strategy: "compressionStrategy",
  maxMessages: "maxHistorySize",
  tokenCounter: "counter",
};

/**
 * Checked and copied parameters.
 *
 * @internal
 */
export interface CheckedParameters {
  strategies: readonly (HistoryStrategy | CustomHistoryStrategy)[];
  counter: TokenCounter;
  /** Read once, because the host may change its counter. */
  counterName: string;
  /** Whether consecutive messages of one role are joined in requests. */
  mergesRoles: boolean;
  /** Whether signed thinking stays after something before it has changed. */
  keepsThinking: boolean;
  /** Maximum number of summaries that are requested concurrently. */
  concurrency: number;
  minMessages: number;
  /** Whether there is `maxTokens` or `maxHistorySize`. */
  hasLimits: boolean;
  /** Whether strategies run only when that is worth its price. */
  weighs: boolean;
  summaryRole: string;
  /** Whether the tool `recall` is offered, because the texts of strategies or results shown in part name it. */
  offersRecall: boolean;
  /** JSON of what summaries depend on besides the messages: the strategy and its prompt. */
  summaryKeyContext: string;
  /** The other parameters, as the wasm reads them. */
  wire: WireParameters;
}

interface WireParameters extends Record<string, unknown> {
  strategies: readonly StrategySpec[];
  arrival?: { lossless: boolean; above?: number };
  summaryPrompt?: unknown;
  summaryNames?: unknown;
}

const DEFAULT_CONCURRENCY = 4;

/**
 * Copies the parameters among the options of a host, which may change its objects later.
 *
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function copyParameters(options: Readonly<Record<string, unknown>>): RequestParameters {
  const copies = PARAMETER_NAMES.map((name) => [name, copyParameter(name, options[name])]);
  return Object.fromEntries(copies.filter(([, value]) => value !== undefined));
}

function copyParameter(name: keyof RequestParameters, value: unknown): unknown {
  if (name === "compressionStrategy") return Array.isArray(value) ? [...value] : value;
  return name === "counter" ? value : plainCopy(value, name);
}

/**
 * @param otherNames further members that the caller reads.
 * @param defaults are replaced by the members of `parameters` that are not undefined.
 * @throws {TurnfoldError} `invalid_option`, with the name in `details.option`; `invalid_strategy`, `invalid_counter`.
 *
 * @internal
 */
export function checkParameters(
  parameters: unknown,
  otherNames: readonly string[] = [],
  defaults: RequestParameters = {},
): CheckedParameters {
  return wrapReadErrors("invalid_option", "the parameters", () => {
    const own = checkMembers("the parameters", parameters, [...PARAMETER_NAMES, ...otherNames], RENAMED_PARAMETERS);
    const replacing = Object.entries(own).filter(([, value]) => value !== undefined);
    const given: RequestParameters = { ...defaults, ...Object.fromEntries(replacing) };
    const { compressionStrategy, counter = estimate, ...more } = given;
    const { concurrency: givenConcurrency, mergeRoles, thinking, arrival: givenArrival, ...others } = more;
    const arrival = arrivalOption(givenArrival);
    const concurrency = countOption(DEFAULT_CONCURRENCY, 1)(givenConcurrency ?? undefined, "concurrency");
    const strategies = strategyList(compressionStrategy);
    const read = { ...others, ...(arrival && { arrival }), prices: priceList(others.prices) as PriceList };
    const wire = wireParameters(read, strategies, otherNames);
    const checked = call("chat", (wasm) => wasm.checkParameters(wire)) as Pick<
      CheckedParameters,
      "minMessages" | "hasLimits" | "weighs" | "summaryRole"
    >;
    const mergesRoles = flagOption(others.provider === "anthropic")(mergeRoles ?? undefined, "mergeRoles");
    choiceOption(["adaptive", "enabled"])(thinking ?? undefined, "thinking");
    checkCounter(counter);
    const { name, concepts } = wire.strategies.at(-1) ?? {};
    const summaryKeyContext = JSON.stringify([name, concepts, wire.summaryPrompt, wire.summaryNames]);
    return {
      ...checked,
      strategies,
      counter,
      counterName: counter.name,
      mergesRoles,
      keepsThinking: thinking === "enabled",
      offersRecall: arrival?.above !== undefined || wire.strategies.some(({ recall }) => recall === true),
      concurrency,
      summaryKeyContext,
      wire,
    };
  });
}

function arrivalOption(given: unknown): WireParameters["arrival"] {
  if (given === undefined || given === null) return undefined;
  if (given === "lossless") return { lossless: true };
  if (typeof given !== "object") {
    throw invalidOption("arrival", '"lossless" or { lossless, above }', given);
  }
  const { lossless, above } = readOptions(
    "arrival",
    given,
    { lossless: flagOption(true), above: countOption(undefined, 1) } satisfies OptionChecks<ArrivalOptions>,
    {},
    "arrival.",
  );
  return { lossless, ...(above !== undefined && { above }) };
}

/** Makes the parameters for the wasm. Null means an absent parameter. */
function wireParameters(
  parameters: RequestParameters,
  strategies: CheckedParameters["strategies"],
  otherNames: readonly string[],
): WireParameters {
  const given = Object.entries(parameters).filter(
    ([name, value]) => (value ?? null) !== null && !otherNames.includes(name),
  );
  const wire = plainCopy(Object.fromEntries(given), "the parameters", "") as Record<string, unknown>;
  return { ...wire, strategies: strategies.map(specOf) };
}

function strategyList(given: unknown): CheckedParameters["strategies"] {
  if (given === undefined || given === null) return [];
  return (Array.isArray(given) ? [...given] : [given]) as CheckedParameters["strategies"];
}

import { checkStep, type Step } from "../agent/step.ts";
import { checkMembers, copyMembers } from "../boundary/options.ts";
import { Conversation } from "../chat/conversation.ts";
import type { RequestParameters } from "../chat/parameters.ts";
import { clearToolResults, digest, lastNMessages } from "../chat/strategies.ts";
import { TurnfoldError } from "../errors.ts";
import type { Prices } from "../model/prices.ts";
import { checkCounter, estimate, type TokenCounter } from "../tokens/tokens.ts";
import type { Compression } from "../turns/options.ts";
import { describe } from "../values/describe.ts";
import { type BilledRequest, BillMeter, type BillParts, sumOf, TokenCounts } from "./bill.ts";
import { replayChat, replayStep } from "./replay-requests.ts";

/** Options of {@link compareCosts}. */
export interface CompareCostsOptions<S> {
  /** Default those of {@link PriceList}. */
  prices?: Prices | undefined;
  /**
   * The strategies to compare, by name. A journal, and a strategy of the host by its `strategyOptions`, gets the `prices` of
   * the comparison unless it has its own.
   */
  strategies?: Record<string, S> | undefined;
  /** Default {@link estimate}. */
  counter?: TokenCounter | undefined;
  /**
   * How the provider counts: tokens that are in each request but in no message, such as those of tools, and its tokens for each
   * token of the counter. {@link audit} fits both to recorded usage. Default 0 and 1.
   */
  scale?: { fixed: number; factor: number } | undefined;
  /**
   * Receives the name of the strategy and each request that it makes, before the next one is made. Requests share the objects
   * of messages that they repeat.
   */
  onRequest?: ((strategy: string, request: BilledRequest) => void) | undefined;
}

/** The costs of a run with one strategy. */
export interface StrategyCost extends BillParts {
  name: string;
  /** The share of the input that was read from the cache. */
  known: number;
  /** Requests for summaries, whose input and output are in the other members too. */
  summaries: number;
  /** The bill of each request of the run, with the requests for summaries before it. */
  requests: BillParts[];
}

/** The result of {@link compareCosts}. */
export interface CostComparison {
  /** The cheapest first. */
  strategies: StrategyCost[];
  /** The name of the cheapest. */
  cheapest: string;
}

/**
 * Computes what a recorded run would have cost with each strategy: every request is made again from the turns or
 * messages before it. No model is called. For a conversation, each assistant message counts as a request, and a summary
 * is assumed to have 15 % of the tokens of the messages it replaces, 7.5 % of those above 4,000, from 40 to 2,000.
 *
 * A request takes time in proportion to the messages that differ from the previous one, and with `worthIt` also to those
 * that wait until folding them is worth it.
 *
 * @param run a step; or a conversation, whose strategies are request parameters.
 * @example
 * ```ts
 * const { cheapest, strategies } = compareCosts(step, { prices: "anthropic" });
 * console.table(strategies, ["name", "cost", "known"]);
 * ```
 * @throws {TurnfoldError} `invalid_argument` for anything but a step or a conversation; `invalid_option` and the errors
 * of {@link toMessages}, {@link planHistory} and {@link bill}.
 */
export function compareCosts(run: Step, options?: CompareCostsOptions<Compression>): CostComparison;
export function compareCosts(run: Conversation, options?: CompareCostsOptions<RequestParameters>): CostComparison;
export function compareCosts(
  run: Step | Conversation,
  options: CompareCostsOptions<Compression> | CompareCostsOptions<RequestParameters> = {},
): CostComparison {
  const own = checkMembers("the options", copyMembers(options, "the options"), [
    "prices",
    "strategies",
    "counter",
    "scale",
    "onRequest",
  ]);
  const { prices = {}, counter: given, strategies, scale, onRequest } = own as typeof options;
  const facts = scale === undefined ? undefined : { ...checkScale(scale), isWarm: undefined, read: 0 };
  const counter = checkCounter(given ?? estimate);
  const requestsWith =
    run instanceof Conversation ? replayChat(run, { counter, prices }) : replayStep(checkRun(run), prices);
  const named = strategies ?? (run instanceof Conversation ? CHAT_STRATEGIES : TURN_STRATEGIES);
  const sizes = new TokenCounts(counter);
  const rows = Object.entries(copyMembers(named, "strategies")).map(([name, strategy]): StrategyCost => {
    const meter = new BillMeter(prices, sizes);
    // The number of billed requests up to each request of the run.
    const ends: number[] = [];
    for (const request of requestsWith(strategy)) {
      for (const summary of request.summaries) meter.add(summary, facts && { ...facts, fixed: 0 });
      meter.add(request, facts);
      ends.push((ends.at(-1) ?? 0) + request.summaries.length + 1);
      const { summaries: _, ...sent } = request;
      onRequest?.(name, sent);
    }
    const { requests: billed, uncachedCost, ...total } = meter.bill();
    const requests = ends.map((end, index) => sumOf(billed.slice(ends[index - 1] ?? 0, end)));
    return { name, ...total, summaries: billed.length - requests.length, requests };
  });
  if (rows.length === 0) {
    throw new TurnfoldError("invalid_option", "there are no strategies to compare", {
      details: { option: "strategies" },
      hint: '{ none: false, journal: "journal" } for a step',
    });
  }
  rows.sort((left, right) => left.cost - right.cost);
  return { strategies: rows, cheapest: (rows[0] as StrategyCost).name };
}

function checkScale(given: unknown): { fixed: number; factor: number } {
  const { fixed, factor } = checkMembers("scale", copyMembers(given, "scale"), ["fixed", "factor"]) as {
    fixed?: unknown;
    factor?: unknown;
  };
  const isNumber = (value: unknown, least: number): value is number =>
    typeof value === "number" && Number.isFinite(value) && value >= least;
  if (isNumber(fixed, 0) && isNumber(factor, 0.01)) return { fixed, factor };
  throw new TurnfoldError("invalid_option", "scale must have fixed, at least 0, and factor, at least 0.01", {
    details: { option: "scale" },
    hint: "{ fixed: 40_000, factor: 1.1 }",
  });
}

/** @internal */
export const TURN_STRATEGIES: Record<string, Compression> = {
  none: false,
  journal: "journal",
  "single-user-coalesced": "single-user-coalesced",
  "rolling-window": "rolling-window",
  "per-turn-summary": "per-turn-summary",
};

/** @internal */
export const CHAT_STRATEGIES: Record<string, RequestParameters> = {
  none: {},
  "clearToolResults, worthIt": { compressionStrategy: clearToolResults(), when: "worthIt" },
  "digest, worthIt": { compressionStrategy: digest(), when: "worthIt" },
  "lastNMessages(4), worthIt": { compressionStrategy: lastNMessages(4), when: "worthIt" },
  "lastNMessages(4), always": { compressionStrategy: lastNMessages(4) },
};

/** @internal */
export function checkRun(run: unknown): Step {
  try {
    return checkStep(run);
  } catch (cause) {
    throw new TurnfoldError("invalid_argument", `the run must be a step or a conversation, got ${describe(run)}`, {
      hint: "give the step of an agent, or a Conversation",
      cause,
    });
  }
}

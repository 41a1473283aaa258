// What the page shows of an audit: the same numbers, as rows of the strategy's bar and of the plots.

import type { Audit, StrategyAudit } from "turnfold/audit";
import type { ChatParameters } from "../chat/calls.ts";
import { parametersOf, type Settings } from "../chat/parameters.ts";
import { type ChatState, chatOptionNames, type HistoryChoice } from "../chat/state.ts";
import type { CostRequest, CostRow } from "../tokens/cost-rows.ts";
import type { Amounts } from "../tokens/settings.ts";

/** The settings of the Chat tab that the code of a strategy means. */
export type Picked = Pick<ChatState, "strategy" | "when" | "clears" | "shortens" | "options">;

/** Parses the code of a strategy of an audit, such as `compressionStrategy: digest({ keep: 4 })`; null is no strategy. */
export function pickedBy(code: string | null): Picked {
  const [, strategy = "none", args = ""] = /compressionStrategy: (\w+)\(([^)]*)\)/.exec(code ?? "") ?? [];
  const named = Array.from(args.matchAll(/(\w+): (\d+)/g), ([, name, value]) => [name, value] as const);
  const given = Object.fromEntries(/^\d+$/.test(args) ? [["n", args]] : named);
  return {
    strategy: strategy as HistoryChoice,
    when: "worthIt",
    clears: false,
    shortens: code?.includes("arrival") === true,
    options: Object.fromEntries(chatOptionNames.map((name) => [name, given[name] ?? ""])) as ChatState["options"],
  };
}

/** The parameters for an audit, which has the prices of each request. */
export function withoutPrices({ strategies, others: { prices: _, ...others } }: ChatParameters): ChatParameters {
  return { strategies, others };
}

/** The code of the audited strategy that these settings are; null for other settings. */
export function codeOf(settings: Settings, { strategies }: Audit, amounts: Amounts): string | null {
  const textOf = (its: Settings): string => JSON.stringify(parametersOf(its, amounts).given);
  const own = textOf(settings);
  return strategies.find(({ code }) => textOf({ ...settings, ...pickedBy(code) }) === own)?.code ?? null;
}

/** The row of a strategy: its tokens and costs are those of all requests of the recording. */
export function rowOf(audit: Audit, strategy: StrategyAudit): CostRow {
  const { code, tokens, cost, read, written, fresh, hasSummaries, summaries } = strategy;
  return {
    name: code,
    tokens: Math.round(tokens),
    isRough: hasSummaries,
    largestSummary: 0,
    cost: audit.unit === "dollars" ? cost : null,
    known: read / Math.max(1, read + written + fresh),
    summaries,
    requests: strategy.requests.tokens.map((_, index) => requestOf(audit, strategy, index)),
    problem: "",
  };
}

/** A request with a strategy. Only of the recorded ones is known what their tokens are. */
function requestOf({ requests, unit }: Audit, { code, requests: own }: StrategyAudit, index: number): CostRequest {
  const recorded = requests[index] as Audit["requests"][number];
  const tokens = Math.round(own.tokens[index] ?? 0);
  const { parts, read, written, fresh, output, chat, isCompacted } = recorded;
  const isFirst = requests[index - 1]?.chat !== chat;
  const isRewritten = isFirst ? isCompacted : tokens < (own.tokens[index - 1] ?? 0);
  const cost = unit === "dollars" ? (own.cost[index] ?? 0) : 0;
  if (code !== "none") return { read: 0, written: 0, fresh: tokens, output, cost, isRewritten, kinds: {} };
  // What a proxy left out are mostly old results, which would have been read from the cache.
  const omitted = tokens - Math.round(read + written + fresh);
  const kinds = {
    system: parts.system,
    unknown: parts.unknown,
    user: parts.questions,
    assistant: parts.answers + parts.calls,
    tool: parts.results + omitted,
  };
  return { read: read + omitted, written, fresh, output, cost, isRewritten, kinds };
}

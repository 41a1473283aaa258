import type { Breakpoint, Message, TextMessage } from "../model/message.ts";
import type { TokenCounter } from "../tokens/tokens.ts";

/** Statistics of the items that the messages show. */
export interface RenderStats {
  /** False when no strategy was applied. */
  enabled: boolean;
  strategy: string | null;
  /** Number of turns whose replies are not shown unchanged. */
  turnsCompressed: number;
  /** Calls of all turns, including failed ones. */
  toolCallsTotal: number;
  toolCallsShown: number;
  toolCallsDropped: number;
  /** Prints of all turns. */
  printlnsTotal: number;
  printlnsShown: number;
  printlnsDropped: number;
  /** Number of failed turns whose error is not shown. */
  errorTurnsCollapsed: number;
  /** What the request costs, for a strategy with prices. */
  cache?: RequestCost;
}

/** What a request costs, without the reply. Its input is in tokens, the rest in the unit of the prices. */
export interface RequestCost {
  /** Input that is read from the provider's cache. */
  read: number;
  /** Input that is written to the cache. */
  written: number;
  /** The rest of the input. */
  fresh: number;
  cost: number;
  /** What the request would cost without compression. */
  uncompressedCost: number;
  /** What folding at each request since the last fold would have saved. */
  debt: number;
  /** How much more this request costs when folded than when sent as it is; negative when it costs less. */
  price: number;
  /** Why the request was folded or not. */
  reason: FoldReason;
}

/**
 * Why a request was folded: `worthIt`, not folding has cost as much as a fold costs; `cold`, the cache no longer holds
 * the beginning; `belowMinimum`, the request is too short for the cache; `limit`, it exceeded a limit; `tier`, it would
 * pay the prices of large requests. Or why it was not: `notYet`; `tooLate`, the requests that are left save less than a
 * fold costs.
 */
export type FoldReason = "worthIt" | "cold" | "belowMinimum" | "limit" | "tier" | "notYet" | "tooLate";

/** The kind of a section. */
export type SectionKind =
  | "system"
  | "mission"
  | "tool"
  | "data"
  | "expected"
  | "user"
  | "toolCalls"
  | "output"
  | "error"
  | "turnsLeft"
  | "program"
  | "feedback"
  | "separator";

/** A section: a range of a message. */
export interface Section {
  /** Index of the message. */
  message: number;
  kind: SectionKind;
  /** Offsets in the message's content, in UTF-16 units; `end` is exclusive. */
  start: number;
  end: number;
  /** Positions in the history, from 1, of the turns that it comes from. */
  turns: number[];
}

/** An omitted item. */
export interface Dropped {
  kind: "print" | "toolCall" | "sample" | "definition" | "error" | "program";
  /** Position in the history, from 1, of the turn that it comes from; 0 for none. */
  turn: number;
  /** The rule, such as `println_limit`. */
  reason: string;
  text: string;
}

/** The use of a token budget. */
export interface Budget {
  /** Maximum tokens of the part that depends on the turns. */
  budget: number;
  /** Tokens of that part. */
  used: number;
  /** False when the items that are never omitted exceed the budget; they are sent anyway. */
  fits: boolean;
  /** Name and method of the counter. */
  counter: string;
  method: "exact" | "estimate";
}

/** Messages, with a report of the shown and omitted items. */
export interface Rendered<M extends Message = TextMessage> {
  messages: M[];
  stats: RenderStats;
  /** The sections of every message, without gaps. Empty for a custom strategy. */
  sections: Section[];
  /** Omitted items with the rule that omitted each. Empty for a custom strategy. */
  dropped: Dropped[];
  /** The use of the token budget; null for strategies without one. */
  budget: Budget | null;
  /**
   * The places at which to mark the provider's cache: at most four, the oldest first, none of them in a part that
   * differs in the next request. For a custom strategy those that it returned, or else {@link CustomStrategy.toMessages} says
   * which.
   */
  breakpoints: Breakpoint[];
}

/**
 * One rendering by the wasm side. Immutable: the next one may share messages with it, or be the same object.
 *
 * @internal
 */
export interface Frame {
  readonly stats: RenderStats;
  /** UTF-16 units. */
  readonly sharedPrefix: number;
  readonly budget: Pick<Budget, "budget" | "used" | "fits"> | null;
  readonly breakpoints: readonly Breakpoint[];
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

/**
 * Copies a frame for the host. Sections and omissions are computed on first access.
 *
 * @internal
 */
export function renderedOf(
  { messages, stats, budget, breakpoints }: Frame,
  { name, method }: TokenCounter,
  lazy: { sections(): Section[]; dropped(): Dropped[] },
): Rendered {
  let sections: Section[] | undefined;
  let dropped: Dropped[] | undefined;
  return {
    messages: messages.map((message) => ({ ...message })),
    stats: { ...stats },
    get sections() {
      sections ??= lazy.sections();
      return sections;
    },
    get dropped() {
      dropped ??= lazy.dropped();
      return dropped;
    },
    budget: budget && { ...budget, counter: name, method },
    breakpoints: breakpoints.map((breakpoint) => ({ ...breakpoint })),
  };
}

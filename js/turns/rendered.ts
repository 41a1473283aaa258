import { estimate } from "../tokens/tokens.ts";
import type { Fold, Frame, Snapshot } from "./fold.ts";
import type { Message, TextMessage } from "./message.ts";

/** Statistics of what the messages show. */
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
}

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

/** Messages, with a report of what they show. */
export interface Rendered<M extends Message = TextMessage> {
  messages: M[];
  stats: RenderStats;
  /**
   * The sections of every message, without gaps. Empty for a custom strategy.
   */
  sections: Section[];
  /** Omitted items with the rule that omitted each. Empty for a custom strategy. */
  dropped: Dropped[];
  /** The use of the token budget; null for strategies without one. */
  budget: Budget | null;
}

/**
 * The messages of a frame; sections and omissions are computed on first access.
 *
 * @internal
 */
export function fromFrame(fold: Fold, { messages, stats, budget }: Frame, memory: string | null): Rendered {
  const snapshot = fold.snapshot(memory);
  let sections: Section[] | undefined;
  let dropped: Dropped[] | undefined;
  return {
    messages: messages.map((message) => ({ ...message })),
    stats: { ...stats },
    get sections() {
      sections ??= fold.sections(snapshot);
      return sections;
    },
    get dropped() {
      dropped ??= fold.dropped(snapshot);
      return dropped;
    },
    budget: budget && budgetOf(budget, snapshot),
  };
}

function budgetOf(budget: NonNullable<Frame["budget"]>, { request }: Snapshot): Budget {
  const { name, method } = request.counter ?? estimate;
  return { ...budget, counter: name, method };
}

import { estimate } from "../tokens/tokens.ts";
import type { Fold, Frame, Snapshot } from "./fold.ts";
import type { Message, TextMessage } from "./message.ts";

/** How much of the history the messages show. */
export interface RenderStats {
  /** False when no strategy was applied. */
  enabled: boolean;
  strategy: string | null;
  /** Turns whose replies are not shown as they were. */
  turnsCompressed: number;
  /** Calls of all turns, failed ones too. */
  toolCallsTotal: number;
  toolCallsShown: number;
  toolCallsDropped: number;
  /** Prints of all turns. */
  printlnsTotal: number;
  printlnsShown: number;
  printlnsDropped: number;
  /** Failed turns whose error is not shown. */
  errorTurnsCollapsed: number;
}

/** What a stretch of a message is. */
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

/** A stretch of a message. */
export interface Section {
  /** Index of the message. */
  message: number;
  kind: SectionKind;
  /** Offsets in the message's content, in UTF-16 units; the end is behind the last one. */
  start: number;
  end: number;
  /** Places in the history, from 1, of the turns that it comes from. */
  turns: number[];
}

/** Something that was left out. */
export interface Dropped {
  kind: "print" | "toolCall" | "sample" | "definition" | "error" | "program";
  /** Place in the history, from 1, of the turn that it comes from; 0 when it comes from none. */
  turn: number;
  /** The rule, such as `println_limit`. */
  reason: string;
  text: string;
}

/** How a token budget was met; a strategy that has none gives null. */
export interface Budget {
  /** Tokens that the changing part may have. */
  budget: number;
  /** Tokens that it has. */
  used: number;
  /** False when what must not be left out is larger than the budget: it is sent all the same. */
  fits: boolean;
  /** Name and method of the counter. */
  counter: string;
  method: "exact" | "estimate";
}

/** Messages, and the account of what they show. */
export interface Rendered<M extends Message = TextMessage> {
  messages: M[];
  stats: RenderStats;
  /**
   * Of every message, end to end: what each stretch is and which turns it came from. Empty for a custom strategy.
   */
  sections: Section[];
  /** What was left out and by which rule. Empty for a custom strategy. */
  dropped: Dropped[];
  /** How the token budget was met, for a strategy that has one. */
  budget: Budget | null;
}

/**
 * The messages of a frame, with sections and omissions read when they are first looked at.
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

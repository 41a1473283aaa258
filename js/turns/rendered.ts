import { endOfMessages, type Fold, FRAME, type Frame, type Omission, type Snapshot } from "./fold.ts";
import type { Message, TextMessage } from "./message.ts";
import { estimate } from "../tokens/tokens.ts";

/** How much of the history the messages show. */
export interface RenderStats {
  /** False when no strategy was applied. */
  enabled: boolean;
  strategy: string | null;
  /** Turns whose replies are not shown as they were. */
  turnsCompressed: number;
  /** Calls of all turns, failed ones too [TC-001]. */
  toolCallsTotal: number;
  toolCallsShown: number;
  toolCallsDropped: number;
  /** Prints of all turns. */
  printlnsTotal: number;
  printlnsShown: number;
  printlnsDropped: number;
  /** Failed turns whose error is not shown [ERR-003]. */
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

const ROLES = ["system", "user", "assistant"] as const;

const KINDS: readonly SectionKind[] = [
  "system",
  "mission",
  "tool",
  "data",
  "expected",
  "user",
  "toolCalls",
  "output",
  "error",
  "turnsLeft",
  "program",
  "feedback",
  "separator",
];

/**
 * The messages of a frame, with sections and omissions made when somebody looks at them.
 *
 * @internal
 */
export function fromFrame(fold: Fold, frame: Frame, memory: string | null): Rendered {
  const snapshot = fold.snapshot(memory);
  let sections: Section[] | undefined;
  let dropped: Dropped[] | undefined;
  return {
    messages: messagesOf(frame),
    stats: statsOf(frame, snapshot),
    get sections() {
      sections ??= sectionsOf(frame);
      return sections;
    },
    get dropped() {
      dropped ??= fold.omissions(snapshot).map(droppedOf);
      return dropped;
    },
    budget: budgetOf(frame, snapshot),
  };
}

function messagesOf({ texts, numbers }: Frame): TextMessage[] {
  return texts.map((content, index) => ({
    role: ROLES[numbers[FRAME.messages + 2 * index] as number] as string,
    content,
  }));
}

function statsOf({ numbers }: Frame, { request }: Snapshot): RenderStats {
  const at = (place: number) => numbers[FRAME.stats + place] as number;
  const enabled = at(0) === 1;
  return {
    enabled,
    strategy: enabled ? (request.wire.strategy?.name ?? null) : null,
    turnsCompressed: at(1),
    toolCallsTotal: at(2),
    toolCallsShown: at(3),
    toolCallsDropped: at(4),
    printlnsTotal: at(5),
    printlnsShown: at(6),
    printlnsDropped: at(7),
    errorTurnsCollapsed: at(8),
  };
}

function sectionsOf({ numbers }: Frame): Section[] {
  const sections: Section[] = [];
  for (let at = endOfMessages(numbers); at < numbers.length; ) {
    const [message, kind, start, end, count] = numbers.subarray(at, at + 5) as unknown as [
      number,
      number,
      number,
      number,
      number,
    ];
    at += 5;
    const from = Array.from(numbers.subarray(at, at + count), (index) => index + 1);
    at += count;
    sections.push({ message, kind: KINDS[kind] as SectionKind, start, end, turns: from });
  }
  return sections;
}

function droppedOf({ kind, turn, reason, text }: Omission): Dropped {
  return { kind, turn: turn === null ? 0 : turn + 1, reason, text };
}

function budgetOf({ numbers }: Frame, { request }: Snapshot): Budget | null {
  if (numbers[FRAME.budget] === 0) return null;
  const [budget, used] = numbers.subarray(FRAME.budget + 1) as unknown as [number, number];
  const { name, method } = request.counter ?? estimate;
  return { budget, used, fits: used <= budget, counter: name, method };
}

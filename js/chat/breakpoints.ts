import type { Breakpoint, Message } from "../model/message.ts";
import { isSystem } from "./chat-message.ts";

/** Breakpoints that a request may have. */
const MAX_BREAKPOINTS = 4;

/** Number of blocks before a breakpoint in which Anthropic looks for an earlier one. */
const LOOKBACK_BLOCKS = 20;

/**
 * Returns the places at which to mark the cache of a conversation, the oldest first: after its leading system messages,
 * after its last summary, at the end of the previous request, and at its end. If there are fewer than four, more are
 * put into gaps of more than twenty messages.
 *
 * @internal
 */
export function breakpointsOf(messages: readonly Message[]): Breakpoint[] {
  const ends = new Set<number>();
  const answer = lastAnswer(messages);
  const firstOther = messages.findIndex((message) => !isSystem(message));
  ends.add(messages.length - 1);
  ends.add(answer - 1);
  ends.add(lastSummary(messages));
  ends.add((firstOther < 0 ? messages.length : firstOther) - 1);
  ends.delete(-1);
  ends.delete(-2);
  for (let gap = widestGap(ends); ends.size < MAX_BREAKPOINTS && gap.length > LOOKBACK_BLOCKS; gap = widestGap(ends)) {
    ends.add(gap.start + LOOKBACK_BLOCKS);
  }
  const indexes = [...ends].sort((left, right) => left - right);
  return indexes.map((message) => ({ message, offset: contentLength(messages[message] as Message) }));
}

function lastAnswer(messages: readonly Message[]): number {
  return messages.reduce((last, { role }, index) => (role === "assistant" ? index : last), -1);
}

function lastSummary(messages: readonly Message[]): number {
  return messages.reduce((last, { summary }, index) => (summary === undefined ? last : index), -1);
}

/** The widest gap between two places. */
function widestGap(ends: ReadonlySet<number>): { start: number; length: number } {
  const indexes = [...ends].sort((left, right) => left - right);
  let found = { start: 0, length: 0 };
  for (const [index, end] of indexes.entries()) {
    const start = indexes[index - 1] ?? -1;
    if (end - start > found.length) found = { start, length: end - start };
  }
  return found;
}

const contentLength = ({ content }: Message): number =>
  typeof content === "string" ? content.length : Number.MAX_SAFE_INTEGER;

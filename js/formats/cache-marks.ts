import {
  anyOption,
  choiceOption,
  countOption,
  invalidOption,
  type OptionChecks,
  readOptions,
} from "../boundary/options.ts";
import { breakpointsOf } from "../chat/breakpoints.ts";
import type { ChatMessage } from "../chat/chat-message.ts";
import { MAX_CACHE_MARKS } from "../chat/content-rules.ts";
import { wrapReadErrors } from "../errors.ts";
import { type Breakpoint, isBreakpoint } from "../model/message.ts";
import type { PlainObject } from "./data.ts";

/** How the messages of a request are marked for a provider's cache. */
export interface CacheMarks {
  /**
   * Maximum number of marked places, of which the last are kept: 4 minus those that the host marks in tools. Default 4
   * minus the marks that the messages have.
   */
  breakpoints?: number | undefined;
  /** How long Anthropic's cache keeps a marked beginning. Default `5m`. */
  ttl?: "5m" | "1h" | undefined;
  /**
   * The places, such as those of a rendering. Default: the ends of beginnings that requests of the conversation share.
   */
  at?: readonly Breakpoint[] | undefined;
}

/**
 * How a format marks a place.
 *
 * @internal
 */
export interface MarkableFormat<Messages> {
  /** Converts messages. */
  to(messages: readonly ChatMessage[]): Messages;
  /** The objects with content in the order of the request, such as the system prompt and the messages. */
  holders(converted: Messages): PlainObject[];
  /** Marks the end of a block, or its holder as a whole; null when such blocks can't be marked. */
  mark(block: PlainObject, holder: PlainObject, ttl: "5m" | "1h" | undefined): "block" | "holder" | null;
  /** Counts the places that the host has marked. */
  marked?(converted: Messages): number;
  /** The block for a text. */
  textBlock(text: string): PlainObject;
}

/** A place in converted messages: the indexes of its holder and block, and its position in the text of the block. */
interface MarkPosition {
  holder: number;
  block: number;
  /** Number of characters of the block's text before it; null for the end of the block. */
  length: number | null;
}

/**
 * Converts messages and marks places for the provider's cache. A place is found by converting the messages before it,
 * because a conversion only appends.
 *
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function markBreakpoints<Messages>(
  format: MarkableFormat<Messages>,
  messages: readonly ChatMessage[],
  given: unknown,
): Messages {
  const { maxBreakpoints, ttl, at } = checkMarks(given);
  const converted = format.to(messages);
  const max = Math.min(maxBreakpoints, Math.max(0, MAX_CACHE_MARKS - (format.marked?.(converted) ?? 0)));
  const kept = max === 0 ? [] : (at ?? breakpointsOf(messages)).slice(-max);
  const holders = format.holders(converted);
  // Backwards, because dividing a text moves the blocks after it.
  for (const breakpoint of [...kept].reverse()) {
    const position = markPosition(format, messages, holders, breakpoint);
    if (position !== null) markAt(format, holders, position, ttl);
  }
  return converted;
}

/**
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function checkMarks(given: unknown): {
  maxBreakpoints: number;
  ttl: "5m" | "1h" | undefined;
  at: readonly Breakpoint[] | undefined;
} {
  return wrapReadErrors("invalid_option", "cache", () => {
    const checks = {
      breakpoints: countOption(MAX_CACHE_MARKS, 0),
      ttl: choiceOption(["5m", "1h"]),
      at: anyOption(),
    } satisfies OptionChecks<CacheMarks>;
    const { breakpoints: maxBreakpoints, ttl, at } = readOptions("cache", given, checks, {}, "cache.");
    if (maxBreakpoints > MAX_CACHE_MARKS)
      throw invalidOption("cache.breakpoints", "a whole number from 0 to 4", maxBreakpoints);
    if (at !== undefined && !(Array.isArray(at) && at.every(isBreakpoint))) {
      throw invalidOption("cache.at", "a list of { message, offset }, such as the breakpoints of a rendering", at);
    }
    return { maxBreakpoints, ttl, at: at?.map(({ message, offset }) => ({ message, offset })) };
  });
}

function markPosition<Messages>(
  format: MarkableFormat<Messages>,
  messages: readonly ChatMessage[],
  holders: readonly PlainObject[],
  { message: index, offset }: Breakpoint,
): MarkPosition | null {
  const message = messages[index];
  if (message === undefined) return null;
  const { content } = message;
  const isInside = typeof content === "string" && offset < content.length;
  if (isInside && offset === 0) return null;
  const last = isInside ? { ...message, content: content.slice(0, offset) } : message;
  const before = format.holders(format.to([...messages.slice(0, index), last]));
  let at = before.length - 1;
  // The images of results are behind all results of a round, of which `before` may have only some.
  while (at >= 0 && !isSameHolder(before[at] as PlainObject, holders[at])) at--;
  const holder = before[at];
  if (holder === undefined) return null;
  const blocks = holder.content;
  if (typeof blocks === "string") return { holder: at, block: 0, length: isInside ? blocks.length : null };
  // A message of calls has no content.
  const list = (blocks ?? []) as PlainObject[];
  const { text } = list.at(-1) ?? {};
  const length = isInside && typeof text === "string" ? text.length : null;
  return { holder: at, block: list.length - 1, length };
}

function isSameHolder(left: PlainObject, right: PlainObject | undefined): boolean {
  return left.role === right?.role && left.tool_call_id === right?.tool_call_id;
}

function markAt<Messages>(
  format: MarkableFormat<Messages>,
  holders: readonly PlainObject[],
  { holder: index, block, length }: MarkPosition,
  ttl: "5m" | "1h" | undefined,
): void {
  const holder = holders[index];
  if (holder === undefined) return;
  const isText = typeof holder.content === "string";
  const blocks = isText ? [format.textBlock(holder.content as string)] : [...((holder.content ?? []) as PlainObject[])];
  const { text } = blocks[block] ?? {};
  if (typeof text === "string" && length !== null && length < text.length) {
    blocks.splice(block, 1, { ...blocks[block], text: text.slice(0, length) }, format.textBlock(text.slice(length)));
  }
  // A block that can't be marked, such as a thought, is skipped: the block before it is marked instead.
  for (let at = block; at >= 0; at--) {
    const copy = { ...blocks[at] };
    const done = copy.text === "" ? null : format.mark(copy, holder, ttl);
    if (done === null) continue;
    blocks[at] = copy;
    if (done === "block") holder.content = blocks;
    return;
  }
}

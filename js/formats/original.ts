import { OWN_MEMBERS } from "../chat/chat-message.ts";
import { TurnfoldError } from "../errors.ts";
import { setMember } from "../values/deep-copy.ts";
import { isDeepEqual } from "../values/deep-equal.ts";
import { copyData, isPlainObject, type PlainObject } from "./data.ts";

/** The providers whose messages are converted. */
export type FormatName = "openai" | "openai-responses" | "anthropic" | "gemini" | "ai-sdk";

/**
 * The formats whose messages can be restored: those of providers, and of frameworks with adapters. Saved conversations
 * have these names; `vercel` is that of the AI SDK.
 */
export type OriginalFormat = Exclude<FormatName, "ai-sdk"> | "vercel" | "langchain" | "mastra";

/**
 * The data of its source format that a message, part or tool call keeps in its member `original`: only what its other
 * members can't express, such as the white space of a call's arguments. It is used for conversions back into that
 * format, and only while the other members are unchanged: an edited message is written as edited.
 */
export interface Original {
  format: OriginalFormat;
  /** Members with their original values. */
  members?: Record<string, unknown>;
  /** Names of members that the original did not have. */
  absent?: string[];
  /**
   * Names of members that the format does not list: those with which the message, part or call came from it. They are
   * written again, also when it has been edited since.
   */
  extra?: string[];
  /** For a system message of Anthropic at the beginning of the list of messages, not in `system`. */
  place?: "messages";
  /**
   * For the first part of an answer of the Responses API: the members of its item other than the content; `same` for
   * further parts.
   */
  item?: Record<string, unknown> | "same";
  /**
   * For such a part: the content of its item was a text, or an empty list. For a result of Gemini: its response is the
   * output as a whole, without a member `output`, or has parts of its own.
   */
  content?: "text" | "none" | "whole" | "parts";
  /** For calls, results and images of the Responses API: the type of the item. */
  type?: string;
  /** For an answer with reasoning: the number of its items with an id. */
  items?: number;
}

/** Returns the data that a message, part or call keeps of this format; null when it came from another one. */
export function originalIn({ original }: PlainObject, format: OriginalFormat): Original | null {
  return isPlainObject(original) && original.format === format ? (original as unknown as Original) : null;
}

/**
 * Returns `neutral` with those members of `given` in `original` that the conversion back would lose; of members that
 * `neutral` has too, only the names.
 */
export function keepOriginal<T extends PlainObject>(
  format: OriginalFormat,
  given: PlainObject,
  neutral: T,
  back: () => PlainObject | null,
): T {
  const written = resultOrNull(back);
  const again = written ?? {};
  const members: PlainObject = {};
  const extra: string[] = [];
  for (const key of Object.keys(given)) {
    // Some providers have a member `partial` too, for an answer to be continued.
    const isOwn = OWN_MEMBERS.includes(key) && key !== "partial";
    if (isOwn || (Object.hasOwn(again, key) && isDeepEqual(again[key], given[key]))) continue;
    const isSame = Object.hasOwn(neutral, key) && isDeepEqual(neutral[key], given[key]);
    if (isSame && written !== null && !Object.hasOwn(again, key)) extra.push(key);
    else setMember(members, key, copyData(given[key], "messages"));
  }
  const absent = Object.keys(again).filter((key) => !Object.hasOwn(given, key));
  if (Object.keys(members).length + absent.length + extra.length === 0) return neutral;
  const original: Original = { format };
  if (Object.keys(members).length > 0) original.members = members;
  if (absent.length > 0) original.absent = absent;
  if (extra.length > 0) original.extra = extra;
  return { ...neutral, original };
}

/** Returns the form from which `neutral` was converted if it has not changed since; otherwise null. */
export function restoreOriginal(
  format: OriginalFormat,
  neutral: PlainObject,
  back: () => PlainObject | null,
  from: (given: PlainObject) => unknown,
): PlainObject | null {
  const original = originalIn(neutral, format);
  if (original === null) return null;
  const given: PlainObject = { ...resultOrNull(back) };
  if (isPlainObject(original.members))
    for (const key of Object.keys(original.members)) setMember(given, key, original.members[key]);
  if (Array.isArray(original.extra)) {
    for (const key of original.extra) {
      if (typeof key === "string" && Object.hasOwn(neutral, key)) setMember(given, key, neutral[key]);
    }
  }
  if (Array.isArray(original.absent)) for (const key of original.absent) delete given[String(key)];
  const again = resultOrNull(() => from(copyData(given, "messages") as PlainObject));
  return isPlainObject(again) && isDeepEqual(withoutOwnMembers(again), withoutOwnMembers(neutral)) ? given : null;
}

/** Returns a message, part or call without this package's own members. */
function withoutOwnMembers(neutral: PlainObject): PlainObject {
  const rest: PlainObject = {};
  for (const key of Object.keys(neutral)) if (!OWN_MEMBERS.includes(key)) setMember(rest, key, neutral[key]);
  return rest;
}

/** Returns the result of `way`, or null when it throws a `TurnfoldError`; then all members are kept. */
function resultOrNull<T>(way: () => T): T | null {
  try {
    return way();
  } catch (error) {
    if (TurnfoldError.isInstance(error)) return null;
    throw error;
  }
}

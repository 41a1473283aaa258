import { TurnfoldError } from "../errors.ts";
import { setMember } from "../values/deep-copy.ts";
import { type Bag, copyOf, isBag, same } from "./data.ts";

/** The providers whose messages are converted. */
export type FormatName = "openai" | "openai-responses" | "anthropic" | "vercel";

/** The formats whose messages can be restored: those of providers, and of frameworks with adapters. */
export type OriginalFormat = FormatName | "langchain" | "mastra";

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
  /** For a system message of Anthropic at the beginning of the list of messages, not in `system`. */
  place?: "messages";
  /**
   * For the first part of an answer of the Responses API: the members of its item other than the content; `same` for
   * further parts.
   */
  item?: Record<string, unknown> | "same";
  /** For such a part: the content of its item was a text, or an empty list. */
  content?: "text" | "none";
  /** For calls, results and images of the Responses API: the type of the item. */
  type?: string;
  /** For an answer with reasoning: the number of its items with an id. */
  items?: number;
}

/** Members of messages that belong to this package and are never sent. */
export const OWN: readonly string[] = ["timestamp", "pinned", "summary", "partial", "unfinished", "original"];

/** Returns `neutral` with those members of `given` in `original` that the conversion back would lose. */
export function keep<T extends Bag>(format: OriginalFormat, given: Bag, neutral: T, back: () => Bag | null): T {
  const again = attempt(back) ?? {};
  const members: Bag = {};
  for (const key of Object.keys(given)) {
    // Some providers have a member `partial` too, for an answer to be continued.
    const isOwn = OWN.includes(key) && key !== "partial";
    if (isOwn || (Object.hasOwn(again, key) && same(again[key], given[key]))) continue;
    setMember(members, key, copyOf(given[key], "messages"));
  }
  const absent = Object.keys(again).filter((key) => !Object.hasOwn(given, key));
  if (Object.keys(members).length === 0 && absent.length === 0) return neutral;
  const original: Original = { format };
  if (Object.keys(members).length > 0) original.members = members;
  if (absent.length > 0) original.absent = absent;
  return { ...neutral, original };
}

/** Returns the form from which `neutral` was converted if it has not changed since; otherwise null. */
export function restore(
  format: OriginalFormat,
  neutral: Bag,
  back: () => Bag | null,
  from: (given: Bag) => unknown,
): Bag | null {
  const { original } = neutral;
  if (!isBag(original) || original.format !== format) return null;
  const given: Bag = { ...attempt(back) };
  if (isBag(original.members))
    for (const key of Object.keys(original.members)) setMember(given, key, original.members[key]);
  if (Array.isArray(original.absent)) for (const key of original.absent) delete given[String(key)];
  const again = attempt(() => from(copyOf(given, "messages") as Bag));
  return isBag(again) && same(unowned(again), unowned(neutral)) ? given : null;
}

/** Returns a message, part or call without this package's own members. */
function unowned(neutral: Bag): Bag {
  const rest: Bag = {};
  for (const key of Object.keys(neutral)) if (!OWN.includes(key)) setMember(rest, key, neutral[key]);
  return rest;
}

/** Returns the result of `way`, or null when it throws a `TurnfoldError`; then all members are kept. */
function attempt<T>(way: () => T): T | null {
  try {
    return way();
  } catch (error) {
    if (TurnfoldError.isInstance(error)) return null;
    throw error;
  }
}

import { TurnfoldError } from "../errors.ts";
import { type Bag, copyOf, isBag, put, same } from "./data.ts";

/** The providers whose messages are converted. */
export type FormatName = "openai" | "anthropic" | "vercel";

/**
 * What a message, part or tool call keeps of the form in which it came, in its member `original`: only the members that
 * its other members do not tell, such as the white space of a call's arguments. It counts for conversions back into
 * that format, and only as long as the rest is as it was: what is edited is written as it was edited.
 */
export interface Original {
  format: FormatName;
  /** Members as they were. */
  members?: Record<string, unknown>;
  /** Members that were not there. */
  absent?: string[];
  /** Of a system message of Anthropic that stood first in the list of messages, not in `system`. */
  place?: "messages";
}

/** Members of messages that are this package's own, and are never sent. */
export const OWN: readonly string[] = ["timestamp", "pinned", "summary", "original"];

/** `neutral` with what of `given` is lost on the way back. */
export function keep<T extends Bag>(format: FormatName, given: Bag, neutral: T, back: () => Bag | null): T {
  const again = attempt(back) ?? {};
  const members: Bag = {};
  for (const key of Object.keys(given)) {
    if (OWN.includes(key) || (Object.hasOwn(again, key) && same(again[key], given[key]))) continue;
    put(members, key, copyOf(given[key], "messages"));
  }
  const absent = Object.keys(again).filter((key) => !Object.hasOwn(given, key));
  if (Object.keys(members).length === 0 && absent.length === 0) return neutral;
  const original: Original = { format };
  if (Object.keys(members).length > 0) original.members = members;
  if (absent.length > 0) original.absent = absent;
  return { ...neutral, original };
}

/** The form in which `neutral` came, when it is unchanged since; otherwise null. */
export function restore(
  format: FormatName,
  neutral: Bag,
  back: () => Bag | null,
  from: (given: Bag) => unknown,
): Bag | null {
  const { original } = neutral;
  if (!isBag(original) || original.format !== format) return null;
  const given: Bag = { ...attempt(back) };
  if (isBag(original.members)) for (const key of Object.keys(original.members)) put(given, key, original.members[key]);
  if (Array.isArray(original.absent)) for (const key of original.absent) delete given[String(key)];
  const again = attempt(() => from(copyOf(given, "messages") as Bag));
  return isBag(again) && same(unowned(again), unowned(neutral)) ? given : null;
}

/** A message, part or call without what is this package's own. */
function unowned(neutral: Bag): Bag {
  const rest: Bag = {};
  for (const key of Object.keys(neutral)) if (!OWN.includes(key)) put(rest, key, neutral[key]);
  return rest;
}

/** Null where there is no way: then the whole form is kept. */
function attempt<T>(way: () => T): T | null {
  try {
    return way();
  } catch (error) {
    if (TurnfoldError.isInstance(error)) return null;
    throw error;
  }
}

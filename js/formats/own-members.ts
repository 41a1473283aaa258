import { type Bag, isBag } from "./data.ts";

/** The key under which a framework's message carries what belongs to this package. */
export const OWN_KEY = "turnfold";

/** `pinned`, `timestamp` and `summary` as a framework's message carries them; what is malformed is ignored. */
export function ownMembers(own: unknown): Bag {
  if (!isBag(own)) return {};
  const { pinned, timestamp, summary } = own;
  const isTime = typeof timestamp === "number" || typeof timestamp === "string";
  return {
    ...(typeof pinned === "boolean" ? { pinned } : {}),
    ...(isTime && Number.isFinite(new Date(timestamp).getTime()) ? { timestamp } : {}),
    ...(isSummary(summary) ? { summary } : {}),
  };
}

function isSummary(given: unknown): boolean {
  if (!isBag(given) || typeof given.strategy !== "string") return false;
  const isCount = (count: unknown) => Number.isSafeInteger(count) && (count as number) >= 0;
  return isCount(given.covers) && isCount(given.followed ?? 0);
}

/** What a framework's message carries of a message of a conversation; null when there is nothing. */
export function carriedMembers({ summary, pinned, timestamp }: Bag): Bag | null {
  const isDate = Object.prototype.toString.call(timestamp) === "[object Date]";
  const time = isDate ? (timestamp as Date).getTime() : timestamp;
  const own: Bag = {
    ...(pinned === undefined ? {} : { pinned }),
    ...(time === undefined ? {} : { timestamp: time }),
    ...(summary === undefined ? {} : { summary }),
  };
  return Object.keys(own).length === 0 ? null : own;
}

import { isPlainObject, type PlainObject } from "./data.ts";

/** The key under which a framework's message has the members of this package. */
export const OWN_MEMBERS_KEY = "turnfold";

/** Reads `pinned`, `timestamp` and `summary` from a framework's message; malformed values are ignored. */
export function readOwnMembers(own: unknown): PlainObject {
  if (!isPlainObject(own)) return {};
  const { pinned, timestamp, summary } = own;
  const isTime = typeof timestamp === "number" || typeof timestamp === "string";
  return {
    ...(typeof pinned === "boolean" ? { pinned } : {}),
    ...(isTime && Number.isFinite(new Date(timestamp).getTime()) ? { timestamp } : {}),
    ...(isSummary(summary) ? { summary } : {}),
  };
}

function isSummary(given: unknown): boolean {
  if (!isPlainObject(given) || typeof given.strategy !== "string") return false;
  const isCount = (count: unknown) => Number.isSafeInteger(count) && (count as number) >= 0;
  return isCount(given.covers) && isCount(given.followed ?? 0) && isCount(given.tokens ?? 0);
}

/** Returns the members of a conversation's message for a framework's message; null when there are none. */
export function writeOwnMembers({ summary, pinned, timestamp }: PlainObject): PlainObject | null {
  const isDate = Object.prototype.toString.call(timestamp) === "[object Date]";
  const time = isDate ? (timestamp as Date).getTime() : timestamp;
  const own: PlainObject = {
    ...(pinned === undefined ? {} : { pinned }),
    ...(time === undefined ? {} : { timestamp: time }),
    ...(summary === undefined ? {} : { summary }),
  };
  return Object.keys(own).length === 0 ? null : own;
}

/** The compared part of a message. */
export interface Comparable {
  readonly role: string;
  readonly content: string;
}

/** The common prefix of two lists of messages. */
export interface Shared {
  /** The number of equal messages. */
  readonly messages: number;
  /** The length of the common prefix of the next message in UTF-16 units. It never splits a surrogate pair. */
  readonly units: number;
  /** How the second list continues. */
  readonly behind: "nothing" | "changes" | "continues" | "ends earlier";
}

export function sharedWith(before: readonly Comparable[], now: readonly Comparable[]): Shared {
  const shorter = Math.min(before.length, now.length);
  for (let index = 0; index < shorter; index++) {
    const [old, fresh] = [before[index], now[index]] as [Comparable, Comparable];
    if (old.role === fresh.role && old.content === fresh.content) continue;
    return {
      messages: index,
      units: old.role === fresh.role ? commonUnits(old.content, fresh.content) : 0,
      behind: "changes",
    };
  }
  return {
    messages: shorter,
    units: 0,
    behind: now.length > shorter ? "continues" : before.length > shorter ? "ends earlier" : "nothing",
  };
}

/** The length of the common prefix. Uses binary search, because engines compare slices faster than single units. */
function commonUnits(a: string, b: string): number {
  let same = 0;
  let differs = Math.min(a.length, b.length) + 1;
  while (differs - same > 1) {
    const middle = (same + differs) >> 1;
    if (a.slice(same, middle) === b.slice(same, middle)) same = middle;
    else differs = middle;
  }
  const last = a.charCodeAt(same - 1);
  return same < Math.max(a.length, b.length) && last >= 0xd800 && last < 0xdc00 ? same - 1 : same;
}

/** The position of the first different byte. */
export interface Difference {
  /** Index of the message; the number of messages when none differs. */
  readonly message: number;
  /** Offset of the byte in the message's UTF-8. */
  readonly byte: number;
  /** Bytes of all messages before it. */
  readonly bytes: number;
  /** The position of the character that contains the byte: offset in UTF-16 units, line and column from 1. */
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

export function differenceOf(before: readonly Comparable[], now: readonly Comparable[], shared: Shared): Difference {
  const { messages, units } = shared;
  const text = now[messages]?.content ?? "";
  const start = text.slice(0, units);
  const old = before[messages];
  const isText = shared.behind === "changes" && old?.role === now[messages]?.role;
  const byte =
    byteLength(start) + (isText ? commonBytes(characterAt(old?.content, units), characterAt(text, units)) : 0);
  const lineStart = start.lastIndexOf("\n") + 1;
  return {
    message: messages,
    byte,
    bytes: now.slice(0, messages).reduce((sum, { content }) => sum + byteLength(content), byte),
    offset: units,
    line: start.split("\n").length,
    column: [...start.slice(lineStart)].length + 1,
  };
}

const encoder = new TextEncoder();

export const byteLength = (text: string): number => encoder.encode(text).length;

const characterAt = (text: string | undefined, offset: number): string =>
  text === undefined || offset >= text.length ? "" : String.fromCodePoint(text.codePointAt(offset) ?? 0);

/** The number of common first bytes in UTF-8: two different characters may begin with the same bytes. */
function commonBytes(a: string, b: string): number {
  const [first, second] = [encoder.encode(a), encoder.encode(b)];
  let same = 0;
  while (same < first.length && first[same] === second[same]) same++;
  return same;
}

import { Allow, parse } from "partial-json";

/**
 * The JSON in a model's reply: all of it, what stands in its fence, or from its first bracket to its last. Undefined when
 * there is none.
 *
 * @internal
 */
export function jsonIn(reply: string): unknown {
  for (const text of candidates(reply)) {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      // The next candidate may be JSON.
    }
  }
  return undefined;
}

function candidates(reply: string): string[] {
  const text = reply.trim();
  const fence = /^```[^\n]*\n([\s\S]*?)^```/m.exec(text)?.[1];
  const start = text.search(/[[{]/);
  const end = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]"));
  return [
    text,
    ...(fence === undefined ? [] : [fence]),
    ...(start < 0 || end < start ? [] : [text.slice(start, end + 1)]),
  ];
}

/**
 * What can be read so far of JSON that is still being written; undefined while that is nothing.
 *
 * @internal
 */
export function partialJsonIn(reply: string): unknown {
  const start = reply.search(/[[{]/);
  if (start < 0) return undefined;
  try {
    // Numbers and words that are not over may become others.
    return parse(reply.slice(start), Allow.STR | Allow.OBJ | Allow.ARR);
  } catch {
    return undefined;
  }
}

import { parseExactly } from "../values/exact-json.ts";

/**
 * Parses the JSON in a model's reply: the whole text, the content of its fence, or the text from its first bracket to
 * its last. Integers beyond 2^53 are big integers. Undefined when there is none.
 *
 * @internal
 */
export function parseJsonReply(reply: string): unknown {
  for (const text of jsonCandidates(reply)) {
    try {
      return parseExactly(text);
    } catch {
      // Try the next candidate.
    }
  }
  return undefined;
}

function jsonCandidates(reply: string): string[] {
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

/** An open object or list in a JSON text. */
interface Holder {
  closing: "}" | "]";
  /** The place of the last comma between its elements; null before the second one. */
  comma: number | null;
}

/**
 * Returns the whole part of a JSON text that is cut off: without the last element of the outermost list that is open and
 * has several, where the text ends. Null for a text that is not cut off, or that has no such list.
 */
export function wholePart(json: string): string | null {
  const open: Holder[] = [];
  for (let at = 0; at < json.length; at++) {
    const sign = json[at];
    if (sign === '"') at = endOfText(json, at);
    else if (sign === "{") open.push({ closing: "}", comma: null });
    else if (sign === "[") open.push({ closing: "]", comma: null });
    else if (sign === "," && open.length > 0) (open.at(-1) as Holder).comma = at;
    else if ((sign === "}" || sign === "]") && open.pop()?.closing !== sign) return null;
  }
  const depth = open.findIndex(({ closing, comma }) => closing === "]" && comma !== null);
  const list = open[depth];
  if (list === undefined) return null;
  const closings = open.slice(0, depth + 1).map(({ closing }) => closing);
  return json.slice(0, list.comma as number) + closings.reverse().join("");
}

/** The place of the quotation mark that ends a text; the length of the JSON where none does. */
function endOfText(json: string, start: number): number {
  for (let end = start + 1; ; end++) {
    end = json.indexOf('"', end);
    if (end < 0) return json.length;
    let slashes = 0;
    while (json[end - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return end;
  }
}

/**
 * A replacer for `JSON.stringify`, by which maps become objects whose keys are texts, sets become lists, and big integers
 * texts.
 */
export function readable(_: string, item: unknown): unknown {
  if (typeof item === "bigint") return String(item);
  if (item instanceof Set) return [...item];
  return item instanceof Map ? Object.fromEntries(Array.from(item, ([key, value]) => [keyText(key), value])) : item;
}

function keyText(key: unknown): string {
  const isCollection = Array.isArray(key) || key instanceof Set || key instanceof Map || isRecord(key);
  return isCollection ? JSON.stringify(key, readable) : String(key);
}

const isRecord = (key: unknown) =>
  typeof key === "object" && key !== null && key.toString === Object.prototype.toString;

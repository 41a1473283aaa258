import { setMember } from "./deep-copy.ts";
import { isPlain } from "./describe.ts";

/** Returns plain data with its primitive values converted; the same data when none of them changes. */
export function mapPrimitives(value: unknown, convert: (primitive: unknown) => unknown): unknown {
  if (typeof value !== "object" || value === null) return convert(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => mapPrimitives(item, convert));
    return items.some((item, index) => !Object.is(item, value[index])) ? items : value;
  }
  if (!isPlain(value)) return value;
  const copied: Record<string, unknown> = {};
  let isSame = true;
  for (const [key, given] of Object.entries(value)) {
    const item = mapPrimitives(given, convert);
    if (!Object.is(item, given)) isSame = false;
    setMember(copied, key, item);
  }
  return isSame ? value : copied;
}

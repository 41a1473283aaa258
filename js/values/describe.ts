/** True for object literals of every realm, for objects without a prototype, and for proxies of both. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || isForeignRoot(prototype as object);
}

/** True for another realm's `Object.prototype`: it has no prototype, and the methods of all objects. */
function isForeignRoot(prototype: object): boolean {
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "hasOwnProperty");
}

/** True for plain objects; false for lists, bytes, URLs and dates. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && isPlain(value);
}

/** True for a Uint8Array of any realm. */
export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === "[object Uint8Array]";
}

/** Describes a value in a few words for an error message: `a Promise`, `an array`, `3`. */
export function describe(value: unknown): string {
  try {
    return describeReadable(value);
  } catch {
    return "an object that can't be read";
  }
}

function describeReadable(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  if (typeof value === "string") return value.length > 40 ? "a string" : JSON.stringify(value);
  if (typeof value !== "object") return typeof value === "number" ? String(value) : `a ${typeof value}`;
  if (isPlain(value)) return "an object";
  const name: unknown = (Object.getPrototypeOf(value) as { constructor?: { name?: unknown } }).constructor?.name;
  if (typeof name !== "string" || name === "") return "an object of a class";
  return `${/^(?:[AEIO]|U(?![A-Zis]))/.test(name) ? "an" : "a"} ${name}`;
}

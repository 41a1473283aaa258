import { isBytes, isPlain } from "./describe.ts";

/**
 * True for data that is deeply equal: plain objects, whose order of members does not matter, arrays, bytes, dates and URLs.
 */
export function isDeepEqual(left: unknown, right: unknown): boolean {
  if (left === right || Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (isBytes(left) || isBytes(right)) return isBytes(left) && isBytes(right) && areBytesEqual(left, right);
  if (Array.isArray(left) || Array.isArray(right)) {
    return (
      Array.isArray(left) &&
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => isDeepEqual(item, right[index]))
    );
  }
  if (!isPlain(left) || !isPlain(right)) return areInstancesEqual(left, right);
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every(
      (key) =>
        Object.hasOwn(right, key) &&
        isDeepEqual((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key]),
    )
  );
}

function areBytesEqual(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}

function areInstancesEqual(left: object, right: object): boolean {
  const kind = Object.prototype.toString.call(left);
  if (kind !== Object.prototype.toString.call(right)) return false;
  if (kind === "[object ArrayBuffer]") {
    return areBytesEqual(new Uint8Array(left as ArrayBuffer), new Uint8Array(right as ArrayBuffer));
  }
  return kind === "[object Date]"
    ? Object.is((left as Date).getTime(), (right as Date).getTime())
    : String(left) === String(right);
}

/** What Anthropic takes as the id of a call. */
const ALPHABET = /^[a-zA-Z0-9_-]+$/;
/** Begins every id that was encoded. */
const PREFIX = "tfx-";
/** Characters that are not escaped, and escaped UTF-16 code units. */
const ESCAPED = /^(?:\w|-[0-9a-f]+-)*$/;
/** The length of ids in OpenAI's chat completions. */
const MAX_LENGTH = 40;

/**
 * The id in the alphabet of Anthropic, `^[a-zA-Z0-9_-]+$`: itself when it is, else `tfx-` with every other character as its
 * code in hexadecimal between hyphens. {@link decodeId} reverses it; no two ids have the same encoding.
 *
 * @internal
 */
export function encodeId(id: string): string {
  // An id that looks encoded is encoded again, or decoding would give another one.
  return ALPHABET.test(id) && decodeId(id) === id ? id : escaped(id);
}

/**
 * The id that was encoded; every other id as it is.
 *
 * @internal
 */
export function decodeId(id: string): string {
  if (!id.startsWith(PREFIX)) return id;
  const body = id.slice(PREFIX.length);
  if (body === "" || !ESCAPED.test(body)) return id;
  const decoded = body.replace(/-([0-9a-f]+)-/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return escaped(decoded) === id && encodeId(decoded) === id ? decoded : id;
}

function escaped(id: string): string {
  return PREFIX + id.replace(/\W/g, (unit) => `-${unit.charCodeAt(0).toString(16)}-`);
}

/**
 * An id for a call that has none.
 *
 * @internal
 */
export function numberedId(number: number): string {
  return `${PREFIX}-${number}`;
}

/**
 * Whether an id is too long for OpenAI's chat completions.
 *
 * @internal
 */
export function isLongId(id: string): boolean {
  return id.length > MAX_LENGTH;
}

/**
 * An id of 40 characters for a longer one: its beginning, and a hash of the whole. It can't be reversed.
 *
 * @internal
 */
export function shortenedId(id: string): string {
  if (!isLongId(id)) return id;
  const hash = hashOf(id, 0x811c9dc5) + hashOf(id, 0x9e3779b9);
  return `${id.slice(0, MAX_LENGTH - 1 - hash.length)}_${hash}`;
}

/** FNV-1a of the UTF-16 code units, as eight hexadecimal digits. */
function hashOf(text: string, start: number): string {
  let hash = start;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    hash ^= hash >>> 15;
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}

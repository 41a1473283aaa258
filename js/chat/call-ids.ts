import { textHash } from "../values/text-hash.ts";

/** The ids of calls that Anthropic accepts. */
const VALID_ID = /^[a-zA-Z0-9_-]+$/;
/**
 * True for an id in Anthropic's alphabet.
 *
 * @internal
 */
export function isInAlphabet(id: string): boolean {
  return VALID_ID.test(id);
}

/** Begins every id that was encoded. */
const PREFIX = "tfx-";
/** The length of ids in OpenAI's chat completions. */
const MAX_LENGTH = 40;

/**
 * Encodes an id in Anthropic's alphabet, `^[a-zA-Z0-9_-]+$`: returns a valid id unchanged, any other as `tfx-` followed
 * by the id with its invalid characters replaced by their hexadecimal codes between hyphens. {@link decodeId} reverses
 * it; no two ids have the same encoding.
 *
 * @internal
 */
export function encodeId(id: string): string {
  // An id that looks encoded is encoded again; otherwise decoding would return another id.
  return VALID_ID.test(id) && decodeId(id) === id ? id : escapeId(id);
}

/**
 * Returns the id that was encoded; any other id unchanged.
 *
 * @internal
 */
export function decodeId(id: string): string {
  if (!id.startsWith(PREFIX)) return id;
  const body = id.slice(PREFIX.length);
  if (body === "") return id;
  const decoded = body.replace(/-([0-9a-f]+)-/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return escapeId(decoded) === id && encodeId(decoded) === id ? decoded : id;
}

function escapeId(id: string): string {
  return PREFIX + id.replace(/\W/g, (unit) => `-${unit.charCodeAt(0).toString(16)}-`);
}

/**
 * Makes an id for a call without one.
 *
 * @internal
 */
export function numberedId(number: number): string {
  return `${PREFIX}-${number}`;
}

/**
 * True for an id that {@link numberedId} made.
 *
 * @internal
 */
export function isNumberedId(id: string): boolean {
  return id.startsWith(PREFIX) && /^-\d+$/.test(id.slice(PREFIX.length));
}

/**
 * Returns calls whose ids no other call has: servers may number the calls of each reply anew, or give them none.
 *
 * @param taken the ids of earlier calls, to which those of the calls are added.
 *
 * @internal
 */
export function withUniqueIds<C extends { id: string }>(calls: readonly C[], taken: Set<string>): C[] {
  const numbers = new Map<string, number>();
  return calls.map((call) => {
    let { id } = call;
    for (let number = numbers.get(id) ?? 2; id === "" || taken.has(id); number++) {
      id = call.id === "" ? numberedId(number) : `${call.id}-${number}`;
      numbers.set(call.id, number);
    }
    taken.add(id);
    return id === call.id ? call : { ...call, id };
  });
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
 * Shortens an id to 40 characters: its beginning and a hash of the whole. This can't be reversed.
 *
 * @internal
 */
export function shortenId(id: string): string {
  if (!isLongId(id)) return id;
  const hash = textHash(id);
  return `${id.slice(0, MAX_LENGTH - 1 - hash.length)}_${hash}`;
}

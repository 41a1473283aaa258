import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import type { AISDKMessageLike } from "./framework.ts";

/**
 * How messages are marked: at most `max` places, of which the last are kept.
 *
 * @internal
 */
export interface CacheMarkOptions {
  maxBreakpoints: number;
  ttl: "5m" | "1h" | undefined;
}

/**
 * Marks the end of a message for Anthropic's cache; returns the message itself when nothing in it can be marked. The
 * mark is set on the message, which providers apply to its last part. Thoughts and empty texts can't be marked: if the
 * message ends with them, the mark is set on the part before them.
 *
 * @internal
 */
export function markMessage<Message extends AISDKMessageLike>(message: Message, { ttl }: CacheMarkOptions): Message {
  const cacheControl = { type: "ephemeral", ...(ttl === undefined ? {} : { ttl }) };
  const { content } = message;
  if (!Array.isArray(content)) return content === "" ? message : withCacheControl(message, cacheControl);
  const parts: unknown[] = [...content];
  for (let index = parts.length - 1; index >= 0; index--) {
    const part = parts[index];
    if (!isPlainObject(part) || part.type === "reasoning" || part.text === "") continue;
    if (index === parts.length - 1) return withCacheControl(message, cacheControl);
    parts[index] = withCacheControl(part, cacheControl);
    return { ...message, content: parts };
  }
  return message;
}

function withCacheControl<T extends object>(holder: T, cacheControl: object): T {
  const { providerOptions } = holder as { providerOptions?: unknown };
  const own = isPlainObject(providerOptions) ? providerOptions : {};
  return {
    ...holder,
    providerOptions: { ...own, anthropic: { ...(own.anthropic as PlainObject | undefined), cacheControl } },
  };
}

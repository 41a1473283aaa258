import { wrapReadErrors } from "../errors.ts";
import type { Message } from "../model/message.ts";

/**
 * Returns the length of the common start of two lists of messages, in UTF-16 units. The wasm side counts it between its
 * own renderings; this function is for all others.
 */
export function sharedPrefix(before: readonly Message[], after: readonly Message[]): number {
  let shared = 0;
  for (let index = 0; index < Math.min(before.length, after.length); index++) {
    const [old, fresh] = [before[index] as Message, after[index] as Message];
    if (old.role !== fresh.role) break;
    const text = textOf(fresh);
    const same = commonLength(textOf(old), text);
    shared += same;
    if (same < text.length || same < textOf(old).length) break;
  }
  return shared;
}

/**
 * Returns the message with its content as the text that is compared.
 *
 * @throws {TurnfoldError} `invalid_strategy` when the content can't be read.
 */
export function withTextContent(message: Message): Message {
  return { role: message.role, content: textOf(message) };
}

function textOf({ content }: Message): string {
  if (typeof content === "string") return content;
  return wrapReadErrors("invalid_strategy", "a message's content", () => JSON.stringify(content));
}

/** Returns the length of the common start. Bisects, because engines compare slices many units at a time. */
function commonLength(a: string, b: string): number {
  let [same, differs] = [0, Math.min(a.length, b.length) + 1];
  while (differs - same > 1) {
    const middle = (same + differs) >> 1;
    if (a.slice(same, middle) === b.slice(same, middle)) same = middle;
    else differs = middle;
  }
  const last = a.charCodeAt(same - 1);
  return same < Math.max(a.length, b.length) && last >= 0xd800 && last < 0xdc00 ? same - 1 : same;
}

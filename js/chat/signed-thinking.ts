import { isPlainObject } from "../values/describe.ts";
import type { ChatMessage } from "./chat-message.ts";
import { markChecked } from "./message-copy.ts";
import { type MessagePart, partsOf } from "./tool-pairs.ts";

/** The options of parts in which the AI SDK keeps what Claude signs, by its providers. */
const SIGNING_PROVIDERS = ["anthropic", "bedrock"];

/** True for thinking that a model of Anthropic has signed. Thinking of other models is not bound to what is before it. */
function isSigned(part: MessagePart): boolean {
  if (part.type === "thinking" || part.type === "redacted_thinking") return true;
  if (part.type !== "reasoning") return false;
  const { providerOptions } = part;
  const options = SIGNING_PROVIDERS.map((name) => (isPlainObject(providerOptions) ? providerOptions[name] : undefined));
  return [part, ...options].some(
    (holder) =>
      isPlainObject(holder) && (typeof holder.signature === "string" || typeof holder.redactedData === "string"),
  );
}

/**
 * True for an answer with signed thinking.
 *
 * @internal
 */
export const hasSigned = (message: ChatMessage) => partsOf(message).some(isSigned);

/**
 * Returns an answer without signed thinking; null when nothing else is in it.
 *
 * @internal
 */
export function withoutSigned(message: ChatMessage): ChatMessage | null {
  const content = partsOf(message).filter((part) => !isSigned(part));
  const { toolCalls = [] } = message;
  return content.length === 0 && toolCalls.length === 0
    ? null
    : markChecked({ ...message, content: Object.freeze(content) });
}

/**
 * Returns messages without the signed thinking in those from an index up to another, exclusive.
 *
 * @internal
 */
export function withoutThinkingFrom(
  messages: readonly ChatMessage[],
  from: number,
  until: number = messages.length,
): ChatMessage[] {
  return messages.flatMap((message, index) => {
    const next = index >= from && index < until && hasSigned(message) ? withoutSigned(message) : message;
    return next === null ? [] : [next];
  });
}

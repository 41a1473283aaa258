import type { ChatMessage } from "../chat/chat-message.ts";
import { partsOf } from "../chat/tool-pairs.ts";

/**
 * Tokens for each character of a signature of Anthropic, which has the whole thinking in it: as the inputs of 14,000 recorded
 * requests grew.
 */
const SIGNATURE_TOKENS = 0.175;
const CHARACTERS_PER_TOKEN = 4;

/** Tokens of thinking that is sent back but is not in the text, which is a summary, or empty. */
export function hiddenThinking(message: ChatMessage): number {
  return partsOf(message).reduce((sum, { type, text, signature, redactedData }) => {
    const sealed = signature ?? redactedData;
    if (type !== "reasoning" || typeof sealed !== "string") return sum;
    return sum + Math.max(0, SIGNATURE_TOKENS * sealed.length - String(text ?? "").length / CHARACTERS_PER_TOKEN);
  }, 0);
}

import type { ChatMessage } from "../chat/chat-message.ts";
import { type Conversation, messagesOf, ofMessages } from "../chat/conversation.ts";
import { copyMessages } from "../chat/message-copy.ts";
import { type AnthropicMessages, fromAnthropic, toAnthropic } from "./anthropic.ts";
import { fromOpenAI, type OpenAIMessage, toOpenAI } from "./openai.ts";
import { fromVercel, toVercel, type VercelMessage } from "./vercel.ts";

/**
 * Converts the messages of a provider. Messages that came from a provider are converted back to it unchanged, but for what it
 * refuses: `to` mends that.
 */
export interface MessageFormat<Messages = unknown> {
  /**
   * Converts a provider's messages to a conversation.
   *
   * @throws {TurnfoldError} `invalid_message`, with the place in `details.path`
   */
  from(messages: unknown): Conversation;
  /**
   * Converts to the provider's messages, without the members `timestamp`, `pinned` and `summary`. What the provider refuses is
   * mended: blank and empty content, ids of calls, integers that JSON readers round.
   *
   * @throws {TurnfoldError} `unsupported_part` for content that the provider has no form for, with its path and a hint.
   */
  to(conversation: Conversation): Messages;
}

function format<Messages>(
  from: (messages: unknown) => ChatMessage[],
  to: (messages: readonly ChatMessage[]) => Messages,
): MessageFormat<Messages> {
  return Object.freeze({
    from: (messages: unknown) => ofMessages(copyMessages(from(messages), "messages", true)),
    to: (conversation: Conversation) => to(messagesOf(conversation)),
  });
}

/**
 * Messages of OpenAI's chat completions and of compatible servers.
 *
 * @example
 * ```ts
 * const conversation = openai.from(messages);
 * const { conversation: shorter } = await manageHistory(conversation, { maxTokens: 50_000 });
 * await client.chat.completions.create({ model, messages: openai.to(shorter) });
 * ```
 */
export const openai: MessageFormat<OpenAIMessage[]> = format(fromOpenAI, toOpenAI);

/**
 * Messages of Anthropic: a list, or `{ system, messages }`, which is what `to` returns.
 *
 * @example
 * ```ts
 * const { system, messages } = anthropic.to(conversation);
 * await claude.messages.create({ model, max_tokens: 1024, system, messages });
 * ```
 */
export const anthropic: MessageFormat<AnthropicMessages> = format(fromAnthropic, toAnthropic);

/**
 * Messages of the AI SDK (`ModelMessage`); those of a user interface go through its `convertToModelMessages`.
 *
 * @example
 * ```ts
 * const { text } = await generateText({ model: aiModel, messages: vercel.to(conversation) });
 * ```
 */
export const vercel: MessageFormat<VercelMessage[]> = format(fromVercel, toVercel);

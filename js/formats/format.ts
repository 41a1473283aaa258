import { anyOption, invalidOption, type OptionChecks, readOptions } from "../boundary/options.ts";
import type { ChatMessage } from "../chat/chat-message.ts";
import { type Conversation, messagesOf, ofMessages } from "../chat/conversation.ts";
import { copyMessages } from "../chat/message-copy.ts";
import { type CacheMarks, type MarkableFormat, markBreakpoints } from "./cache-marks.ts";
import type { PlainObject } from "./data.ts";
import { allowMembers } from "./members.ts";
import type { OriginalFormat } from "./original.ts";
import { withoutReplyMembers } from "./reply-members.ts";

/**
 * Converts the messages of a provider. Messages that came from a provider are converted back to it unchanged, except
 * for content that it refuses, which `to` corrects.
 */
export interface MessageFormat<Messages = unknown> {
  /**
   * Converts a provider's messages to a conversation. Big integers, which some JSON readers make, are kept.
   *
   * @throws {TurnfoldError} `invalid_message`, with the path in `details.path`
   */
  from(messages: unknown): Conversation;
  /**
   * Converts to the provider's messages. Only members that the format has are written, and those with which the
   * messages came from it. The outcome of a call (`isError`, `isDenied`) is written in the format's way; the text says
   * that the tool failed where the format has none. Content that the provider refuses is corrected: blank and empty
   * content, ids of calls, integers that JSON readers round.
   *
   * @throws {TurnfoldError} `unsupported_part` for content that the provider's format can't express, with its path and
   * a hint.
   */
  to(conversation: Conversation, options?: FormatOptions): Messages;
}

/** Options of {@link MessageFormat.to}. */
export interface FormatOptions {
  /**
   * Marks breakpoints for the provider's cache: `cache_control` for Anthropic, in the AI SDK as `providerOptions`;
   * `prompt_cache_breakpoint` for models of OpenAI from GPT-5.6 on, which older ones refuse. Without it, nothing is
   * marked.
   */
  cache?: CacheMarks | undefined;
  /**
   * Names of members that are written although the format does not have them: those of a message, of its parts and of
   * its calls, such as `reasoning_content` for a server that wants it back. Without it, only the members of the format
   * are written, and those with which the messages came from it; not those that only replies have, such as `usage` and
   * `stop_reason` of Anthropic and `annotations` of OpenAI, which the provider refuses in requests.
   */
  members?: readonly string[] | undefined;
}

/**
 * Makes a format of its conversions. Calls of it are marked as pure, so that bundlers drop formats that are not used.
 *
 * @internal
 */
export function makeFormat<Messages>(
  name: OriginalFormat,
  from: (messages: unknown) => ChatMessage[],
  convert: (messages: readonly ChatMessage[]) => Messages,
  marking: Omit<MarkableFormat<Messages>, "to">,
): MessageFormat<Messages> {
  return Object.freeze({
    from: (messages: unknown) => ofMessages(copyMessages(from(messages), "messages", true)),
    to: (conversation: Conversation, options: FormatOptions = {}) => {
      const checks = { cache: anyOption(), members: checkMemberNames } satisfies OptionChecks<FormatOptions>;
      const { cache, members = [] } = readOptions("the options", options, checks);
      const messages = allowMembers(messagesOf(conversation), members, name);
      const to = (given: readonly ChatMessage[]) => withoutReplyMembers(convert(given), members, name);
      return cache === undefined ? to(messages) : markBreakpoints({ ...marking, to }, messages, cache);
    },
  });
}

/**
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function checkMemberNames(names: unknown): readonly string[] | undefined {
  if (names === undefined) return undefined;
  if (Array.isArray(names) && names.every((name) => typeof name === "string")) return [...names];
  throw invalidOption("members", "a list of names", names, 'members: ["reasoning_content"]');
}

/** @internal */
export const textBlock = (text: string): PlainObject => ({ type: "text", text });

/**
 * Makes a holder whose `content` is a member of another name, such as the system prompt.
 *
 * @internal
 */
export function contentHolder(holder: object, name: string): PlainObject {
  return Object.defineProperty({} as PlainObject, "content", {
    get: () => (holder as PlainObject)[name],
    set: (content: unknown) => {
      (holder as PlainObject)[name] = content;
    },
  });
}

import { checkMembers, invalidOption } from "../boundary/options.ts";
import type { ChatMessage } from "../chat/chat-message.ts";
import { type Conversation, messagesOf, ofMessages } from "../chat/conversation.ts";
import { copyMessages } from "../chat/message-copy.ts";
import { type AnthropicMessages, fromAnthropic, toAnthropic } from "./anthropic.ts";
import { type CacheMarks, type MarkableFormat, markBreakpoints } from "./cache-marks.ts";
import type { PlainObject } from "./data.ts";
import { fromGemini, type GeminiMessages, toGemini } from "./gemini.ts";
import { allowMembers } from "./members.ts";
import { fromOpenAI, type OpenAIMessage, toOpenAI } from "./openai.ts";
import type { OriginalFormat } from "./original.ts";
import { countMarks } from "./provider-corrections.ts";
import { withoutReplyMembers } from "./reply-members.ts";
import { fromResponses, type OpenAIResponsesItem, toResponses } from "./responses.ts";
import { fromVercel, toVercel, type VercelMessage } from "./vercel.ts";

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

/** The formats of OpenAI. */
export interface OpenAIFormats extends MessageFormat<OpenAIMessage[]> {
  /**
   * Items of the Responses API, with reasoning and the items of OpenAI's tools. `from` accepts a list of items, a text
   * of the user, or a whole request or response. Reasoning and the output that follows from it are one message, so that
   * no strategy separates them.
   */
  readonly responses: MessageFormat<OpenAIResponsesItem[]>;
}

function makeFormat<Messages>(
  name: OriginalFormat,
  from: (messages: unknown) => ChatMessage[],
  convert: (messages: readonly ChatMessage[]) => Messages,
  marking: Omit<MarkableFormat<Messages>, "to">,
): MessageFormat<Messages> {
  return Object.freeze({
    from: (messages: unknown) => ofMessages(copyMessages(from(messages), "messages", true)),
    to: (conversation: Conversation, options: FormatOptions = {}) => {
      const { cache, members } = checkMembers("the options", options, ["cache", "members"]) as FormatOptions;
      const named = members === undefined ? [] : checkMemberNames(members);
      const messages = allowMembers(messagesOf(conversation), named, name);
      const to = (given: readonly ChatMessage[]) => withoutReplyMembers(convert(given), named, name);
      return cache === undefined ? to(messages) : markBreakpoints({ ...marking, to }, messages, cache);
    },
  });
}

/**
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function checkMemberNames(names: unknown): readonly string[] {
  if (Array.isArray(names) && names.every((name) => typeof name === "string")) return [...names];
  throw invalidOption("members", "a list of names", names, 'members: ["reasoning_content"]');
}

const textBlock = (text: string) => ({ type: "text", text });

const breakpoint = { mode: "explicit" };

/**
 * Returns the items of the Responses API with content that can be marked: messages, except those of the model, and
 * results.
 */
function markableItems(items: OpenAIResponsesItem[]): PlainObject[] {
  return (items as unknown as PlainObject[]).flatMap((item) => {
    if (item.role !== "assistant" && item.content !== undefined) return [item];
    return typeof item.output === "string" || Array.isArray(item.output) ? [contentHolder(item, "output")] : [];
  });
}

const responses: MessageFormat<OpenAIResponsesItem[]> = makeFormat("openai-responses", fromResponses, toResponses, {
  holders: markableItems,
  mark(block) {
    if (typeof block.type !== "string" || !block.type.startsWith("input_")) return null;
    block.prompt_cache_breakpoint = { ...breakpoint };
    return "block";
  },
  textBlock: (text) => ({ type: "input_text", text }),
});

/**
 * Messages of OpenAI's chat completions and of compatible servers. `openai.responses` converts items of the Responses API.
 *
 * @example
 * ```ts
 * const conversation = openai.from(messages);
 * const { conversation: shorter } = await manageHistory(conversation, { maxTokens: 50_000 });
 * await client.chat.completions.create({ model, messages: openai.to(shorter) });
 * ```
 *
 * @example
 * ```ts
 * const items = openai.responses.from(input);
 * const { conversation: managed } = await manageHistory(items, { maxTokens: 50_000 });
 * await client.responses.create({ model, input: openai.responses.to(managed), store: false });
 * ```
 */
export const openai: OpenAIFormats = Object.freeze({
  ...makeFormat("openai", fromOpenAI, toOpenAI, {
    holders: (messages) => messages as unknown as PlainObject[],
    mark(block, { role }) {
      if (role === "assistant") return null;
      block.prompt_cache_breakpoint = { ...breakpoint };
      return "block";
    },
    textBlock,
  }),
  responses,
});

/**
 * Messages of Anthropic: a list, or `{ system, messages }`, which `to` returns.
 *
 * @example
 * ```ts
 * const { system, messages } = anthropic.to(conversation);
 * await claude.messages.create({ model, max_tokens: 1024, system, messages });
 * ```
 */
export const anthropic: MessageFormat<AnthropicMessages> = makeFormat("anthropic", fromAnthropic, toAnthropic, {
  holders: (converted) =>
    (converted.system === undefined ? [] : [contentHolder(converted, "system")]).concat(
      converted.messages as unknown as PlainObject[],
    ),
  mark(block, _, ttl) {
    if (block.type === "thinking" || block.type === "redacted_thinking") return null;
    block.cache_control = { type: "ephemeral", ...(ttl === undefined ? {} : { ttl }) };
    return "block";
  },
  marked: (converted) => countMarks(converted),
  textBlock,
});

/**
 * Contents of Gemini: a list, or `{ systemInstruction, contents }`, which `to` returns. Gemini's cache needs no marks, so
 * that `cache` has no effect.
 *
 * @example
 * ```ts
 * const { systemInstruction, contents } = gemini.to(conversation);
 * await ai.models.generateContent({ model, contents, config: { systemInstruction } });
 * ```
 */
export const gemini: MessageFormat<GeminiMessages> = makeFormat("gemini", fromGemini, toGemini, {
  holders: () => [],
  mark: () => null,
  textBlock,
});

/** Makes a holder whose `content` is a member of another name, such as the system prompt. */
function contentHolder(holder: object, name: string): PlainObject {
  return Object.defineProperty({} as PlainObject, "content", {
    get: () => (holder as PlainObject)[name],
    set: (content: unknown) => {
      (holder as PlainObject)[name] = content;
    },
  });
}

/**
 * Messages of the AI SDK. `from` reads both of its kinds, `ModelMessage` and `UIMessage`; `to` makes `ModelMessage`.
 *
 * @example
 * ```ts
 * const { text } = await generateText({ model: aiModel, messages: vercel.to(conversation) });
 * ```
 */
export const vercel: MessageFormat<VercelMessage[]> = makeFormat("vercel", fromVercel, toVercel, {
  holders: (messages) => messages as unknown as PlainObject[],
  mark(block, holder, ttl) {
    if (block.type === "reasoning") return null;
    // A system message of the AI SDK is a text, which has no parts to mark.
    const isSystem = holder.role === "system";
    const marked = isSystem ? holder : block;
    const own = marked.providerOptions as PlainObject | undefined;
    const cacheControl = { type: "ephemeral", ...(ttl === undefined ? {} : { ttl }) };
    marked.providerOptions = { ...own, anthropic: { ...(own?.anthropic as PlainObject | undefined), cacheControl } };
    return isSystem ? "holder" : "block";
  },
  textBlock,
});

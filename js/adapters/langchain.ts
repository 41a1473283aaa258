/**
 * `turnfold/adapters/langchain`: a middleware for agents of LangChain, a tool that runs programs, conversion of messages, and a callback
 * for chat models.
 *
 * @packageDocumentation
 */

import { checkMembers } from "../boundary/options.ts";
import type { Conversation } from "../chat.ts";
import { checkClasses, fromMessages, type MessageClasses, toMessages } from "./langchain/messages.ts";

export type { MessageClass, MessageClasses } from "./langchain/messages.ts";
export type { MiddlewareOptions, ModelCall, TurnfoldMiddleware } from "./langchain/middleware.ts";
export { turnfoldMiddleware } from "./langchain/middleware.ts";
export type { LangChainModel, LangChainModelOptions } from "./langchain/model.ts";
export { langchainModel } from "./langchain/model.ts";
export type { LangGraphStore } from "./langchain/program-store.ts";
export { langGraphStore } from "./langchain/program-store.ts";
export type {
  LangChainProgramOptions,
  LangChainToolArguments,
  LangChainToolConfig,
  ProgramQuestion,
} from "./langchain/program-tool-arguments.ts";
export { programToolArguments } from "./langchain/program-tool-arguments.ts";
export type { HistoryOptions } from "./shared/history-options.ts";

/** A block of content. */
export interface LangChainBlock {
  type: string;
  [member: string]: unknown;
}

/**
 * A message for chat models and agents of LangChain: an instance of one of its classes, which has a `type`, or plain
 * data with a `role`.
 */
export type LangChainMessage =
  | ({ type: string; content: string | LangChainBlock[] } & Record<string, unknown>)
  | ({ role: string; content: string | LangChainBlock[] } & Record<string, unknown>);

/** Converts the messages of LangChain. */
export interface LangChainFormat {
  /**
   * Converts messages to a conversation, one for each: instances of `BaseMessage`, including chunks, and the forms that
   * LangChain coerces or stores. In `additional_kwargs.turnfold`, a message may have `pinned`, `timestamp` and
   * `summary` of {@link ChatMessage}.
   *
   * @throws {TurnfoldError} `invalid_message`, with the path in `details.path`
   */
  from(messages: readonly unknown[]): Conversation;
  /**
   * Converts a conversation to messages. A message that is unchanged since it was read is the same object; a changed
   * one keeps the class and all other members of the original. Others, such as summaries, get the class of messages of
   * their type in the conversation. If there is none they are plain data, `{ role, content }`, which LangChain coerces.
   *
   * @throws {TurnfoldError} `unsupported_part` for content that LangChain can't express, with its path and a hint.
   */
  to(conversation: Conversation): LangChainMessage[];
  /**
   * Converts a conversation to messages that were read and, for others, instances of these classes.
   *
   * @throws {TurnfoldError} `unsupported_part`, `invalid_option`
   */
  to<Classes extends Required<MessageClasses>>(
    conversation: Conversation,
    options: { classes: Classes },
  ): InstanceOf<Exclude<Classes[keyof MessageClasses], undefined>>[];
}

/** The instances of a class. */
type InstanceOf<Class> = Class extends new (fields: never) => infer Instance ? Instance : never;

/**
 * Messages of LangChain.
 *
 * @example
 * ```ts
 * const { conversation } = await manageHistory(langchain.from(messages), { maxTokens: 50_000 });
 * const reply = await model.invoke(langchain.to(conversation));
 * ```
 */
export const langchain: LangChainFormat = Object.freeze({
  from: fromMessages,
  to(conversation: Conversation, options: { classes?: MessageClasses | undefined } = {}) {
    const { classes } = checkMembers("the options", options, ["classes"]);
    return toMessages(conversation, checkClasses(classes), []) as never;
  },
});

import { checkMembers } from "../boundary/options.ts";
import { wrapReadErrors } from "../errors.ts";
import type { Message } from "../model/message.ts";
import { checkedCount, estimate, type TokenCounter } from "../tokens/tokens.ts";
import { freeHandle, ofMessages } from "./conversation.ts";
import { copyMessages } from "./message-copy.ts";
import { checkParameters, type Provider } from "./parameters.ts";
import { Planning } from "./planning.ts";

/** Options of {@link countMessages}. */
export interface MessageCountOptions {
  /** Default {@link estimate}. */
  counter?: TokenCounter | undefined;
  /** Tools that the model may call: a list, or an object by names. */
  tools?: unknown;
  /** The schema of the answer. */
  schema?: unknown;
  /** The provider whose additional tokens around messages are counted; default `openai`. */
  provider?: Provider | undefined;
}

/** The tokens of a request. */
export interface MessageCounts {
  /** Everything: messages, tools, schema, and the provider's tokens around the request. */
  total: number;
  /** Each message with the provider's tokens around it: its role, separators of its parts. */
  messages: number[];
  method: "exact" | "estimate";
  /** Name of the counter. */
  counter: string;
}

/**
 * Counts the tokens of messages as a provider does: texts, tool calls and results, and the tokens around each message.
 * Images and files count 1,000 tokens each, because only the provider knows their size. So does base64 data in texts and
 * JSON, or a token for four characters when that is less. What a summary of the provider covers counts 0.
 *
 * @example
 * ```ts
 * const { total, counter } = countMessages([{ role: "user", content: "Where is my order?" }]);
 * console.log(`${total} tokens, by ${counter}`);
 * ```
 * @throws {TurnfoldError} `invalid_message`, `invalid_option`, `invalid_counter`
 */
export function countMessages(messages: readonly Message[], options: MessageCountOptions = {}): MessageCounts {
  const { counter, provider, tools, schema } = wrapReadErrors("invalid_option", "the options", () =>
    checkMembers("the options", options, ["counter", "tools", "schema", "provider"]),
  ) as MessageCountOptions;
  const parameters = checkParameters({ counter, provider });
  const conversation = ofMessages(copyMessages(messages, "messages"));
  const planning = new Planning(conversation, parameters, { tools, schema });
  const { sizes, tokens } = planning.plan();
  planning.release();
  freeHandle(conversation);
  const { name, method } = counter ?? estimate;
  return { total: tokens.before, messages: sizes, method, counter: name };
}

/** Matches texts that may have data of images and files in them. */
const MAY_HAVE_DATA = /;base64,|[\w+/-]{60}/;

/**
 * True for a text that may have data of images and files in it. Others are not searched.
 *
 * @internal
 */
export const mayHaveData = (text: string): boolean => MAY_HAVE_DATA.test(text);

/**
 * Counts the tokens of a text as {@link countMessages} does: the data of images and files in it counts as images.
 *
 * @internal
 */
export function countText(text: string, counter: TokenCounter): number {
  if (!mayHaveData(text)) return checkedCount(counter, text);
  const messages = ["", text].map((content) => ({ role: "user", content }));
  const [around, whole] = countMessages(messages, { counter }).messages as [number, number];
  return whole - around;
}

import { checkMembers } from "../boundary/options.ts";
import { reading } from "../errors.ts";
import { estimate, type TokenCounter } from "../tokens/tokens.ts";
import type { Message } from "../turns/message.ts";
import { Conversation } from "./conversation.ts";
import { checkParameters, type Provider } from "./parameters.ts";
import { Planning } from "./planning.ts";

/** What {@link countMessages} counts beside messages, and how. */
export interface MessageCountOptions {
  /** {@link estimate} */
  counter?: TokenCounter;
  /** Tools that the model may call: a list, or an object by names. */
  tools?: unknown;
  /** The schema of the answer. */
  schema?: unknown;
  /** Whose marks around messages are counted; `openai`. */
  provider?: Provider;
}

/** The tokens of a request. */
export interface MessageCounts {
  /** Of everything: messages, tools, schema, and what stands around the request. */
  total: number;
  /** Of each message with what stands around it: its role, the ends of its parts. */
  messages: number[];
  method: "exact" | "estimate";
  /** Which counter. */
  counter: string;
}

/**
 * How many tokens messages are, as a provider counts them: texts, tool calls and results, and the marks around each message.
 * Images and files count 1,000 tokens each, for only the provider knows their size [FR-009].
 *
 * @example
 * ```ts
 * const { total, counter } = countMessages([{ role: "user", content: "Where is my order?" }]);
 * console.log(`${total} tokens, by ${counter}`);
 * ```
 * @throws {TurnfoldError} `invalid_message`, `invalid_option`, `invalid_counter`
 */
export function countMessages(messages: readonly Message[], options: MessageCountOptions = {}): MessageCounts {
  const { counter, provider, tools, schema } = reading("invalid_option", "the options", () =>
    checkMembers("the options", options, ["counter", "tools", "schema", "provider"]),
  ) as MessageCountOptions;
  const parameters = checkParameters({ counter, provider });
  const conversation = new Conversation({ messages });
  const planning = new Planning(conversation, parameters, { tools, schema });
  const { sizes, tokens } = planning.plan();
  const { name, method } = counter ?? estimate;
  return { total: tokens[0], messages: sizes, method, counter: name };
}

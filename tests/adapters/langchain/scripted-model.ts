// A LangChain chat model that computes its replies with a function and records its requests.

import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import { AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";

export interface Options extends BaseChatModelCallOptions {
  tools?: BindToolsInput[];
  response_format?: unknown;
}

/** A request, and the options of its call. */
export interface Asked {
  messages: BaseMessage[];
  options: Options;
}

type Reply = (messages: BaseMessage[], number: number) => AIMessageChunk[] | Promise<AIMessageChunk[]>;

export class ScriptedModel extends BaseChatModel<Options, AIMessageChunk> {
  /** The requests to the model, the oldest first; copies of the model share the list. */
  readonly asked: Asked[] = [];
  private readonly reply: Reply;

  constructor(reply: Reply) {
    super({});
    this.reply = reply;
  }

  _llmType() {
    return "scripted";
  }

  override bindTools(tools: BindToolsInput[], options: Partial<Options> = {}) {
    return this.withConfig({ ...options, tools });
  }

  async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    const chunks = await this.next(messages, options);
    const message = chunks.reduce((whole, chunk) => whole.concat(chunk));
    return { generations: [{ message, text: message.text }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    for (const message of await this.next(messages, options)) {
      const chunk = new ChatGenerationChunk({ message, text: message.text });
      yield chunk;
      await run?.handleLLMNewToken(message.text, undefined, undefined, undefined, undefined, { chunk });
    }
  }

  private next(messages: BaseMessage[], options: this["ParsedCallOptions"]) {
    this.asked.push({ messages, options: options as unknown as Options });
    return this.reply(messages, this.asked.length - 1);
  }
}

/** The chunks of an answer. */
export const says = (...pieces: string[]) => pieces.map((content) => new AIMessageChunk({ content }));

/** A reply that calls a tool, in two chunks. */
export const calls = (id: string, name: string, args: object) => {
  const text = JSON.stringify(args);
  const piece = (args: string, rest: object) =>
    new AIMessageChunk({ content: "", tool_call_chunks: [{ type: "tool_call_chunk", index: 0, args, ...rest }] });
  return [piece(text.slice(0, 4), { id, name }), piece(text.slice(4), {})];
};

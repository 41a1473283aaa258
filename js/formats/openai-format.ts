import type { PlainObject } from "./data.ts";
import { contentHolder, type MessageFormat, makeFormat, textBlock } from "./format.ts";
import { fromOpenAI, type OpenAIMessage, toOpenAI } from "./openai.ts";
import { fromResponses, type OpenAIResponsesItem, toResponses } from "./responses.ts";

/** The formats of OpenAI. */
export interface OpenAIFormats extends MessageFormat<OpenAIMessage[]> {
  /**
   * Items of the Responses API, with reasoning and the items of OpenAI's tools. `from` accepts a list of items, a text
   * of the user, or a whole request or response. Reasoning and the output that follows from it are one message, so that
   * no strategy separates them.
   */
  readonly responses: MessageFormat<OpenAIResponsesItem[]>;
}

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

const responses: MessageFormat<OpenAIResponsesItem[]> = /* @__PURE__ */ makeFormat(
  "openai-responses",
  fromResponses,
  toResponses,
  {
    holders: markableItems,
    mark(block) {
      if (typeof block.type !== "string" || !block.type.startsWith("input_")) return null;
      block.prompt_cache_breakpoint = { ...breakpoint };
      return "block";
    },
    textBlock: (text) => ({ type: "input_text", text }),
  },
);

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
export const openai: OpenAIFormats = /* @__PURE__ */ makeOpenAIFormats();

function makeOpenAIFormats(): OpenAIFormats {
  return Object.freeze({
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
}

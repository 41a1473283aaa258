import { type AnthropicMessages, fromAnthropic, toAnthropic } from "./anthropic.ts";
import type { PlainObject } from "./data.ts";
import { contentHolder, type MessageFormat, makeFormat, textBlock } from "./format.ts";
import { countMarks } from "./provider-corrections.ts";

/**
 * Messages of Anthropic: a list, or `{ system, messages }`, which `to` returns.
 *
 * @example
 * ```ts
 * const { system, messages } = anthropic.to(conversation);
 * await claude.messages.create({ model, max_tokens: 1024, system, messages });
 * ```
 */
export const anthropic: MessageFormat<AnthropicMessages> = /* @__PURE__ */ makeFormat(
  "anthropic",
  fromAnthropic,
  toAnthropic,
  {
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
  },
);

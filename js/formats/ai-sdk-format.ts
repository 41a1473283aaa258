import { type AISDKMessage, fromAISDK, toAISDK } from "./ai-sdk.ts";
import type { PlainObject } from "./data.ts";
import { type MessageFormat, makeFormat, textBlock } from "./format.ts";

/**
 * Messages of the AI SDK. `from` reads both of its kinds, `ModelMessage` and `UIMessage`; `to` makes `ModelMessage`.
 *
 * @example
 * ```ts
 * const { text } = await generateText({ model: aiModel, messages: aiSdk.to(conversation) });
 * ```
 */
export const aiSdk: MessageFormat<AISDKMessage[]> = /* @__PURE__ */ makeFormat("vercel", fromAISDK, toAISDK, {
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

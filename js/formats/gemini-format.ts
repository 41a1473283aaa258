import { type MessageFormat, makeFormat, textBlock } from "./format.ts";
import { fromGemini, type GeminiMessages, toGemini } from "./gemini.ts";

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
export const gemini: MessageFormat<GeminiMessages> = /* @__PURE__ */ makeFormat("gemini", fromGemini, toGemini, {
  holders: () => [],
  mark: () => null,
  textBlock,
});

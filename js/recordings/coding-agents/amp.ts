import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { BlockReader } from "../reading/blocks.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { type RecordedUsage, usageOfCounts } from "../reading/recorded-chat.ts";
import { chatOfMessages, jsonOf, textOf } from "../reading/recorded-message.ts";

/** Reads threads, as `amp threads export` prints them. */
export const ampReader: RecordingReader = {
  format: "amp",
  recognizes: (given) =>
    isPlainObject(given) &&
    typeof given.v === "number" &&
    /^T-/.test(String(given.id)) &&
    Array.isArray(given.messages),
  read: ({ title, messages }: PlainObject) => {
    const reader = new BlockReader();
    const read = (messages as unknown[]).filter(isPlainObject).flatMap(({ role, content, usage, meta }) => {
      const { model, timestamp = (Object(meta) as PlainObject).sentAt } = Object(usage) as PlainObject;
      const blocks = Array.isArray(content) ? content.filter(isPlainObject).map(withResult) : content;
      const facts = { at: timestamp, ...(typeof model === "string" ? { model } : {}), usage: usageIn(usage) };
      return role === "user" || role === "assistant" ? reader.messages(role, blocks, facts) : [];
    });
    const chat = chatOfMessages(read, typeof title === "string" ? { title } : {});
    return chat === null ? [] : [chat];
  },
};

/** Returns a block of a result with its content, which is a text, a list, or an object with the text of one kind. */
function withResult(block: PlainObject): PlainObject {
  if (block.type !== "tool_result" || !isPlainObject(block.run)) return block;
  const { result, error } = block.run;
  const { output = error, content = output, diff = content } = Object(result) as PlainObject;
  const given = typeof result === "string" || Array.isArray(result) ? result : (diff ?? result ?? "");
  return { ...block, content: isPlainObject(given) ? textOf(given.message ?? jsonOf(given, "result")) : given };
}

function usageIn(usage: unknown): RecordedUsage | undefined {
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens } = Object(usage) as PlainObject;
  return usageOfCounts({
    fresh: inputTokens,
    read: cacheReadInputTokens,
    written: cacheCreationInputTokens,
    output: outputTokens,
  });
}

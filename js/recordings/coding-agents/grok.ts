import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { argumentsOf, BlockReader } from "../reading/blocks.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { chatOfMessages, type RecordedMessage, textOf } from "../reading/recorded-message.ts";

/** True for a question, an answer, or a result with the id of its call. */
function isRecord(record: unknown): boolean {
  if (!isPlainObject(record)) return false;
  const { type } = record;
  if (type === "user") return "prompt_index" in record || "synthetic_reason" in record;
  return type === "assistant"
    ? typeof record.model_id === "string"
    : type === "tool_result" && typeof record.tool_call_id === "string";
}

/** Reads `chat_history.jsonl` of sessions of Grok Build. */
export const grokReader: RecordingReader = {
  format: "grok",
  recognizes: (given) => Array.isArray(given) && given.some(isRecord),
  read: (records: unknown[]) => {
    const chat = chatOfMessages(fromHistory(records.filter(isPlainObject)));
    return chat === null ? [] : [chat];
  },
};

function fromHistory(records: readonly PlainObject[]): RecordedMessage[] {
  const reader = new BlockReader();
  return records.flatMap(({ type, content, summary, tool_calls: called, tool_call_id: id, model_id: model }) => {
    if (type === "system" || type === "user") return reader.messages(type, content);
    if (type === "reasoning") return reader.messages("assistant", [{ type, text: textOf(summary) }]);
    if (type === "tool_result") return [reader.result(String(id), content, undefined)];
    const calls = Array.isArray(called) ? called.filter(isPlainObject) : [];
    const blocks = calls.map((call) => ({ ...call, type: "tool_use", arguments: argumentsOf(call.arguments) }));
    const facts = typeof model === "string" ? { model } : {};
    return type === "assistant" ? reader.messages(type, [content ?? "", blocks].flat(), facts) : [];
  });
}

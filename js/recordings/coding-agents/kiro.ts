import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { BlockReader } from "../reading/blocks.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { chatOfMessages, jsonOf, type RecordedMessage, textOf } from "../reading/recorded-message.ts";

/** True for a record of a session of Kiro CLI. */
const isRecord = (record: unknown): boolean =>
  isPlainObject(record) &&
  isPlainObject(record.data) &&
  /^(?:Prompt|AssistantMessage|ToolResults)$/.test(String(record.kind));

/** True for a conversation that `/save` of Amazon Q or Kiro CLI wrote. */
const isSaved = (given: unknown): given is PlainObject =>
  isPlainObject(given) && typeof given.conversation_id === "string" && Array.isArray(given.history);

export const kiroReader: RecordingReader = {
  format: "kiro",
  recognizes: (given) => isSaved(given) || (Array.isArray(given) && given.some(isRecord)),
  read: (given: PlainObject | unknown[]) => {
    const chat = chatOfMessages(
      isSaved(given) ? fromSaved(given) : fromRecords((given as unknown[]).filter(isPlainObject)),
    );
    return chat === null ? [] : [chat];
  },
};

function fromRecords(records: readonly PlainObject[]): RecordedMessage[] {
  const reader = new BlockReader();
  return records.flatMap(({ kind, data }) => {
    const { content } = Object(data) as PlainObject;
    const blocks = Array.isArray(content) ? content.filter(isPlainObject).map(blockOfPart) : [];
    return reader.messages(kind === "AssistantMessage" ? "assistant" : "user", blocks);
  });
}

function blockOfPart({ kind, data }: PlainObject): PlainObject {
  const { toolUseId: id, name, input, content } = Object(data) as PlainObject;
  if (kind === "toolUse") return { type: "tool_use", id, name, input };
  if (kind === "toolResult") return { type: "tool_result", tool_use_id: id, content: textOfParts(content) };
  return { type: "text", text: textOf(data) };
}

/** The texts of the parts of a result, which name their kind beside them or by their only member. */
function textOfParts(content: unknown): string {
  const parts = Array.isArray(content) ? content.filter(isPlainObject) : [];
  return parts
    .map(({ data, Text: text = data, Json: json = text }) =>
      typeof json === "string" ? json : jsonOf(json, "content"),
    )
    .join("\n");
}

/** Reads a saved conversation: exchanges, as objects or as pairs in older versions. */
function fromSaved({ history, model_info: info }: PlainObject): RecordedMessage[] {
  const reader = new BlockReader();
  const { model_id: model } = Object(info) as PlainObject;
  return (history as unknown[]).flatMap((exchange) => {
    const [user, assistant] = Array.isArray(exchange)
      ? exchange
      : [(Object(exchange) as PlainObject).user, (Object(exchange) as PlainObject).assistant];
    const { request_metadata: metadata } = Object(exchange) as PlainObject;
    const { stream_end_timestamp_ms: ended, model_id = model } = Object(metadata) as PlainObject;
    const { content, timestamp: at } = Object(user) as PlainObject;
    const [asked] = Object.values(Object(content) as PlainObject).map((given) => Object(given) as PlainObject);
    const { prompt, tool_use_results: results } = asked ?? {};
    const blocks = (Array.isArray(results) ? results.filter(isPlainObject) : []).map((result) => ({
      type: "tool_result",
      tool_use_id: result.tool_use_id,
      content: textOfParts(result.content),
    }));
    const [answer = {}] = Object.values(Object(assistant) as PlainObject).map((given) => Object(given) as PlainObject);
    const calls = (Array.isArray(answer.tool_uses) ? answer.tool_uses.filter(isPlainObject) : []).map(
      ({ id, name, args }) => ({ type: "tool_use", id, name, input: args }),
    );
    const facts = { at: ended ?? at, ...(typeof model_id === "string" ? { model: model_id } : {}) };
    return [
      ...reader.messages("user", [...blocks, ...(textOf(prompt) === "" ? [] : [{ type: "text", text: prompt }])], {
        at,
      }),
      ...reader.messages("assistant", [{ type: "text", text: textOf(answer.content) }, ...calls], facts),
    ];
  });
}

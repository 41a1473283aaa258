import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { BlockReader } from "../reading/blocks.ts";
import { Histories } from "../reading/histories.ts";
import type { RecordingReader } from "../reading/reader.ts";
import type { RecordedChat } from "../reading/recorded-chat.ts";
import { chatOfMessages, type RecordedMessage } from "../reading/recorded-message.ts";

/** True for the facts of a session, which stand before its messages or have them. */
const isSession = (record: unknown): record is PlainObject =>
  isPlainObject(record) &&
  typeof record.working_dir === "string" &&
  ("total_tokens" in record || "conversation" in record);

/** True for a message that `goose run --output-format stream-json` prints. */
const isEvent = (event: unknown): boolean =>
  isPlainObject(event) &&
  event.type === "message" &&
  typeof (Object(event.message) as PlainObject).created === "number";

/** Reads `goose session export --format json`, sessions as lines, and what `goose run` prints. */
export const gooseReader: RecordingReader = {
  format: "goose",
  recognizes: (given) => (Array.isArray(given) ? isSession(given[0]) || given.some(isEvent) : isSession(given)),
  read: (given: PlainObject | unknown[]) => {
    const records = [given].flat().filter(isPlainObject);
    const session = records.find(isSession) ?? {};
    const lines = records.filter((record) => record !== session);
    const { conversation = lines.map((line) => (isEvent(line) ? line.message : line)) } = session;
    return fromSession(session, Array.isArray(conversation) ? conversation.filter(isPlainObject) : []);
  },
};

/** Reads the messages. Those that the user does not see begin what follows a compaction. */
function fromSession(session: PlainObject, messages: readonly PlainObject[]): RecordedChat[] {
  const { description, name = description, session_type: type, model_config: config } = session;
  const { model_name: model } = Object(config) as PlainObject;
  const histories = new Histories<RecordedMessage>();
  const reader = new BlockReader();
  let wasHidden = true;
  for (const { role, content, created, metadata } of messages) {
    const isHidden = (Object(metadata) as PlainObject).userVisible === false;
    if (isHidden && !wasHidden) histories.restart("compacted", []);
    wasHidden = isHidden;
    const facts = {
      at: created,
      ...(typeof model === "string" ? { model } : {}),
      ...(isHidden ? { isRepeated: true } : {}),
    };
    const blocks = Array.isArray(content) ? content.filter(isPlainObject).flatMap(blockOf) : content;
    histories.messages.push(...reader.messages(role, blocks, facts));
  }
  const title = typeof name === "string" && name !== "" ? { title: name } : {};
  return histories.chats(chatOfMessages, { kind: type === "sub_agent" ? "agent" : "chat", ...title });
}

/** The block of a part of a message; none of notes for the user. */
function blockOf(part: PlainObject): PlainObject[] {
  const { type, id } = part;
  if (type === "toolRequest" || type === "frontendToolRequest") {
    const { value, error } = Object(part.toolCall) as PlainObject;
    const { name, arguments: input } = Object(value) as PlainObject;
    return [{ type: "tool_use", id, name: name ?? "", input: input ?? error }];
  }
  if (type === "toolResponse") {
    const { value, error } = Object(part.toolResult) as PlainObject;
    const { content = value ?? error } = Object(value) as PlainObject;
    return [{ type: "tool_result", tool_use_id: id, content }];
  }
  return type === "text" || type === "thinking" || type === "image" ? [part] : [];
}

import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import type { RecordedChat } from "./recorded-chat.ts";

/** Reads the lines of one file one after the other, and keeps only what the chats that are not complete need. */
export interface LineReader {
  /** Takes the record of a line, and returns the chats that it completes. */
  read(record: PlainObject): RecordedChat[];
  /** Returns the chats that the end of the file completes. */
  end(): RecordedChat[];
}

/** Reads a list of records. */
export function readLines(records: readonly unknown[], reader: LineReader): RecordedChat[] {
  const chats = records.flatMap((record) => (isPlainObject(record) ? reader.read(record) : []));
  return [...chats, ...reader.end()];
}

import type { Step } from "../agent/step.ts";
import { wrapReadErrors } from "../errors.ts";
import { isPlainObject } from "../formats/data.ts";
import { type Recording, readConversation, skippedLines, withFormatInErrors } from "./read-conversation.ts";
import { readers } from "./readers.ts";
import type { RecordingFormat } from "./reading/formats.ts";
import { JsonLines } from "./reading/json-lines.ts";
import type { LineReader } from "./reading/line-reader.ts";
import type { RecordedChat } from "./reading/recorded-chat.ts";
import { malformedRecording } from "./reading/recorded-message.ts";

/** A recording that is read while it arrives. */
export interface ArrivingRecording {
  /** Known with the first chat. */
  format: RecordingFormat | undefined;
  /** Each chat as soon as it is complete. */
  chats: AsyncIterable<RecordedChat>;
  /** What could not be read; all with the last chat. */
  warnings: string[];
  /** The saved step, as in {@link Recording}; known with its chat. */
  step?: Step | undefined;
}

/**
 * Reads a recording in pieces, such as the stream of a file. Of a session of Claude Code or Codex only the chat that is
 * not complete is in memory: what came before a compaction is released with its chat. Of a log of requests the first and
 * the last request of each chat are. Other formats are read at the end.
 *
 * @param pieces texts, or bytes of UTF-8.
 * @example
 * ```ts
 * async function* pieces() {
 *   yield '{"role":"user","content":"Hello"}\n{"role":"assis';
 *   yield 'tant","content":"Hello to you."}';
 * }
 * const recording = readRecording(pieces());
 * for await (const { conversation } of recording.chats) console.log(conversation.messages.length);
 * ```
 * @throws {TurnfoldError} in `chats`, as {@link readConversation} does.
 */
export function readRecording(pieces: AsyncIterable<string | Uint8Array>): ArrivingRecording {
  const reader = new PieceReader();
  const recording: ArrivingRecording = { format: undefined, chats: read(), warnings: [] };
  async function* read() {
    const decoder = new TextDecoder();
    for await (const piece of pieces) {
      const text = typeof piece === "string" ? piece : decoder.decode(piece, { stream: true });
      const chats = wrapReadErrors("invalid_recording", "the recording", () => reader.read(text));
      recording.format = reader.format;
      yield* chats;
    }
    const { chats, ...about } = wrapReadErrors("invalid_recording", "the recording", () =>
      reader.end(decoder.decode()),
    );
    Object.assign(recording, about);
    yield* chats;
  }
  return recording;
}

/** The number of records within which a format shows itself. */
const HEAD = 200;

class PieceReader {
  format: RecordingFormat | undefined;
  private readonly lines = new JsonLines((record) => this.take(record));
  /** The text so far, as long as no format of lines is known. */
  private text: string[] = [];
  /** The first records, by which the format is known. */
  private head: unknown[] = [];
  private reader: LineReader | undefined;
  private complete: RecordedChat[] = [];
  private hasChats = false;

  read(text: string): RecordedChat[] {
    if (this.reader === undefined) this.text.push(text);
    if (this.head.length < HEAD) this.lines.push(text);
    return this.complete.splice(0);
  }

  end(rest: string): Omit<Recording, "conversation"> {
    this.read(rest);
    if (this.head.length < HEAD) this.lines.end();
    const { reader, format } = this;
    if (reader === undefined || format === undefined) {
      const { conversation: _, ...read } = readConversation(this.text.join(""));
      return read;
    }
    const chats = withFormatInErrors(format, () => {
      this.complete.push(...reader.end());
      if (this.complete.length === 0 && !this.hasChats) throw malformedRecording("it holds no messages");
      return this.complete;
    });
    return { format, chats, warnings: skippedLines(this.lines.skipped) };
  }

  private take(record: unknown): void {
    const { format, reader } = this;
    if (reader !== undefined && format !== undefined) {
      if (!isPlainObject(record)) return;
      const chats = withFormatInErrors(format, () => reader.read(record));
      this.hasChats ||= chats.length > 0;
      this.complete.push(...chats);
    } else if (this.head.push(record) < HEAD) this.recognize();
  }

  private recognize(): void {
    const known = readers.find(({ recognizes }) => recognizes(this.head));
    if (known?.lines === undefined) return;
    this.format = known.format;
    this.reader = known.lines();
    this.text = [];
    for (const record of this.head.splice(0)) this.take(record);
  }
}

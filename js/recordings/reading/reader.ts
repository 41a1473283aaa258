import type { RecordingFormat } from "./formats.ts";
import type { LineReader } from "./line-reader.ts";
import type { RecordedChat } from "./recorded-chat.ts";

/**
 * Reads one format. Given is the parsed JSON of a file, the list of the records of JSON Lines, or the text of a file
 * that is neither.
 *
 * Readers are in folders by what makes the recordings, beside this one, which has what they share. A reader stands in
 * `readers.ts` before those whose signs its recordings have too, and its name in `formats.ts`. It has a fixture in
 * `tests/js/recordings`, with its row of a table there, and a row in docs/recordings.md. What a session sent before and
 * after compactions and rewinds is kept by `Histories`; content as lists of blocks is read by `BlockReader`.
 */
export interface RecordingReader {
  readonly format: RecordingFormat;
  /** True for what has the signs of this format. It looks at members and types only, and never throws for plain data. */
  readonly recognizes: (given: unknown) => boolean;
  /**
   * Reads the chats, each with at least one message; none of a recording without messages.
   *
   * @throws {TurnfoldError} `invalid_message` for a recording that violates its format.
   */
  readonly read: (given: never) => RecordedChat[];
  /** Makes a reader of the lines of one file, for a format of lines. */
  readonly lines?: () => LineReader;
}

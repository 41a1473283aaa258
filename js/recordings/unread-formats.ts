import { isPlainObject, type PlainObject } from "../formats/data.ts";

/** Formats that are known and not read, each recognized by members of a record. */
const FORMATS: readonly (readonly [name: string, has: (record: PlainObject) => boolean])[] = [
  ["a thread of Zed", ({ User: user, Agent: agent }) => isPlainObject(user ?? agent)],
  ["a history of browser-use", (record) => "model_output" in record && "state" in record],
];

/** Files beside recordings, and where these are. */
const OTHERS: readonly (readonly [name: string, has: (record: PlainObject) => boolean])[] = [
  [
    "the prompt history of Claude Code: sessions are in ~/.claude/projects",
    (record) => "display" in record && "pastedContents" in record,
  ],
  [
    "the prompt history of Codex: sessions are in ~/.codex/sessions",
    (record) => "session_id" in record && "ts" in record && "text" in record,
  ],
  ["a Jupyter notebook", (record) => "nbformat" in record],
  ["an OpenAPI document", (record) => typeof (record.openapi ?? record.swagger) === "string"],
  ["a JSON schema", (record) => /json-schema\.org/.test(String(record.$schema))],
];

/** Files that are no texts, by their beginnings when they are read as UTF-8. */
const BINARIES: readonly (readonly [beginning: string, problem: string])[] = [
  [
    "PK\u0003\u0004",
    "it is a ZIP archive: unpack it; a log of Inspect AI is converted by `inspect log convert FILE --to json --output-dir FOLDER`",
  ],
  ["\u001F\uFFFD", "it is compressed by gzip: unpack it"],
  [
    "SQLite format 3\0",
    "it is a database of SQLite: docs/recordings.md says how programs that have one export their sessions",
  ],
];

/** What is wrong with a file that is no text; undefined for a text. */
export function binaryProblem(text: string): string | undefined {
  return BINARIES.find(([beginning]) => text.startsWith(beginning))?.[1];
}

/** What a record is that is not read: the name of its format, or its members. */
export function unreadFormat(record: unknown): string {
  if (!isPlainObject(record)) return "it holds no messages";
  const known = FORMATS.find(([, has]) => has(record));
  if (known !== undefined) return `it is ${known[0]}, which is not read yet`;
  const other = OTHERS.find(([, has]) => has(record));
  if (other !== undefined) return `it holds no messages: it is ${other[0]}`;
  const { type } = record;
  if (typeof type === "string" && !("name" in record || "properties" in record))
    return `it has records of the type ${JSON.stringify(type)}, which no format that is read has`;
  const names = Object.keys(record).slice(0, 6).join(", ");
  return `it holds no messages: it has ${names === "" ? "nothing" : `the members ${names}`}`;
}

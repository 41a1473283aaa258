import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { parseExactly, withBigIntegers } from "../../values/exact-json.ts";

/** Divides text, which may arrive in pieces, into lines, and parses each one. */
export class JsonLines {
  /** The numbers of lines that are no JSON. */
  readonly skipped: number[] = [];
  private line = 0;
  /** The beginning of the next line. */
  private pieces: string[] = [];

  /** @param take receives the record of each line. */
  constructor(private readonly take: (record: unknown) => void) {}

  push(text: string): void {
    const end = text.lastIndexOf("\n");
    this.pieces.push(text.slice(0, end === -1 ? undefined : end));
    if (end === -1) return;
    this.readLines();
    this.pieces = [text.slice(end + 1)];
  }

  /** Reads the last line, which needs no end. */
  end(): void {
    this.readLines();
    this.pieces = [];
  }

  private readLines(): void {
    for (const line of this.pieces.join("").split("\n")) {
      this.line++;
      if (line.trim() === "") continue;
      const record = /^\s*[[{]/.test(line) ? parseJson(line) : undefined;
      if (record === undefined) this.skipped.push(this.line);
      else this.take(record);
    }
  }
}

/** Parses JSON; undefined for another text. */
export function parseJson(text: string): unknown {
  // `trim` removes a byte order mark too.
  const json = text.trim();
  try {
    return parseExactly(json, exactToolData);
  } catch (error) {
    // Data that is nested too deeply is refused later, with its path.
    return error instanceof RangeError ? (JSON.parse(json) as unknown) : undefined;
  }
}

/** Names of the members with arguments and results, in objects that name their tool. */
const TOOL_DATA = /^(?:args|arguments|input|output|response)$/;

/**
 * Makes integers beyond 2^53 in arguments and results of tools exact, as they are in arguments that are texts. Other
 * integers, such as times and seeds, stay numbers, with which hosts calculate. So do those of saved conversations and
 * steps, which mark big integers.
 */
function exactToolData(parsed: unknown, exact: unknown): unknown {
  if (typeof parsed !== "object" || parsed === null) return parsed;
  const { version, name, toolName = name, function_name: called = toolName } = parsed as PlainObject;
  if (typeof version === "number") return parsed;
  for (const [key, item] of Object.entries(parsed)) {
    const isToolData = typeof called === "string" && TOOL_DATA.test(key) && isPlainObject(item);
    (isToolData ? withBigIntegers : exactToolData)(item, (exact as PlainObject)[key]);
  }
  return parsed;
}

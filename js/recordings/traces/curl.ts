import type { RecordingReader } from "../reading/reader.ts";
import { loggedRequest } from "./api-requests.ts";
import { chatsOfRequests } from "./request-log.ts";

const COMMAND = /(?:^|\n)\s*(?:\$\s+)?curl\s/;

/** Matches a member of a request to a model, in data with or without escaped quotation marks. */
const REQUEST = /"(?:messages|contents|input|prompt)\\?"\s*:/;

/** Reads commands of curl whose data is a request to a model. */
export const curlReader: RecordingReader = {
  format: "curl",
  recognizes: (given) => typeof given === "string" && REQUEST.test(given) && COMMAND.test(given),
  read: (text: string) =>
    chatsOfRequests(
      text
        .split(COMMAND)
        .slice(1)
        .map((command) => {
          const words = wordsOf(command);
          const url = words.find((word) => /^https?:\/\//.test(word));
          return loggedRequest({ request: dataOf(words, command), url });
        })
        .filter((request) => request !== null),
    ),
};

/** Pieces of words as a shell reads them: in quotes of three kinds, escaped, the space between words, and other text. */
const PIECES = /\$'((?:[^'\\]|\\[\s\S])*)'|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|(\s+)|([^\s'"\\$]+|[\s\S])/g;

const ESCAPED: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

function wordsOf(command: string): string[] {
  const words = [""];
  for (const [, escaped, single, double, char, space, plain] of command.matchAll(PIECES)) {
    const piece =
      escaped?.replace(/\\(?:u([\da-f]{4})|x([\da-f]{2})|([\s\S]))/gi, (_, unicode, byte, other: string) =>
        other === undefined ? String.fromCharCode(Number.parseInt(unicode ?? byte, 16)) : (ESCAPED[other] ?? other),
      ) ??
      double?.replace(/\\(["\\$`\n])/g, "$1") ??
      (char === "\n" || char === "\r" ? "" : char);
    if (space === undefined) words[words.length - 1] += piece ?? single ?? plain ?? "";
    else words.push("");
  }
  return words;
}

/** The JSON object among the words, after an option with or without a space, or in a document that follows the command. */
function dataOf(words: readonly string[], command: string): string | undefined {
  const [, , document] = /<<-?\s*['"]?(\w+)['"]?\r?\n([\s\S]*?)\r?\n\s*\1/.exec(command) ?? [];
  return (
    document ??
    words.map((word) => word.replace(/^-(?:d|-data(?:-\w+)?=|-json=)/, "")).find((word) => /^\s*\{/.test(word))
  );
}

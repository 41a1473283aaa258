import { StreamLanguage, type StringStream } from "@codemirror/language";

const STRING = /^"(?:[^"\\]+|\\.)*"?/;
const WORD = /^[\w.+-]+/;

function token(stream: StringStream): string | null {
  if (stream.eatSpace()) return null;
  if (stream.match(STRING)) return stream.match(/^\s*:/, false) ? "keyword" : "string";
  const word = stream.match(WORD) as RegExpMatchArray | null;
  if (word !== null) return /^[-\d]/.test(word[0]) ? "number" : "bool";
  return "[]{}".includes(stream.next() ?? "") ? "bracket" : null;
}

/** Colours for JSON. Errors are found by `readJson`, not here. */
export const json = StreamLanguage.define<null>({ name: "json", startState: () => null, token });

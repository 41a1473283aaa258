import { StreamLanguage, type StringStream } from "@codemirror/language";

const STRING = /^(?:"(?:[^"\\]+|\\.)*"?|'(?:[^'\\]+|\\.)*'?)/;
const NAME = /^[\p{L}_][\p{L}\p{N}_.-]*/u;

interface Reading {
  /** Whether a type is expected, and not the name of a field. */
  isType: boolean;
  /** The depth of square brackets. */
  depth: number;
}

function token(stream: StringStream, state: Reading): string | null {
  if (stream.eatSpace()) return null;
  if (stream.match("->")) {
    state.isType = false;
    return "keyword";
  }
  if (stream.match(STRING)) return "string";
  if (stream.match(/^\d[\d.]*/)) return "number";
  // In the notation of turns a type follows a space, `limit :int`; in that of programs a colon.
  if (stream.match(/^:[a-z]+/i)) return "atom";
  if (stream.match(NAME)) return state.isType || state.depth > 0 ? "atom" : null;
  const sign = stream.next() ?? "";
  if (sign === "[" && state.isType) state.depth++;
  if (sign === "]" && state.depth > 0) state.depth--;
  if (sign === ":") state.isType = true;
  if (sign === "," && state.depth === 0) state.isType = false;
  return "()[]{}".includes(sign) ? "bracket" : null;
}

/** Syntax highlighting for both notations of signatures. Errors are found by the package. */
export const signature = StreamLanguage.define<Reading>({
  name: "signature",
  startState: () => ({ isType: false, depth: 0 }),
  token,
});

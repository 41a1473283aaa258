import { StreamLanguage, type StringStream } from "@codemirror/language";

interface Reading {
  /** What ends the comment or template literal at the cursor; null outside of them. */
  until: "*/" | "`" | null;
  /** The brackets that are open in each `${…}` around the cursor. */
  readonly open: number[];
}

const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*/u;
const STRING = /^(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)/;
const PATTERN = /^\/(?![*/])(?:[^/\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+\/[a-z]*/;
const KEYWORD =
  /^(as|async|await|break|case|catch|class|const|continue|default|delete|do|else|export|extends|finally|for|from|function|if|import|in|instanceof|let|new|of|return|static|switch|throw|try|typeof|void|while|yield)$/;
const ATOM = /^(false|Infinity|NaN|null|this|true|undefined)$/;

function token(stream: StringStream, state: Reading): string | null {
  if (state.until !== null) return restOf(stream, state, state.until);
  if (stream.eatSpace()) return null;
  if (stream.match("//")) {
    stream.skipToEnd();
    return "comment";
  }
  if (stream.match("/*")) return restOf(stream, state, "*/");
  if (stream.match("`")) return restOf(stream, state, "`");
  if (stream.match(STRING)) return "string";
  if (/(?:^|[=(,:[!&|?{};+\-*%<>~^]|\breturn)\s*$/.test(stream.string.slice(0, stream.pos)) && stream.match(PATTERN))
    return "string";
  if (stream.match(/^\d[\w.]*/)) return "number";
  const isMember = stream.string[stream.pos - 1] === ".";
  const name = stream.match(NAME) as RegExpMatchArray | null;
  if (name !== null) {
    if (isMember) return null;
    return KEYWORD.test(name[0]) ? "keyword" : ATOM.test(name[0]) ? "atom" : null;
  }
  const sign = stream.next() ?? "";
  const depth = state.open.at(-1);
  if (depth !== undefined && (sign === "{" || sign === "}")) {
    state.open[state.open.length - 1] = depth + (sign === "{" ? 1 : -1);
    if (state.open.at(-1) === 0) {
      state.open.pop();
      state.until = "`";
    }
  }
  return "()[]{}".includes(sign) ? "bracket" : null;
}

function restOf(stream: StringStream, state: Reading, until: NonNullable<Reading["until"]>): string {
  state.until = until;
  while (!stream.eol()) {
    if (stream.match(until)) {
      state.until = null;
      break;
    }
    if (until === "`" && stream.match("${")) {
      state.until = null;
      state.open.push(1);
      break;
    }
    if (stream.next() === "\\") stream.next();
  }
  return until === "`" ? "string" : "comment";
}

/** Syntax highlighting of JavaScript. The browser finds errors. */
export const javascript = StreamLanguage.define<Reading>({
  name: "javascript",
  startState: () => ({ until: null, open: [] }),
  copyState: ({ until, open }) => ({ until, open: [...open] }),
  token,
  languageData: { commentTokens: { line: "//" } },
});

import { StreamLanguage, type StringStream } from "@codemirror/language";

interface Reading {
  inString: boolean;
  /** Whether the next symbol is the head of a list. */
  atHead: boolean;
}

const SYMBOL = /^[^\s,()[\]{}";@^`~]+/;
const NUMBER = /^[+-]?\d[\d.eE+-]*(?=$|[\s,()[\]{}";])/;
const SPECIAL =
  /^(def|defn|fn|let|loop|if|if-let|when|when-let|cond|case|do|doseq|for|recur|and|or|not|try|catch|finally|throw|return|fail|->>?|some->>?|cond->>?|as->)$/;

function token(stream: StringStream, state: Reading): string | null {
  if (state.inString) return restOfString(stream, state);
  if (stream.eatSpace() || stream.eat(",")) return null;
  const character = stream.peek();
  if (character === ";") {
    stream.skipToEnd();
    return "comment";
  }
  if (character === '"') {
    stream.next();
    state.inString = true;
    state.atHead = false;
    return restOfString(stream, state);
  }
  if (character !== undefined && "()[]{}".includes(character)) {
    stream.next();
    state.atHead = character === "(";
    return "bracket";
  }
  const atHead = state.atHead;
  state.atHead = false;
  if (stream.match(NUMBER)) return "number";
  const symbol = stream.match(SYMBOL) as RegExpMatchArray | null;
  if (symbol === null) {
    stream.next();
    return null;
  }
  const [name] = symbol;
  if (name.startsWith(":")) return "atom";
  if (name === "nil" || name === "true" || name === "false") return "bool";
  if (atHead && SPECIAL.test(name)) return "keyword";
  if (name.startsWith("tool/") || name.startsWith("data/")) return "namespace";
  return null;
}

function restOfString(stream: StringStream, state: Reading): string {
  for (let character = stream.next(); character !== undefined; character = stream.next()) {
    if (character === "\\") stream.next();
    else if (character === '"') {
      state.inString = false;
      break;
    }
  }
  return "string";
}

/** Syntax highlighting of Clojure text. Errors are found by the package's reader. */
export const clojure = StreamLanguage.define<Reading>({
  name: "clojure",
  startState: () => ({ inString: false, atHead: false }),
  token,
  languageData: { commentTokens: { line: ";" } },
});

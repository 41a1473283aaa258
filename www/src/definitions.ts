// Strings and comments are tokens so that brackets inside them do not count.
const TOKEN = /"(?:[^"\\]|\\[\s\S])*"?|;[^\n]*|[([{]|[)\]}]/g;

/** The last top-level form of a program that defines this name: `(defn name …)` or `(def name …)`. */
export function definitionOf(program: string, name: string): string | null {
  const wanted = new RegExp(`^\\(\\s*defn?-?\\s+${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![^\\s,()[\\]{}";])`);
  let found: string | null = null;
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of program.matchAll(TOKEN)) {
    if (/^[([{]/.test(token)) {
      if (depth === 0) start = index;
      depth++;
    } else if (/^[)\]}]/.test(token) && depth > 0) {
      depth--;
      const form = program.slice(start, index + 1);
      if (depth === 0 && wanted.test(form)) found = form;
    }
  }
  return found;
}

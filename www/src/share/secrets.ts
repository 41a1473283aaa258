import { withMarks } from "../editor/hidden.ts";
import type { State } from "../states/state.ts";
import { forms, type Kind } from "./forms.ts";
import { mapped, replaced } from "./map-texts.ts";
import { textReplacer } from "./replace-texts.ts";

// Finds texts in a state that a person may not want to share, and replaces them with placeholders.

/** A text that was found. */
export interface Finding {
  readonly kind: Kind;
  readonly text: string;
  /** The number of its occurrences in the state. */
  readonly count: number;
  readonly placeholder: string;
}

const placeholders: Readonly<Record<Kind, (number: number) => string>> = {
  "API key": (number) => `api-key-${number}`,
  token: (number) => `token-${number}`,
  password: (number) => `password-${number}`,
  "private key": (number) => `private-key-${number}`,
  "e-mail address": (number) => `email-${number}@example.com`,
  "phone number": (number) => `phone-${number}`,
  "card number": (number) => `card-${number}`,
  "bank account": (number) => `account-${number}`,
  "IP address": (number) => `address-${number}`,
  "user name": (number) => `user-${number}`,
  "random text": (number) => `random-${number}`,
  "your word": (number) => `name-${number}`,
};

const PLACEHOLDER = /^(?:api-key|token|password|private-key|phone|card|account|address|user|random|name)-\d+$/;

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** A pattern for these words of the user as whole words. Of several that begin at an offset, the first in the list matches. */
const wordPattern = (words: readonly string[], flags: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.map(escaped).join("|")})(?![\\p{L}\\p{N}])`, flags);

/** The result of a search for secrets in a state. Words of the user are searched in the rest of the text. */
export interface Scan {
  /** The texts that were found by their form. */
  readonly findings: readonly Finding[];
  /** The rest of the text. */
  readonly rest: string;
  /** The placeholders for words that are in the state already. */
  readonly taken: ReadonlySet<string>;
  /** For each searched word, the found texts and the number of their occurrences. */
  readonly words: Map<string, ReadonlyMap<string, number>>;
}

/** Finds texts by their forms that a person may not want to share. */
export function scanned(value: State): Scan {
  const found = new Map<string, { readonly kind: Kind; count: number }>();
  const rest: string[] = [];
  const scan = (text: string): string => {
    let left = text;
    for (const { kind, pattern, isWanted, needs = "" } of forms) {
      if (!left.includes(needs)) continue;
      left = left.replace(pattern, (whole: string, ...more) => {
        const { it } = more.at(-1) as { it: string };
        if (PLACEHOLDER.test(it) || isWanted?.(it) === false) return whole;
        const known = found.get(it);
        if (known === undefined) found.set(it, { kind, count: 1 });
        else known.count++;
        // The group is at the end of the match, and its text may be in the part before it too: `my_secret_x=my_secret_x`.
        const start = whole.lastIndexOf(it);
        return `${whole.slice(0, start)}${"\0".repeat(it.length)}${whole.slice(start + it.length)}`;
      });
    }
    rest.push(left);
    return text;
  };
  replaced(value, (text) => mapped(text, scan));
  const whole = JSON.stringify(value);
  const next = new Map<Kind, () => string>();
  const findings = Array.from(found, ([text, { kind, count }]): Finding => {
    const take = next.get(kind) ?? freePlaceholders(kind, takenPlaceholders(kind, whole));
    next.set(kind, take);
    return { kind, text, count, placeholder: take() };
  });
  const taken = takenPlaceholders("your word", whole);
  return { findings, rest: rest.join("\0"), taken, words: new Map() };
}

/** The number of characters that one step searches for a word. */
const STEP = 100_000;

/** UTF-16 units around a match that decide whether it is a whole word: a letter may have two. */
const AROUND = 2;

/** Searches for words, ignoring case, in steps. The result for each word is cached in `scan.words`. */
export function* searchWords({ rest, words }: Scan, wanted: readonly string[]): Generator<undefined, void> {
  for (const word of wanted) {
    if (words.has(word)) continue;
    const pattern = wordPattern([word], "giu");
    const found = new Map<string, number>();
    for (let from = 0; from < rest.length; from += STEP) {
      const begin = Math.max(0, from - AROUND);
      const end = from + STEP;
      for (const { 0: text, index } of rest.slice(begin, end + word.length + AROUND).matchAll(pattern))
        if (begin + index >= from && begin + index < end) found.set(text, (found.get(text) ?? 0) + 1);
      yield;
    }
    words.set(word, found);
  }
}

/** The findings in a state: the user's words, then the texts found by their form. */
export function findingsOf(scan: Scan, words: readonly string[]): readonly Finding[] {
  for (const _ of searchWords(scan, words));
  const all = words.flatMap((word) => [...(scan.words.get(word) ?? [])]);
  const counts = new Map(all);
  const byForm = scan.findings.flatMap((finding) => {
    const { kind, text, count } = finding;
    const more = counts.get(text);
    if (more === undefined) return finding;
    if (kind !== "user name") {
      counts.delete(text);
      return { ...finding, count: count + more };
    }
    // A user name is blanked in paths only, a word everywhere.
    counts.set(text, count + more);
    return [];
  });
  const take = freePlaceholders("your word", scan.taken);
  const byWord = new Map<string, string>();
  const own = [...counts].map(([text, count]): Finding => {
    const word = text.toLowerCase();
    const placeholder = byWord.get(word) ?? take();
    byWord.set(word, placeholder);
    return { kind: "your word", text, count, placeholder };
  });
  return [...own, ...byForm];
}

/** The placeholders of a kind that are in a text. */
const takenPlaceholders = (kind: Kind, text: string): ReadonlySet<string> =>
  new Set(text.match(new RegExp(escaped(placeholders[kind](0)).replace("0", "\\d+"), "g")));

/** Makes a function that returns the next placeholder of a kind that is not taken. */
function freePlaceholders(kind: Kind, taken: ReadonlySet<string>): () => string {
  const placeholderOf = placeholders[kind];
  let number = 0;
  return () => {
    do number++;
    while (taken.has(placeholderOf(number)));
    return placeholderOf(number);
  };
}

/**
 * The state with placeholders for the findings; equal texts have the same placeholder. Secrets are replaced before user names
 * and words, because a password may contain a name. Placeholders are not searched, because they may contain a word.
 */
export function blanked(value: State, findings: readonly Finding[]): State {
  const byText = (isOf: (kind: Kind) => boolean): ReadonlyMap<string, string> =>
    new Map(findings.filter(({ kind }) => isOf(kind)).map(({ text, placeholder }) => [text, placeholder]));
  const words = byText((kind) => kind === "your word");
  const longestFirst = [...words.keys()].sort((a, b) => b.length - a.length);
  const anyWord = wordPattern(longestFirst, "gu");
  const replaceWords = (text: string): string =>
    words.size === 0 ? text : text.replace(anyWord, (word) => words.get(word) as string);
  // User names are replaced in paths only, because a short one may be a part of other words.
  const users = byText((kind) => kind === "user name");
  const inPaths = forms.find(({ kind }) => kind === "user name")?.pattern as RegExp;
  const replaceUsers = (text: string): string => {
    let result = "";
    let from = 0;
    for (const { 0: whole, index, groups } of text.matchAll(inPaths)) {
      const name = groups?.it as string;
      const placeholder = users.get(name);
      if (placeholder === undefined) continue;
      const end = index + whole.length;
      result += replaceWords(text.slice(from, end - name.length)) + placeholder;
      from = end;
    }
    return result + replaceWords(text.slice(from));
  };
  const replaceSecrets = textReplacer(
    byText((kind) => kind !== "your word" && kind !== "user name"),
    replaceUsers,
  );
  return replaced(value, (text) => mapped(text, replaceSecrets));
}

/** The most characters of a text that is listed as a whole. */
const MAX_SHOWN = 40;

/** The part of a secret that is listed: enough to recognise it, and at most a third of it, so that it can't be used. */
export function hint({ kind, text }: Pick<Finding, "kind" | "text">): string {
  const line = withMarks(text.replace(/\s+/g, " "));
  const isOpen = ["e-mail address", "phone number", "IP address", "user name", "your word"].includes(kind);
  if (isOpen) return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN - 1)}…` : line;
  const shown = Math.floor(line.length / 3);
  const end = shown < 5 ? 0 : 2;
  return `${line.slice(0, Math.min(6, shown - end))}…${line.slice(line.length - end)}`;
}

import type { State } from "../state.ts";
import { forms, type Kind } from "./forms.ts";
import { mapped, replaced } from "./map-texts.ts";
import { textReplacer } from "./replace-texts.ts";

// What a person may not want to share in the texts of a state, and placeholders for it.

/** A text that was found. */
export interface Finding {
  readonly kind: Kind;
  readonly text: string;
  /** How often it stands in the state. */
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
  "user name": (number) => `user-${number}`,
  "random text": (number) => `random-${number}`,
  "your word": (number) => `name-${number}`,
};

const PLACEHOLDER = /^(?:api-key|token|password|private-key|phone|user|random|name)-\d+$/;

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** Finds one of these words that the user wrote, whole; where several begin, the first one. */
const wordPattern = (words: readonly string[], flags: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.map(escaped).join("|")})(?![\\p{L}\\p{N}])`, flags);

/** What a search for secrets found in a state. Words are searched in what it left. */
export interface Scan {
  /** What was found by its form. */
  readonly findings: readonly Finding[];
  /** The other text. */
  readonly rest: string;
  /** Whether everybody has this text. */
  readonly isOpen: (text: string) => boolean;
  /** The placeholders of words that the state has already. */
  readonly taken: ReadonlySet<string>;
  /** Each word that was searched for, with the texts that were found and how often. */
  readonly words: Map<string, ReadonlyMap<string, number>>;
}

/**
 * Finds by its form what a person may not want to share.
 *
 * @param open what everybody has: the example that was opened.
 */
export function scanned(value: State, open: State | null = null): Scan {
  const found = new Map<string, { readonly kind: Kind; count: number }>();
  const rest: string[] = [];
  const scan = (text: string): string => {
    let left = text;
    for (const { kind, pattern, isWanted } of forms) {
      left = left.replace(pattern, (whole: string, ...more) => {
        const { it } = more.at(-1) as { it: string };
        if (PLACEHOLDER.test(it) || isWanted?.(it) === false) return whole;
        const known = found.get(it);
        if (known === undefined) found.set(it, { kind, count: 1 });
        else known.count++;
        return whole.replace(it, "\0".repeat(it.length));
      });
    }
    rest.push(left);
    return text;
  };
  replaced(value, (text) => mapped(text, scan));
  const known = open === null ? "" : JSON.stringify(open);
  const isOpen = (text: string): boolean => known.includes(JSON.stringify(text).slice(1, -1));
  const whole = JSON.stringify(value);
  const next = new Map<Kind, () => string>();
  const findings = [...found]
    .filter(([text]) => !isOpen(text))
    .map(([text, { kind, count }]): Finding => {
      const take = next.get(kind) ?? freePlaceholders(kind, takenPlaceholders(kind, whole));
      next.set(kind, take);
      return { kind, text, count, placeholder: take() };
    });
  const taken = takenPlaceholders("your word", whole);
  return { findings, rest: rest.join("\0"), isOpen, taken, words: new Map() };
}

/** Characters that are searched for a word in one step. */
const STEP = 100_000;

/** Characters around a match that say whether it is a whole word: one letter may have two. */
const AROUND = 2;

/** Searches for words in any case, a part of the text in each step. A word that was searched for is known. */
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

/** What was found in a state: the user's words, then what was found by its form. */
export function findingsOf(scan: Scan, words: readonly string[]): readonly Finding[] {
  for (const _ of searchWords(scan, words));
  const all = words.flatMap((word) => [...(scan.words.get(word) ?? [])]);
  const counts = new Map(all.filter(([text]) => !scan.isOpen(text)));
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

/** The placeholders of a kind that a text has. */
const takenPlaceholders = (kind: Kind, text: string): ReadonlySet<string> =>
  new Set(text.match(new RegExp(escaped(placeholders[kind](0)).replace("0", "\\d+"), "g")));

/** Gives one placeholder of a kind after the other, without those that are taken. */
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
 * The state with placeholders for what was found: the same one for the same text, wherever it stands. Secrets come before user
 * names and words, because a password may contain a name; placeholders are not searched, because they may contain a word.
 */
export function blanked(value: State, findings: readonly Finding[]): State {
  const byText = (isOf: (kind: Kind) => boolean): ReadonlyMap<string, string> =>
    new Map(findings.filter(({ kind }) => isOf(kind)).map(({ text, placeholder }) => [text, placeholder]));
  const words = byText((kind) => kind === "your word");
  const longestFirst = [...words.keys()].sort((a, b) => b.length - a.length);
  const anyWord = wordPattern(longestFirst, "gu");
  const replaceWords = (text: string): string =>
    words.size === 0 ? text : text.replace(anyWord, (word) => words.get(word) as string);
  // A short user name is a part of other words.
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

/** A secret in a list: enough to recognise it, not enough to use it. */
export function hint({ kind, text }: Finding): string {
  const line = text.replace(/\s+/g, " ");
  const isOpen = kind === "e-mail address" || kind === "phone number" || kind === "user name" || kind === "your word";
  if (isOpen) return line.length > 40 ? `${line.slice(0, 39)}…` : line;
  return line.length < 12 ? `${line.slice(0, 2)}…` : `${line.slice(0, 6)}…${line.slice(-2)}`;
}

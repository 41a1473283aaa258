import type { State } from "../state.ts";
import { textReplacer } from "./replace-texts.ts";

// What a person may not want to share in the texts of a state, and placeholders for it.

type Kind =
  | "API key"
  | "token"
  | "password"
  | "private key"
  | "e-mail address"
  | "phone number"
  | "user name"
  | "random text"
  | "your word";

/** A text that was found. */
export interface Finding {
  readonly kind: Kind;
  readonly text: string;
  /** How often it stands in the state. */
  readonly count: number;
  readonly placeholder: string;
}

interface Pattern {
  readonly kind: Kind;
  /** Finds the text as its group `it`. */
  readonly pattern: RegExp;
  readonly isWanted?: (text: string) => boolean;
}

/** Addresses that belong to nobody, which examples and placeholders use. */
const RESERVED = /@(?:[\w-]+\.)*(?:example\.(?:com|org|net)|(?:test|example|invalid|localhost))$/i;

/** User names of machines that belong to nobody. */
const NOBODY = /^(?:user-\d+|user|username|you|me|name|Public|Shared|Default|runner|root|app|ubuntu|node|\.\.\.|…)$/i;

const patterns: readonly Pattern[] = [
  {
    kind: "private key",
    pattern: /(?<it>-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]+?(?:-----END [A-Z ]*PRIVATE KEY-----|$))/g,
  },
  { kind: "password", pattern: /\b[a-z][a-z\d+.-]*:\/\/(?<it>[^\s/@:"'<>]*:[^\s/@"'<>]+)(?=@)/gi },
  {
    kind: "API key",
    pattern:
      /(?<![\w-])(?<it>(?:sk|pk|rk)[-_](?:[\w]+[-_])*[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|(?:AKIA|ASIA)[A-Z\d]{16}|AIza[\w-]{30,}|npm_\w{30,}|hf_\w{20,}|pypi-[\w-]{30,}|gsk_\w{20,}|SG\.[\w-]{16,}\.[\w-]{16,}|ya29\.[\w-]{20,})/g,
  },
  { kind: "token", pattern: /(?<![\w-])(?<it>eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)/g },
  { kind: "token", pattern: /\b(?:Bearer|Basic)\s+(?<it>[\w.~+/-]{16,}=*)/gi },
  {
    kind: "password",
    pattern:
      /(?:pass(?:word|wd|phrase)?|pwd|secret|api[-_]?key|access[-_]?token|auth[-_]?token|client[-_]?secret|private[-_]?key)["']?\s*(?::|=|=>)?\s*["'](?<it>[^"'\s]{6,})["']/gi,
  },
  {
    kind: "password",
    pattern: /\b\w*(?:password|passwd|pwd|secret|api[-_]?key|token)\w*=(?<it>[^\s"'&;,)}\]]{6,})/gi,
  },
  {
    kind: "e-mail address",
    // Letters of any script before it are a part of it: otherwise a long run of them would be read from each of its letters.
    pattern:
      /(?<![\p{L}\p{N}_.+-])(?<it>[\p{L}\p{N}_][\p{L}\p{N}_.+-]*@[\p{L}\p{N}][\p{L}\p{N}-]*(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,})/gu,
    isWanted: (text) => !RESERVED.test(text),
  },
  {
    kind: "phone number",
    pattern: /(?<![\w.+-])(?<it>(?:\+|00)[1-9]\d{0,2}[ ./-]?(?:\(\d{1,5}\)[ ./-]?)?\d[\d ./-]{5,14}\d)(?![\w-])/g,
    isWanted: isPhone,
  },
  {
    kind: "phone number",
    pattern: /(?<![\w.+-])(?<it>\(\d{2,5}\)[ -]?\d{2,4}[ -]\d{3,6})(?![\w-])/g,
    isWanted: isPhone,
  },
  { kind: "phone number", pattern: /(?<![\w.+-])(?<it>\d{3}[ .-]\d{3}[ .-]\d{4})(?![\w.-])/g },
  {
    kind: "user name",
    pattern: /(?:\/(?:home|Users)\/|\b[A-Z]:(?:\\+|\/)Users(?:\\+|\/))(?<it>[^\s/\\"'<>:;,)\]}]+)/g,
    isWanted: (text) => !NOBODY.test(text),
  },
  { kind: "random text", pattern: /(?<![\w+/-])(?<it>[A-Za-z\d+/_-]{28,}={0,2})(?![\w+/-])/g, isWanted: isRandom },
];

function isPhone(text: string): boolean {
  const digits = text.replace(/\D/g, "").length;
  return digits >= 8 && digits <= 15;
}

/** Ids that providers give to calls and replies are random too, and no secrets. */
const OPEN_ID = /^(?:call|toolu|msg|chatcmpl|fc|run|req|resp|rs|thread|asst|gen)[-_]/;

/** Bits for each character from which a text is taken as random. Words and paths have less than 4. */
const LEAST_ENTROPY = 4;

function isRandom(text: string): boolean {
  if (OPEN_ID.test(text) || !/\d/.test(text) || !/[A-Z]/.test(text) || !/[a-z]/.test(text)) return false;
  // Paths and names are words between marks.
  const words = text.split(/[/_+-]/);
  if (words.length > 2 && words.every((word) => word.length < 16)) return false;
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let entropy = 0;
  for (const count of counts.values()) entropy -= (count / text.length) * Math.log2(count / text.length);
  return entropy >= LEAST_ENTROPY;
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

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/** Finds a word that the user wrote, whole and in any case. */
const wordPattern = (word: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])${escaped(word)}(?![\\p{L}\\p{N}])`, "giu");

const STRING = /("(?:[^"\\\n]|\\[^\n])*")/;
const MOST_DEPTH = 6;

/**
 * Calls `map` with the stretches of a text that are read together, and puts its results in their places. Strings with
 * escapes, of JSON and of Clojure, are read as what they stand for: a key may follow a line break that is written `\n`.
 */
function mapped(text: string, map: (plain: string) => string, depth = 0): string {
  if (!text.includes("\\") || depth > MOST_DEPTH) return map(text);
  let result = "";
  let plain = "";
  for (const piece of text.split(STRING)) {
    const inner = piece.startsWith('"') && piece.length > 1 && piece.includes("\\") ? decoded(piece) : null;
    if (inner === null) {
      plain += piece;
      continue;
    }
    const next = mapped(inner, map, depth + 1);
    result += map(plain) + (next === inner ? piece : JSON.stringify(next));
    plain = "";
  }
  return result + map(plain);
}

function decoded(literal: string): string | null {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return null;
  }
}

/** Replaces texts anywhere in a value. What has none stays the same object. */
function replaced<T>(value: T, map: (text: string) => string): T {
  if (typeof value === "string") return map(value) as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const list = value.map((each: unknown) => replaced(each, map));
    return (list.every((each, index) => each === value[index]) ? value : list) as T;
  }
  const entries = Object.entries(value).map(([name, each]) => [name, replaced(each, map)] as const);
  return entries.every(([name, each]) => each === (value as Record<string, unknown>)[name])
    ? value
    : (Object.fromEntries(entries) as T);
}

/**
 * What a state has that a person may not want to share, the most frequent kinds of secrets first.
 *
 * @param words more texts to be found, such as names.
 * @param open what everybody has: the example that was opened.
 */
export function findingsIn(value: State, words: readonly string[] = [], open: State | null = null): readonly Finding[] {
  const found = new Map<string, { kind: Kind; count: number }>();
  const note = (kind: Kind, text: string): void => {
    const known = found.get(text);
    if (known === undefined) {
      found.set(text, { kind, count: 1 });
      return;
    }
    known.count++;
    // A user name is blanked in paths only, a word everywhere.
    if (kind === "your word" && known.kind === "user name") known.kind = kind;
  };
  const own = words.map((word) => word.trim()).filter((word) => word !== "");
  const scan = (text: string): string => {
    // A stretch belongs to the first pattern that finds it.
    let rest = text;
    for (const { kind, pattern, isWanted } of patterns) {
      rest = rest.replace(pattern, (whole: string, ...more) => {
        const { it } = more.at(-1) as { it: string };
        if (PLACEHOLDER.test(it) || isWanted?.(it) === false) return whole;
        note(kind, it);
        return whole.replace(it, "\0".repeat(it.length));
      });
    }
    for (const word of own) for (const [it] of rest.matchAll(wordPattern(word))) note("your word", it);
    return text;
  };
  replaced(value, (text) => mapped(text, scan));
  const known = open === null ? "" : JSON.stringify(open);
  const whole = JSON.stringify(value);
  const next = new Map<Kind, () => string>();
  const byWord = new Map<string, string>();
  return [...found]
    .filter(([text]) => known === "" || !known.includes(JSON.stringify(text).slice(1, -1)))
    .map(([text, { kind, count }]) => {
      const take = next.get(kind) ?? freePlaceholders(kind, whole);
      next.set(kind, take);
      const word = kind === "your word" ? text.toLowerCase() : null;
      const placeholder = (word === null ? undefined : byWord.get(word)) ?? take();
      if (word !== null) byWord.set(word, placeholder);
      return { kind, text, count, placeholder };
    });
}

/** Gives one placeholder after the other of those that are not in a text. */
function freePlaceholders(kind: Kind, text: string): () => string {
  const placeholderOf = placeholders[kind];
  const used = new Set(text.match(new RegExp(escaped(placeholderOf(0)).replace("0", "\\d+"), "g")));
  let number = 0;
  return () => {
    do number++;
    while (used.has(placeholderOf(number)));
    return placeholderOf(number);
  };
}

/** The state with placeholders for what was found: the same one for the same text, wherever it stands. */
export function blanked(value: State, findings: readonly Finding[]): State {
  const byText = (isOf: (kind: Kind) => boolean): ReadonlyMap<string, string> =>
    new Map(findings.filter(({ kind }) => isOf(kind)).map(({ text, placeholder }) => [text, placeholder]));
  const replaceSecrets = textReplacer(byText((kind) => kind !== "your word" && kind !== "user name"));
  // A short user name is a part of other words.
  const users = byText((kind) => kind === "user name");
  const inPaths = patterns.find(({ kind }) => kind === "user name")?.pattern as RegExp;
  const inPath = (whole: string, ...more: unknown[]): string => {
    const { it } = more.at(-1) as { it: string };
    return whole.slice(0, whole.length - it.length) + (users.get(it) ?? it);
  };
  const words = findings.filter(({ kind }) => kind === "your word").sort((a, b) => b.text.length - a.text.length);
  // Words last: a password may contain a name.
  const blank = (text: string): string =>
    words.reduce(
      (rest, { text: word, placeholder }) => rest.replace(wordPattern(word), placeholder),
      replaceSecrets(text).replace(inPaths, inPath),
    );
  return replaced(value, (text) => mapped(text, blank));
}

/** A secret in a list: enough to recognise it, not enough to use it. */
export function hint({ kind, text }: Finding): string {
  const line = text.replace(/\s+/g, " ");
  const isOpen = kind === "e-mail address" || kind === "phone number" || kind === "user name" || kind === "your word";
  if (isOpen) return line.length > 40 ? `${line.slice(0, 39)}…` : line;
  return line.length < 12 ? `${line.slice(0, 2)}…` : `${line.slice(0, 6)}…${line.slice(-2)}`;
}

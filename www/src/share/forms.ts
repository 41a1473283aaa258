// Patterns for texts that a person may not want to share.

export type Kind =
  | "API key"
  | "token"
  | "password"
  | "private key"
  | "e-mail address"
  | "phone number"
  | "user name"
  | "random text"
  | "your word";

interface Form {
  readonly kind: Kind;
  /** The part to replace is the group `it`, which ends the match or is followed by a closing quote only. */
  readonly pattern: RegExp;
  readonly isWanted?: (text: string) => boolean;
}

/** Reserved domains, which examples and placeholders use. */
const RESERVED = /@(?:[\w-]+\.)*(?:example\.(?:com|org|net)|(?:test|example|invalid|localhost))$/i;

/** User names that do not identify a person. */
const NOBODY = /^(?:user-\d+|user|username|you|me|name|Public|Shared|Default|runner|root|app|ubuntu|node|\.\.\.|…)$/i;

/** The forms in order of precedence: the first match of a text counts. */
export const forms: readonly Form[] = [
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
    // The lookbehind excludes letters of any script. Otherwise the match would be tried from each letter of a long word.
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

/** Ids of calls and replies: they are random too, but not secret. */
const OPEN_ID = /^(?:call|toolu|msg|chatcmpl|fc|run|req|resp|rs|thread|asst|gen)[-_]/;

/** The least entropy of a random text, in bits per character. Words and paths have less than 4. */
const MIN_ENTROPY = 4;

function isRandom(text: string): boolean {
  if (OPEN_ID.test(text) || !/\d/.test(text) || !/[A-Z]/.test(text) || !/[a-z]/.test(text)) return false;
  // Paths and names consist of words between separators.
  const words = text.split(/[/_+-]/);
  if (words.length > 2 && words.every((word) => word.length < 16)) return false;
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let entropy = 0;
  for (const count of counts.values()) entropy -= (count / text.length) * Math.log2(count / text.length);
  return entropy >= MIN_ENTROPY;
}

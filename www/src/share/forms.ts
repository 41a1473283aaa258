// Patterns for texts that a person may not want to share.

export type Kind =
  | "API key"
  | "token"
  | "password"
  | "private key"
  | "e-mail address"
  | "phone number"
  | "card number"
  | "bank account"
  | "IP address"
  | "user name"
  | "random text"
  | "your word";

interface Form {
  readonly kind: Kind;
  /** The part to replace is the group `it`, which ends the match or is followed by a closing quote only. */
  readonly pattern: RegExp;
  readonly isWanted?: (text: string) => boolean;
  /** A part of every match, for patterns that take long. */
  readonly needs?: string;
}

/** Mailboxes of nobody: those of examples, placeholders and programs. */
const NO_MAILBOX =
  /^(?:no-?reply|git|npm)@|@(?:[\w-]+\.)*(?:example\.(?:com|org|net)|noreply\.github\.com|test|example|invalid|localhost|local)$/i;

/** User names that do not identify a person. */
const NOBODY =
  /^(?:user-\d+|user|username|you|me|name|test|Public|Shared|Default|runner|root|app|ubuntu|node|\.\.\.|…)$/i;

/** What is written in place of a secret. */
const STAND_IN =
  /^(?:(.)\1*|postgres|mysql|mariadb|mongo|redis|rabbitmq|guest|admin|root|default|test|secret|password)$|x{5}|\*{3}|\.{3}|…|your[-_ ]|example|placeholder|change-?me|redacted|dummy/i;

/** An expression of a program, a path or an address. */
const EXPRESSION = /[()[\]{}<>|\\]|^\$\w|^[\w$]+(?:(?:\?\.|::|->)[a-z_$][\w$]*)+$|^[a-z]*:?\/|^\d{4}-\d\d-\d\d|^0x/i;

/** The name of a type: `Uint8Array`. */
const TYPE = /^(?:[A-Z][a-z]+\d*){2,}$/;

const isSecret = (text: string): boolean =>
  /\p{L}/u.test(text) &&
  /\d|.[!@#%^&+~?]./.test(text) &&
  !STAND_IN.test(text) &&
  !EXPRESSION.test(text) &&
  !TYPE.test(text);

/** Names whose value is a secret. */
const NAMES =
  "pass(?:word|wd|phrase|code)|pwd|passwor[dt]|kennwort|contraseña|secret|token|credentials?|(?:api|access|secret|private|account|encryption|signing)[-_ ]?key";

/** Characters of a secret, the last of which is no punctuation. */
const VALUE = "(?<it>[^\\s\"'`,;<>]{5,}[^\\s\"'`,;<>.:!?)\\]}])";

/** The forms in order of precedence: the first match of a text counts. */
export const forms: readonly Form[] = [
  {
    kind: "private key",
    // A key that was cut off ends at the first character that it can't have.
    pattern:
      /(?<it>-{4,5} ?BEGIN [A-Z\d ]*PRIVATE KEY(?: BLOCK)? ?-{4,5}(?:[\s\S]{0,20000}?-{4,5} ?END [A-Z\d ]*PRIVATE KEY(?: BLOCK)? ?-{4,5}|(?:[\w+/=\s\\:,-]*[\w+/=])?))/g,
  },
  { kind: "private key", pattern: /(?<![\w-])(?<it>AGE-SECRET-KEY-1[A-Z\d]{20,})/g },
  {
    kind: "password",
    pattern: /\b[a-z][a-z\d+.-]*:\/\/(?<it>[^\s/@:"'<>]*:[^\s/@"'<>]+)(?=@)/gi,
    isWanted: (text) => !/[${}*[\]()]|^(?:user(?:name)?|login|name):pass(?:word)?$/i.test(text) && !STAND_IN.test(text),
  },
  {
    kind: "API key",
    pattern:
      /(?<![\w-])(?<it>(?:sk|pk|rk)[-_](?:[a-z\d]+[-_])*[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|gl(?:pat|rt|dt)-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|(?:AKIA|ASIA)[A-Z\d]{16}|AIza[\w-]{30,}|GOCSPX-[\w-]{20,}|npm_\w{30,}|hf_\w{20,}|pypi-[\w-]{30,}|gsk_\w{20,}|xai-\w{30,}|pplx-\w{30,}|r8_\w{30,}|dop_v1_\w{40,}|dckr_pat_[\w-]{20,}|shp(?:at|ss|ca)_\w{20,}|lin_api_\w{20,}|ntn_\w{30,}|dapi[a-f\d]{32}|ATATT[\w-]{30,}|\d{8,10}:AA[\w-]{32,}|SK[a-f\d]{32}|SG\.[\w-]{16,}\.[\w-]{16,}|ya29\.[\w-]{20,})/g,
    isWanted: (text) => /\d/.test(text) && !/x{5}|\*{3}|\.{3}/i.test(text),
  },
  { kind: "API key", pattern: /\bhooks\.slack\.com\/services\/(?<it>T\w+\/B\w+\/\w{16,})/g },
  { kind: "token", pattern: /(?<![\w-])(?<it>eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)/g },
  {
    kind: "token",
    pattern: /\bBearer\s+(?<it>[\w.~+/-]{16,}=*)/gi,
    isWanted: (text) => !STAND_IN.test(text) && !EXPRESSION.test(text),
  },
  { kind: "token", pattern: /\bBasic\s+(?<it>[A-Za-z\d+/]{12,}=*)/g, isWanted: isSecret },
  // With quotes: a secret may have any characters but blanks.
  {
    kind: "password",
    pattern: new RegExp(`(?:${NAMES})\\w*["'\`]?\\s*(?:=>|[:=]|\\bis\\b)?\\s*(["'\`])(?<it>[^"'\`\\s]{6,}?)\\1`, "gi"),
    isWanted: isSecret,
  },
  // In a file of settings, where letters alone are a secret too.
  {
    kind: "password",
    pattern: /\b[A-Z\d_]*(?:PASS(?:WORD|WD)?|PWD|SECRET|TOKEN|KEY)=(?<it>[^\s"'`&;,)}\]\\]{6,})/g,
    isWanted: (text) => !STAND_IN.test(text) && !EXPRESSION.test(text) && !/^(?:\$|[A-Z_.]+$|\d{1,7}$)/.test(text),
  },
  {
    kind: "password",
    pattern: new RegExp(`(?:${NAMES})\\w*=${VALUE.replaceAll("[^", "[^&")}`, "gi"),
    isWanted: isSecret,
  },
  // In a sentence, or after a colon: “the password for the printer is hunter22”.
  {
    kind: "password",
    pattern: new RegExp(
      `\\b(?:${NAMES})(?: (?!is\\b)[\\p{L}-]{1,15}){0,6}(?:\\s?[:=→]| is(?: now)?:?| was:?| lautet:?| ist:?)\\s+${VALUE}`,
      "giu",
    ),
    isWanted: isSecret,
  },
  {
    kind: "e-mail address",
    // The lookbehind excludes letters of any script. Otherwise the match would be tried from each letter of a long word.
    pattern:
      /(?<![\p{L}\p{N}_.+-])(?<it>[\p{L}\p{N}_][\p{L}\p{N}_.+-]*@[\p{L}\p{N}][\p{L}\p{N}-]*(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,})/gu,
    isWanted: (text) => !NO_MAILBOX.test(text),
    needs: "@",
  },
  {
    kind: "bank account",
    pattern: /(?<![\w-])(?<it>[A-Z]{2}\d{2}(?:[ -]?[A-Z\d]{4}){2,7}(?:[ -]?[A-Z\d]{1,3})?)(?![\w-])/g,
    isWanted: isIban,
  },
  {
    kind: "card number",
    pattern:
      /(?<![\w.,+:/-]|\d )(?<it>[2-6]\d{3}(?:(?: \d{4}){3}|(?:-\d{4}){3}|\d{12}|([ -]?)\d{6}\2\d{4,5}))(?![\w-]|[.,:]\d| \d)/g,
    isWanted: isCard,
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
    kind: "IP address",
    // Not after a letter, a dot or a single slash, as in the version of a browser.
    pattern:
      /(?<![\w.-]|[^/]\/|version:? )(?<it>(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d))(?![\w-]|\.\w)/gi,
    isWanted: isPublicIPv4,
  },
  {
    kind: "IP address",
    pattern: /(?<![\w:.])(?<it>[23][\da-f]{3}:[\da-f:]{2,34}[\da-f])(?![\w:]|\.\d)/gi,
    isWanted: isPublicIPv6,
  },
  {
    kind: "user name",
    pattern: /(?:\/(?:home|Users)\/|\b[A-Z]:(?:\\+|\/)Users(?:\\+|\/))(?<it>[^\s/\\"'<>:;,)\]}]+)/g,
    isWanted: (text) => !NOBODY.test(text),
  },
  { kind: "random text", pattern: /(?<![\w+/-])(?<it>[A-Za-z\d+/_-]{28,}={0,2})(?![\w+/-])/g, isWanted: isRandom },
];

const digitsOf = (text: string): string => text.replace(/\D/g, "");

function isPhone(text: string): boolean {
  const { length } = digitsOf(text);
  return length >= 8 && length <= 15;
}

/** The length of an IBAN by its country. */
const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(
  [
    ...["15NO", "16BE", "18DKFIFONLGLSD", "19MKSI", "20ATBAEEKZLTLUMNXK", "21CHHRLILV"],
    ...["22BGBHCRDEGBGEIEMERSVA", "23AEGIILIQOMSOTL", "24ADCZESMDPKROSASESKTNVG", "25LYPTST", "26ISTR"],
    ...["27BIDJFRGRITMCMRSM", "28ALAZBYCYDOGTHULBNIPLSV", "29BREGPSQAUA", "30JOKWMUYE", "31MTSC", "32LC", "33RU"],
  ].flatMap((line) => (line.slice(2).match(/../g) ?? []).map((country) => [country, Number(line.slice(0, 2))])),
);

function isIban(text: string): boolean {
  const plain = text.replace(/[ -]/g, "");
  if (IBAN_LENGTHS.get(plain.slice(0, 2)) !== plain.length) return false;
  let rest = 0;
  for (const character of plain.slice(4) + plain.slice(0, 4))
    rest = Number(`${rest}${Number.parseInt(character, 36)}`) % 97;
  return rest === 1;
}

/** The numbers that the documents of payment providers use in examples. */
const TEST_CARDS = /^(?:4242|4000|4111|4012|4222|5555|5105|5200|2223|3782|3714|3056|3852|3566|3530|6011000|6011111)/;

function isCard(text: string): boolean {
  const digits = digitsOf(text);
  const isIssued = /^(?:4|5[1-5]|2[2-7]|35|6(?:011|[45]))\d+$/.test(digits)
    ? digits.length === 16
    : /^3[47]/.test(digits)
      ? digits.length === 15
      : /^3[068]/.test(digits) && digits.length === 14;
  if (!isIssued || TEST_CARDS.test(digits)) return false;
  const sum = Array.from(digits, Number)
    .reverse()
    .map((digit, index) => (index % 2 === 0 ? digit : digit < 5 ? 2 * digit : 2 * digit - 9))
    .reduce((total, digit) => total + digit);
  return sum % 10 === 0;
}

/** Addresses of private networks, of the machine itself, of examples, and of well-known name servers. */
const NOT_PUBLIC_IPV4 =
  /^(?:0|10|127|22[4-9]|2[3-5]\d)\.|^(?:169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|198\.1[89]|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.|^(?:192\.0\.[02]|198\.51\.100|203\.0\.113)\.|^(?:1\.[01]\.[01]\.1|8\.8\.[48]\.[48]|9\.9\.9\.9|208\.67\.22[02]\.22[02])$/;

/** Small numbers only are a version. */
function isPublicIPv4(text: string): boolean {
  return /\d\d\..*\d\d|\d{3}/.test(text) && !NOT_PUBLIC_IPV4.test(text);
}

/** Eight groups, or fewer with one gap. Addresses of documents begin with 2001:db8. */
function isPublicIPv6(text: string): boolean {
  const groups = text.split(":");
  const gaps = text.split("::").length - 1;
  const isWhole = gaps === 0 ? groups.length === 8 : gaps === 1 && groups.length >= 4 && groups.length <= 8;
  return isWhole && groups.every((group) => group.length <= 4) && !/^2001:0?db8:/i.test(text);
}

/** Ids of calls, replies and sessions: they are random too, but not secret. */
const OPEN_ID =
  /(?:^|\/)(?:call|toolu|srvtoolu|msg|chatcmpl|fc|run|req|resp|rs|thread|asst|gen|session|prt|ses)[-_][^/]*\/?$/;

/** The least entropy of a random text, in bits per character. Words and paths have less than 4. */
const MIN_ENTROPY = 4;

/** The least share of neighbours of different kinds: capital and small letters and digits. Words and numbers side by side have less. */
const MIN_CHANGES = 0.45;

function isRandom(whole: string): boolean {
  // Hashes are no secrets; a path may contain one.
  const text = whole.replace(/[a-f\d]{12,}/g, "");
  if (text.length < 20 || OPEN_ID.test(whole) || !/\d/.test(text) || !/[A-Z]/.test(text) || !/[a-z]/.test(text))
    return false;
  const changes = text.match(/[a-z](?=[A-Z\d])|[A-Z](?=[a-z\d])|\d(?=[A-Za-z])/g)?.length ?? 0;
  if (changes < MIN_CHANGES * (text.length - 1)) return false;
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let entropy = 0;
  for (const count of counts.values()) entropy -= (count / text.length) * Math.log2(count / text.length);
  return entropy >= MIN_ENTROPY;
}

// What the commands share: their options, and text that is safe to print.

import { parseArgs } from "node:util";

/**
 * Control characters, and signs that change the direction of text: in a recording they could write to the terminal's
 * title or clipboard, or hide what is printed.
 */
const CONTROLS = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/** Keys and tokens: their prefixes, which are shown, and their ends. */
const KEY =
  /(?<![\w-])(?:(?:[spr]k[-_]|gh[pousr]_|github_pat_|gl(?:pat|rt|dt)-|xox[abeoprs]-|AKIA|ASIA|AIza|GOCSPX-|npm_|hf_|pypi-|gsk_|xai-)(?=[\w-]*\d)[\w-]{12,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)/g;

const PREFIX = /^(?:github_pat_|[a-z]{2,5}[-_]|[A-Z]{6}-|[A-Z]{4}|AIza|eyJ)/;

/** Long texts of letters and digits, of which those with several groups of digits in both cases are random. */
const LONG = /(?<![\w-])[\w+-]{32,}={0,2}(?![\w-])/g;

const isRandom = (text) => /[a-z]/.test(text) && /[A-Z]/.test(text) && (text.match(/\d+/g) ?? []).length > 3;

const hidden = (text) => `${PREFIX.exec(text)?.[0] ?? text.slice(0, 3)}…(redacted)`;

/** Hides what looks like a key, a token or another secret in names of files, arguments and texts of a recording. */
export const withoutSecrets = (text) =>
  text.replace(KEY, hidden).replace(LONG, (long) => (isRandom(long) ? hidden(long) : long));

/** Escapes controls as in a string of JavaScript, which is also valid in JSON, and hides secrets. */
export const visible = (text) =>
  withoutSecrets(text).replace(CONTROLS, (sign) =>
    sign === "\n" ? sign : `\\u${sign.codePointAt(0).toString(16).padStart(4, "0")}`,
  );
export const print = (text) => console.log(visible(text));

/** A problem of the command line or of the file, printed without a stack. */
export class Problem extends Error {}

/** The options and positional arguments of a command; a mistake in them is a {@link Problem} with the command's usage. */
export function optionsOf(argv, options, usage) {
  try {
    const { values, positionals } = parseArgs({ args: argv, allowPositionals: true, options });
    return { ...values, positionals };
  } catch (error) {
    throw new Problem(`${error.message.split(". To specify")[0]}\n\n${usage}`);
  }
}

/** The prices of `--prices`: a mechanism by its name, or a price list in JSON. */
export function pricesOf(text) {
  if (!text.trim().startsWith("{")) return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Problem(`--prices ${text} is no JSON: ${error.message}`);
  }
}

export const count = (number) => Math.round(number).toLocaleString("en-US");
/** Dollars: cents from ten of them on, else two digits. */
export const money = (dollars) =>
  `$${dollars >= 0.1 || dollars === 0 ? dollars.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 }) : dollars.toPrecision(2)}`;
/** A share; – without anything that it could be a share of. */
export const percent = (share) => (Number.isFinite(share) ? `${Math.round(100 * share)} %` : "–");

/** The change to a share, such as `−19 %`. */
export function signed(share) {
  const change = Math.round(100 * (share - 1));
  return `${change === 0 ? "" : change > 0 ? "+" : "−"}${Math.abs(change)} %`;
}

/** The options of a strategy without the name of the first one, for narrow tables. */
export const shortCode = (code) => code.replace(/^compressionStrategy: /, "");

export function printTable(rows) {
  const names = Object.keys(rows[0]);
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => row[name].length)));
  const line = (cells) =>
    cells.map((cell, index) => (index === 0 ? cell.padEnd(widths[index]) : cell.padStart(widths[index]))).join("  ");
  print(line(names));
  for (const row of rows) print(line(names.map((name) => row[name])));
}

/** `1 request`, `2 requests`. */
export const counted = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

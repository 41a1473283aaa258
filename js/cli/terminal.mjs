// What the commands share: their options, and text that is safe to print.

import { parseArgs } from "node:util";

/**
 * Control characters, and signs that change the direction of text: in a recording they could write to the terminal's
 * title or clipboard, or hide what is printed.
 */
const CONTROLS = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/** Escapes controls as in a string of JavaScript, which is also valid in JSON. */
export const visible = (text) =>
  text.replace(CONTROLS, (sign) => (sign === "\n" ? sign : `\\u${sign.codePointAt(0).toString(16).padStart(4, "0")}`));
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

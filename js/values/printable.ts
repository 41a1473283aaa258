// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters.
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]+/g;

/**
 * Replaces control characters except line ends and tabs, and characters that override the direction of text, with
 * spaces: with them a server or a model could hide a part of a text, or write to the terminal that prints it.
 */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(CONTROLS, " ");
}

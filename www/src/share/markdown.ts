/** A code block with a fence that the text does not contain. */
export function fencedBlock(text: string, language = ""): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}

/** Escapes a text for a line of Markdown. */
export const plain = (text: string): string => text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>#|~&]/g, "\\$&");

const MAX_TITLE = 80;

export function shortened(text: string): string {
  const line = text.trim().split("\n")[0]?.trim() ?? "";
  const units = Array.from(line);
  return units.length > MAX_TITLE
    ? `${units
        .slice(0, MAX_TITLE - 1)
        .join("")
        .trimEnd()}…`
    : line;
}

/** A title, a code block and a link to the playground; null for a link that is too long to be posted. */
export const markdownOf = (title: string, block: string, link: string | null): string =>
  `### ${plain(title)}\n\n${block}\n${link === null ? "" : `\n[Open in the Turnfold playground](${link.replace(/[()]/g, encodeURIComponent)})\n`}`;

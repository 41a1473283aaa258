// SVG as text, so that a plot can be drawn on the page, into an image, and by a program without a document.

type Attributes = Readonly<Record<string, string | number | undefined>>;

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Characters that XML can't have. */
const FORBIDDEN = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu;

const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(FORBIDDEN, "\ufffd")
    .replace(/[&<>"]/g, (character) => ENTITIES[character] as string);

/** An element; `children` are elements. */
export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const list = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${typeof value === "number" ? rounded(value) : escaped(value)}"`],
  );
  return `<${name}${list.join("")}>${children.join("")}</${name}>`;
}

/** A text, on one line. */
export const text = (x: number, y: number, content: string, attributes: Attributes = {}): string =>
  element("text", { x, y, ...attributes }, escaped(content));

/** A coordinate with one digit after the point. */
export const rounded = (value: number): number => Math.round(value * 10) / 10;

export const rectangle = (x: number, y: number, width: number, height: number): string =>
  `M${rounded(x)} ${rounded(y)}h${rounded(width)}v${rounded(height)}h${rounded(-width)}z`;

/** The approximate width of a text of 12 px: no document is needed to measure it. */
export function textWidth(content: string): number {
  let width = 0;
  for (const character of content) {
    const code = character.codePointAt(0) as number;
    width +=
      code >= 0x2e80 ? 12.5 : /[il.,:;|'!jtfr ()/]/.test(character) ? 4.3 : /[mwMW@%]/.test(character) ? 10.5 : 7.2;
  }
  return width;
}

/** The text with its middle omitted if it is wider; `each` is the width of a character, for code. */
export function fitting(content: string, width: number, each?: number): string {
  const widthOf = (part: string): number => (each === undefined ? textWidth(part) : each * [...part].length);
  if (widthOf(content) <= width) return content;
  const characters = [...content];
  let [start, end] = [Math.ceil(characters.length / 2), Math.floor(characters.length / 2)];
  const shown = (): string =>
    `${characters.slice(0, start).join("")}…${characters.slice(characters.length - end).join("")}`;
  while (start + end > 1 && widthOf(shown()) > width) {
    if (start >= end) start--;
    else end--;
  }
  return shown();
}

/** The text in lines of this width. */
export function wrapped(content: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of content.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && textWidth(`${line} ${word}`) <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

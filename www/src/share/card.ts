import { formatted, percent } from "../page/numbers.ts";
import { fencedBlock, plain } from "./markdown.ts";

/** The content of a result card. */
export interface CardData {
  readonly title: string;
  /** Tokens without and with the strategy. */
  readonly before: number;
  readonly after: number;
  /** Whether the token counts are estimates. */
  readonly isAbout: boolean;
  /** The label of the strategy; null for none. */
  readonly strategy: string | null;
  /** The parts of the tokens before, in order. `stays` is false for a part that is shortened or omitted. */
  readonly strip: readonly { readonly tokens: number; readonly stays: boolean }[];
  /** The link that opens the state. */
  readonly link: string;
}

/** The largest number as words: “31 % fewer tokens”. */
export function figure({ before, after }: CardData): string {
  if (before === after || before === 0) return "As many tokens";
  return `${percent(Math.abs(before - after), before)} ${after < before ? "fewer" : "more"} tokens`;
}

/** The numbers: “about 1,667 tokens become about 1,158”. */
export function numbers({ before, after, isAbout }: CardData): string {
  const about = isAbout ? "about " : "";
  return `${about}${formatted(before)} tokens become ${about}${formatted(after)}`;
}

const withStrategy = ({ strategy }: CardData): string =>
  strategy === null ? "without a strategy" : `with “${strategy}”`;

/** The card as a sentence for screen readers. */
export const spokenCard = (card: CardData): string =>
  `${card.title}: ${figure(card)} ${withStrategy(card)}, ${numbers(card)}.`;

const STRIP_CHARACTERS = 40;

/** The card as Markdown, without an image: the strip is made of characters. */
export function cardMarkdown(card: CardData): string {
  const total = Math.max(card.before, card.after, 1);
  const bar = (tokens: number): string =>
    "█"
      .repeat(Math.max(tokens > 0 ? 1 : 0, Math.round((STRIP_CHARACTERS * tokens) / total)))
      .padEnd(STRIP_CHARACTERS, "░");
  const strip = `before  ${bar(card.before)}  ${formatted(card.before)}\nafter   ${bar(card.after)}  ${formatted(card.after)}`;
  const link = card.link.replace(/[()]/g, encodeURIComponent);
  return `### ${plain(card.title)}

**${figure(card)}** ${withStrategy(card)}: ${numbers(card)}.

${fencedBlock(strip, "text")}

[Open in the Turnfold playground](${link})
`;
}

const WIDTH = 1200;
const HEIGHT = 630;
const MARGIN = 72;

/** The colours of the card, which do not depend on the theme of the page. */
const colours = {
  paper: "#fffefc",
  ink: "#1f242c",
  soft: "#565d69",
  accent: "#3f4fb5",
  stays: "#3f4fb5",
  goes: "#c9cdea",
  track: "#eceae3",
};

const SANS = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';
const MONO = 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';

/** Draws the card, 1,200 by 630 pixels: the size that sites show of a linked image. */
export function drawCard(canvas: HTMLCanvasElement, card: CardData): void {
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("this browser can’t draw images");
  const room = WIDTH - 2 * MARGIN;
  const write = (text: string, y: number, font: string, colour: string, x = MARGIN, max = room): void => {
    context.font = font;
    context.fillStyle = colour;
    context.fillText(fitting(context, text, max), x, y);
  };
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, WIDTH, HEIGHT);
  drawMark(context, MARGIN, 56);
  write("Turnfold", 92, `600 32px ${SANS}`, colours.ink, MARGIN + 56);
  write(card.title, 172, `400 34px ${SANS}`, colours.soft);
  write(figure(card), 284, `700 92px ${SANS}`, colours.ink);
  write(`${numbers(card)} ${withStrategy(card)}`, 340, `400 30px ${SANS}`, colours.soft);
  const total = Math.max(card.before, card.after, 1);
  const bars = [
    ["before", card.before, 396],
    ["after", card.after, 462],
  ] as const;
  const left = MARGIN + 110;
  const track = room - 110 - 170;
  for (const [name, tokens, y] of bars) {
    write(name, y + 31, `400 26px ${MONO}`, colours.soft);
    context.fillStyle = colours.track;
    context.fillRect(left, y, track, 42);
    if (name === "before") drawStrip(context, card, left, y, (track * tokens) / total);
    else {
      context.fillStyle = colours.stays;
      context.fillRect(left, y, (track * tokens) / total, 42);
    }
    write(formatted(tokens), y + 31, `600 26px ${SANS}`, colours.ink, left + track + 20, 150);
  }
  // The state is omitted from the link, because nobody types it from an image.
  write(card.link.replace(/^https?:\/\//, "").replace(/#v\d+=.*/, ""), 574, `400 24px ${SANS}`, colours.accent);
}

/** Draws the parts of the tokens before: dark if they stay, light if they are shortened or omitted. */
function drawStrip(context: CanvasRenderingContext2D, card: CardData, left: number, y: number, width: number): void {
  const sum = card.strip.reduce((total, { tokens }) => total + tokens, 0);
  let x = left;
  for (const { tokens, stays } of card.strip) {
    const part = (width * tokens) / Math.max(sum, 1);
    context.fillStyle = stays ? colours.stays : colours.goes;
    // A gap separates the parts if there is room for it.
    context.fillRect(x, y, part > 4 ? part - 1.5 : part, 42);
    x += part;
  }
}

function drawMark(context: CanvasRenderingContext2D, x: number, y: number): void {
  const faces = [
    ["#8b9cf5", "M3 4h18l-9 7z"],
    ["#4656c0", "M3 4l9 7v10L3 13z"],
    ["#6577dd", "M21 4l-9 7v10l9-8z"],
  ] as const;
  context.save();
  context.translate(x - 5, y - 8);
  context.scale(2, 2);
  for (const [colour, path] of faces) {
    context.fillStyle = colour;
    context.fill(new Path2D(path));
  }
  context.restore();
}

/** The text, shortened to fit a width. */
function fitting(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  const units = Array.from(text);
  while (units.length > 0 && context.measureText(`${units.join("")}…`).width > width) units.pop();
  return `${units.join("").trimEnd()}…`;
}

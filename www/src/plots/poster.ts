import type { Plot } from "./plot.ts";
import { element, text, wrapped } from "./svg.ts";

/** The width of an image, and the space around its content. */
const WIDTH = 800;
const MARGIN = 32;
const TITLE = 22;
const LINE = 19;

export interface Poster {
  readonly width: number;
  readonly height: number;
  /** The content of an `svg` element. */
  readonly content: string;
}

/** A plot that stands alone: with its title, what it shows in words, and where it is from. */
export function posterOf(plot: Plot, from: string): Poster {
  const room = WIDTH - 2 * MARGIN;
  const drawing = plot.draw(room);
  const lines = wrapped(plot.finding, room / 1.1);
  const top = MARGIN + TITLE + 8 + lines.length * LINE + 8;
  const height = top + drawing.height + 14 + LINE + MARGIN / 2;
  return {
    width: WIDTH,
    height,
    content: [
      element("rect", { class: "plot-paper", width: WIDTH, height }),
      text(MARGIN, MARGIN + TITLE - 6, plot.title, { class: "plot-title" }),
      ...lines.map((line, index) => text(MARGIN, MARGIN + TITLE + 18 + index * LINE, line, { class: "plot-text" })),
      element("g", { transform: `translate(${MARGIN} ${top})` }, drawing.content),
      text(WIDTH - MARGIN, height - MARGIN / 2, from, { "text-anchor": "end" }),
    ].join(""),
  };
}

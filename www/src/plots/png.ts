import { saveAs } from "../page/save.ts";
import type { Plot } from "./plot.ts";
import { posterOf } from "./poster.ts";

/** The pixels of the image for a pixel of the page. */
const SCALE = 2;

/** The properties of the style sheet that an image needs as attributes of its elements. */
const PROPERTIES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-opacity",
  "stroke-linejoin",
  "font-family",
  "font-size",
  "font-weight",
] as const;

/** Saves a plot as an image, in the colours of the page. */
export async function savePng(plot: Plot): Promise<void> {
  const { width, height, content } = posterOf(plot, "turnfold");
  const holder = document.createElement("div");
  holder.className = "plot plot-poster";
  holder.innerHTML = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${content}</svg>`;
  document.body.append(holder);
  const svg = holder.firstElementChild as SVGSVGElement;
  for (const each of svg.querySelectorAll("*")) {
    const style = getComputedStyle(each);
    for (const name of PROPERTIES) each.setAttribute(name, style.getPropertyValue(name));
  }
  const source = new XMLSerializer().serializeToString(svg);
  holder.remove();
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(source)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width * SCALE;
  canvas.height = height * SCALE;
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("this browser can’t draw images");
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const data = await new Promise<Blob | null>((made) => canvas.toBlob(made));
  if (data === null) throw new Error("the image is too large for this browser");
  saveAs(`${plot.title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.png`, data);
}

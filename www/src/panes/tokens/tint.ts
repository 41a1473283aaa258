import type { Shared } from "../../tokens/shared.ts";
import { coloursTokens } from "../../view.ts";
import { hasHighlights } from "./has-highlights.ts";
import { messagesIn, rangesOf, textsOf, useMarks } from "./highlights.ts";

const SHARED = "shared-prefix";
/** In place of the tint, where the background is that of tokens. */
const UNDERLINE = "shared-underline";
const DIFFERENCE = "first-difference";

/** The different character; if it is invisible, up to the next visible one. */
function markedLength(text: string): number {
  const seen = /^\s*\S/u.exec(text);
  return seen === null ? text.length : seen[0].length;
}

/** The range of the first difference; null in a closed message. */
export function differenceRanges(frame: Element, { messages, units }: Shared): StaticRange[] {
  const message = messagesIn(frame).find(([index]) => index === messages)?.[1];
  if (message === undefined) return [];
  const texts = textsOf(message);
  const rest = texts.map(({ node, from }) => node.data.slice(Math.max(0, units - from))).join("");
  return rangesOf(texts, units, units + markedLength(rest));
}

/** Marks messages by how much of them is shared, and also their sections in browsers without highlights. */
function label(frame: Element, { messages, units, behind }: Shared, sections: boolean): void {
  for (const [index, message] of messagesIn(frame)) {
    mark(message, index < messages ? "whole" : index === messages && units > 0 ? "start" : null);
    let before = 0;
    for (const part of message.querySelectorAll<HTMLElement>(".section, .separator, .message-body > .section-text")) {
      const texts = part.matches(".section") ? [...part.querySelectorAll(".section-text")] : [part];
      const inPage = texts.reduce((sum, { textContent }) => sum + (textContent?.length ?? 0), 0);
      const length = part.dataset.length === undefined ? inPage : Number(part.dataset.length);
      const reach = index < messages ? length : index === messages ? units - before : 0;
      const differs = behind === "changes" && index === messages && reach >= 0 && reach < length;
      mark(part, !sections ? null : differs ? "differs" : reach >= length && length > 0 ? "whole" : null);
      before += length;
    }
  }
}

function mark(element: Element, shared: "whole" | "start" | "differs" | null): void {
  if (shared === null) element.removeAttribute("data-shared");
  else element.setAttribute("data-shared", shared);
}

function draw(frame: Element, shared: Shared, name: string): void {
  label(frame, shared, !hasHighlights());
  if (!hasHighlights()) return;
  const ranges = messagesIn(frame)
    .filter(([index]) => index <= shared.messages)
    .flatMap(([index, message]) =>
      rangesOf(textsOf(message), 0, index < shared.messages ? Number.POSITIVE_INFINITY : shared.units),
    );
  CSS.highlights.set(name, new Highlight(...ranges));
  const difference = new Highlight(...(shared.behind === "changes" ? differenceRanges(frame, shared) : []));
  // The colours of tokens are behind it.
  difference.priority = 1;
  CSS.highlights.set(DIFFERENCE, difference);
}

function clear(frame: Element): void {
  for (const marked of frame.querySelectorAll("[data-shared]")) mark(marked, null);
  if (!hasHighlights()) return;
  for (const name of [SHARED, UNDERLINE, DIFFERENCE]) CSS.highlights.delete(name);
}

/** Highlights what a frame's messages share with the previous ones while `shared` is given: under tokens with colours by a line. */
export function useTint(frame: () => Element | null, shared: Shared | null): void {
  const name = coloursTokens.value ? UNDERLINE : SHARED;
  useMarks(frame, shared === null ? null : { draw: (element) => draw(element, shared, name), clear }, [shared, name]);
}

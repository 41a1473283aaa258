import { coloursTokens } from "../../page/view.ts";
import type { Shared } from "../../tokens/shared.ts";
import { hasHighlights } from "./has-highlights.ts";
import { messagesIn, rangesOf, textsOf, useMarks } from "./highlights.ts";

const SHARED = "shared-prefix";
/** The highlight in place of the tint when tokens colour the background. */
const UNDERLINE = "shared-underline";
const DIFFERENCE = "first-difference";

/** The length of the marked difference: one character or, if that is invisible, up to the next visible one. */
function markedLength(text: string): number {
  const seen = /^\s*\S/u.exec(text);
  return seen === null ? text.length : seen[0].length;
}

/** The ranges of the first difference; empty in a closed message. */
export function differenceRanges(frame: Element, { messages, units }: Shared): StaticRange[] {
  const message = messagesIn(frame).find(([index]) => index === messages)?.[1];
  if (message === undefined) return [];
  const texts = textsOf(message);
  const rest = texts.map(({ node, from }) => node.data.slice(Math.max(0, units - from))).join("");
  return rangesOf(texts, units, units + markedLength(rest));
}

/** Marks messages by how much of them is shared, and with `sections` their sections too, for browsers without highlights. */
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
  // The difference is drawn over the colours of tokens.
  difference.priority = 1;
  CSS.highlights.set(DIFFERENCE, difference);
}

function clear(frame: Element): void {
  for (const marked of frame.querySelectorAll("[data-shared]")) mark(marked, null);
  if (!hasHighlights()) return;
  for (const name of [SHARED, UNDERLINE, DIFFERENCE]) CSS.highlights.delete(name);
}

/** Highlights the part of a frame's messages that the previous ones share. Underlines it when tokens are coloured. */
export function useTint(frame: () => Element | null, shared: Shared | null): void {
  const name = coloursTokens.value ? UNDERLINE : SHARED;
  useMarks(frame, shared === null ? null : { draw: (element) => draw(element, shared, name), clear }, [shared, name]);
}

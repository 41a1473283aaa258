import { useLayoutEffect } from "preact/hooks";
import type { Shared } from "../../tokens/shared.ts";

const SHARED = "shared-prefix";
const DIFFERENCE = "first-difference";

/** A text node, and where it begins in the content of its message. */
interface Piece {
  readonly node: Text;
  readonly from: number;
}

/** The text nodes of a message in order. Together they are its content, but for lines far from the screen, which are not in the page. */
function textsOf(message: Element): Piece[] {
  const texts: Piece[] = [];
  let at = 0;
  for (const part of message.querySelectorAll<HTMLElement>(".section-text, .separator")) {
    if (part.dataset.from !== undefined) at = Number(part.dataset.from);
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode() as Text | null; node !== null; node = walker.nextNode() as Text | null) {
      texts.push({ node, from: at });
      at += node.length;
    }
  }
  return texts;
}

/** Ranges of a part of these texts, one for each node: other elements between them are not part of the message. */
function rangesOf(texts: readonly Piece[], start: number, end: number): StaticRange[] {
  const ranges: StaticRange[] = [];
  for (const { node, from: before } of texts) {
    const from = Math.max(0, start - before);
    const to = Math.min(node.length, end - before);
    if (from < to)
      ranges.push(new StaticRange({ startContainer: node, startOffset: from, endContainer: node, endOffset: to }));
  }
  return ranges;
}

/** The different character; if it is invisible, up to the next visible one. */
function markedLength(text: string): number {
  const seen = /^\s*\S/u.exec(text);
  return seen === null ? text.length : seen[0].length;
}

/** The messages in the page with their indexes. */
const messagesIn = (frame: Element): (readonly [number, Element])[] =>
  [...frame.querySelectorAll<HTMLElement>(".message")].map((message) => [Number(message.dataset.number) - 1, message]);

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

const hasHighlights = (): boolean => typeof Highlight === "function" && "highlights" in CSS;

function draw(frame: Element, shared: Shared): void {
  label(frame, shared, !hasHighlights());
  if (!hasHighlights()) return;
  const ranges = messagesIn(frame)
    .filter(([index]) => index <= shared.messages)
    .flatMap(([index, message]) =>
      rangesOf(textsOf(message), 0, index < shared.messages ? Number.POSITIVE_INFINITY : shared.units),
    );
  CSS.highlights.set(SHARED, new Highlight(...ranges));
  CSS.highlights.set(
    DIFFERENCE,
    new Highlight(...(shared.behind === "changes" ? differenceRanges(frame, shared) : [])),
  );
}

function clear(frame: Element): void {
  for (const marked of frame.querySelectorAll("[data-shared]")) mark(marked, null);
  if (!hasHighlights()) return;
  CSS.highlights.delete(SHARED);
  CSS.highlights.delete(DIFFERENCE);
}

/**
 * Highlights what a frame's messages share with the previous ones while `shared` is given. It does not change the
 * elements, and highlights again whenever they change.
 */
export function useTint(frame: () => Element | null, shared: Shared | null): void {
  useLayoutEffect(() => {
    const element = frame();
    const messages = element?.querySelector(".messages");
    if (element === null || messages === null || messages === undefined || shared === null) return;
    let waiting = 0;
    const drawSoon = (): void => {
      cancelAnimationFrame(waiting);
      waiting = requestAnimationFrame(() => draw(element, shared));
    };
    draw(element, shared);
    const observer = new MutationObserver(drawSoon);
    observer.observe(messages, { childList: true, characterData: true, subtree: true });
    return () => {
      observer.disconnect();
      cancelAnimationFrame(waiting);
      clear(element);
    };
  }, [shared]);
}

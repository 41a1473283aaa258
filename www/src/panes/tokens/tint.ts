import { useLayoutEffect } from "preact/hooks";
import type { Shared } from "../../tokens/shared.ts";

const SHARED = "shared-prefix";
const DIFFERENCE = "first-difference";

/** The text nodes of a message in order. Together they are its content. */
function textsOf(message: Element): Text[] {
  const texts: Text[] = [];
  for (const part of message.querySelectorAll(".section-text, .separator")) {
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) texts.push(node as Text);
  }
  return texts;
}

/** Ranges of a part of these texts, one for each node: other elements between them are not part of the message. */
function rangesOf(texts: readonly Text[], start: number, end: number): StaticRange[] {
  const ranges: StaticRange[] = [];
  let before = 0;
  for (const node of texts) {
    if (before >= end) break;
    const from = Math.max(0, start - before);
    const to = Math.min(node.length, end - before);
    if (from < to)
      ranges.push(new StaticRange({ startContainer: node, startOffset: from, endContainer: node, endOffset: to }));
    before += node.length;
  }
  return ranges;
}

/** The different character; if it is invisible, up to the next visible one. */
function markedLength(text: string): number {
  const seen = /^\s*\S/u.exec(text);
  return seen === null ? text.length : seen[0].length;
}

const messagesIn = (frame: Element): Element[] => [...frame.querySelectorAll(".message")];

/** The range of the first difference; null in a closed message. */
export function differenceRanges(frame: Element, { messages, units }: Shared): StaticRange[] {
  const message = messagesIn(frame)[messages];
  if (message === undefined) return [];
  const texts = textsOf(message);
  const content = texts.map(({ data }) => data).join("");
  return rangesOf(texts, units, units + markedLength(content.slice(units)));
}

/** Marks messages by how much of them is shared, and also their sections in browsers without highlights. */
function label(frame: Element, { messages, units, behind }: Shared, sections: boolean): void {
  for (const [index, message] of messagesIn(frame).entries()) {
    mark(message, index < messages ? "whole" : index === messages && units > 0 ? "start" : null);
    let before = 0;
    for (const part of message.querySelectorAll(".section, .separator, .message-body > .section-text")) {
      const texts = part.matches(".section") ? [...part.querySelectorAll(".section-text")] : [part];
      const length = texts.reduce((sum, { textContent }) => sum + (textContent?.length ?? 0), 0);
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
    .slice(0, shared.messages + 1)
    .flatMap((message, index) =>
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

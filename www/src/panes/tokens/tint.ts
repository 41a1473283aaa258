import { useEffect } from "preact/hooks";
import type { Shared } from "../../tokens/shared.ts";

const SHARED = "shared-prefix";
const DIFFERENCE = "first-difference";

/** An offset in the texts of a message that are shown. */
interface Place {
  readonly node: Text;
  readonly offset: number;
}

/** The texts of a message as they are on the page, in order: together they are its content, however finely it is split. */
function textsOf(message: Element): Text[] {
  const texts: Text[] = [];
  for (const part of message.querySelectorAll(".section-text, .separator")) {
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) texts.push(node as Text);
  }
  return texts;
}

/** The place before the character at this offset, or behind the last character. */
function placeAt(texts: readonly Text[], offset: number): Place | null {
  let before = 0;
  for (const node of texts) {
    if (offset < before + node.length) return { node, offset: offset - before };
    before += node.length;
  }
  const last = texts.at(-1);
  return last === undefined ? null : { node: last, offset: last.length };
}

function rangeOf(texts: readonly Text[], start: number, end: number): Range | null {
  const [from, to] = [placeAt(texts, start), placeAt(texts, end)];
  if (from === null || to === null) return null;
  const range = document.createRange();
  range.setStart(from.node, from.offset);
  range.setEnd(to.node, to.offset);
  return range;
}

/** The character that differs; where it can't be seen, up to the next one that can. */
function markedLength(text: string): number {
  const seen = /^\s*\S/u.exec(text);
  return seen === null ? text.length : seen[0].length;
}

const messagesIn = (frame: Element): Element[] => [...frame.querySelectorAll(".message")];

/** Where the first difference stands on the page; null in a message that is closed. */
export function differenceRange(frame: Element, { messages, units }: Pick<Shared, "messages" | "units">): Range | null {
  const message = messagesIn(frame)[messages];
  if (message === undefined) return null;
  const texts = textsOf(message);
  const content = texts.map(({ data }) => data).join("");
  return rangeOf(texts, units, units + markedLength(content.slice(units)));
}

/** Marks messages, and without highlights their sections, by how much of them is shared. */
function label(frame: Element, { messages, units, behind }: Shared, sections: boolean): void {
  for (const [index, message] of messagesIn(frame).entries()) {
    mark(message, index < messages ? "whole" : index === messages && units > 0 ? "start" : null);
    let before = 0;
    for (const part of message.querySelectorAll(".section, .separator, .message-body > .section-text")) {
      const text = part.querySelector(".section-text") ?? part;
      const length = text.textContent?.length ?? 0;
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
  const ranges = messagesIn(frame).flatMap((message, index) => {
    if (index > shared.messages || (index === shared.messages && shared.units === 0)) return [];
    const texts = textsOf(message);
    const length = texts.reduce((sum, node) => sum + node.length, 0);
    return rangeOf(texts, 0, index < shared.messages ? length : shared.units) ?? [];
  });
  CSS.highlights.set(SHARED, new Highlight(...ranges));
  const difference = shared.behind === "changes" ? differenceRange(frame, shared) : null;
  const highlight = difference === null ? new Highlight() : new Highlight(difference);
  highlight.priority = 1;
  CSS.highlights.set(DIFFERENCE, highlight);
}

function clear(frame: Element): void {
  for (const marked of frame.querySelectorAll("[data-shared]")) mark(marked, null);
  if (!hasHighlights()) return;
  CSS.highlights.delete(SHARED);
  CSS.highlights.delete(DIFFERENCE);
}

/**
 * Tints what a frame's messages share with those before, as long as `shared` is given. The texts stay as they are: they
 * are highlighted where they stand, again whenever they change.
 */
export function useTint(frame: () => Element | null, shared: Shared | null): void {
  useEffect(() => {
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

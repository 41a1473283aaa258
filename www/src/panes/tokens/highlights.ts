import { useLayoutEffect } from "preact/hooks";

/** A text node, and its offset in the content of its message or in another text. */
export interface Piece {
  readonly node: Text;
  readonly from: number;
}

/**
 * The text nodes of a message in order. Together they are its content, without lines far from the screen, which are not
 * rendered, and without lines for which `isWanted` is false.
 */
export function textsOf(message: Element, isWanted: (line: Element) => boolean = () => true): Piece[] {
  const texts: Piece[] = [];
  let at = 0;
  for (const part of message.querySelectorAll<HTMLElement>(".section-text, .separator")) {
    if (part.dataset.from !== undefined) at = Number(part.dataset.from);
    if (!isWanted(part)) {
      at += part.textContent.length;
      continue;
    }
    const own = piecesIn(part, at);
    texts.push(...own);
    at += own.reduce((sum, { node }) => sum + node.length, 0);
  }
  return texts;
}

/** The text nodes of an element in order. The first one begins at the offset `from`. */
export function piecesIn(element: Element, from: number): Piece[] {
  const pieces: Piece[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode() as Text | null; node !== null; node = walker.nextNode() as Text | null) {
    pieces.push({ node, from });
    from += node.length;
  }
  return pieces;
}

/** The ranges of a part of these texts, one for each node, because elements between the nodes are not part of the message. */
export function rangesOf(texts: readonly Piece[], start: number, end: number): StaticRange[] {
  return texts
    .filter(({ node, from }) => Math.max(start, from) < Math.min(end, from + node.length))
    .map((piece) => rangeIn(piece, start, end));
}

/** The range in a text node for a part of its message. */
export const rangeIn = ({ node, from }: Piece, start: number, end: number): StaticRange =>
  new StaticRange({
    startContainer: node,
    startOffset: Math.max(0, start - from),
    endContainer: node,
    endOffset: Math.min(node.length, end - from),
  });

/** The messages in the page with their indexes. */
export const messagesIn = (frame: Element): (readonly [number, Element])[] =>
  [...frame.querySelectorAll<HTMLElement>(".message")].map((message) => [Number(message.dataset.number) - 1, message]);

/** The functions that mark the messages in an element. */
interface Marks {
  readonly draw: (root: Element) => void;
  readonly clear: (root: Element) => void;
  /** Whether only texts near the screen are marked. */
  readonly isNear?: boolean;
}

/** Marks the messages in an element without changing their elements. Marks them again when they or `inputs` change. */
export function useMarks(root: () => Element | null, marks: Marks | null, inputs: readonly unknown[]): void {
  useLayoutEffect(() => {
    const element = root();
    const messages = element?.querySelector(".messages, .chat-messages");
    if (element === null || messages === null || messages === undefined || marks === null) return;
    let waiting = 0;
    const drawSoon = (): void => {
      cancelAnimationFrame(waiting);
      waiting = requestAnimationFrame(() => marks.draw(element));
    };
    marks.draw(element);
    const changes = new MutationObserver(drawSoon);
    changes.observe(messages, { childList: true, characterData: true, subtree: true });
    const moves = marks.isNear === true ? followMoves(element, drawSoon) : null;
    return () => {
      changes.disconnect();
      moves?.();
      cancelAnimationFrame(waiting);
      marks.clear(element);
    };
  }, inputs);
}

/** Calls `moved` when other parts of an element may come near the screen. Returns a function that stops it. */
function followMoves(element: Element, moved: () => void): () => void {
  const pane = element.closest(".pane");
  // The content above the messages and the window may change their sizes.
  const sizes = new ResizeObserver(moved);
  sizes.observe(element);
  if (pane !== null) sizes.observe(pane);
  pane?.addEventListener("scroll", moved, { passive: true });
  return () => {
    sizes.disconnect();
    pane?.removeEventListener("scroll", moved);
  };
}

/** Whether a part is on the screen or less than half a screen away. */
export const isNearScreen = (part: Element | Range): boolean => !isAbove(part) && !isBelow(part);

const isAbove = (part: Element | Range): boolean => part.getBoundingClientRect().bottom < -innerHeight / 2;
const isBelow = (part: Element | Range): boolean => part.getBoundingClientRect().top > 1.5 * innerHeight;

/** Characters above which only a part of a text node is marked; more than a line usually has. */
const LONG_TEXT = 500;

/** The offsets of the part of a text node that is near the screen. */
export function nearPart(node: Text): readonly [from: number, to: number] {
  if (node.length <= LONG_TEXT) return [0, node.length];
  const range = document.createRange();
  const charactersAt = (offset: number): Range => {
    range.setStart(node, offset);
    range.setEnd(node, Math.min(offset + 4, node.length));
    return range;
  };
  return [
    firstWhere(node.length, (offset) => !isAbove(charactersAt(offset))),
    firstWhere(node.length, (offset) => isBelow(charactersAt(offset))),
  ];
}

/** Binary search: the first index below `length` for which `holds` is true, and stays true; `length` when there is none. */
export function firstWhere(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

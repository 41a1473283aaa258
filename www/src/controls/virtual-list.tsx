import type { VirtualItem, Virtualizer } from "@tanstack/virtual-core";
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef } from "preact/hooks";
import { seekers } from "../page/focus.ts";

/** A list with at most this many rows renders all of them. */
export const MAX_ROWS = 200;

/** The number of rows rendered before and after the visible ones. */
const OVERSCAN = 6;

/** Attributes of a row's element. Empty in a list that renders all rows. */
export interface RowProps {
  readonly "data-index"?: number;
  readonly "aria-setsize"?: number;
  readonly "aria-posinset"?: number;
  readonly style?: string;
}

interface VirtualListProps<T> {
  /** The name of the list, for `showRow`. */
  readonly name: string;
  readonly items: readonly T[];
  /** Identifies the item while rows are moved. Default: the index. */
  readonly keyOf?: (item: T, index: number) => number | string;
  /** The approximate height of a row in pixels. */
  readonly rowHeight: number;
  /** Pixels between two rows; must equal the gap in the style sheet. */
  readonly gap: number;
  /** Whether the rows are a part of a text or of a table, so that screen readers should not announce a list. */
  readonly isText?: boolean;
  readonly class: string;
  readonly label?: string;
  readonly isStale?: boolean;
  /** The index of a row that is always rendered. */
  readonly keeps?: number | undefined;
  readonly onClick?: (event: MouseEvent) => void;
  readonly onKeyDown?: (event: KeyboardEvent & { readonly currentTarget: HTMLElement }) => void;
  /** The element of the list. */
  readonly element?: RefObject<HTMLElement | null>;
  /** The index of the row that contains the element with this id when it is rendered; negative for none. */
  readonly indexOf?: (id: string) => number;
  /** Renders the element of a row, which must have the attributes of `row` and a key. */
  readonly children: (item: T, index: number, row: RowProps) => ComponentChildren;
}

/**
 * A list in a pane that scrolls, or in another element with `data-scroller`. A long list renders only the rows near the screen,
 * the row with the focus and the dragged row; padding takes the place of the others.
 */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const { items, isText = false, class: name, label, isStale = false, children } = props;
  const own = useRef<HTMLElement | null>(null);
  const list = props.element ?? own;
  const window = useWindow(list, props);
  const attributes = {
    class: name,
    "aria-label": label,
    "data-stale": isStale || undefined,
    "data-list": props.name,
    onClick: props.onClick,
    onKeyDown: props.onKeyDown,
    "data-virtual": window === null ? undefined : "",
    style: window === null ? undefined : `padding-top:${window.before}px;padding-bottom:${window.after}px`,
  };
  const rows =
    window === null
      ? items.map((item, index) => children(item, index, NOTHING))
      : window.rows.map(([index, row]) => children(items[index] as T, index, row));
  return isText ? (
    <div ref={list as RefObject<HTMLDivElement | null>} {...attributes}>
      {rows}
    </div>
  ) : (
    <ol ref={list as RefObject<HTMLOListElement | null>} {...attributes}>
      {rows}
    </ol>
  );
}

const NOTHING: RowProps = {};

type Virtual = Virtualizer<HTMLElement, HTMLElement>;
type Library = typeof import("@tanstack/virtual-core");

/** The library for virtual lists; null until the first long list has loaded it. */
let library: Library | null = null;
let setLoaded = (): void => {};
const whenLoaded = new Promise<void>((resolve) => {
  setLoaded = resolve;
});

const RETRY_MS = 3000;

/** How long a row for `showRow` stays pinned; by then it is near the screen or has the focus. */
const WANTED_MS = 1000;

/** Loads the library, again after each failure of the network, and then calls `then`. Returns a function that cancels it. */
function loadLibrary(then: () => void): () => void {
  let isCancelled = false;
  let timer = 0;
  const load = (): void => {
    import("@tanstack/virtual-core").then(
      (loaded) => {
        library = loaded;
        setLoaded();
        if (!isCancelled) then();
      },
      () => {
        if (!isCancelled) timer = window.setTimeout(load, RETRY_MS);
      },
    );
  };
  load();
  return () => {
    isCancelled = true;
    clearTimeout(timer);
  };
}

interface Window {
  /** The rendered rows, in order. */
  readonly rows: readonly (readonly [index: number, row: RowProps])[];
  /** Pixels of the rows that are not rendered, before and after the rendered ones. */
  readonly before: number;
  readonly after: number;
}

/** The data that a long list keeps from one rendering to the next. */
interface VirtualState {
  readonly virtual: Virtual;
  /** Pixels from the start of the scrolled content to the list. */
  margin: number;
  /** The rows that are rendered at any scroll position: focused, dragged, wanted by `showRow`, or always kept. */
  readonly pinned: { focused: number | null; dragged: number | null; wanted: number | null; always: number | null };
  readonly rows: Map<number, RowProps>;
  /** False until the first rows are measured. */
  isMeasured: boolean;
}

/** The rows to be rendered; null for all. */
function useWindow<T>(list: RefObject<HTMLElement | null>, props: VirtualListProps<T>): Window | null {
  const { name, items, isText = false, rowHeight, gap, keyOf, indexOf } = props;
  const count = items.length;
  const isLong = count > MAX_ROWS;
  const [, render] = useReducer((times: number, _: undefined) => times + 1, 0);
  const again = (): void => render(undefined);
  const stateRef = useRef<VirtualState | null>(null);

  useEffect(() => (isLong && library === null ? loadLibrary(again) : undefined), [isLong]);

  if (isLong && library !== null && stateRef.current === null)
    stateRef.current = {
      virtual: new library.Virtualizer<HTMLElement, HTMLElement>(optionsOf(library, count)),
      margin: 0,
      pinned: { focused: null, dragged: null, wanted: null, always: null },
      rows: new Map(),
      isMeasured: false,
    };
  if (!isLong) stateRef.current = null;
  const now = stateRef.current;
  if (now !== null) now.pinned.always = props.keeps ?? null;

  function optionsOf(loaded: Library, length: number) {
    return {
      count: length,
      getScrollElement: () => scrollerOf(list.current),
      estimateSize: () => rowHeight,
      getItemKey: (index: number) => (keyOf === undefined ? index : keyOf(items[index] as T, index)),
      gap,
      measureElement: heightOf,
      overscan: OVERSCAN,
      scrollMargin: stateRef.current?.margin ?? 0,
      initialRect: { width: innerWidth, height: innerHeight },
      scrollToFn: loaded.elementScroll,
      observeElementRect: loaded.observeElementRect,
      observeElementOffset: loaded.observeElementOffset,
      rangeExtractor: (range: Parameters<Library["defaultRangeExtractor"]>[0]) =>
        withPinned(loaded.defaultRangeExtractor(range), stateRef.current?.pinned, length),
      onChange: again,
    };
  }
  if (now !== null && library !== null) {
    now.virtual.setOptions(optionsOf(library, count));
    now.virtual.shouldAdjustScrollPositionOnItemSizeChange = (row) => isScrolledFor(row, now);
  }

  useEffect(() => now?.virtual._didMount(), [now]);
  useLayoutEffect(() => {
    const { current: element } = list;
    const scroller = scrollerOf(element);
    if (now === null || element === null || scroller === null) return;
    // The virtualizer starts at the scroll position of the pane; otherwise it would scroll the pane to its start.
    if (now.virtual.scrollElement === null) now.virtual.scrollOffset = scroller.scrollTop;
    // The index of the focused row changes when rows are moved.
    now.pinned.focused = rowIn(element, document.activeElement);
    now.virtual._willUpdate();
    for (const row of element.children) now.virtual.measureElement(row as HTMLElement);
    now.isMeasured = true;
    // The content above the list may have changed its height.
    const margin = element.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;
    if (Math.abs(margin - now.margin) < 1) return;
    now.margin = margin;
    again();
  });
  useEffect(() => {
    const element = list.current;
    return now === null || element === null ? undefined : keepPinned(element, now, again);
  }, [now]);

  // The props of the newest rendering, for later calls of `showRow`.
  const latest = useRef({ count, indexOf, isLong });
  latest.current = { count, indexOf, isLong };
  useEffect(() => {
    const show = (index: number): boolean | Promise<void> => {
      if (index < 0 || index >= latest.current.count) return false;
      const { current } = stateRef;
      if (current === null) return latest.current.isLong ? whenLoaded : true;
      clearTimeout(release);
      release = window.setTimeout(() => want(current, null), WANTED_MS);
      want(current, index);
      return true;
    };
    let release = 0;
    const want = ({ pinned }: VirtualState, index: number | null): void => {
      if (pinned.wanted === index) return;
      pinned.wanted = index;
      again();
    };
    const list_: Shown = {
      element: () => list.current,
      isVirtual: () => stateRef.current !== null,
      count: () => latest.current.count,
      show,
    };
    const seek = (id: string): boolean | Promise<void> => show(latest.current.indexOf?.(id) ?? -1);
    lists.set(name, list_);
    seekers.add(seek);
    return () => {
      clearTimeout(release);
      if (lists.get(name) === list_) lists.delete(name);
      seekers.delete(seek);
    };
  }, [name]);

  if (!isLong) return null;
  // The first rows, until the library is loaded.
  if (now === null) {
    const rows = Array.from({ length: MAX_ROWS / 5 }, (_, index) => [index, NOTHING] as const);
    return { rows, before: 0, after: (count - rows.length) * (rowHeight + gap) };
  }
  return windowOf(now, isText ? null : count, gap);
}

/**
 * The exact height of a row. The library rounds it, which adds up over the rows on the screen to a movement of a few pixels. A known
 * row is not read again, because that forces a layout: its changes come with an entry.
 */
function heightOf(row: HTMLElement, entry: ResizeObserverEntry | undefined, virtual: Virtual): number {
  const [box] = entry?.borderBoxSize ?? [];
  if (box !== undefined) return box.blockSize;
  const known = virtual.itemSizeCache.get(virtual.options.getItemKey(virtual.indexFromElement(row)));
  return known ?? row.getBoundingClientRect().height;
}

/**
 * True when the pane must be scrolled by the change of a row's height, so that what is on the screen stays in place: for a row above
 * the screen and, when the end of the list is on the screen, for a row that was rendered by scrolling to that end. Otherwise a button
 * after the list would move while it is being pressed.
 */
function isScrolledFor(row: VirtualItem, { virtual, isMeasured }: VirtualState): boolean {
  const offset = virtual.scrollOffset ?? 0;
  if (virtual.itemSizeCache.has(row.key)) return row.end <= offset && virtual.scrollDirection !== "backward";
  if (row.start < offset) return true;
  // The first rows of a list have no end that was in place before.
  const end = virtual.options.scrollMargin + virtual.getTotalSize();
  return isMeasured && end <= offset + (virtual.scrollRect?.height ?? 0);
}

function windowOf({ virtual, rows: known }: VirtualState, size: number | null, gap: number): Window {
  const { scrollMargin } = virtual.options;
  const shown = virtual.getVirtualItems();
  const rows = shown.map(({ index, start }, rowIndex): readonly [number, RowProps] => {
    const before = shown[rowIndex - 1];
    const style = before === undefined || before.index === index - 1 ? undefined : `margin-top:${start - before.end}px`;
    const last = known.get(index);
    const isSame = last !== undefined && last.style === style && last["aria-setsize"] === (size ?? undefined);
    const row: RowProps = isSame
      ? last
      : {
          "data-index": index,
          ...(size === null ? {} : { "aria-setsize": size, "aria-posinset": index + 1 }),
          ...(style === undefined ? {} : { style }),
        };
    return [index, row];
  });
  known.clear();
  for (const [index, row] of rows) known.set(index, row);
  const [first, last] = [shown[0], shown.at(-1)];
  const total = virtual.getTotalSize();
  if (first === undefined || last === undefined) return { rows, before: Math.max(0, total - gap), after: 0 };
  return { rows, before: first.start - scrollMargin, after: Math.max(0, total - (last.end - scrollMargin)) };
}

/** Adds the pinned rows, and the neighbours of the focused row, so that the Tab key can reach them. */
function withPinned(range: readonly number[], pinned: VirtualState["pinned"] | undefined, count: number): number[] {
  if (pinned === undefined) return [...range];
  const { focused, dragged, wanted, always } = pinned;
  const more = [
    focused === null ? [] : [focused - 1, focused, focused + 1],
    dragged ?? [],
    wanted ?? [],
    always ?? [],
  ].flat();
  const all = new Set([...range, ...more.filter((index) => index >= 0 && index < count)]);
  return [...all].sort((one, other) => one - other);
}

/** The index of the row of this list that contains an element; null for none. */
function rowIn(list: HTMLElement, target: EventTarget | null): number | null {
  if (!(target instanceof Element) || !list.contains(target)) return null;
  let row = target;
  while (row.parentElement !== null && row.parentElement !== list) row = row.parentElement;
  const index = row.getAttribute("data-index");
  return index === null ? null : Number(index);
}

/** Keeps the focused row and the dragged row pinned. Returns a function that removes the listeners. */
function keepPinned(list: HTMLElement, { pinned }: VirtualState, again: () => void): () => void {
  const stop = new AbortController();
  const rowOf = (target: EventTarget | null): number | null => rowIn(list, target);
  const pin = (what: "focused" | "dragged", index: number | null): void => {
    if (pinned[what] === index) return;
    pinned[what] = index;
    again();
  };
  const listen = (type: "focusin" | "focusout" | "dragstart" | "dragend", handle: (event: Event) => void): void =>
    list.addEventListener(type, handle, { signal: stop.signal });
  listen("focusin", ({ target }) => pin("focused", rowOf(target)));
  listen("focusout", (event) => {
    if (rowOf((event as FocusEvent).relatedTarget) === null) pin("focused", null);
  });
  listen("dragstart", ({ target }) => pin("dragged", rowOf(target)));
  listen("dragend", () => pin("dragged", null));
  pin("focused", rowOf(document.activeElement));
  return () => stop.abort();
}

const scrollerOf = (list: HTMLElement | null): HTMLElement | null =>
  list?.closest<HTMLElement>(".pane, [data-scroller]") ?? null;

interface Shown {
  element(): HTMLElement | null;
  isVirtual(): boolean;
  count(): number;
  /** Renders a row at any scroll position. Returns false when the list has no such row; a promise while it can't render all. */
  show(index: number): boolean | Promise<void>;
}

/** The mounted lists by their names. */
const lists = new Map<string, Shown>();

/** The number of rows of a list that renders only some of them; 0 for other lists. */
export const rowsOfVirtual = (name: string): number => {
  const list = lists.get(name);
  return list?.isVirtual() === true ? list.count() : 0;
};

/** Animation frames until the rows around the target of a scroll are measured. */
const SETTLING = 4;

/**
 * Scrolls to a row of a list by its index from 0, and renders it first if necessary. Returns its element; null when there is no
 * such list or row.
 */
export async function showRow(
  name: string,
  index: number,
  block: ScrollLogicalPosition = "nearest",
): Promise<HTMLElement | null> {
  const list = lists.get(name);
  const early = list?.show(index);
  if (early instanceof Promise) {
    await early;
    await new Promise((rendered) => requestAnimationFrame(rendered));
  }
  if (list?.show(index) !== true) return null;
  let shown: HTMLElement | null = null;
  for (let frame = 0; frame < SETTLING; frame++) {
    const rows = list.element();
    const row = list.isVirtual()
      ? rows?.querySelector(`:scope > [data-index="${index}"]`)
      : (rows?.children[index] ?? null);
    if (row instanceof HTMLElement) {
      shown = row;
      row.scrollIntoView({ block });
      if (!list.isVirtual()) return row;
    }
    await new Promise((painted) => requestAnimationFrame(painted));
  }
  return shown;
}

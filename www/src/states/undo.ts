import { signal } from "@preact/signals";
import { focusSoon } from "../page/focus.ts";
import { type TabName, tab } from "../page/tab.ts";
import { running } from "../running/running.ts";
import type { State } from "./state.ts";
import { loads, type Moment, moment, openTurns, replace, restore, setOpen, state, tabBeforeLoad } from "./store.ts";

/** Where the focus was during a change. */
interface Place {
  readonly tab: TabName;
  /** The id of the control that is focused after an undo. */
  readonly control: string | null;
  /** The label of the control, if it is a text field; else empty. */
  readonly label: string;
  /** The id of the turn whose card contains the text field; else null. */
  readonly card: number | null;
  /** Whether the control is a text field, in which continuous typing is one change. */
  readonly isText: boolean;
}

interface Change {
  readonly before: Moment;
  readonly after: Moment;
  readonly place: Place;
  /** The tab before the change. It differs from that of `place` when a load switched the tab. */
  readonly tabBefore: TabName;
  readonly at: number;
  /** Whether the change is a load, after which work on the earlier state stops. */
  readonly replaces: boolean;
  /** The run that made the change; all changes of a run are one change. */
  readonly run: object | null;
}

/** Changes of a text field with a shorter pause between them are one change. */
const PAUSE_MS = 900;

/** The most stored changes. A change takes little memory, because states share equal parts. */
const MAX_CHANGES = 300;

const past = signal<readonly Change[]>([]);
const future = signal<readonly Change[]>([]);

/** The last undo or redo, for screen readers. */
export const announcement = signal("");

export const canUndo = (): boolean => past.value.length > 0;
export const canRedo = (): boolean => future.value.length > 0;

let now = moment();
let loaded = loads.value;
let isRestoring = false;
let isJoining = false;

/** Makes a change that is undone together with the previous one. */
export function joinChange(make: () => void): void {
  isJoining = true;
  try {
    make();
  } finally {
    isJoining = false;
  }
}

/** Starts to record changes of the state. */
export function rememberChanges(): void {
  now = moment();
  loaded = loads.value;
  state.subscribe((value) => {
    if (value === now.state) return;
    const before = now;
    now = moment();
    const replaces = loads.peek() !== loaded;
    loaded = loads.peek();
    if (isRestoring) return;
    const run = running.peek();
    note({
      before,
      after: now,
      place: placeNow(),
      tabBefore: replaces ? tabBeforeLoad : tab.peek(),
      at: Date.now(),
      replaces,
      run: run !== null && run.what !== "repl" && !replaces && onlyTurns(before.state, value) ? run.stop : null,
    });
  });
}

function note(change: Change): void {
  const list = past.peek();
  const last = list.at(-1);
  if (last !== undefined && future.peek().length === 0 && (isJoining || isSame(last, change))) {
    past.value = [...list.slice(0, -1), { ...change, before: last.before, tabBefore: last.tabBefore }];
    return;
  }
  past.value = [...list, change].slice(-MAX_CHANGES);
  if (future.peek().length > 0) future.value = [];
}

/** Whether a change continues the previous one. */
function isSame(last: Change, change: Change): boolean {
  if (change.replaces || last.replaces) return false;
  if (change.run !== null || last.run !== null) return change.run === last.run;
  const { control, isText, tab: shown } = change.place;
  return (
    isText &&
    control !== null &&
    last.place.control === control &&
    last.place.tab === shown &&
    change.at - last.at < PAUSE_MS
  );
}

const onlyTurns = (before: State, after: State): boolean =>
  (Object.keys(after) as (keyof State)[]).every(
    (name) => name === "turns" || name === "waiting" || before[name] === after[name],
  );

function placeNow(): Place {
  const element = document.activeElement;
  const card = element?.closest<HTMLElement>("[data-card]")?.dataset.card;
  const isText = isTextControl(element);
  const cardId = card === undefined ? null : Number(card);
  const own = element === null || element.id === "" ? null : element.id;
  return {
    tab: tab.peek(),
    control: own ?? (cardId === null ? null : `turn-${cardId}`),
    label: isText ? labelOf(element) : "",
    card: isText ? cardId : null,
    isText,
  };
}

export const isTextControl = (element: Element | null): element is HTMLElement =>
  element instanceof HTMLTextAreaElement ||
  (element instanceof HTMLInputElement && ["text", "number", "search"].includes(element.type)) ||
  (element instanceof HTMLElement && element.isContentEditable);

const labelOf = (element: Element): string =>
  element.getAttribute("aria-label") ?? (element as HTMLInputElement).labels?.[0]?.textContent ?? "";

export function undo(): void {
  const change = past.value.at(-1);
  if (change === undefined) return;
  past.value = past.value.slice(0, -1);
  future.value = [...future.value, change];
  show(change, change.before, "Undone");
}

export function redo(): void {
  const change = future.value.at(-1);
  if (change === undefined) return;
  future.value = future.value.slice(0, -1);
  past.value = [...past.value, change];
  show(change, change.after, "Redone");
}

/** Undoes all changes since a moment. They can be redone. */
export function backTo(earlier: Moment): void {
  const index = past.value.findLastIndex(({ before }) => before.state === earlier.state);
  const undone = past.value.slice(index);
  const [first] = undone;
  if (index < 0 || first === undefined) {
    const what = earlier.origin === null ? "The previous state is restored." : `Opened “${earlier.origin.title}”.`;
    replace(earlier.state, earlier.origin, what);
    return;
  }
  past.value = past.value.slice(0, index);
  future.value = [...future.value, ...undone.toReversed()];
  const replaces = undone.some((change) => change.replaces || change.run !== null);
  show({ ...first, replaces }, first.before, "Undone");
}

/** Restores a moment, and shows the place of the change. */
function show({ place, tabBefore, before, replaces, run }: Change, earlier: Moment, word: string): void {
  isRestoring = true;
  try {
    restore(earlier, replaces || run !== null, earlier === before ? tabBefore : place.tab);
  } finally {
    isRestoring = false;
  }
  announcement.value = "";
  queueMicrotask(() => {
    announcement.value = place.label === "" ? `${word}.` : `${word}: ${place.label}.`;
  });
  const { card, control } = place;
  if (card !== null && !openTurns.value.has(card) && state.value.turns.some(({ id }) => id === card)) {
    setOpen(card, true);
  }
  if (control !== null) focusSoon(control);
}

import { signal } from "@preact/signals";
import { embedded } from "./embedded.ts";
import { running } from "./running.ts";
import { savedText } from "./saved.ts";
import type { State } from "./state.ts";
import { loads, opened, state } from "./store.ts";
import { deleteStoredStates, onStoredStatesChange, readStoredStates, startStoring } from "./stored-states.ts";
import { type TabName, tab } from "./tab.ts";
import { isTextControl } from "./undo.ts";

// The states that the user worked on: the current one, and those that another state replaced. They are in memory and, with “Keep
// my work in this browser”, in the browser's storage too.

/** A state that was replaced by another one. */
export interface RecentState {
  readonly id: string;
  readonly name: string;
  readonly at: number;
  /** The state with its tab, or a fragment for a state of an earlier visit. */
  readonly content: { readonly state: State; readonly tab: TabName } | string;
}

export const MAX_RECENT = 5;

/** The replaced states, the last one first. */
export const recentStates = signal<readonly RecentState[]>([]);

/** Whether states are stored in the browser. */
export const keeping = signal(false);

/** Whether the current state is too large to be stored. */
export const isTooLarge = signal(false);

const freshId = (): string => crypto.getRandomValues(new Uint32Array(2)).join("-");

let currentId = freshId();

/** The current state as an entry of the list; null when it is unchanged since it was opened. */
export function currentEntry(): { readonly id: string; readonly entry: RecentState | null } {
  const now = { state: state.value, tab: tab.value };
  const isOwn = typed.has(now.state) || savedText(now.state) !== savedText(opened.value);
  const entry = { id: currentId, name: nameOf(now.state, now.tab), at: Date.now(), content: now };
  return { id: currentId, entry: isOwn ? entry : null };
}

/** States that the user edited or a model changed, and all later states derived from them. */
const typed = new WeakSet<State>();

/** The last state that was stored, copied or downloaded. */
let safe: State | null = null;

export const isTyped = (value: State): boolean => typed.has(value);

/** Marks a state as stored, copied or downloaded, so that the page can be closed without a question. */
export function markSafe(value: State = state.value): void {
  safe = value;
}

/** Starts to remember replaced states, and to store them if that is switched on. */
export function trackRecentStates(): void {
  const stored = embedded ? null : readStoredStates();
  keeping.value = stored !== null;
  recentStates.value = (stored ?? []).map(({ fragment, ...entry }) => ({ ...entry, content: fragment }));
  let before = { state: state.value, tab: tab.value };
  let loaded = loads.value;
  const seen = new WeakSet<State>();
  state.subscribe((value) => {
    if (value === before.state) return;
    const isLoad = loads.peek() !== loaded;
    loaded = loads.peek();
    if (!isLoad && !seen.has(value) && (typed.has(before.state) || isTyping())) typed.add(value);
    seen.add(value);
    if (isLoad) addReplaced(before.state, before.tab);
    before = { state: value, tab: tab.peek() };
  });
  if (embedded) return;
  addEventListener("beforeunload", (event) => {
    if (typed.has(state.peek()) && safe !== state.peek()) event.preventDefault();
  });
  onStoredStatesChange(() => {
    keeping.value = readStoredStates() !== null;
  });
  // The code that stores is loaded when it is switched on.
  const stop = keeping.subscribe((on) => {
    if (!on) return;
    queueMicrotask(() => stop());
    void import("./storing.ts").then(({ keepStoring }) => keepStoring());
  });
}

const isTyping = (): boolean =>
  isTextControl(document.activeElement) || (running.peek() !== null && state.peek().model !== "scripted");

let nextId: string | null = null;

/** Announces that the next loaded state is this one of the list, so that it keeps its id. */
export function expectReopened(id: string, next: State): void {
  nextId = id;
  typed.add(next);
}

/** Adds a replaced state to the list, if the user worked on it. */
function addReplaced(left: State, on: TabName): void {
  const entry = { id: currentId, name: nameOf(left, on), at: Date.now(), content: { state: left, tab: on } };
  currentId = nextId ?? freshId();
  nextId = null;
  if (history.state !== null) history.replaceState(null, "");
  const others = recentStates.peek().filter(({ id }) => id !== currentId && id !== entry.id);
  recentStates.value = (typed.has(left) ? [entry, ...others] : others).slice(0, MAX_RECENT);
}

const MAX_NAME = 48;
const CONTENT = /"content"\s*:\s*"((?:[^"\\]|\\.)+)/;

function nameOf({ mission, chat }: State, on: TabName): string {
  const firstMessage = on === "chat" ? CONTENT.exec(chat?.messages ?? "")?.[1]?.replace(/\\./g, " ") : undefined;
  const name = (firstMessage ?? mission).trim().split("\n")[0] || "Without a mission";
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name;
}

export function setKeeping(on: boolean): void {
  if (!on) deleteStoredStates();
  keeping.value = on && startStoring();
}

/** The label in the list of examples: the name of the state, and the time at which it was replaced. */
export const labelOf = ({ name, at }: RecentState): string =>
  `${name} · ${new Date(at).toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit", hour12: false })}`;

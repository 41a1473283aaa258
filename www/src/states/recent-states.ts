import { signal } from "@preact/signals";
import { embedded } from "../page/embedded.ts";
import { type TabName, tab } from "../page/tab.ts";
import { running } from "../running/running.ts";
import { savedText } from "./saved.ts";
import type { State } from "./state.ts";
import { loads, opened, openings, origin, state } from "./store.ts";
import { deleteStoredStates, onStoredStatesChange, readStoredStates, startStoring } from "./stored-states.ts";
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

/** What the storage has of the current state, while states are stored. */
export const stored = signal<"nothing" | "all" | "too large">("nothing");

export const freshId = (): string => crypto.getRandomValues(new Uint32Array(2)).join("-");

let currentId = freshId();

/** The current state as an entry of the list; null when it is unchanged since it was opened. */
export function currentEntry(): { readonly id: string; readonly entry: RecentState | null } {
  const now = { state: state.value, tab: tab.value };
  const isOwn = isWork(now.state) || savedText(now.state) !== savedText(opened.value);
  const entry = { id: currentId, name: nameOf(now.state, now.tab), at: Date.now(), content: now };
  return { id: currentId, entry: isOwn ? entry : null };
}

/** States that the user edited, pasted or opened from a file, or a model changed, and all later states derived from them. */
const work = new WeakSet<State>();

/** The last state that is elsewhere too: stored, copied, downloaded, or opened from a file. */
let safe: State | null = null;

export const isWork = (value: State): boolean => work.has(value);

/** Marks a state as safe, so that the page can be closed without a question. */
export function markSafe(value: State = state.value): void {
  safe = value;
  guardWork();
}

/** Asks before the page is closed only while that loses work: with the listener, browsers do not keep the page for “Back”. */
function guardWork(): void {
  const now = state.peek();
  if (work.has(now) && safe !== now && !embedded) addEventListener("beforeunload", ask);
  else removeEventListener("beforeunload", ask);
}

const ask = (event: Event): void => event.preventDefault();

/** Starts to remember replaced states, and to store them if that is switched on. */
export function trackRecentStates(): void {
  const kept = embedded ? null : readStoredStates();
  keeping.value = kept !== null;
  recentStates.value = (kept ?? []).map(({ fragment, ...entry }) => ({ ...entry, content: fragment }));
  let before = { state: state.value, tab: tab.value };
  let loaded = loads.value;
  let count = openings.value;
  const seen = new WeakSet<State>();
  state.subscribe((value) => {
    if (value === before.state) return;
    const isLoad = loads.peek() !== loaded;
    loaded = loads.peek();
    const isBrought = openings.peek() !== count && origin.peek() === null;
    count = openings.peek();
    if (isBrought || (!isLoad && !seen.has(value) && (work.has(before.state) || isTyping()))) work.add(value);
    seen.add(value);
    if (isLoad) addReplaced(before.state, before.tab);
    before = { state: value, tab: tab.peek() };
    guardWork();
  });
  if (embedded) return;
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
  work.add(next);
}

/** Adds a replaced state to the list, if the user worked on it. */
function addReplaced(left: State, on: TabName): void {
  const entry = { id: currentId, name: nameOf(left, on), at: Date.now(), content: { state: left, tab: on } };
  const listed = recentStates
    .peek()
    .find(({ content }) => typeof content !== "string" && content.state === state.peek());
  currentId = nextId ?? listed?.id ?? freshId();
  nextId = null;
  const others = recentStates.peek().filter(({ id }) => id !== currentId && id !== entry.id);
  recentStates.value = (work.has(left) ? [entry, ...others] : others).slice(0, MAX_RECENT);
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

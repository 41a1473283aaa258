import { parsedJson } from "../page/problem.ts";

// The states in the browser's storage. Nothing is stored until the user switches on “Keep my work in this browser”.

/** The key of the item with the states. The item exists while the switch is on. */
export const KEY = "turnfold-kept";

/** The key under which earlier versions stored the last state without asking. */
const OLD_KEY = "turnfold-last";

/** A stored state with its name. The state is the fragment of a link, which is compressed and has a version. */
export interface StoredState {
  readonly id: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly fragment: string;
}

/** The stored states, the last one first; null while the switch is off. */
export function readStoredStates(): readonly StoredState[] | null {
  const text = storedText();
  if (text === null) return null;
  // Another program may have written something else.
  const list = parsedJson(text);
  return Array.isArray(list) ? list.filter(isStoredState) : [];
}

/** The text of the item; null when there is none, and in a browser that stores nothing for this page. */
function storedText(): string | null {
  try {
    localStorage.removeItem(OLD_KEY);
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

const isStoredState = (each: Partial<Record<keyof StoredState, unknown>> | null): boolean =>
  typeof each?.id === "string" &&
  typeof each.name === "string" &&
  typeof each.at === "number" &&
  typeof each.fragment === "string";

/** Creates the item. Returns whether the browser can store data for this page. */
export function startStoring(): boolean {
  try {
    localStorage.setItem(KEY, "[]");
    return true;
  } catch {
    return false;
  }
}

export function deleteStoredStates(): void {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // The browser stores nothing for this page.
  }
}

/** Calls `changed` when another tab stores states, or removes them. */
export function onStoredStatesChange(changed: () => void): void {
  addEventListener("storage", ({ key }) => {
    if (key === KEY || key === null) changed();
  });
}

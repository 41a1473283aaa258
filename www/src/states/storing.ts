import { computed, effect } from "@preact/signals";
import { tab } from "../page/tab.ts";
import { stateFragment, withTab } from "./fragment.ts";
import {
  currentEntry,
  keeping,
  MAX_RECENT,
  markSafe,
  type RecentState,
  recentStates,
  stored,
} from "./recent-states.ts";
import { state } from "./store.ts";
import { KEY, readStoredStates, type StoredState } from "./stored-states.ts";

/** The most characters of the item: a larger one would slow the start, and other pages of the site share the storage. */
const MAX_CHARACTERS = 500_000;

/** Storing waits for a pause of `PAUSE_MS` in typing, but at most `MAX_MS`. */
const PAUSE_MS = 250;
const MAX_MS = 3000;

/** Stores the current state and the replaced ones after each change, while storing is switched on. */
export function keepStoring(): void {
  const now = computed(() => ({ on: keeping.value, state: state.value, tab: tab.value, recent: recentStates.value }));
  let due = 0;
  let timer = 0;
  const write = (): void => {
    clearTimeout(timer);
    timer = 0;
    void store();
  };
  effect(() => {
    if (!now.value.on) return;
    const time = Date.now();
    if (timer === 0) due = time + MAX_MS;
    clearTimeout(timer);
    timer = setTimeout(write, Math.min(PAUSE_MS, due - time));
  });
  addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden" && timer !== 0) write();
  });
}

async function store(): Promise<void> {
  const { id, entry: current } = currentEntry();
  const list = await Promise.all([...(current === null ? [] : [current]), ...recentStates.value].map(toStored));
  const before = readStoredStates();
  // Another tab may have switched storing off in the meantime.
  if (before === null) {
    keeping.value = false;
    return;
  }
  const ids = new Set([id, ...list.map((each) => each.id)]);
  const others = before.filter((each) => !ids.has(each.id));
  const count = writeStoredStates([...list, ...others].slice(0, MAX_RECENT + (current === null ? 0 : 1)));
  stored.value = current === null ? "nothing" : count === 0 ? "too large" : "all";
  if (typeof current?.content !== "object" || count === 0) return;
  markSafe(current.content.state);
  if (currentEntry().id === id) history.replaceState({ ...history.state, work: id }, "");
}

async function toStored({ content, ...entry }: RecentState): Promise<StoredState> {
  const fragment = typeof content === "string" ? content : withTab(await stateFragment(content.state), content.tab);
  return { ...entry, fragment };
}

/** Stores as many of the first states as there is space for. Returns their number. */
function writeStoredStates(list: readonly StoredState[]): number {
  for (let count = list.length; count >= 0; count--) {
    const text = JSON.stringify(list.slice(0, count));
    if (text.length > MAX_CHARACTERS) continue;
    try {
      localStorage.setItem(KEY, text);
      return count;
    } catch {
      // There is no space left, or the browser stores nothing for this page.
    }
  }
  return 0;
}

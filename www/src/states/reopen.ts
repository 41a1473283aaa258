import type { TabName } from "../page/tab.ts";
import { readFragment } from "./fragment.ts";
import { expectReopened, type RecentState, recentStates } from "./recent-states.ts";
import { load, loadLater, replace } from "./store.ts";

/** Reads a state of the list. Returns a function that shows it on its tab, or on the tab `on`. */
async function read({ id, content }: RecentState): Promise<(text: string | null, on?: TabName) => void> {
  const found = typeof content === "string" ? await readFragment(content, true) : content;
  if (!("state" in found)) throw new TypeError("it contains no state");
  return (text, on = found.tab) => {
    expectReopened(id, found.state);
    if (text === null) load(found.state, null, on);
    else replace(found.state, null, text, on);
  };
}

/** Goes back to a state of the list. */
export async function reopenState(id: string): Promise<void> {
  const entry = recentStates.value.find((each) => each.id === id);
  if (entry === undefined) return;
  await loadLater(
    () => read(entry),
    (show) => show(`Back to “${entry.name}”.`),
  );
}

/** A function that shows the state with an id or, for null, the last one. Null when there is none. */
export async function stateToReopen(id: string | null): Promise<((on?: TabName) => void) | null> {
  const entry = id === null ? recentStates.value[0] : recentStates.value.find((each) => each.id === id);
  if (entry === undefined) return null;
  const show = await read(entry);
  return (on) => show(null, on);
}

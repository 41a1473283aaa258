import { readFragment } from "./fragment.ts";
import { load, loadLater, replace } from "./store.ts";
import type { TabName } from "./tab.ts";
import { goesOn, type Work, works } from "./works.ts";

/** Reads a state of the list. Returns a function that shows it on its tab, or on the tab `on`. */
async function read({ id, content }: Work): Promise<(text: string | null, on?: TabName) => void> {
  const found = typeof content === "string" ? await readFragment(content, true) : content;
  if (!("state" in found)) throw new TypeError("it contains no state");
  return (text, on = found.tab) => {
    goesOn(id, found.state);
    if (text === null) load(found.state, null, on);
    else replace(found.state, null, text, on);
  };
}

/** Goes back to a state of the list. */
export async function openWork(id: string): Promise<void> {
  const work = works.value.find((each) => each.id === id);
  if (work === undefined) return;
  await loadLater(
    () => read(work),
    (show) => show(`Back to “${work.name}”.`),
  );
}

/** A function that shows the state with an id or, for null, the last one. Null when there is none or it can't be read. */
export async function storedWork(id: string | null): Promise<((on?: TabName) => void) | null> {
  const work = id === null ? works.value[0] : works.value.find((each) => each.id === id);
  if (work === undefined) return null;
  try {
    const show = await read(work);
    return (on) => show(null, on);
  } catch {
    return null;
  }
}

import { computed } from "@preact/signals";
import { embedded } from "./embedded.ts";
import { type Example, firstExample, loadExample } from "./examples/index.ts";
import { exampleFragment, readFragment, stateFragment, withTab } from "./fragment.ts";
import { keep, kept } from "./kept.ts";
import { savedText } from "./saved.ts";
import type { State } from "./state.ts";
import { load, loadLater, notice, origin, state, stateOf } from "./store.ts";
import { type TabName, tab } from "./tab.ts";

/** Safari refuses more than fifty changes of the address in thirty seconds. */
const MIN_INTERVAL_MS = 750;

/** Writing waits for a pause in typing, because browsers request the page's icon again whenever the address changes. */
const PAUSE_MS = 250;

/** The longest that writing waits. */
const MOST_MS = 3000;

/** The fragment that was opened or written last. The address has another one while a `hashchange` event is due. */
let known = "";

/** Loads the state that the address names, and then keeps the address in step with the state. */
export async function followAddress(): Promise<void> {
  if (!(await openKept())) await open();
  addEventListener("hashchange", () => void open());
  keepWriting();
}

function open(): Promise<void> {
  known = location.hash;
  return loadLater(
    () => opening(known),
    (show) => show(),
  );
}

/** Loads the state that a fragment names. Returns a function that shows it: the first example and a notice when it can't be read. */
async function opening(fragment: string): Promise<() => void> {
  let on = tab.value;
  try {
    const address = await readFragment(fragment);
    on = address.tab;
    if (address.kind === "state") return () => load(address.state, null, on);
    const example: Example | null = address.kind === "none" ? firstExample : await loadExample(address.id);
    if (example === null) throw new TypeError("there is no example of this name");
    return () => load(stateOf(example), example, on);
  } catch {
    return () => {
      load(stateOf(firstExample), firstExample, on);
      notice.value = {
        tone: "problem",
        text: `This link can’t be read: it may have been cut, or comes from another version. Here is “${firstExample.title}” instead.`,
        undo: null,
      };
    };
  }
}

/** An address without a fragment opens the last state that was stored. */
async function openKept(): Promise<boolean> {
  const fragment = embedded || location.hash !== "" ? null : kept();
  if (fragment === null) return false;
  try {
    const address = await readFragment(fragment);
    if (address.kind !== "state") return false;
    load(address.state, null, address.tab);
    notice.value = {
      tone: "info",
      text: "This is what you had here the last time.",
      undo: { state: stateOf(firstExample), origin: firstExample },
      undoLabel: `Open “${firstExample.title}” instead`,
    };
    return true;
  } catch {
    // Another version of the page stored it.
    return false;
  }
}

function keepWriting(): void {
  const now = computed(() => ({ state: state.value, tab: tab.value }));
  let written = now.value;
  let lastWrite = 0;
  let firstChange = 0;
  let lastChange = 0;
  let isUnderWay = false;
  const wait = (): void => {
    const due = Math.max(lastWrite + MIN_INTERVAL_MS, Math.min(lastChange + PAUSE_MS, firstChange + MOST_MS));
    const left = due - Date.now();
    if (left > 0) setTimeout(wait, left);
    else void write();
  };
  const write = async (): Promise<void> => {
    written = now.value;
    const ofState = await fragmentOf(written.state);
    const fragment = withTab(ofState === exampleFragment(firstExample.id) ? "" : ofState, written.tab);
    // Another address that came in the meantime is opened, not overwritten.
    if (location.hash === known) {
      history.replaceState(null, "", fragment === "" ? location.pathname + location.search : fragment);
      known = location.hash;
    }
    if (!embedded) keep(fragment);
    lastWrite = Date.now();
    isUnderWay = false;
    if (now.value !== written) begin();
  };
  const begin = (): void => {
    isUnderWay = true;
    firstChange = Date.now();
    wait();
  };
  now.subscribe((value) => {
    if (value === written) return;
    lastChange = Date.now();
    if (!isUnderWay) begin();
  });
}

/** An unchanged example is written as its name. */
async function fragmentOf(value: State): Promise<string> {
  const example = origin.value;
  const isExample = example !== null && savedText(value) === savedText(stateOf(example));
  return isExample ? exampleFragment(example.id) : stateFragment(value);
}

/** The fragment of a link to the current state. Never empty: an empty one opens the last state of the reader's browser. */
export const fragmentNow = async (shown: TabName = tab.value): Promise<string> =>
  withTab(await fragmentOf(state.value), shown);

/** A link to the current state. */
export async function linkNow(): Promise<string> {
  const { origin: site, pathname } = location;
  return `${site === "null" ? "file://" : site}${pathname}${await fragmentNow()}`;
}

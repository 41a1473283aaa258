import { computed } from "@preact/signals";
import { type Example, firstExample, loadExample } from "../examples/index.ts";
import { embedded } from "../page/embedded.ts";
import { messageOf } from "../page/problem.ts";
import { type TabName, tab } from "../page/tab.ts";
import { exampleFragment, readFragment, withoutTab, withTab } from "./fragment.ts";
import { freshId, isWork, keeping } from "./recent-states.ts";
import type { State } from "./state.ts";
import {
  load,
  loadLater,
  type Moment,
  moment,
  momentOf,
  notice,
  opened,
  openings,
  origin,
  restore,
  showProblem,
  state,
  stateOf,
} from "./store.ts";

// The address names the opened example or link, and the tab. Typed text is never written into the address, so that the
// browser's history does not contain it: only “Share” makes a link to it. What the user opens on the page is an entry of that
// history, so that Back returns to the previous state as it was left.

/** Browsers refuse many changes of the address in a short time, such as when an arrow key is held down on the tabs. */
const PAUSE_MS = 250;

/** The fragment that was opened or written last. The address differs from it while a `hashchange` event is pending. */
let known = "";

/** The links of the states that were opened from links. */
const links = new WeakMap<State, string>();

/** The number of addresses that are being opened. */
let pending = 0;

/** The data of an entry of the browser's history. */
interface Entry {
  /** The key of its moment. Absent in an entry from which nothing was opened on the page. */
  readonly key?: string;
  /** The id of the stored state. */
  readonly work?: string | null;
  readonly forgotten?: boolean;
}

/** The last moment of each entry of this visit. */
const moments = new Map<string, Moment & { readonly tab: TabName }>();

/** The key of the current entry. */
let key = freshId();

/** Loads the state that the address names, and then updates the address when another state or tab is opened. */
export async function followAddress(): Promise<void> {
  const { work = null, forgotten = false } = (history.state ?? {}) as Entry;
  known = location.hash;
  if (!(await openStored(work))) await open(true);
  if (forgotten) {
    history.replaceState(null, "");
    notice.value = { tone: "info", text: "Everything on this page was cleared.", undo: null };
  }
  addEventListener("popstate", ({ state: entry }) => entry !== null && void returnTo(entry as Entry));
  addEventListener("hashchange", () => {
    if (location.hash === known) return;
    key = freshId();
    void open();
  });
  if (!embedded) keepMoments();
  keepWriting();
}

/** Shows the state of an entry of the browser's history: as it was left, or, after a reload, as it was stored. */
async function returnTo({ key: wanted, work = null }: Entry): Promise<void> {
  known = location.hash;
  key = wanted ?? freshId();
  const left = moments.get(key);
  if (left !== undefined) restore(left, true, left.tab);
  else if (work === null || !(await openStored(work))) await open();
}

/** Keeps the moment of the current entry, and makes an entry for each state that the user opens on the page. */
function keepMoments(): void {
  let counted = openings.value;
  const now = computed(() => ({ state: state.value, tab: tab.value, count: openings.value }));
  now.subscribe(({ count, tab: shown }) => {
    if (count !== counted) {
      counted = count;
      history.replaceState({ ...history.state, key } satisfies Entry, "");
      key = freshId();
      history.pushState({ key } satisfies Entry, "", addressOf(named.peek()));
      known = location.hash;
    }
    moments.set(key, { ...moment(), tab: shown });
  });
}

async function open(isFirst = false): Promise<void> {
  known = location.hash;
  pending++;
  await loadLater(
    () => opening(known, isFirst),
    (show) => {
      const undo = moment();
      const isLost = isWork(undo.state);
      show();
      if (isLost && state.value !== undo.state && notice.value === null)
        notice.value = {
          tone: "info",
          text: "The new address opened another state. The previous one is in the list of examples.",
          undo,
        };
    },
  );
  pending--;
  write();
}

/**
 * Loads the state that a fragment names. Returns a function that shows it. When the state can't be read, a notice says why, and
 * the page keeps its state: the first example when this is the first address.
 */
async function opening(fragment: string, isFirst: boolean): Promise<() => void> {
  let on = tab.value;
  try {
    const address = await readFragment(fragment);
    on = address.tab;
    if (address.kind === "state") {
      return () => {
        links.set(address.state, withoutTab(fragment));
        load(address.state, null, on);
      };
    }
    const example: Example | null = address.kind === "none" ? firstExample : await loadExample(address.id);
    if (example === null) throw new TypeError("there is no example of this name");
    return () => load(stateOf(example), example, on);
  } catch (error) {
    return () => {
      if (isFirst) load(stateOf(firstExample), firstExample, on);
      showProblem(
        `This link can’t be read: ${messageOf(error)}. ${isFirst ? `Here is “${firstExample.title}” instead.` : "The page is unchanged."}`,
      );
    };
  }
}

/** Shows the stored state with this id of the browser's history entry, or for null the state that was stored last. */
async function openStored(id: string | null): Promise<boolean> {
  const isBare = withoutTab(known) === "" || withoutTab(known) === "#";
  if (!keeping.value || (id === null && !isBare)) return false;
  let show: Awaited<ReturnType<typeof import("./reopen.ts").stateToReopen>>;
  try {
    const { stateToReopen } = await import("./reopen.ts");
    show = await stateToReopen(id);
  } catch (error) {
    await open(true);
    showProblem(`Your stored work can’t be read: ${messageOf(error)}.`);
    return true;
  }
  if (show === null) return false;
  const address = await readFragment(known).catch(() => null);
  show(address === null || known === "" ? undefined : address.tab);
  if (id === null) {
    notice.value = {
      tone: "info",
      text: "Restored from your last visit.",
      undo: momentOf(firstExample),
      undoLabel: `Open “${firstExample.title}” instead`,
    };
  }
  return true;
}

/** The fragment of the opened example or link. Empty for the first example, a file and a host's state. */
const openedFragment = (): string => {
  const example = origin.value;
  if (example !== null) return example.id === firstExample.id ? "" : exampleFragment(example.id);
  return links.get(opened.value) ?? "";
};

const named = computed(() => withTab(openedFragment(), tab.value));

function keepWriting(): void {
  let timer = 0;
  named.subscribe(() => {
    clearTimeout(timer);
    timer = setTimeout(write, PAUSE_MS);
  });
}

function write(): void {
  // An address that is being opened, or was changed in the meantime, is not overwritten.
  if (pending > 0 || location.hash !== known) return;
  const { value } = named;
  if (value === known) return;
  history.replaceState(history.state, "", addressOf(value));
  known = location.hash;
}

const addressOf = (fragment: string): string => (fragment === "" ? location.pathname + location.search : fragment);

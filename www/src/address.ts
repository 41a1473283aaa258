import { computed } from "@preact/signals";
import { type Example, firstExample, loadExample } from "./examples/index.ts";
import { exampleFragment, readFragment, withoutTab, withTab } from "./fragment.ts";
import { isTyped, keeping } from "./recent-states.ts";
import type { State } from "./state.ts";
import { load, loadLater, notice, opened, origin, showProblem, state, stateOf } from "./store.ts";
import { tab } from "./tab.ts";

// The address names the opened example or link, and the tab. Typed text is never written into the address, so that the
// browser's history does not contain it: only “Share” makes a link to it.

/** Browsers refuse many changes of the address in a short time, such as when an arrow key is held down on the tabs. */
const PAUSE_MS = 250;

/** The fragment that was opened or written last. The address differs from it while a `hashchange` event is pending. */
let known = "";

/** The state of the link that was opened last. */
let linked: { readonly state: State; readonly fragment: string } | null = null;

/** The number of addresses that are being opened. */
let openings = 0;

/** Loads the state that the address names, and then updates the address when another state or tab is opened. */
export async function followAddress(): Promise<void> {
  const { work = null, forgotten = false } = (history.state ?? {}) as { work?: string | null; forgotten?: boolean };
  known = location.hash;
  if (!(await openStored(work))) await open(true);
  if (forgotten) {
    history.replaceState(null, "");
    notice.value = { tone: "info", text: "Everything on this page was cleared.", undo: null };
  }
  addEventListener("hashchange", () => void open());
  keepWriting();
}

async function open(isFirst = false): Promise<void> {
  known = location.hash;
  openings++;
  await loadLater(
    () => opening(known, isFirst),
    (show) => {
      const undo = { state: state.value, origin: origin.value };
      const isLost = isTyped(undo.state);
      show();
      if (isLost && state.value !== undo.state && notice.value === null)
        notice.value = {
          tone: "info",
          text: "The new address opened another state. The previous one is in the list of examples.",
          undo,
        };
    },
  );
  openings--;
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
        linked = { state: address.state, fragment: withoutTab(fragment) };
        load(address.state, null, on);
      };
    }
    const example: Example | null = address.kind === "none" ? firstExample : await loadExample(address.id);
    if (example === null) throw new TypeError("there is no example of this name");
    return () => load(stateOf(example), example, on);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return () => {
      if (isFirst) load(stateOf(firstExample), firstExample, on);
      showProblem(
        `This link can’t be read: ${why}. ${isFirst ? `Here is “${firstExample.title}” instead.` : "The page is unchanged."}`,
      );
    };
  }
}

/** Shows the stored state with this id of the browser's history entry, or for null the state that was stored last. */
async function openStored(id: string | null): Promise<boolean> {
  const isBare = withoutTab(known) === "" || withoutTab(known) === "#";
  if (!keeping.value || (id === null && !isBare)) return false;
  const { stateToReopen } = await import("./reopen.ts");
  const show = await stateToReopen(id);
  if (show === null) return false;
  const address = await readFragment(known).catch(() => null);
  show(address === null || known === "" ? undefined : address.tab);
  if (id === null) {
    notice.value = {
      tone: "info",
      text: "Restored from your last visit.",
      undo: { state: stateOf(firstExample), origin: firstExample },
      undoLabel: `Open “${firstExample.title}” instead`,
    };
  }
  return true;
}

/** The fragment of the opened example or link. Empty for the first example, a file and a host's state. */
const openedFragment = (): string => {
  const example = origin.value;
  if (example !== null) return example.id === firstExample.id ? "" : exampleFragment(example.id);
  return linked !== null && opened.value === linked.state ? linked.fragment : "";
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
  if (openings > 0 || location.hash !== known) return;
  const { value } = named;
  if (value === known) return;
  history.replaceState(history.state, "", value === "" ? location.pathname + location.search : value);
  known = location.hash;
}

import { computed } from "@preact/signals";
import { examples, firstExample } from "./examples/index.ts";
import { exampleFragment, readFragment, stateFragment, withTab } from "./fragment.ts";
import { savedText } from "./saved.ts";
import type { State } from "./state.ts";
import { load, notice, origin, state, stateOf } from "./store.ts";
import { tab } from "./tab.ts";

/** Safari refuses more than fifty changes of the address in thirty seconds. */
const MIN_INTERVAL_MS = 750;

/** Loads what the address stands for, and from then on keeps the address at what the page shows. */
export async function followAddress(): Promise<void> {
  await open(location.hash);
  addEventListener("hashchange", () => void open(location.hash));
  keepWriting();
}

async function open(fragment: string): Promise<void> {
  try {
    const address = await readFragment(fragment);
    tab.value = address.tab;
    if (address.kind === "state") return load(address.state, null);
    const example = address.kind === "none" ? firstExample : examples.find((candidate) => candidate.id === address.id);
    if (example === undefined) throw new TypeError("there is no example of this name");
    load(stateOf(example), example);
  } catch {
    load(stateOf(firstExample), firstExample);
    notice.value = {
      tone: "problem",
      text: `This link can’t be read: it may have been cut, or comes from another version. Here is “${firstExample.title}” instead.`,
      undo: null,
    };
  }
}

function keepWriting(): void {
  const now = computed(() => ({ state: state.value, tab: tab.value }));
  let written = now.value;
  let lastWrite = 0;
  let waiting = false;
  const schedule = (): void => {
    if (waiting || now.value === written) return;
    waiting = true;
    setTimeout(write, Math.max(0, lastWrite + MIN_INTERVAL_MS - Date.now()));
  };
  const write = async (): Promise<void> => {
    written = now.value;
    const fragment = withTab(await fragmentOf(written.state), written.tab);
    history.replaceState(null, "", fragment === "" ? location.pathname + location.search : fragment);
    lastWrite = Date.now();
    waiting = false;
    schedule();
  };
  now.subscribe(schedule);
}

/** An example that was not changed is named; the first one needs no fragment. */
async function fragmentOf(value: State): Promise<string> {
  const example = origin.value;
  if (example === null || savedText(value) !== savedText(stateOf(example))) return stateFragment(value);
  return example === firstExample ? "" : exampleFragment(example.id);
}

import { computed } from "@preact/signals";
import { fragmentNow } from "./address.ts";
import { type Example, loadExample } from "./examples/index.ts";
import { readFragment } from "./fragment.ts";
import { fromSaved, savedText } from "./saved.ts";
import type { State } from "./state.ts";
import { load, state, stateOf } from "./store.ts";
import { isTab, type TabName, tab } from "./tab.ts";

// The page in a frame of another one, and the messages between them. The page around it is told the state only once it has
// asked, and only under the origin that it asked from. Whatever else it sends is answered with an error or not at all.

const VERSION = 1;

/** Between two messages about the state. */
const MIN_INTERVAL_MS = 250;

/** As much as a link may unpack to. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

/** The origin of the page around this one, once it has asked. */
let asker: string | null = null;

export function listenToParent(): void {
  if (parent === window) return;
  // One after the other, in the order in which they came.
  let last = Promise.resolve();
  addEventListener("message", ({ source, origin, data }: MessageEvent<unknown>) => {
    if (source !== parent || !isForUs(data)) return;
    last = last.then(() => take(data, origin));
  });
  // It says nothing but that somebody listens, so everybody may know.
  parent.postMessage({ type: "turnfold:ready", version: VERSION }, "*");
}

type Request = Readonly<Record<string, unknown>> & { readonly type: string };

const isForUs = (data: unknown): data is Request =>
  typeof data === "object" &&
  data !== null &&
  "type" in data &&
  typeof data.type === "string" &&
  data.type.startsWith("turnfold:");

async function take(request: Request, origin: string): Promise<void> {
  // A page without an origin can't be told from any other.
  if (origin === "null") return;
  const answer = (message: string): void => parent.postMessage({ type: "turnfold:error", message }, origin);
  if (request.type !== "turnfold:load") {
    return answer(`there is no message ${request.type.slice(0, 80)}: send turnfold:load`);
  }
  try {
    const { state: next, from, tab: shown } = await read(request);
    if (next !== null) load(next, from, shown ?? tab.value);
    else if (shown !== null) tab.value = shown;
    if (asker === null) follow();
    asker = origin;
    await tell();
  } catch (error) {
    answer(error instanceof Error ? error.message : String(error));
  }
}

/** What is asked to be shown; null for what stays. */
interface Wanted {
  readonly state: State | null;
  readonly from: Example | null;
  readonly tab: TabName | null;
}

async function read(request: Request): Promise<Wanted> {
  const { state: saved, fragment, tab: name } = request;
  if (name !== undefined && (typeof name !== "string" || !isTab(name)))
    throw new TypeError("tab is no tab of the page");
  const shown = name ?? null;
  if (saved !== undefined && fragment !== undefined) throw new TypeError("give state or fragment, not both");
  if (saved !== undefined) {
    const next = fromSaved(saved);
    if (savedText(next).length > MOST_CHARACTERS) throw new RangeError("state holds too much");
    return { state: next, from: null, tab: shown };
  }
  if (fragment === undefined) return { state: null, from: null, tab: shown };
  if (typeof fragment !== "string") throw new TypeError("fragment is not a text");
  const address = await readFragment(fragment.startsWith("#") ? fragment : `#${fragment}`);
  if (address.kind === "state") return { state: address.state, from: null, tab: shown ?? address.tab };
  const example = address.kind === "none" ? null : await loadExample(address.id);
  if (example === null) throw new TypeError("fragment stands for nothing");
  return { state: stateOf(example), from: example, tab: shown ?? address.tab };
}

/** From now on the page around this one is told of changes. */
function follow(): void {
  const now = computed(() => ({ state: state.value, tab: tab.value }));
  let waiting = false;
  now.subscribe(() => {
    if (waiting) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      void tell();
    }, MIN_INTERVAL_MS);
  });
}

let told = "";

async function tell(): Promise<void> {
  if (asker === null) return;
  const text = savedText(state.value);
  const shown = tab.value;
  const key = `${asker} ${shown} ${text}`;
  if (key === told) return;
  told = key;
  const message = {
    type: "turnfold:state",
    version: VERSION,
    tab: shown,
    fragment: await fragmentNow(),
    state: JSON.parse(text) as unknown,
  };
  parent.postMessage(message, asker);
}

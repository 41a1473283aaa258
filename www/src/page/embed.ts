import { computed } from "@preact/signals";
import { type Example, loadExample } from "../examples/index.ts";
import { excessOf } from "../share/limits.ts";
import { fragmentNow } from "../share/link.ts";
import { readFragment } from "../states/fragment.ts";
import { fromSaved, savedText } from "../states/saved.ts";
import type { State } from "../states/state.ts";
import { load, loadLater, state, stateOf } from "../states/store.ts";
import { receiveMessages } from "./embedded.ts";
import { messageOf } from "./problem.ts";
import { isTab, type TabName, tab } from "./tab.ts";

// The messages between the page in a frame and its host page. The host gets the state only after it has sent a request, and
// only at the origin of that request. An invalid message is answered with an error or ignored.

const VERSION = 1;

/** The shortest time between two state messages. */
const MIN_INTERVAL_MS = 250;

/** The same limit as for an unpacked link. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** The origin of the host's last request; null before the first. */
let hostOrigin: string | null = null;

let last: Promise<void> = Promise.resolve();

/** Runs asynchronous handlers one after the other, so that the host gets the states in the order of the page. */
function inOrder(handle: () => Promise<void>): void {
  last = last.then(handle).catch(reportError);
}

/** The last load, which a request for another tab waits for. */
let lastLoad: Promise<unknown> = Promise.resolve();

export function listenToParent(): void {
  if (parent === window) return;
  receiveMessages(({ source, origin, data }) => {
    if (source === parent && isForUs(data)) take(data, origin);
  });
  // Any host may get this message: it says only that the page listens.
  parent.postMessage({ type: "turnfold:ready", version: VERSION }, "*");
}

type Request = Readonly<Record<string, unknown>> & { readonly type: string };

const isForUs = (data: unknown): data is Request =>
  typeof data === "object" &&
  data !== null &&
  "type" in data &&
  typeof data.type === "string" &&
  data.type.startsWith("turnfold:");

/** Starts to load the requested state at once, so that a newer request wins over one that is still loading. */
function take(request: Request, origin: string): void {
  // Pages without an origin can't be distinguished from each other.
  if (origin === "null") return;
  const refusal = loadOf(request).then(() => null, messageOf);
  inOrder(async () => {
    const message = await refusal;
    if (message !== null) return parent.postMessage({ type: "turnfold:error", message }, origin);
    if (hostOrigin === null) follow();
    hostOrigin = origin;
    await send();
  });
}

async function loadOf(request: Request): Promise<void> {
  if (request.type !== "turnfold:load")
    throw new TypeError(`there is no message ${request.type.slice(0, 80)}: send turnfold:load`);
  const shown = tabOf(request);
  if (request.state === undefined && request.fragment === undefined) {
    const before = lastLoad;
    await before.catch(() => {});
    if (lastLoad === before) tab.value = shown ?? tab.value;
    return;
  }
  const loaded = loadLater(
    () => read(request),
    (wanted) => load(wanted.state, wanted.from, shown ?? wanted.tab),
  );
  lastLoad = loaded;
  await loaded;
}

/** The tab that a request names; null for the shown tab. */
function tabOf({ tab: name }: Request): TabName | null {
  if (name !== undefined && (typeof name !== "string" || !isTab(name)))
    throw new TypeError("tab is not a tab of the page");
  return name ?? null;
}

interface Wanted {
  readonly state: State;
  readonly from: Example | null;
  readonly tab: TabName;
}

async function read({ state: saved, fragment }: Request): Promise<Wanted> {
  if (saved !== undefined && fragment !== undefined) throw new TypeError("give state or fragment, not both");
  if (saved !== undefined) {
    const excess = excessOf(saved);
    if (excess !== null) throw new RangeError(excess.replace("a link", "a state"));
    const next = fromSaved(saved);
    if (savedText(next).length > MAX_CHARACTERS) throw new RangeError("state is too large");
    return { state: next, from: null, tab: tab.value };
  }
  if (typeof fragment !== "string") throw new TypeError("fragment is not a string");
  const address = await readFragment(fragment.startsWith("#") ? fragment : `#${fragment}`);
  if (address.kind === "state") return { state: address.state, from: null, tab: address.tab };
  const example = address.kind === "none" ? null : await loadExample(address.id);
  if (example === null) throw new TypeError("fragment names no state or example");
  return { state: stateOf(example), from: example, tab: address.tab };
}

/** Starts to send changes to the host. */
function follow(): void {
  const now = computed(() => ({ state: state.value, tab: tab.value }));
  let waiting = false;
  now.subscribe(() => {
    if (waiting) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      inOrder(send);
    }, MIN_INTERVAL_MS);
  });
}

/** The origin, tab and state that were sent last. */
let sent = "";

async function send(): Promise<void> {
  if (hostOrigin === null) return;
  const text = savedText(state.value);
  const shown = tab.value;
  const key = `${hostOrigin} ${shown} ${text}`;
  if (key === sent) return;
  sent = key;
  const message = {
    type: "turnfold:state",
    version: VERSION,
    tab: shown,
    fragment: await fragmentNow(true),
    state: JSON.parse(text) as unknown,
  };
  parent.postMessage(message, hostOrigin);
}

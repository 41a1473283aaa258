import { batch, computed, effect, signal } from "@preact/signals";
import { allow } from "../custom/ran.ts";
import { type Example, firstExample, loadExample } from "../examples/index.ts";
import { embedded } from "../page/embedded.ts";
import { focusSoon } from "../page/focus.ts";
import { fieldId, messageOf } from "../page/problem.ts";
import { type TabName, tab } from "../page/tab.ts";
import { counterFor, loadCounter } from "../tokens/counters.ts";
import { amountsOf, pricesOf, type TokenSettings } from "../tokens/settings.ts";
import { type StrategyChoice, strategies } from "../turns/options.ts";
import { createRenderer, type Frame } from "../turns/render.ts";
import { fromSaved } from "./saved.ts";
import { blankTurn, copyOfTurn, inserted, moved, patched, type State, type TurnEntry, without } from "./state.ts";

export const stateOf = (example: Example): State => fromSaved(example.state);

/** The state of the page. */
export const state = signal<State>(stateOf(firstExample));
/** The example that was opened; null for a state from a link, a file or a host. */
export const origin = signal<Example | null>(firstExample);
/** Whether the introduction is shown: while the first example is open, and not in a frame or in `turnfold studio`. */
export const isLeadShown = (): boolean =>
  !embedded && origin.value === firstExample && import.meta.env.MODE !== "studio";
/** The loaded state before the first edit. */
export const opened = signal<State>(state.value);

/** A state that can be restored, with what it was opened from. */
export interface Moment {
  readonly state: State;
  readonly origin: Example | null;
  readonly opened: State;
}
export const moment = (): Moment => ({ state: state.peek(), origin: origin.peek(), opened: opened.peek() });

export function momentOf(example: Example): Moment {
  const its = stateOf(example);
  return { state: its, origin: example, opened: its };
}

/** The ids of the turns that are open in a newly loaded state. */
function openIn({ turns }: State, from: Example | null): ReadonlySet<number> {
  const first = turns[(from?.opens ?? 0) - 1];
  return new Set(first === undefined ? [] : [first.id]);
}
export const openTurns = signal(openIn(state.value, firstExample));

/** The groups of the brief that are open, by id. */
export const openGroups = signal<ReadonlySet<string>>(new Set());

/** A message about the last action, with the moment that “Undo” restores. */
export interface Notice {
  readonly tone: "info" | "problem";
  readonly text: string;
  readonly undo: Moment | null;
  /** The label of the button that restores it. Default: “Undo”. */
  readonly undoLabel?: string;
}
export const notice = signal<Notice | null>(null);

export function showProblem(text: string): void {
  notice.value = { tone: "problem", text, undo: null };
}

/** The number of loads so far. Work on an earlier state must stop when it changes. */
export const loads = signal(0);
/** The number of states that the user opened on the page so far. Each has an entry in the browser's history. */
export const openings = signal(0);
/** The tab before the last load. */
export let tabBeforeLoad: TabName = tab.value;

const render = createRenderer();
/** The members of the state on which turns do not depend. */
const apart: ReadonlySet<string> = new Set(["chat", "programs", "tokens", "waiting"] satisfies (keyof State)[]);
const ofTurns = [
  ...(Object.keys(state.value) as (keyof State)[])
    .filter((name) => !apart.has(name))
    .map((name) => computed(() => state.value[name])),
  // The strategy `journal` depends on the prices of the page.
  computed(() => state.value.strategy === "journal" && JSON.stringify(pricesOf(amountsOf(state.value.tokens)))),
];
/** The state, updated only when a member changes on which turns depend. */
const stateOfTurns = computed((): State => {
  for (const member of ofTurns) member.value;
  return state.peek();
});
const counterChoice = computed(() => state.value.tokens.counter);
effect(() => void loadCounter(counterChoice.value));
/** The token counter of the page. */
export const counter = computed(() => counterFor(counterChoice.value));
export const outcome = computed(() => render(stateOfTurns.value, counter.value));

let lastGood: Frame | null = null;
/** The frame of the right side: while the state has a problem, the last frame without one. */
export const shown = computed((): { readonly frame: Frame | null; readonly stale: boolean } => {
  const { frame } = outcome.value;
  if (frame !== null) lastGood = frame;
  return { frame: lastGood, stale: frame === null };
});

export const editTokens = (patch: Partial<TokenSettings>): void =>
  edit({ tokens: { ...state.value.tokens, ...patch } });

export function edit(patch: Partial<State>): void {
  state.value = { ...state.value, ...patch };
}

/** Chooses a strategy of the turns. A custom one then runs. */
export function chooseStrategy(strategy: StrategyChoice): void {
  if (strategy === "custom") allow(state.value.customStrategy);
  edit({ strategy });
}

/** The strategies to compare: all, but a custom one only after it was chosen or written. */
export const comparable = computed(() => {
  const { strategy, customStrategy } = state.value;
  return strategies.filter(({ name }) => name !== "custom" || strategy === name || customStrategy !== "");
});

// Loaded with the first custom strategy.
effect(() => {
  if (comparable.value.some(({ name }) => name === "custom"))
    void import("../custom/turns.ts").then(({ followCustom }) => followCustom());
});

/** Makes a change of more than one field, with a notice that offers to undo it. */
export function change(patch: Partial<State>, text: string): void {
  const undo = moment();
  batch(() => {
    edit(patch);
    notice.value = { tone: "info", text, undo };
  });
}

/** A state that was requested and is not shown yet. */
interface Request {
  /** The previous request, which is shown when this one fails. */
  readonly before: Request | null;
  /** Resolves its promise. */
  readonly end: () => void;
  readonly fail: (error: unknown) => void;
  /** Shows the state; null until it has been read. */
  show: (() => void) | null;
  hasFailed: boolean;
}

let newest: Request | null = null;

/**
 * Reads a state asynchronously, and passes it to `show`. The newest request wins: an older one is void when a newer one is shown
 * or another state is loaded, and is shown only when all newer ones fail. The promise settles when the request is shown, void
 * or failed.
 */
export const loadLater = <T>(read: () => Promise<T>, show: (loaded: T) => void): Promise<void> =>
  new Promise((end, fail) => {
    const own: Request = { before: newest, end, fail, show: null, hasFailed: false };
    newest = own;
    void read()
      .then(
        (loaded) => {
          own.show = () => show(loaded);
        },
        (error: unknown) => {
          own.hasFailed = true;
          fail(error);
        },
      )
      .then(showNewest);
  });

function showNewest(): void {
  while (newest?.hasFailed === true) newest = newest.before;
  const request = newest;
  if (request === null || request.show === null) return;
  try {
    request.show();
    voidRequests();
  } catch (error) {
    request.hasFailed = true;
    request.fail(error);
    showNewest();
  }
}

/** Ends all earlier requests when another state is loaded. */
function voidRequests(): void {
  const last = newest;
  newest = null;
  for (let each = last; each !== null; each = each.before) each.end();
}

/** Replaces the state, and shows a tab. */
export function load(next: State, from: Example | null, on: TabName = tab.value): void {
  voidRequests();
  tabBeforeLoad = tab.value;
  batch(() => {
    tab.value = on;
    lastGood = null;
    loads.value++;
    state.value = next;
    opened.value = next;
    origin.value = from;
    openTurns.value = openIn(next, from);
    notice.value = null;
  });
}

/** Restores an earlier state on a tab. With `replaces`, this counts as a load: work on the current state stops. */
export function restore(earlier: Moment, replaces: boolean, on: TabName): void {
  tabBeforeLoad = tab.value;
  batch(() => {
    if (replaces) {
      voidRequests();
      lastGood = null;
      loads.value++;
    }
    state.value = earlier.state;
    opened.value = earlier.opened;
    origin.value = earlier.origin;
    tab.value = on;
    notice.value = null;
  });
}

/** Opens a state, with a notice that offers to undo it. */
export function replace(next: State, from: Example | null, text: string, on: TabName = tab.value): void {
  const undo = moment();
  batch(() => {
    openings.value++;
    load(next, from, on);
    notice.value = { tone: "info", text, undo };
  });
}

/** Opens an example on one of its tabs. */
export async function openExample(id: string): Promise<void> {
  const show = (example: Example | null): void => {
    if (example === null) return;
    const on = example.tabs.includes(tab.value) ? tab.value : example.tabs[0];
    replace(stateOf(example), example, `Opened “${example.title}”.`, on);
  };
  try {
    await loadLater(() => loadExample(id), show);
  } catch (error) {
    showProblem(`The example could not be loaded: ${messageOf(error)}.`);
  }
}

export function reset(): void {
  const example = origin.value ?? firstExample;
  replace(stateOf(example), example, `Back to “${example.title}”.`);
}

const turnsWith = (change: (turns: readonly TurnEntry[]) => readonly TurnEntry[]): void =>
  edit({ turns: change(state.value.turns) });

export const editTurn = (id: number, patch: Partial<TurnEntry>): void =>
  turnsWith((turns) => patched(turns, id, patch));

const withMember = <T>(members: ReadonlySet<T>, member: T, present: boolean): ReadonlySet<T> => {
  const next = new Set(members);
  if (present) next.add(member);
  else next.delete(member);
  return next;
};

export function setOpen(id: number, open: boolean): void {
  openTurns.value = withMember(openTurns.value, id, open);
}

export function setGroupOpen(id: string, open: boolean): void {
  openGroups.value = withMember(openGroups.value, id, open);
}

export function addTurn(): void {
  insertTurn(state.value.turns.length, blankTurn());
}

export function duplicateTurn(id: number): void {
  const index = state.value.turns.findIndex((turn) => turn.id === id);
  const turn = state.value.turns[index];
  if (turn !== undefined) insertTurn(index + 1, copyOfTurn(turn));
}

function insertTurn(index: number, turn: TurnEntry): void {
  batch(() => {
    turnsWith((turns) => inserted(turns, index, turn));
    setOpen(turn.id, true);
  });
  focusSoon(fieldId("program", turn));
}

export function deleteTurn(id: number): void {
  const index = state.value.turns.findIndex((turn) => turn.id === id);
  const undo = moment();
  batch(() => {
    turnsWith((turns) => without(turns, id));
    setOpen(id, false);
    notice.value = { tone: "info", text: `Turn ${index + 1} deleted.`, undo };
  });
  const neighbour = state.value.turns[index] ?? state.value.turns.at(-1);
  focusSoon(neighbour === undefined ? "add-turn" : fieldId("turn", neighbour));
}

export const moveTurn = (id: number, index: number): void => turnsWith((turns) => moved(turns, id, index));

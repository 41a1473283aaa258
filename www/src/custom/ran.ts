import { signal } from "@preact/signals";
import { type PriceList, TurnfoldError } from "turnfold";
import type { Problem, Problems } from "../page/problem.ts";
import type { State } from "../states/state.ts";
import { amountsOf, pricesOf } from "../tokens/settings.ts";
import { type RequestTable, WAITS, waiting } from "./requests.ts";

/** The id of the field with the custom strategy. */
export const CUSTOM_FIELD = "custom-strategy";

/** The last run of the custom strategy of turns. */
interface Ran {
  readonly of: State;
  /** The requests; with a problem, none. */
  readonly table: RequestTable;
  readonly problem: Problem | null;
}

export const ran = signal<Ran | null>(null);

/** The members, beside the prices, on which the requests of a custom strategy depend. */
const members = [
  "customStrategy",
  "turns",
  "mission",
  "systemPrompt",
  "tools",
  "data",
  "signature",
  "fields",
  "options",
  "toolResults",
] as const satisfies readonly (keyof State)[];

export const isRanOf = (now: State): boolean => {
  const of = ran.value?.of;
  return of !== undefined && members.every((name) => of[name] === now[name]) && hasSamePrices(of, now);
};

/** The prices that a custom strategy gets: those by which the built-in ones fold. */
export const pricesFor = ({ tokens }: State): PriceList => pricesOf(amountsOf(tokens));

const hasSamePrices = (left: State, right: State): boolean =>
  left.tokens === right.tokens || JSON.stringify(pricesFor(left)) === JSON.stringify(pricesFor(right));

/** The requests of the custom strategy of a state. Adds its problem. */
export function customOf(now: State, problems: Problems): RequestTable {
  if (!isRanOf(now) || ran.value === null) return waiting;
  const { table, problem } = ran.value;
  if (problem !== null) problems.set(CUSTOM_FIELD, problem);
  return table;
}

/** Whether an error says that the custom strategy has not run yet. */
export const hasNotRun = (error: unknown): boolean => TurnfoldError.isInstance(error) && error.cause === WAITS;

/** The texts of strategies that may run: those that were typed here, or that the user has run or chosen. Empty is an example. */
export const allowed = signal<ReadonlySet<string>>(new Set([""]));

export function allow(source: string): void {
  allowed.value = new Set(allowed.value).add(source);
}

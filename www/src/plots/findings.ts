// What plots show, in words.

import { formatted, money, percent } from "../page/numbers.ts";

interface Course {
  readonly unit: string;
  readonly numbers: readonly number[];
  readonly tokens: readonly number[];
  /** The tokens without the strategy; null when there is none. */
  readonly plain: readonly number[] | null;
  /** The label of the strategy. */
  readonly strategy: string | null;
}

/** The first, the largest and the last request. */
export function courseFinding({ unit, numbers, tokens, plain, strategy }: Course): string {
  const of = (index: number, noun = ""): string =>
    `${formatted(tokens[index] ?? 0)}${noun} in ${unit} ${formatted(numbers[index] ?? 0)}`;
  const last = tokens.length - 1;
  const top = tokens.indexOf(Math.max(...tokens));
  const most = top === last || top === 0 ? "" : `, at most ${of(top)}`;
  const without = plain?.[last] ?? 0;
  const share =
    without === 0 ? "" : `: ${percent(tokens[last] ?? 0, without)} of the ${formatted(without)} without a strategy`;
  return `With ${strategy === null ? "no strategy" : `“${strategy}”`}, requests go from ${of(0, " tokens")} to ${of(last)}${most}${share}.`;
}

interface Sums {
  readonly name: string;
  readonly label: string;
  /** The cost up to each request. */
  readonly values: readonly number[];
}

/** Costs that differ by less than this share are the same. */
const SAME = 0.005;

/** From which request on a strategy costs less than another one, to the end; null if it does not at the end. */
export function lessFrom(one: Sums, other: Sums): number | null {
  const dearer = one.values.findLastIndex((value, index) => value >= (1 - SAME) * (other.values[index] ?? 0));
  return dearer === one.values.length - 1 ? null : dearer + 1;
}

/** Where the costs of the chosen strategy cross those without one and the least ones. */
export function costFinding(all: readonly Sums[], chosen: string, unit: string): string {
  const last = ({ values }: Sums): number => values.at(-1) ?? 0;
  const own = all.find(({ name }) => name === chosen) as Sums;
  const none = all.find(({ name }) => name === "none");
  const least = all.reduce((best, sums) => (last(sums) < last(best) ? sums : best), own);
  const isLeast = last(least) >= (1 - SAME) * last(own);
  if (none === undefined || none === own)
    return isLeast ? `No strategy makes the run cheaper: ${money(last(own))}.` : comparison(least, own, unit);
  const others = isLeast
    ? `No other strategy costs less after ${unit} ${own.values.length}.`
    : least === none
      ? "No other strategy costs less either."
      : comparison(least, own, unit);
  return `${comparison(own, none, unit)} ${others}`;
}

const titled = ({ name, label }: Sums): string => (name === "none" ? "no strategy" : `“${label}”`);

function comparison(one: Sums, other: Sums, unit: string): string {
  const [sum, than] = [one.values.at(-1) ?? 0, other.values.at(-1) ?? 0];
  const amounts = `${money(sum)} instead of ${money(than)} after ${unit} ${one.values.length}`;
  const from = money(sum) === money(than) ? null : lessFrom(one, other);
  if (from !== null) return `${titled(one)} costs less than ${titled(other)} from ${unit} ${from + 1} on: ${amounts}.`;
  const more = money(sum) === money(than) ? null : lessFrom(other, one);
  if (more === null) return `${titled(one)} costs as much as ${titled(other)}: ${money(sum)}.`;
  const since = more === 0 ? "at every length" : `from ${unit} ${more + 1} on`;
  return `${titled(one)} costs more than ${titled(other)} ${since}: ${amounts}.`;
}

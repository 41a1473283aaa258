import type { TokenCounter } from "turnfold";
import { Counts } from "./counts.ts";
import type { RequestHistory, Requests } from "./request-history.ts";

/** The tokens of the request after a number of turns. */
export interface Point {
  readonly turns: number;
  readonly folded: Call;
  /** The request without compression. */
  readonly plain: Call;
}

/** One request to a model. */
export interface Call {
  readonly tokens: number;
}

/** The most turns of a history that is counted completely; a longer one is sampled. */
const MAX_TURNS = 200;
const STEPS = 100;

/** The numbers of turns for which there is a point, from 0 to all. */
export function sampledTurns(turns: number): number[] {
  const step = turns <= MAX_TURNS ? 1 : Math.ceil(turns / STEPS);
  const counts = Array.from({ length: Math.ceil(turns / step) }, (_, index) => index * step);
  return [...counts, turns];
}

interface Known {
  readonly requestHistory: RequestHistory;
  readonly counter: TokenCounter;
  readonly points: ReadonlyMap<number, Point>;
}

/** The points of an edited history. Points before the changed turn are reused. */
export class Timeline {
  readonly #counts = new Counts();
  #known: Known | null = null;

  /** Counts one point in each step, and returns all points at the end. */
  *points(requestHistory: RequestHistory, counter: TokenCounter): Generator<undefined, readonly Point[]> {
    const kept = this.#reusablePoints(requestHistory, counter);
    this.#counts.begin(counter);
    using folded = new Calls(requestHistory.open(true), this.#counts);
    using plain = new Calls(requestHistory.open(false), this.#counts);
    const points: Point[] = [];
    for (const turns of sampledTurns(requestHistory.turns.length)) {
      let point = kept.get(turns);
      if (point === undefined) {
        const call = folded.after(turns);
        point = { turns, folded: call, plain: requestHistory.folds ? plain.after(turns) : call };
        yield;
      }
      points.push(point);
    }
    this.#known = { requestHistory, counter, points: new Map(points.map((point) => [point.turns, point])) };
    return points;
  }

  #reusablePoints(requestHistory: RequestHistory, counter: TokenCounter): ReadonlyMap<number, Point> {
    const known = this.#known;
    if (known === null || known.counter !== counter || known.requestHistory.options !== requestHistory.options)
      return new Map();
    const before = known.requestHistory.turns;
    if (requestHistory.countsBack && before.length !== requestHistory.turns.length) return new Map();
    let same = 0;
    while (same < before.length && before[same] === requestHistory.turns[same]) same++;
    return new Map([...known.points].filter(([turns]) => turns <= same));
  }
}

class Calls implements Disposable {
  readonly #requests: Requests;
  readonly #counts: Counts;

  constructor(requests: Requests, counts: Counts) {
    this.#requests = requests;
    this.#counts = counts;
  }

  after(turns: number): Call {
    const messages = this.#requests.messagesAfter(turns);
    return { tokens: messages.reduce((sum, { content }) => sum + this.#counts.of(content), 0) };
  }

  [Symbol.dispose](): void {
    this.#requests[Symbol.dispose]();
  }
}

import type { TokenCounter } from "turnfold";
import type { Asked, Requests } from "./asked.ts";
import { Counts } from "./counts.ts";

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
const MOST_TURNS = 200;
const STEPS = 100;

/** The numbers of turns for which there is a point, from 0 to all. */
export function placesOf(turns: number): number[] {
  const step = turns <= MOST_TURNS ? 1 : Math.ceil(turns / STEPS);
  const places = Array.from({ length: Math.ceil(turns / step) }, (_, index) => index * step);
  return [...places, turns];
}

interface Known {
  readonly asked: Asked;
  readonly counter: TokenCounter;
  readonly points: ReadonlyMap<number, Point>;
}

/** The points of an edited history. Points before the changed turn are reused. */
export class Timeline {
  readonly #counts = new Counts();
  #known: Known | null = null;

  /** Counts one point in each step, and returns all points at the end. */
  *points(asked: Asked, counter: TokenCounter): Generator<undefined, readonly Point[]> {
    const kept = this.#kept(asked, counter);
    this.#counts.begin(counter);
    using folded = new Calls(asked.open(true), this.#counts);
    using plain = new Calls(asked.open(false), this.#counts);
    const points: Point[] = [];
    for (const turns of placesOf(asked.turns.length)) {
      let point = kept.get(turns);
      if (point === undefined) {
        const call = folded.after(turns);
        point = { turns, folded: call, plain: asked.folds ? plain.after(turns) : call };
        yield;
      }
      points.push(point);
    }
    this.#known = { asked, counter, points: new Map(points.map((point) => [point.turns, point])) };
    return points;
  }

  #kept(asked: Asked, counter: TokenCounter): ReadonlyMap<number, Point> {
    const known = this.#known;
    if (known === null || known.counter !== counter || known.asked.options !== asked.options) return new Map();
    const before = known.asked.turns;
    if (asked.countsBack && before.length !== asked.turns.length) return new Map();
    let same = 0;
    while (same < before.length && before[same] === asked.turns[same]) same++;
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

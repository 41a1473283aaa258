import type { Rendered, SectionKind, TokenCounter } from "turnfold";
import { messagesOf, sectionTotals } from "../turns/sections.ts";
import { Counts } from "./counts.ts";
import type { RequestHistory, Requests } from "./request-history.ts";
import { sharedWith } from "./shared.ts";

/** The tokens of the request after a number of turns. */
export interface Point {
  readonly turns: number;
  readonly folded: Call;
  /** The tokens of its sections by their kinds. */
  readonly kinds: readonly (readonly [kind: SectionKind | "message", tokens: number])[];
  /** The request without compression. */
  readonly plain: Pick<Call, "tokens">;
}

/** One request to a model. */
interface Call {
  readonly tokens: number;
  /** The tokens that begin this request and the one before it, approximately; null where that one is not counted. */
  readonly repeated: number | null;
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
        const call = folded.after(turns, points.at(-1)?.turns === turns - 1);
        const other = requestHistory.folds ? { tokens: plain.tokensAfter(turns) } : call;
        point = { turns, folded: call, kinds: folded.kindsAfter(turns), plain: other };
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
  #last: { readonly turns: number; readonly request: Rendered } | null = null;

  constructor(requests: Requests, counts: Counts) {
    this.#requests = requests;
    this.#counts = counts;
  }

  tokensAfter(turns: number): number {
    return this.#tokensOf(this.#requestAfter(turns).messages);
  }

  kindsAfter(turns: number): Point["kinds"] {
    return sectionTotals(messagesOf(this.#requestAfter(turns), [], (text) => this.#counts.of(text)));
  }

  /** The request after `turns` turns. With `isCompared`, it is compared with the one before it. */
  after(turns: number, isCompared: boolean): Call {
    const before = isCompared ? this.#requestAfter(turns - 1).messages : null;
    const { messages } = this.#requestAfter(turns);
    return { tokens: this.#tokensOf(messages), repeated: turns === 0 ? 0 : before && this.#repeated(before, messages) };
  }

  #requestAfter(turns: number): Rendered {
    if (this.#last?.turns !== turns) this.#last = { turns, request: this.#requests.after(turns) };
    return this.#last.request;
  }

  #tokensOf(messages: Rendered["messages"]): number {
    return messages.reduce((sum, { content }) => sum + this.#counts.of(content), 0);
  }

  #repeated(before: Rendered["messages"], messages: Rendered["messages"]): number {
    const { messages: same, units } = sharedWith(before, messages);
    const { content } = messages[same] ?? { content: "" };
    const begun = units === 0 ? 0 : Math.round((this.#counts.of(content) * units) / content.length);
    return this.#tokensOf(messages.slice(0, same)) + begun;
  }

  [Symbol.dispose](): void {
    this.#requests[Symbol.dispose]();
  }
}

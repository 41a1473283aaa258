import { reading } from "../errors.ts";
import { type Request, sameRequest } from "./options.ts";
import { SameStart } from "./same-start.ts";
import { countAll, estimate } from "../tokens/tokens.ts";
import { checkList, checkTurn, handleOf, sameTurn, type Turn } from "./turn.ts";
import { call, generation, type RendererHandle, send } from "../boundary/wasm.ts";

/** One rendering. Never changed: the next rendering may have parts of it, or be the same. */
export interface Frame {
  /** Of each message. */
  readonly texts: readonly string[];
  /** Laid out as {@link FRAME} says. */
  readonly numbers: Uint32Array;
}

/** Where the numbers of a {@link Frame} stand. */
export const FRAME = {
  /** Nine numbers, in the order of `RenderStats`, without the strategy's name. */
  stats: 0,
  sharedPrefix: 9,
  /** Whether there is a budget, its tokens, those used. */
  budget: 10,
  /** How many messages, from the first on, are those of the frame before. */
  kept: 13,
  messageCount: 14,
  /** `role, length` of each message; behind them `message, kind, start, end, number of turns, turn…` of each section. */
  messages: 15,
} as const;

const NO_FRAME: Frame = { texts: [], numbers: new Uint32Array() };

/**
 * What the wasm side gives for one rendering: the texts that are not kept, one after the other, and all numbers; nothing
 * when that would be the frame before.
 */
type Received = readonly [texts: string, numbers: Uint32Array] | undefined;

/** What the wasm side leaves out of one rendering. */
export interface Omission {
  kind: "print" | "toolCall" | "sample" | "definition" | "error" | "program";
  /** Index of the turn, or null for what no turn made. */
  turn: number | null;
  reason: string;
  text: string;
}

interface NeedCounts {
  needCounts: string[];
}

/** What a rendering was made from, so that it can be made again. */
export interface Snapshot {
  readonly request: Request;
  readonly turns: readonly Turn[];
  /** How many of the turns: there may be more by now, behind them. */
  readonly length: number;
  readonly memory: string | null;
  readonly edition: number;
}

/**
 * A history folded on the wasm side and kept there. The list of turns and the options stand here as well, so that the
 * fold can be made again when the instance that held it has crashed.
 */
export class Fold {
  /** Grows in place; every other edit makes a new list, because snapshots hold on to the old one. */
  turns: Turn[];
  request: Request;
  /** Counts how often the fold was opened on the wasm side: what it says of an earlier rendering is of this opening's. */
  openings = 0;
  /** Counts the edits. */
  private edition = 0;
  private handle: RendererHandle | null = null;
  private generation = 0;
  private freed = false;
  /** Of the list that stands in `turns`; null until lists are compared. */
  private sameStart: SameStart | null = null;
  /** The frame that the wasm side gave last since this was opened there. */
  private frame = NO_FRAME;
  /** True while a host's counter is asked: what it does with this history must not change the rendering. */
  isBusy = false;

  /** @throws {TurnfoldError} what the wasm side says of the options. */
  constructor(request: Request, turns: Turn[]) {
    this.request = request;
    this.turns = turns;
    this.open();
  }

  push(turn: Turn): void {
    const handle = this.open();
    const added = handleOf(turn);
    call(() => handle.push(added));
    this.turns.push(turn);
    this.edition++;
  }

  /** Takes `removed` turns out at `index` and puts others in their place. */
  splice(index: number, removed: number, added: readonly Turn[]): void {
    const turns = [...this.turns];
    turns.splice(index, removed, ...added);
    const handle = this.open();
    const replaced = Math.min(removed, added.length);
    try {
      for (let at = 0; at < added.length; at++) {
        const turn = handleOf(added[at] as Turn);
        call(() => (at < replaced ? handle.replace(index + at, turn) : handle.insert(index + at, turn)));
      }
      for (let at = removed; at > replaced; at--) call(() => handle.remove(index + at - 1));
    } catch (error) {
      // Some of the edits may have happened on the wasm side: it starts again from the list that stands here.
      this.close();
      throw error;
    }
    this.turns = turns;
    this.sameStart = null;
    this.edition++;
  }

  /**
   * Edits the list into `turns`, touching only the stretch that differs.
   *
   * @throws {TurnfoldError} `invalid_turn`
   */
  become(given: readonly Turn[]): void {
    const held = this.turns;
    this.sameStart ??= new SameStart(held);
    const same = this.sameStart;
    // Most often all of them are the very same objects, and nothing has to be copied.
    const known = reading("invalid_turn", "turns", () => [same.with(given), given.length]);
    let start = known[0] as number;
    if (start === held.length && start === known[1]) return;
    const turns = checkList("turns", given) as readonly Turn[];
    const shorter = Math.min(held.length, turns.length);
    start = Math.min(start, shorter);
    while (start < shorter && isSame(held[start] as Turn, turns[start], start)) start++;
    let end = 0;
    while (end < shorter - start && isSame(held.at(-1 - end) as Turn, turns.at(-1 - end), turns.length - 1 - end))
      end++;
    const removed = held.length - end - start;
    const added: Turn[] = [];
    for (let index = start; index < turns.length - end; index++) added.push(checkTurn(turns[index], `turns[${index}]`));
    if (removed === 0 && end === 0) for (const turn of added) this.push(turn);
    else if (removed > 0 || added.length > 0) this.splice(start, removed, added);
  }

  /** Renders with other options from now on. */
  configure(request: Request): void {
    if (!sameRequest(this.request, request)) {
      const handle = this.open();
      call(() => handle.setOptions(request.wire, request.data === "" ? 0 : send(request.data)));
      this.edition++;
    }
    this.request = request;
  }

  /** Renders, with wire JSON of the memory or with the last turn's. */
  render(memory: string | null): Frame {
    const received = this.counted<Received>((handle) => handle.render(memory === null ? -1 : send(memory)));
    if (received !== undefined) this.frame = frameAfter(this.frame, received);
    return this.frame;
  }

  /** What {@link Fold.snapshot} needs to tell later what a rendering left out. */
  snapshot(memory: string | null): Snapshot {
    return { request: this.request, turns: this.turns, length: this.turns.length, memory, edition: this.edition };
  }

  /** What a rendering left out, also when the history is another by now. */
  omissions(snapshot: Snapshot): Omission[] {
    if (!this.freed && snapshot.edition === this.edition) return this.dropped(snapshot.memory);
    const past = new Fold(snapshot.request, snapshot.turns.slice(0, snapshot.length));
    try {
      return past.dropped(snapshot.memory);
    } finally {
      past.free();
    }
  }

  /** Gives the memory on the wasm side back. */
  free(): void {
    this.close();
    this.freed = true;
  }

  private dropped(memory: string | null): Omission[] {
    const json = this.counted<string>((handle) => handle.dropped(memory === null ? -1 : send(memory)));
    return JSON.parse(json) as Omission[];
  }

  /** Asks again and again until no count of the host's counter is missing. */
  private counted<T extends Received | string>(ask: (handle: RendererHandle) => T | NeedCounts): T {
    for (;;) {
      const asked = this.open();
      const answer = call(() => ask(asked));
      if (!needsCounts(answer)) return answer;
      const { counter } = this.request;
      this.isBusy = true;
      let counts: Float64Array;
      try {
        counts = countAll(counter ?? estimate, answer.needCounts);
      } finally {
        this.isBusy = false;
      }
      const handle = this.open();
      call(() => handle.supplyCounts(counts));
    }
  }

  /** The handle, made anew after a crash of the instance that it belonged to. */
  private open(): RendererHandle {
    if (this.handle !== null && this.generation === generation()) return this.handle;
    this.handle = null;
    const { wire, data } = this.request;
    const handle = call((wasm) => new wasm.RendererHandle(wire, data === "" ? 0 : send(data)));
    for (const turn of this.turns) {
      const pushed = handleOf(turn);
      call(() => handle.push(pushed));
    }
    this.generation = generation();
    this.handle = handle;
    this.frame = NO_FRAME;
    this.openings++;
    return handle;
  }

  /** A handle of a crashed instance is left alone: its number may stand for something else in the new one. */
  private close(): void {
    const { handle } = this;
    this.handle = null;
    if (handle !== null && this.generation === generation()) call(() => handle.free());
  }
}

/** The turn itself, or a proxy of it. */
function isSame(held: Turn, turn: unknown, index: number): boolean {
  return held === turn || sameTurn(held, checkTurn(turn, `turns[${index}]`));
}

function needsCounts(answer: Received | string | NeedCounts): answer is NeedCounts {
  return typeof answer === "object" && !Array.isArray(answer);
}

function frameAfter(before: Frame, [received, numbers]: NonNullable<Received>): Frame {
  const kept = numbers[FRAME.kept] as number;
  const texts = before.texts.slice(0, kept);
  const end = endOfMessages(numbers);
  let start = 0;
  for (let at = FRAME.messages + 2 * kept; at < end; at += 2) {
    const length = numbers[at + 1] as number;
    texts.push(received.slice(start, start + length));
    start += length;
  }
  return { texts, numbers };
}

/** Where the messages of a frame end and its sections begin. */
export function endOfMessages(numbers: Uint32Array): number {
  return FRAME.messages + 2 * (numbers[FRAME.messageCount] as number);
}

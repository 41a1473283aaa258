import { HandlePool, HandleSlot } from "../boundary/handles.ts";
import { call, type Parts, type RendererHandle, send } from "../boundary/wasm.ts";
import { TurnfoldError, withDetails, wrapReadErrors } from "../errors.ts";
import { countAll, estimate } from "../tokens/tokens.ts";
import { CommonStart } from "./common-start.ts";
import type { Breakpoint } from "./message.ts";
import { type RenderRequest, sameRequest } from "./options.ts";
import type { Dropped, RenderStats, Section } from "./rendered.ts";
import { checkTurn, handleOf, sameTurn, type Turn, textLength } from "./turn.ts";
import { checkList } from "./turn-init.ts";

/** One rendering. Immutable: the next one may share messages with it, or be the same object. */
export interface RenderedFrame {
  readonly stats: RenderStats;
  /** UTF-16 units. */
  readonly sharedPrefix: number;
  readonly budget: { budget: number; used: number; fits: boolean } | null;
  readonly breakpoints: readonly Breakpoint[];
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

/** A frame as the wasm returns it: without the first `kept` messages, which are those of the previous frame. */
interface FrameChange extends RenderedFrame {
  readonly kept: number;
}

const NO_MESSAGES: RenderedFrame["messages"] = [];

interface CountsRequest {
  needCounts: string[];
}

/** The inputs of a rendering, from which it can be repeated. */
export interface Snapshot {
  readonly request: RenderRequest;
  readonly turns: readonly Turn[];
  /** Number of turns rendered; `turns` may have grown since. */
  readonly length: number;
  readonly memory: string | null;
  readonly edition: number;
  /** Null when it was not rendered on the wasm side. */
  readonly frame: RenderedFrame | null;
}

/**
 * A history folded on the wasm side and kept there. The list of turns and the options are kept here as well, so that
 * the fold can be rebuilt after a crash of its instance.
 */
export class Fold {
  /** Appended to in place; every other edit makes a new list, because snapshots keep the old one. */
  turns: Turn[];
  request: RenderRequest;
  /**
   * Counts how often the fold was opened on the wasm side. A frame is compared only with earlier frames of its opening.
   */
  openCount = 0;
  /** Counts the edits. */
  private edition = 0;
  private readonly slot = new HandleSlot<RendererHandle>(pool);
  private freed = false;
  /** Compares lists with `turns`; null until the first comparison. */
  private commonStart: CommonStart | null = null;
  /** The last rendering of the current opening. */
  private frame: RenderedFrame | null = null;
  /** True while the host's counter runs: its calls must not change this history during the rendering. */
  isBusy = false;

  /** @throws {TurnfoldError} the errors of the wasm side for invalid options. */
  constructor(request: RenderRequest, turns: Turn[]) {
    this.request = request;
    this.turns = turns;
    this.open();
  }

  push(turn: Turn): void {
    const handle = this.open();
    const added = handleOf(turn);
    call("turns", () => handle.push(added));
    this.slot.grow(textLength(turn));
    this.turns.push(turn);
    this.edition++;
  }

  /** Replaces `removed` turns from `index` on with `added`. */
  splice(index: number, removed: number, added: readonly Turn[]): void {
    const turns = [...this.turns];
    turns.splice(index, removed, ...added);
    const handle = this.open();
    const replaced = Math.min(removed, added.length);
    try {
      for (let offset = 0; offset < added.length; offset++) {
        const turn = handleOf(added[offset] as Turn);
        call("turns", () =>
          offset < replaced ? handle.replace(index + offset, turn) : handle.insert(index + offset, turn),
        );
      }
      for (let at = removed; at > replaced; at--) call("turns", () => handle.remove(index + at - 1));
    } catch (error) {
      // The wasm side may have made some of the edits: it is reopened with the unchanged list.
      this.slot.free();
      throw error;
    }
    this.turns = turns;
    this.commonStart = null;
    this.edition++;
  }

  /**
   * Makes the history equal to `given` by editing only the range that differs.
   *
   * @throws {TurnfoldError} `invalid_turn`
   */
  setTurns(given: readonly Turn[]): void {
    const held = this.turns;
    this.commonStart ??= new CommonStart(held);
    const commonStart = this.commonStart;
    // Usually all of them are the same objects, and nothing has to be copied.
    const counts = wrapReadErrors("invalid_turn", "turns", () => [commonStart.countShared(given), given.length]);
    let start = counts[0] as number;
    if (start === held.length && start === counts[1]) return;
    const turns = checkList("turns", given) as readonly Turn[];
    const shorter = Math.min(held.length, turns.length);
    start = Math.min(start, shorter);
    while (start < shorter && isSameTurn(held[start] as Turn, turns[start], start)) start++;
    let end = 0;
    while (end < shorter - start && isSameTurn(held.at(-1 - end) as Turn, turns.at(-1 - end), turns.length - 1 - end))
      end++;
    const removed = held.length - end - start;
    const added: Turn[] = [];
    for (let index = start; index < turns.length - end; index++) added.push(checkTurn(turns[index], `turns[${index}]`));
    if (removed === 0 && end === 0) for (const turn of added) this.push(turn);
    else if (removed > 0 || added.length > 0) this.splice(start, removed, added);
  }

  /** Sets the options of later renderings. */
  configure(request: RenderRequest): void {
    if (!sameRequest(this.request, request)) {
      const handle = this.open();
      sendOptions(() => handle.setOptions(request.wire));
      this.edition++;
    } else if (this.request.at !== request.at) this.edition++;
    this.request = request;
  }

  /** Returns the number of turns left after `turns` turns. */
  turnsLeft(turns: number): number {
    const handle = this.open();
    return call("turns", () => handle.turnsLeft(turns));
  }

  /** Renders with `memory`, as wire JSON, or with the definitions of the last turn that has them. */
  render(memory: string | null): RenderedFrame {
    const change = this.withCounts<FrameChange | null>((handle) => handle.render(sendMemory(memory), this.request.at));
    if (change !== null) {
      const { kept, messages, ...others } = change;
      const known = this.frame?.messages ?? NO_MESSAGES;
      this.frame = { ...others, messages: kept === 0 ? messages : [...known.slice(0, kept), ...messages] };
    }
    return this.frame as RenderedFrame;
  }

  /** Returns what is needed to compute the sections and omissions of the last rendering later. */
  snapshot(memory: string | null): Snapshot {
    const { request, turns, edition, frame } = this;
    return { request, turns, length: turns.length, memory, edition, frame };
  }

  /** Returns the sections of a rendering, even when the history has changed since. */
  sections(snapshot: Snapshot): Section[] {
    const handle = this.slot.current;
    if (handle !== null && snapshot.frame === this.frame) {
      return JSON.parse(call("turns", () => handle.sections())) as Section[];
    }
    return withPastFold(snapshot, (past) => {
      past.render(snapshot.memory);
      return past.sections(past.snapshot(snapshot.memory));
    });
  }

  /** Returns the items that a rendering omits, even when the history has changed since. */
  dropped(snapshot: Snapshot): Dropped[] {
    const { memory } = snapshot;
    if (this.freed || snapshot.edition !== this.edition) {
      return withPastFold(snapshot, (past) => past.dropped(past.snapshot(memory)));
    }
    return JSON.parse(
      this.withCounts<string>((handle) => handle.dropped(sendMemory(memory), this.request.at)),
    ) as Dropped[];
  }

  /** Frees the memory on the wasm side. */
  free(): void {
    this.slot.free();
    this.freed = true;
  }

  /** Calls `ask` until no count is missing, and supplies the missing ones from the host's counter. */
  private withCounts<T extends FrameChange | string | null>(ask: (handle: RendererHandle) => T | CountsRequest): T {
    for (;;) {
      const handle = this.open();
      const answer = call("turns", () => ask(handle));
      if (!isCountsRequest(answer)) return answer;
      const { counter } = this.request;
      this.isBusy = true;
      let counts: Float64Array;
      try {
        counts = countAll(counter ?? estimate, answer.needCounts);
      } finally {
        this.isBusy = false;
      }
      const reopened = this.open();
      call("turns", () => reopened.supplyCounts(counts));
    }
  }

  /** Returns the handle; makes a new one when it was freed or its instance has crashed. */
  private open(): RendererHandle {
    const { current } = this.slot;
    if (current !== null) return current;
    const { wire } = this.request;
    const handle = sendOptions((wasm) => new wasm.RendererHandle(wire));
    for (const turn of this.turns) {
      const pushed = handleOf(turn);
      call("turns", () => handle.push(pushed));
    }
    this.frame = null;
    this.openCount++;
    return this.slot.set(
      handle,
      this.turns.reduce((sum, turn) => sum + textLength(turn), 0),
    );
  }
}

const pool = new HandlePool("turns", 32 * 2 ** 20);

/** Sends options without `at`, which each rendering sends; an error that lists the options lists it too. */
function sendOptions<T>(send: (wasm: Parts["turns"]) => T): T {
  try {
    return call("turns", send);
  } catch (error) {
    const known = TurnfoldError.isInstance(error) && error.details.known;
    if (!Array.isArray(known) || !known.includes("mission")) throw error;
    throw withDetails(error as TurnfoldError, { known: [...known, "at"] }, `there are ${known.join(", ")}, at`);
  }
}

/** True for the same turn, and for a proxy of it. */
function isSameTurn(held: Turn, turn: unknown, index: number): boolean {
  return held === turn || sameTurn(held, checkTurn(turn, `turns[${index}]`));
}

function isCountsRequest(answer: unknown): answer is CountsRequest {
  return typeof answer === "object" && answer !== null && "needCounts" in answer;
}

/** Sends the memory and returns its length; undefined for null. */
function sendMemory(memory: string | null): number | undefined {
  return memory === null ? undefined : send(memory);
}

/** Calls `look` with a fold of the history as it was at the snapshot. */
function withPastFold<T>({ request, turns, length }: Snapshot, look: (past: Fold) => T): T {
  const past = new Fold(request, turns.slice(0, length));
  try {
    return look(past);
  } finally {
    past.free();
  }
}

import { encodeRecord } from "../boundary/encode.ts";
import { HandlePool, HandleSlot } from "../boundary/handles.ts";
import { call, type Parts, type RendererHandle, send } from "../boundary/wasm.ts";
import { TurnfoldError, withDetails } from "../errors.ts";
import { countAll, estimate } from "../tokens/tokens.ts";
import { knownNamesHint } from "../values/nearest-name.ts";
import { renderCustom } from "./custom-strategy.ts";
import { type RenderRequest, sameRequest } from "./render-request.ts";
import { type Dropped, type Frame, type Rendered, renderedOf, type Section } from "./rendered.ts";
import { handleOf, pushTurns, type Turn } from "./turn.ts";

/** A frame as the wasm returns it: without the first `kept` messages, which are those of the previous frame. */
interface FrameChange extends Frame {
  readonly kept: number;
}

interface CountsRequest {
  needCounts: string[];
}

/** The inputs of a rendering, from which it can be repeated. */
interface Snapshot {
  readonly request: RenderRequest;
  readonly turns: readonly Turn[];
  /** Number of turns rendered; `turns` may have grown since. */
  readonly length: number;
  /** Wire JSON; null for the definitions of the last turn that has them. */
  readonly memory: string | null;
  readonly version: number;
}

/**
 * A history folded on the wasm side. The list of turns and the options are kept here as well, so that the fold can be
 * rebuilt when its handle was freed or its instance has crashed.
 */
export class Fold {
  /** Appended to in place; every other edit makes a new list, because snapshots keep the old one. */
  turns: Turn[];
  request: RenderRequest;
  /**
   * UTF-16 units that the last rendering shares with the previous one, from the first message on; null when the wasm
   * side did not make both of them.
   */
  sharedPrefix: number | null = null;
  /** True while the host's counter runs: its calls must not change this history during the rendering. */
  isBusy = false;
  private readonly slot = new HandleSlot<RendererHandle>(pool);
  /** Counts edits, renderings, and how often the fold was opened. */
  private version = 0;
  /** The last rendering by the current handle. */
  private frame: Frame | null = null;
  /** True when a strategy of the host made the last rendering. */
  private wasCustom = false;

  /** @throws {TurnfoldError} the errors of the wasm side for invalid options. */
  constructor(request: RenderRequest, turns: Turn[]) {
    this.request = request;
    this.turns = turns;
    this.open();
  }

  push(turn: Turn): void {
    this.slot.grow(pushTurns(this.open(), [turn]));
    this.turns.push(turn);
    this.version++;
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
    this.version++;
  }

  /** Sets the options of later renderings. */
  configure(request: RenderRequest): void {
    if (!sameRequest(this.request, request)) {
      const handle = this.open();
      sendOptions(() => handle.setOptions(request.wire));
    }
    this.request = request;
    this.version++;
  }

  /** Renders with these definitions, or with those of the last turn that has them. */
  render(definitions: Readonly<Record<string, unknown>> | null | undefined): Rendered {
    const { request, turns } = this;
    const { length } = turns;
    const memory = definitions === null || definitions === undefined ? null : encodeRecord(definitions, "memory");
    if (request.custom !== null) {
      const handle = this.open();
      const turnsLeft = call("turns", () => handle.turnsLeft(length));
      this.sharedPrefix = null;
      this.wasCustom = true;
      return renderCustom(request, request.custom, turns, memory, turnsLeft);
    }
    const frame = this.nextFrame(memory);
    const snapshot = { request, turns, length, memory, version: this.version };
    return renderedOf(frame, request.counter ?? estimate, {
      sections: () => this.after(snapshot, (fold) => fold.sections()),
      dropped: () => this.after(snapshot, (fold) => fold.dropped(memory)),
    });
  }

  /** Frees the memory on the wasm side; it is rebuilt when it is needed again. */
  free(): void {
    this.slot.free();
  }

  private nextFrame(memory: string | null): Frame {
    const change = this.withCounts<FrameChange | null>((handle) => handle.render(sendMemory(memory), this.request.at));
    const before = this.frame;
    const frame = change === null ? (before as Frame) : frameAfter(before, change);
    this.sharedPrefix = before === null || this.wasCustom ? null : frame.sharedPrefix;
    this.wasCustom = false;
    this.frame = frame;
    this.version++;
    return frame;
  }

  /** Calls `look` with a fold whose last rendering is that of the snapshot: this one, or one that repeats it. */
  private after<T>(snapshot: Snapshot, look: (fold: Fold) => T): T {
    if (this.version === snapshot.version && this.slot.current !== null) return look(this);
    const past = new Fold(snapshot.request, snapshot.turns.slice(0, snapshot.length));
    try {
      past.nextFrame(snapshot.memory);
      return look(past);
    } finally {
      past.free();
    }
  }

  private sections(): Section[] {
    const handle = this.open();
    return JSON.parse(call("turns", () => handle.sections())) as Section[];
  }

  private dropped(memory: string | null): Dropped[] {
    const { at } = this.request;
    return JSON.parse(this.withCounts<string>((handle) => handle.dropped(sendMemory(memory), at))) as Dropped[];
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
    const length = pushTurns(handle, this.turns);
    this.frame = null;
    this.version++;
    return this.slot.set(handle, length);
  }
}

const pool = new HandlePool("turns", 32 * 2 ** 20);

function frameAfter(before: Frame | null, { kept, messages, ...others }: FrameChange): Frame {
  return { ...others, messages: before === null ? messages : [...before.messages.slice(0, kept), ...messages] };
}

/** Sends options without `at`, which each rendering sends; an error that lists the options lists it too. */
function sendOptions<T>(send: (wasm: Parts["turns"]) => T): T {
  try {
    return call("turns", send);
  } catch (error) {
    const { known, option } = TurnfoldError.isInstance(error) ? error.details : {};
    if (!Array.isArray(known) || !known.includes("mission")) throw error;
    const all = [...(known as string[]), "at"];
    throw withDetails(error as TurnfoldError, { known: all }, knownNamesHint(String(option), all));
  }
}

function isCountsRequest(answer: unknown): answer is CountsRequest {
  return typeof answer === "object" && answer !== null && "needCounts" in answer;
}

/** Sends the memory and returns its length; undefined for null. */
function sendMemory(memory: string | null): number | undefined {
  return memory === null ? undefined : send(memory);
}

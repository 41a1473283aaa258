import { nextTask, Stopwatch } from "../boundary/clock.ts";
import { encode, encodeRecord } from "../boundary/encode.ts";
import { messageOf, unlessAborted } from "../boundary/host.ts";
import { call, type Instance, isRunning } from "../boundary/wasm.ts";
import { isDenial } from "../tools/approval.ts";
import type { Request, ToolReply, ToolRequest, WireToolReply } from "./program-record.ts";

/** A state machine on the wasm side, and the host's functions that it requests. */
export interface Session<Done> {
  /** The clock of the running program. */
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  resume(): Request<Done>;
  answer(replies: readonly WireToolReply[]): Request<Done>;
  /** Ends the program because its time limit is exceeded. */
  timeOut(): Request<Done>;
  /** Aborts the session. `replies` are those of requested calls that ended before. */
  abort(replies: readonly WireToolReply[]): Request<Done>;
  /** Resolves to null when the call waits. */
  call(request: ToolRequest): Promise<ToolReply | null>;
  /** Only in sessions that call a model. */
  ask?(turn: number): Promise<Request<Done>>;
}

/**
 * Fulfils the requests of a session until it ends: the loop of all asynchronous sessions. Resolves to null when nothing is left
 * but calls that wait.
 */
export async function driveSession<Done>(session: Session<Done>, first: Request<Done>): Promise<Done | null> {
  const { clock, signal } = session;
  let request = first;
  while (request.done === undefined) {
    if (signal?.aborted) request = session.abort([]);
    else if (request.ask !== undefined) {
      request = await (session.ask as NonNullable<typeof session.ask>)(request.ask);
    } else if (clock.isOver()) request = session.timeOut();
    else if (request.calls !== undefined) {
      clock.stop();
      const replies = await callTools(session, request.calls);
      clock.start();
      // Also after an abort: a call that has ended had its effect, and must not look as if it had none.
      if (signal?.aborted) request = session.abort(replies);
      else if (replies.length === 0) return null;
      else request = session.answer(replies);
    } else {
      if (clock.isFrameOver()) await clock.nextFrame();
      if (!signal?.aborted) request = session.resume();
    }
  }
  return request.done;
}

/**
 * Calls tools concurrently. Returns their replies in the order of the calls, without those of calls that wait; after an abort,
 * only those of calls that have ended, or that end at once because of the abort.
 */
async function callTools(session: Session<unknown>, calls: readonly ToolRequest[]): Promise<WireToolReply[]> {
  const replies: (WireToolReply | undefined)[] = calls.map(() => undefined);
  const ended = calls.map(async (each, index) => {
    const reply = await session.call(each);
    if (reply !== null) replies[index] = withoutCause(reply);
  });
  if ((await unlessAborted(Promise.all(ended), session.signal)) === null) await nextTask();
  return replies.filter((reply) => reply !== undefined);
}

/** The reply of a tool that returned a value. */
export function resultReply(id: number, result: unknown, time: Stopwatch, maxText: number): ToolReply {
  return { id, result: encode(result, "result", maxText), durationMs: time.elapsed };
}

/** The reply of a tool that threw, with the `data` of the error. */
export function errorReply(id: number, error: unknown, time: Stopwatch): ToolReply {
  const data = dataOf(error);
  const reply = { id, error: messageOf(error), cause: error, durationMs: time.elapsed };
  return data === undefined ? reply : { ...reply, result: data };
}

/** Maximum length of the JSON of the data of an error. */
const MAX_DATA_LENGTH = 10_000;

/** JSON of the `data` of an error, if it is a plain object that can be encoded and is not too long. */
function dataOf(error: unknown): string | undefined {
  try {
    const { data } = Object(error) as { data?: unknown };
    const json = encodeRecord(data, "data", MAX_DATA_LENGTH);
    return json.length > MAX_DATA_LENGTH ? undefined : json;
  } catch {
    return undefined;
  }
}

/** Returns the reply for the wasm side. The error alone tells that a call was not approved, so that replays do the same. */
export function withoutCause({ cause: _, ...record }: ToolReply): WireToolReply {
  return isDenial(record.error) ? { ...record, isDenied: true } : record;
}

/** Returns the hint, for the model, after a program that crashed the instance of the wasm. */
export function crashHint(code: string): string {
  return code === "out_of_memory"
    ? "keep less: filter and aggregate before collecting, or split the work over several turns"
    : "write the program another way";
}

/** Maximum time between two yields to the event loop, in milliseconds. */
const MAX_FRAME_MS = 8;

/** Maximum number of slices of fuel between two yields: some hosts stop their clocks while a program runs. */
const MAX_FRAME_SLICES = 64;

/** The instances whose memory is being freed. */
const freeing = new WeakSet<Instance>();

/**
 * Frees the memory of ended programs: some of it now, the rest between other tasks, some milliseconds at a time. The
 * next program frees the remainder when it begins.
 *
 * @internal
 */
export function freeInSlices(instance: Instance): void {
  if (freeing.has(instance) || !freeSlice(instance)) return;
  freeing.add(instance);
  void (async () => {
    do await nextTask();
    while (freeSlice(instance));
    freeing.delete(instance);
  })();
}

/** Returns true when more is left. False for a crashed instance, which is replaced as a whole. */
function freeSlice(instance: Instance): boolean {
  try {
    return isRunning(instance) && call(instance, (wasm) => wasm.freeSome());
  } catch {
    return false;
  }
}

/** Measures the time of a program without that of its tools. */
export class Clock {
  private readonly timeout: number;
  private elapsedBefore = 0;
  private time = new Stopwatch();
  /** The slices of fuel since the last yield to the event loop. */
  private slices = 0;

  /** @param timeout in milliseconds. */
  constructor(timeout: number) {
    this.timeout = timeout;
  }

  /** Starts a program. */
  reset(): void {
    this.elapsedBefore = 0;
    this.start();
  }

  /** Stops the clock while the program waits. */
  stop(): void {
    this.elapsedBefore += this.time.elapsed;
  }

  /** Starts the clock again. */
  start(): void {
    this.time = new Stopwatch();
    this.slices = 0;
  }

  isOver(): boolean {
    return this.elapsedBefore + this.time.elapsed > this.timeout;
  }

  /** Called once for each slice. */
  isFrameOver(): boolean {
    return ++this.slices > MAX_FRAME_SLICES || this.time.elapsed > MAX_FRAME_MS;
  }

  /** Yields to the event loop. */
  async nextFrame(): Promise<void> {
    this.stop();
    await nextTask();
    this.start();
  }

  /** The message of the timeout. */
  get message(): string {
    return `the program ran for more than ${this.timeout} ms`;
  }
}

import { encode } from "../boundary/encode.ts";
import { messageOf, unlessAborted } from "../boundary/host.ts";

/** What a session of the wasm side needs next; one of these. */
export interface Request<Done> {
  /** Tools to call, side by side. */
  calls?: ToolRequest[];
  /** A slice of time is over. */
  pause?: true;
  /** The model is to be asked for the turn of that number. */
  ask?: number;
  done?: Done;
}

/** A tool call that a program waits for. */
export interface ToolRequest {
  id: number;
  tool: string;
  /** JSON of a value. */
  args: string;
}

/** The result of a tool as JSON, or the message of its error. */
export interface Reply {
  id: number;
  result?: string;
  error?: string;
  /** What the tool threw; it stays on this side. */
  cause?: unknown;
  durationMs: number;
  /** The step of the nested agent that the tool is, as JSON. */
  step?: string;
}

/** A reply as the wasm side takes it. */
export type ReplyRecord = Omit<Reply, "cause">;

/** A state machine of the wasm side, and the host's functions that it asks for. */
export interface Session<Done> {
  /** The time of the program that runs. */
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  resume(): Request<Done>;
  answer(replies: readonly ReplyRecord[]): Request<Done>;
  /** The time of the program is over. */
  timeOut(): Request<Done>;
  /** The host gave the session up. */
  abort(): Request<Done>;
  call(request: ToolRequest): Promise<Reply>;
  /** Only of sessions that ask a model. */
  ask?(turn: number): Promise<Request<Done>>;
}

/** Does what a session asks for until it has ended: the one loop of all sessions that may wait. */
export async function drive<Done>(session: Session<Done>, first: Request<Done>): Promise<Done> {
  const { clock, signal } = session;
  let request = first;
  while (request.done === undefined) {
    if (signal?.aborted) request = session.abort();
    else if (request.ask !== undefined) {
      request = await (session.ask as NonNullable<typeof session.ask>)(request.ask);
    } else if (clock.isOver()) request = session.timeOut();
    else if (request.calls !== undefined) {
      clock.stop();
      const calls = Promise.all(request.calls.map((each) => session.call(each)));
      const replies = await unlessAborted(calls, signal);
      clock.start();
      if (replies !== null) request = session.answer(replies.map(recordOf));
    } else {
      if (clock.isFrameOver()) await clock.nextFrame();
      if (!signal?.aborted) request = session.resume();
    }
  }
  return request.done;
}

/** The reply of a tool that gave something. */
export function replied(id: number, result: unknown, begun: number): Reply {
  return { id, result: encode(result, "result"), durationMs: performance.now() - begun };
}

/** The reply of a tool that threw. */
export function failed(id: number, error: unknown, begun: number): Reply {
  return { id, error: messageOf(error), cause: error, durationMs: performance.now() - begun };
}

/** What the wasm side gets of a reply: what a tool threw stays on this side. */
export function recordOf({ cause: _, ...record }: Reply): ReplyRecord {
  return record;
}

/** How long a program may keep the page from painting, in milliseconds. */
const FRAME = 8;

/** The time that a program takes for itself. */
export class Clock {
  private readonly timeout: number;
  private used = 0;
  private begun = performance.now();
  private frame = this.begun;

  /** @param timeout in milliseconds. */
  constructor(timeout: number) {
    this.timeout = timeout;
  }

  /** Another program begins. */
  reset(): void {
    this.used = 0;
    this.start();
  }

  /** The program waits. */
  stop(): void {
    this.used += performance.now() - this.begun;
  }

  /** The program goes on. */
  start(): void {
    this.begun = performance.now();
    this.frame = this.begun;
  }

  isOver(): boolean {
    return this.used + performance.now() - this.begun > this.timeout;
  }

  isFrameOver(): boolean {
    return performance.now() - this.frame > FRAME;
  }

  /** Lets everything else run that waits. */
  async nextFrame(): Promise<void> {
    this.stop();
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.start();
  }

  /** What a program is told whose time is over. */
  get message(): string {
    return `the program ran for more than ${this.timeout} ms`;
  }
}

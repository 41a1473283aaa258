import { describe } from "../values/describe.ts";
import { encode } from "../boundary/encode.ts";
import { quote } from "../boundary/plain-json.ts";

/** What a session of the wasm side says it needs next, or what came of it. */
export interface Request<Done> {
  /** Tools to call, side by side; arguments in their lossless form. */
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
  args: unknown;
}

/** What a tool gave: its result as JSON, or the message of its error. */
export interface Reply {
  id: number;
  result?: string;
  error?: string;
  /** What the tool threw; it stays on this side. */
  cause?: unknown;
  durationMs: number;
  /** What the nested agent did that the tool is, as JSON. */
  step?: string;
}

/** A state machine of the wasm side, and the host's functions that it asks for. */
export interface Session<Done> {
  /** The time of the program that runs. */
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  resume(): Request<Done>;
  answer(replies: string): Request<Done>;
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
      if (replies !== null) request = session.answer(replyText(replies));
    } else {
      if (clock.isFrameOver()) await clock.nextFrame();
      if (!signal?.aborted) request = session.resume();
    }
  }
  return request.done;
}

/** What a promise gives; null as soon as the signal aborts. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T | null> {
  if (signal === undefined) return promise;
  if (signal.aborted) {
    promise.catch(() => {});
    return Promise.resolve(null);
  }
  return new Promise((resolve, reject) => {
    const abort = () => resolve(null);
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** The reply of a tool that gave something. */
export function replied(id: number, result: unknown, begun: number): Reply {
  return { id, result: encode(result, "result"), durationMs: performance.now() - begun };
}

/** The reply of a tool that threw. */
export function failed(id: number, error: unknown, begun: number): Reply {
  return { id, error: messageOf(error), cause: error, durationMs: performance.now() - begun };
}

/** What an error of the host's says, whatever was thrown: errors of other realms and plain objects have messages too. */
export function messageOf(error: unknown): string {
  try {
    if (typeof error === "string" && error !== "") return error;
    if (typeof error !== "object" || error === null) return describe(error);
    const { message, name } = error as { message?: unknown; name?: unknown };
    const texts = [message, name].filter((text) => typeof text === "string" && text !== "");
    return (texts[0] as string | undefined) ?? describe(error);
  } catch {
    return "an error that can't be read";
  }
}

/** Replies as the wasm side takes them. */
export function replyText(replies: readonly Reply[]): string {
  const texts = replies.map(({ id, result, error, durationMs, step }) => {
    const outcome = error === undefined ? `"result":${result}` : `"error":${quote(error)}`;
    const nested = step === undefined ? "" : `,"step":${step}`;
    return `{"id":${id},${outcome},"durationMs":${encode(durationMs)}${nested}}`;
  });
  return `[${texts.join()}]`;
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

import { forwardAbort } from "../boundary/abort.ts";
import type { ChatEvent, ChatReply } from "./exchange.ts";

/** The pieces of a reply, its events, and a promise of the whole reply. */
export type ReplyStream<T, R extends ChatReply = ChatReply> = AsyncIterable<T> & {
  /**
   * What happens during the call: text, tool calls and their results, steps, summaries, usage. It ends with the event
   * `done`, or throws the error with which the promise `done` rejects. Leaving the loop early aborts the call.
   */
  readonly events: AsyncIterable<ChatEvent>;
  /** The reply. */
  readonly done: Promise<R>;
};

/**
 * Collects pieces and events for readers, which may start late or leave early. Each reads from the first one.
 *
 * @internal
 */
export class ReplyWriter<T> {
  private readonly pieces: T[] = [];
  private readonly events: ChatEvent[] = [];
  private readonly readerLeft = new AbortController();
  /** Readers that wait for more. */
  private readonly waiting = new Set<() => void>();
  private stopForwarding: () => void = () => {};
  private isOver = false;
  private failure: { error: unknown } | null = null;

  push(piece: T): void {
    this.pieces.push(piece);
    this.wakeReaders();
  }

  report(event: ChatEvent): void {
    this.events.push(event);
    this.wakeReaders();
  }

  /** Aborts when the host's signal aborts or a reader leaves. */
  signalOf(signal: AbortSignal | undefined): AbortSignal {
    this.stopForwarding = forwardAbort(signal, this.readerLeft);
    return this.readerLeft.signal;
  }

  streamUntil<R extends ChatReply>(done: Promise<R>): ReplyStream<T, R> {
    done.then(
      (reply) => {
        this.events.push({ type: "done", reply });
        this.end(null);
      },
      (error: unknown) => this.end({ error }),
    );
    return {
      [Symbol.asyncIterator]: () => this.read(this.pieces),
      events: { [Symbol.asyncIterator]: () => this.read(this.events) },
      done,
    };
  }

  private end(failure: { error: unknown } | null): void {
    this.isOver = true;
    this.failure = failure;
    this.stopForwarding();
    this.wakeReaders();
  }

  private wakeReaders(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }

  private async *read<I>(items: readonly I[]): AsyncGenerator<I> {
    try {
      for (let next = 0; ; ) {
        while (next < items.length) yield items[next++] as I;
        if (this.isOver) break;
        await new Promise<void>((resolve) => this.waiting.add(resolve));
      }
      if (this.failure !== null) throw this.failure.error;
    } finally {
      if (!this.isOver) this.readerLeft.abort(new DOMException("the reader left the stream", "AbortError"));
    }
  }
}

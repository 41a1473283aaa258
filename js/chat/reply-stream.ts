import { forwardAbort } from "../boundary/abort.ts";
import type { ChatEvent, ChatReply } from "./exchange.ts";

/** The pieces of a reply, its events, and a promise of the whole reply. */
export type ReplyStream<T, R extends ChatReply = ChatReply> = AsyncIterable<T> & {
  /**
   * What happens during the call: text, tool calls and their results, steps, summaries, usage. It ends with the event
   * `done` or `waiting`, or throws the error with which the promise `done` rejects. Leaving the loop early aborts the call.
   */
  readonly events: AsyncIterable<ChatEvent>;
  /** The reply. */
  readonly done: Promise<R>;
};

interface Items<I> {
  readonly list: I[];
  /** The number of items before those of the list. */
  removed: number;
}

/**
 * Collects pieces and events for readers, which may start late or leave early. Each reads from the first one, or only
 * the newest piece when not all are kept.
 *
 * @internal
 */
export class ReplyWriter<T> {
  private readonly pieces: Items<T> = { list: [], removed: 0 };
  private readonly events: Items<ChatEvent> = { list: [], removed: 0 };
  private readonly keepsAll: boolean;
  private readonly readerLeft = new AbortController();
  /** Readers that wait for more. */
  private readonly waiting = new Set<() => void>();
  private stopForwarding: () => void = () => {};
  private isOver = false;
  private failure: { error: unknown } | null = null;

  constructor({ keepsAll = true }: { keepsAll?: boolean } = {}) {
    this.keepsAll = keepsAll;
  }

  push(piece: T): void {
    if (!this.keepsAll) this.pieces.removed += this.pieces.list.splice(0).length;
    this.pieces.list.push(piece);
    this.wakeReaders();
  }

  report(event: ChatEvent): void {
    this.events.list.push(event);
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
        this.events.list.push(reply.status === "done" ? { type: "done", reply } : { type: "waiting", reply });
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

  private async *read<I>(items: Items<I>): AsyncGenerator<I> {
    try {
      for (let next = 0; ; ) {
        while (next < items.removed + items.list.length) {
          const index = Math.max(0, next - items.removed);
          next = items.removed + index + 1;
          yield items.list[index] as I;
        }
        if (this.isOver) break;
        await new Promise<void>((resolve) => this.waiting.add(resolve));
      }
      if (this.failure !== null) throw this.failure.error;
    } finally {
      if (!this.isOver) this.readerLeft.abort(new DOMException("the reader left the stream", "AbortError"));
    }
  }
}

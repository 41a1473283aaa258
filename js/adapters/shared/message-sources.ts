/**
 * The source of each message of a conversation, so that the messages of a framework can be returned unchanged.
 *
 * @internal
 */
export class MessageSources<Source> {
  private readonly sources = new WeakMap<object, Source>();
  /** Keyed by the member `original` of each message, which a changed message still has. */
  private readonly origins = new WeakMap<object, Source>();

  /** Records the sources of messages, in the same order. */
  note(messages: readonly object[], sources: readonly Source[]): void {
    messages.forEach((message, index) => {
      const source = sources[index] as Source;
      this.sources.set(message, source);
      const original = originalOf(message);
      if (original !== null) this.origins.set(original, source);
    });
  }

  /** True for a message that has a source and is unchanged. */
  has(message: object): boolean {
    return this.sources.has(message);
  }

  /** Returns the source of an unchanged message. */
  ofUnchanged(message: object): Source | undefined {
    return this.sources.get(message);
  }

  /** Returns the source from which a message was made, even if the message has changed since. */
  ofOriginal(message: object): Source | undefined {
    const original = originalOf(message);
    return original === null ? undefined : this.origins.get(original);
  }
}

function originalOf(message: object): object | null {
  const { original } = message as { original?: unknown };
  return typeof original === "object" ? original : null;
}

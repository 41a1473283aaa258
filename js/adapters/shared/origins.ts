/**
 * What a framework's messages became, so that they can be given back: the source of each message of a conversation.
 *
 * @internal
 */
export class Origins<Source> {
  private readonly sources = new WeakMap<object, Source>();
  /** By what each message keeps of its source in `original`, which a changed message still has. */
  private readonly origins = new WeakMap<object, Source>();

  /** Notes the sources of messages, in the same order. */
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

  /** The source of an unchanged message. */
  of(message: object): Source | undefined {
    return this.sources.get(message);
  }

  /** The source that a message was made from, also when it has changed since. */
  behind(message: object): Source | undefined {
    const original = originalOf(message);
    return original === null ? undefined : this.origins.get(original);
  }
}

function originalOf(message: object): object | null {
  const { original } = message as { original?: unknown };
  return typeof original === "object" ? original : null;
}

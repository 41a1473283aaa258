import type { Message } from "../model/message.ts";
import type { GivenTexts } from "./recorded-needs.ts";
import type { AtomIndex, ShownText, ShownTexts } from "./shown-text.ts";

/**
 * The texts of a request, with the atoms and handles in them. The next request takes time in proportion to the messages
 * that it does not share with the beginning of this one.
 *
 * @internal
 */
export class RequestTexts {
  private readonly texts: ShownTexts;
  private readonly index: AtomIndex;
  private readonly onChange: (text: ShownText) => void;
  private messages: readonly Message[] = [];
  private readonly shown: ShownText[] = [];
  /** How often each text is in the request. */
  private readonly times = new Map<ShownText, number>();
  /** The texts with each atom in their order, without system messages. */
  private readonly byAtom = new Map<string, ShownText[]>();
  private readonly byHandle = new Map<string, ShownText[]>();
  tokens = 0;
  systemTokens = 0;

  /** @param onChange receives the texts that come and go. */
  constructor(texts: ShownTexts, index: AtomIndex, onChange: (text: ShownText) => void) {
    this.texts = texts;
    this.index = index;
    this.onChange = onChange;
  }

  /** Sets the messages of the request, and returns the texts of those that the previous one did not begin with. */
  set(messages: readonly Message[]): readonly ShownText[] {
    let shared = 0;
    while (shared < messages.length && messages[shared] === this.messages[shared]) shared++;
    while (this.shown.length > shared) this.removeLast();
    for (const message of messages.slice(shared)) this.add(this.texts.of(message));
    this.messages = messages;
    return this.shown.slice(shared);
  }

  has(text: ShownText): boolean {
    return (this.times.get(text) ?? 0) > 0;
  }

  /** The texts with an atom of the index, without system messages. */
  textsWith(atom: string): readonly ShownText[] {
    return this.byAtom.get(atom) ?? [];
  }

  hasHandle(handle: string): boolean {
    return (this.byHandle.get(handle)?.length ?? 0) > 0;
  }

  private add(text: ShownText): void {
    this.shown.push(text);
    this.count(text, 1);
    for (const [lists, key] of this.keysOf(text)) {
      const list = lists.get(key);
      if (list === undefined) lists.set(key, [text]);
      else list.push(text);
    }
  }

  private removeLast(): void {
    const text = this.shown.pop() as ShownText;
    this.count(text, -1);
    for (const [lists, key] of this.keysOf(text)) lists.get(key)?.pop();
  }

  private count(text: ShownText, times: 1 | -1): void {
    this.tokens += times * text.tokens;
    if (text.isSystem) this.systemTokens += times * text.tokens;
    this.times.set(text, (this.times.get(text) ?? 0) + times);
    this.onChange(text);
  }

  private *keysOf(text: ShownText): Generator<[Map<string, ShownText[]>, string]> {
    for (const handle of text.handles) yield [this.byHandle, handle];
    if (text.isSystem) return;
    for (const atom of text.occurrencesOf(this.index).keys()) yield [this.byAtom, atom];
  }
}

/** The results of calls with the same arguments. */
interface RepeatedResults {
  indexes: readonly number[];
  /** How many of them were given to the last request. */
  given: number;
  isStale: boolean;
}

/**
 * Counts the calls with a result in a request whose newest result is not in the request.
 *
 * @internal
 */
export class StaleResults {
  private readonly groups: readonly RepeatedResults[];
  /** The group of each result in a message. */
  private readonly byIndex = new Map<number, RepeatedResults[]>();
  private readonly byText = new Map<ShownText, Set<RepeatedResults>>();
  /** The groups that may have changed since they were counted. */
  private readonly touched = new Set<RepeatedResults>();
  private stale = 0;
  private lastCount = 0;

  /** @param repeats the indexes of the results of calls that were made several times with the same arguments. */
  constructor(repeats: readonly (readonly number[])[]) {
    this.groups = repeats.map((indexes) => ({ indexes, given: 0, isStale: false }));
    for (const group of this.groups) {
      for (const index of group.indexes) this.byIndex.set(index, [...(this.byIndex.get(index) ?? []), group]);
    }
  }

  /** Notes that a text came into the request, or left it. */
  touch(text: ShownText): void {
    for (const group of this.byText.get(text) ?? []) this.touched.add(group);
  }

  /** Returns the number for the next request. */
  count(given: GivenTexts, request: RequestTexts): number {
    if (this.groups.length === 0) return 0;
    for (; this.lastCount < given.count; this.lastCount++) {
      for (const group of this.byIndex.get(this.lastCount) ?? []) {
        const text = given.at(this.lastCount) as ShownText;
        const groups = this.byText.get(text) ?? new Set();
        this.byText.set(text, groups.add(group));
        group.given++;
        this.touched.add(group);
      }
    }
    for (const group of this.touched) {
      const results = group.indexes.slice(0, group.given).map((index) => given.at(index) as ShownText);
      const newest = results.at(-1) as ShownText;
      const isStale = !request.has(newest) && results.some((result) => request.has(result));
      if (isStale !== group.isStale) this.stale += isStale ? 1 : -1;
      group.isStale = isStale;
    }
    this.touched.clear();
    return this.stale;
  }
}

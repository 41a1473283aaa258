import { messageOf } from "../boundary/host.ts";
import { call } from "../boundary/wasm.ts";
import { TurnfoldError } from "../errors.ts";
import type { ChatMessage } from "./chat-message.ts";
import { type Conversation, handleOf, ofMessages } from "./conversation.ts";
import { copyMessages } from "./message-copy.ts";

/**
 * Where summaries are kept, so that nobody pays twice for one of the same messages. Any object with these methods will do, a
 * `Map` for instance. Keys are texts that depend on the contents of the summarized messages, the strategy and the prompt.
 */
export interface SummaryStorage {
  get(key: string): string | null | undefined | Promise<string | null | undefined>;
  set(key: string, text: string): unknown;
}

/**
 * Keeps summaries in memory.
 *
 * @example
 * ```ts
 * const summaryStore = new SummaryStore();
 * // In a server that gets the whole history with each request:
 * const { conversation: shorter } = await manageHistory(
 *   conversation,
 *   { compressionStrategy: lastNMessages(20) },
 *   { llm, summaryStore },
 * );
 * ```
 */
export class SummaryStore implements SummaryStorage {
  private readonly texts = new Map<string, string>();
  private readonly most: number;

  /** @param maxEntries How many texts are kept; the oldest go first. Default 1,000. */
  constructor({ maxEntries = 1000 }: { maxEntries?: number } = {}) {
    if (!Number.isInteger(maxEntries) || maxEntries < 1) {
      throw new TurnfoldError("invalid_option", "maxEntries must be a whole number from 1 up", {
        details: { option: "maxEntries" },
      });
    }
    this.most = maxEntries;
  }

  /** How many texts there are. */
  get size(): number {
    return this.texts.size;
  }

  /** The text of a key; undefined when there is none. */
  get(key: string): string | undefined {
    const text = this.texts.get(key);
    if (text !== undefined) this.renew(key, text);
    return text;
  }

  /** Keeps a text under a key. */
  set(key: string, text: string): void {
    this.renew(key, text);
    for (const oldest of this.texts.keys()) {
      if (this.texts.size <= this.most) break;
      this.texts.delete(oldest);
    }
  }

  private renew(key: string, text: string): void {
    this.texts.delete(key);
    this.texts.set(key, text);
  }
}

/**
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function checkStore(store: unknown): void {
  const { get, set } = Object(store) as Record<keyof SummaryStorage, unknown>;
  if (store === undefined || (typeof get === "function" && typeof set === "function")) return;
  throw new TurnfoldError("invalid_option", "summaryStore must be an object with get(key) and set(key, text)", {
    details: { option: "summaryStore" },
    hint: "new SummaryStore(), or a Map",
  });
}

/** A summary that is stored, with the text of its message. */
export interface Stored extends Extent {
  text: string;
}

interface Extent {
  /** How many messages of its group it covers. */
  covers: number;
  /** How many messages followed it when it was made; null when that is not known. */
  followed: number | null;
}

/** Behind the key of the first message of a group: the extents of its summaries, as `18+6`. */
const COUNTS = ":counts";
/** Behind the key of the first message of a group whose summary was not shorter. */
const UNPAID = ":unpaid";
/** How many of these numbers are kept. */
const MOST_COUNTS = 20;

/**
 * The stored summaries of one conversation. What a store throws is a warning: a summary is asked for again.
 *
 * @internal
 */
export class StoredSummaries {
  private readonly store: SummaryStorage;
  private readonly conversation: Conversation;
  private readonly about: string;
  private readonly warn: (text: string) => void;

  /** @param about what the keys depend on besides the messages. */
  constructor(store: SummaryStorage, conversation: Conversation, about: string, warn: (text: string) => void) {
    this.store = store;
    this.conversation = conversation;
    this.about = about;
    this.warn = warn;
  }

  /** The summary of the most messages at the beginning of a group, given by their indexes. */
  async find(group: readonly number[]): Promise<Stored | null> {
    const keys = this.keysOf(group);
    const extents = await this.extentsOf(keys);
    const fitting = extents.filter(({ covers }) => covers <= group.length);
    for (const extent of fitting.sort((left, right) => right.covers - left.covers)) {
      const text = await this.get(keys[extent.covers - 1] as string);
      if (text !== null) return { text, ...extent };
    }
    return null;
  }

  /** Stores the summary of the messages at these indexes. */
  async add(group: readonly number[], { content, followed }: { content: string; followed: number | null }) {
    const keys = this.keysOf(group);
    await this.set(keys.at(-1) as string, content);
    const others = (await this.extentsOf(keys)).filter(({ covers }) => covers !== group.length);
    const extents = [...others, { covers: group.length, followed }].slice(-MOST_COUNTS);
    const texts = extents.map((extent) =>
      extent.followed === null ? extent.covers : `${extent.covers}+${extent.followed}`,
    );
    await this.set((keys[0] as string) + COUNTS, texts.join());
  }

  /** The tokens of a group with the same first message whose summary was not shorter; 0 when there is none. */
  async unpaid(group: readonly number[]): Promise<number> {
    return Number(await this.get((this.keysOf(group.slice(0, 1))[0] as string) + UNPAID)) || 0;
  }

  /** Stores that the summary of a group of so many tokens was not shorter. */
  async addUnpaid(group: readonly number[], tokens: number): Promise<void> {
    await this.set((this.keysOf(group.slice(0, 1))[0] as string) + UNPAID, String(tokens));
  }

  private keysOf(group: readonly number[]): string[] {
    return call(() => handleOf(this.conversation).contentKeys(Uint32Array.from(group), this.about));
  }

  private async extentsOf(keys: readonly string[]): Promise<Extent[]> {
    const texts = ((await this.get((keys[0] as string) + COUNTS)) ?? "").split(",");
    const isCount = (number: number | null) => number === null || (Number.isSafeInteger(number) && number >= 0);
    return texts.flatMap((text) => {
      const [covers, followed = null] = text.split("+").map(Number);
      return covers && isCount(covers) && isCount(followed) ? [{ covers, followed }] : [];
    });
  }

  private async get(key: string): Promise<string | null> {
    try {
      const text = await this.store.get(key);
      return typeof text === "string" && text !== "" ? text : null;
    } catch (error) {
      this.warn(`the summary store could not be read: ${messageOf(error)}`);
      return null;
    }
  }

  private async set(key: string, text: string): Promise<void> {
    try {
      await this.store.set(key, text);
    } catch (error) {
      this.warn(`the summary store could not be written: ${messageOf(error)}`);
    }
  }
}

/** A conversation with stored summaries in it. */
export interface Shortened {
  conversation: Conversation;
  /** Where each of its messages comes from. */
  sources: readonly Source[];
}

/** The indexes of the messages that a message is or, if it is a stored summary, replaces. */
export interface Source {
  covers: readonly number[];
  isStored: boolean;
}

/**
 * Replaces messages with summaries, each in the place of the last one that it covers.
 *
 * @internal
 */
export function withSummaries(
  conversation: Conversation,
  found: readonly { covers: readonly number[]; text: string; followed: number | null }[],
  { role, strategy }: { role: string; strategy: string },
): Shortened {
  const { messages } = conversation;
  const summaries = new Map(found.map((summary) => [summary.covers.at(-1) as number, summary]));
  const covered = new Set(found.flatMap(({ covers }) => covers));
  const sources: Source[] = [];
  const shorter: ChatMessage[] = [];
  messages.forEach((message, index) => {
    const summary = summaries.get(index);
    if (summary !== undefined) {
      const { covers, text, followed } = summary;
      const timestamp = covers
        .map((place) => messages[place]?.timestamp)
        .filter((time) => time !== undefined)
        .at(-1);
      const count = covers.reduce((sum, place) => sum + (messages[place]?.summary?.covers ?? 1), 0);
      const made = {
        role,
        content: text,
        ...(timestamp === undefined ? {} : { timestamp }),
        summary: { covers: count, strategy, ...(followed === null ? {} : { followed }) },
      };
      shorter.push(...copyMessages([made], "summary"));
      sources.push({ covers, isStored: true });
    } else if (!covered.has(index)) {
      shorter.push(message);
      sources.push({ covers: [index], isStored: false });
    }
  });
  return { conversation: ofMessages(Object.freeze(shorter)), sources };
}

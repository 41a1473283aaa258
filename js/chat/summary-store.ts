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

/** A summary that is stored: the text of its message, and how many messages of its group it covers. */
export interface Stored {
  text: string;
  covers: number;
}

/** Behind the key of the first message of a group: the numbers of messages for which there are summaries. */
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
    const counts = await this.countsOf(keys);
    for (const covers of counts.filter((count) => count <= group.length).sort((left, right) => right - left)) {
      const text = await this.get(keys[covers - 1] as string);
      if (text !== null) return { text, covers };
    }
    return null;
  }

  /** Stores the summary of the messages at these indexes. */
  async add(group: readonly number[], text: string): Promise<void> {
    const keys = this.keysOf(group);
    await this.set(keys.at(-1) as string, text);
    const counts = [...(await this.countsOf(keys)).filter((count) => count !== group.length), group.length];
    await this.set((keys[0] as string) + COUNTS, counts.slice(-MOST_COUNTS).join());
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

  private async countsOf(keys: readonly string[]): Promise<number[]> {
    const counts = (await this.get((keys[0] as string) + COUNTS)) ?? "";
    return counts
      .split(",")
      .map(Number)
      .filter((count) => Number.isInteger(count) && count > 0);
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
  found: readonly { covers: readonly number[]; text: string }[],
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
      const { covers, text } = summary;
      const timestamp = covers
        .map((place) => messages[place]?.timestamp)
        .filter((time) => time !== undefined)
        .at(-1);
      const count = covers.reduce((sum, place) => sum + (messages[place]?.summary?.covers ?? 1), 0);
      const made = {
        role,
        content: text,
        ...(timestamp === undefined ? {} : { timestamp }),
        summary: { covers: count, strategy },
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

import { messageOf, unlessAborted, withDeadline } from "../boundary/host.ts";
import { countOption, readOptions } from "../boundary/options.ts";
import { call } from "../boundary/wasm.ts";
import { TurnfoldError } from "../errors.ts";
import { abortedError } from "./ask-summaries.ts";
import type { ChatMessage } from "./chat-message.ts";
import { type Conversation, handleOf, ofMessages } from "./conversation.ts";
import { copyMessages } from "./message-copy.ts";

/**
 * A store of summaries, so that a summary of the same messages is paid for only once. Any object with these methods can
 * be used, such as a `Map`. A store that throws, rejects or does not answer within 5 seconds causes a warning, and the
 * call continues without it. Keys are texts that depend on the contents of the summarized messages, the strategy and the
 * prompt.
 *
 * For histories with thinking of Claude, it also gets a short text for each request that was not sent as it was given,
 * which tells later requests what thinking is still valid.
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
  private readonly maxEntries: number;

  /**
   * @param options `maxEntries`: maximum number of texts; the least recently used are removed first. Default 1,000.
   * @throws {TurnfoldError} `invalid_option`
   */
  constructor(options: { maxEntries?: number | undefined } = {}) {
    const checks = { maxEntries: countOption(1000, 1) };
    this.maxEntries = readOptions("the options of a summary store", options, checks).maxEntries;
  }

  /** Number of stored texts. */
  get size(): number {
    return this.texts.size;
  }

  /** Returns the text of a key; undefined when there is none. */
  get(key: string): string | undefined {
    const text = this.texts.get(key);
    if (text !== undefined) this.renew(key, text);
    return text;
  }

  /** Stores a text under a key. */
  set(key: string, text: string): void {
    this.renew(key, text);
    for (const oldest of this.texts.keys()) {
      if (this.texts.size <= this.maxEntries) break;
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
export function checkStore(store: unknown): SummaryStorage | undefined {
  const { get, set } = Object(store) as Record<keyof SummaryStorage, unknown>;
  if (store === undefined || (typeof get === "function" && typeof set === "function")) {
    return store as SummaryStorage | undefined;
  }
  throw new TurnfoldError("invalid_option", "summaryStore must be an object with get(key) and set(key, text)", {
    details: { option: "summaryStore" },
    hint: "new SummaryStore(), or a Map",
  });
}

/** A summary that is stored, with the text of its message. */
export interface StoredSummary extends SummaryExtent {
  text: string;
}

interface SummaryExtent {
  /** Number of messages of its group that it covers. */
  covers: number;
  /** Number of messages that followed it when it was made; null when unknown. */
  followed: number | null;
}

/** Appended to the key of the first message of a group: the key of the extents of its summaries, such as `18+6`. */
const EXTENTS_SUFFIX = ":counts";
/** Appended to the key of the first message of a group whose summary was not shorter: the key of the group's tokens. */
const REJECTED_SUFFIX = ":unpaid";
/** Appended to the key of the messages of a request: the key of the form in which they were sent. */
const FORM_SUFFIX = ":sent";
/** Maximum number of extents stored for a group. */
const MAX_EXTENTS = 20;
/** Milliseconds after which a call of the store counts as failed. */
const DEADLINE = 5000;

/**
 * The stored summaries of one conversation. Errors of the store become warnings, and the summary is requested again. A
 * store that once did not answer in time is not called again.
 *
 * @internal
 */
export class StoredSummaries {
  private readonly store: SummaryStorage;
  private readonly conversation: Conversation;
  private readonly keyContext: string;
  private readonly warn: (text: string) => void;
  private readonly signal: AbortSignal | undefined;
  private isSilent = false;

  /**
   * @param about what the keys depend on besides the messages.
   * @param signal ends the search for stored summaries, but not the storing of new ones, which are paid for.
   */
  constructor(
    store: SummaryStorage,
    conversation: Conversation,
    about: string,
    warn: (text: string) => void,
    signal?: AbortSignal | undefined,
  ) {
    this.store = store;
    this.conversation = conversation;
    this.keyContext = about;
    this.warn = warn;
    this.signal = signal;
  }

  /**
   * Finds the stored summary that covers the most messages from the beginning of a group, given by their indexes.
   *
   * @throws {TurnfoldError} `aborted`
   */
  async find(group: readonly number[]): Promise<StoredSummary | null> {
    const keys = this.keysOf(group);
    const extents = readExtents(await this.getUnlessAborted((keys[0] as string) + EXTENTS_SUFFIX));
    const fitting = extents.filter(({ covers }) => covers <= group.length);
    for (const extent of fitting.sort((left, right) => right.covers - left.covers)) {
      const text = await this.getUnlessAborted(keys[extent.covers - 1] as string);
      if (text !== null) return { text, ...extent };
    }
    return null;
  }

  /** Stores the summary of the messages at these indexes. */
  async add(group: readonly number[], { content, followed }: { content: string; followed: number | null }) {
    const keys = this.keysOf(group);
    await this.set(keys.at(-1) as string, content);
    const stored = readExtents(await this.get((keys[0] as string) + EXTENTS_SUFFIX));
    const others = stored.filter(({ covers }) => covers !== group.length);
    const extents = [...others, { covers: group.length, followed }].slice(-MAX_EXTENTS);
    const texts = extents.map((extent) =>
      extent.followed === null ? extent.covers : `${extent.covers}+${extent.followed}`,
    );
    await this.set((keys[0] as string) + EXTENTS_SUFFIX, texts.join());
  }

  /**
   * Returns the tokens of a group with the same first message whose summary was not shorter; 0 when there is none.
   *
   * @throws {TurnfoldError} `aborted`
   */
  async rejectedTokens(group: readonly number[]): Promise<number> {
    return Number(await this.getUnlessAborted((this.keysOf(group.slice(0, 1))[0] as string) + REJECTED_SUFFIX)) || 0;
  }

  /** Stores that the summary of a group was not shorter, with the tokens of the group. */
  async addRejected(group: readonly number[], tokens: number): Promise<void> {
    await this.set((this.keysOf(group.slice(0, 1))[0] as string) + REJECTED_SUFFIX, String(tokens));
  }

  /**
   * Returns the form in which a request with the first `count` messages was sent; null when none is stored.
   *
   * @throws {TurnfoldError} `aborted`
   */
  async sentForm(count: number): Promise<string | null> {
    return this.getUnlessAborted(this.formKey(count));
  }

  /** Stores the form in which a request with all messages is sent. */
  async addSentForm(form: object): Promise<void> {
    await this.set(this.formKey(this.conversation.messages.length), JSON.stringify(form));
  }

  private formKey(count: number): string {
    return (this.keysOf([...Array(count).keys()]).at(-1) as string) + FORM_SUFFIX;
  }

  private keysOf(group: readonly number[]): string[] {
    return call("chat", () => handleOf(this.conversation).contentKeys(Uint32Array.from(group), this.keyContext));
  }

  private async getUnlessAborted(key: string): Promise<string | null> {
    const text = await unlessAborted(this.get(key), this.signal);
    if (this.signal?.aborted) throw abortedError(this.signal);
    return text;
  }

  private async get(key: string): Promise<string | null> {
    const text = await this.ask("read", () => this.store.get(key));
    return typeof text === "string" && text !== "" ? text : null;
  }

  private async set(key: string, text: string): Promise<void> {
    await this.ask("written", () => this.store.set(key, text));
  }

  /** Calls the store. Returns undefined after an error, which becomes a warning. */
  private async ask(done: "read" | "written", act: () => unknown): Promise<unknown> {
    if (this.isSilent) return undefined;
    const late = () => {
      this.isSilent = true;
      return new Error(`it did not answer within ${DEADLINE / 1000} seconds`);
    };
    try {
      return await withDeadline((async () => act())(), DEADLINE, late);
    } catch (error) {
      this.warn(`the summary store could not be ${done}: ${messageOf(error)}`);
      return undefined;
    }
  }
}

/** Reads the extents of the summaries that are stored for a group. */
function readExtents(stored: string | null): SummaryExtent[] {
  const isCount = (number: number | null) => number === null || (Number.isSafeInteger(number) && number >= 0);
  return (stored ?? "").split(",").flatMap((text) => {
    const [covers, followed = null] = text.split("+").map(Number);
    return covers && isCount(covers) && isCount(followed) ? [{ covers, followed }] : [];
  });
}

/** A conversation with stored summaries in it. */
export interface ShortenedConversation {
  conversation: Conversation;
  /** The source of each of its messages. */
  sources: readonly MessageSource[];
}

/** The indexes of the messages that a message is or, if it is a stored summary, replaces. */
export interface MessageSource {
  covers: readonly number[];
  isStored: boolean;
}

/**
 * Replaces messages with summaries, each at the position of the last message that it covers.
 *
 * @internal
 */
export function withSummaries(
  conversation: Conversation,
  found: readonly { covers: readonly number[]; text: string; followed: number | null }[],
  { role, strategy }: { role: string; strategy: string },
): ShortenedConversation {
  const { messages } = conversation;
  const summaries = new Map(found.map((summary) => [summary.covers.at(-1) as number, summary]));
  const covered = new Set(found.flatMap(({ covers }) => covers));
  const sources: MessageSource[] = [];
  const shorter: ChatMessage[] = [];
  messages.forEach((message, index) => {
    const summary = summaries.get(index);
    if (summary !== undefined) {
      const { covers, text, followed } = summary;
      const timestamp = covers
        .map((index) => messages[index]?.timestamp)
        .filter((time) => time !== undefined)
        .at(-1);
      const count = covers.reduce((sum, index) => sum + (messages[index]?.summary?.covers ?? 1), 0);
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

import { anyOption, invalidOption } from "../../boundary/options.ts";
import { readMember } from "../../model/error-chain.ts";
import type { HistoryManager } from "../shared/history-manager.ts";
import type { HistoryOptions } from "../shared/history-options.ts";
import type { AgentsSession } from "./framework.ts";
import { manageItems } from "./managed-items.ts";
import { type HistoryMutations, lastItems, MemoryItems } from "./memory-session.ts";
import { checkOptions } from "./options.ts";

/** Options of {@link turnfoldSession}: how the history is managed, with which model, and where it is stored. */
export interface SessionOptions<Item extends object> extends HistoryOptions {
  /** The session that stores the items: any session of the SDK. Default one in memory. */
  session?: AgentsSession<Item> | undefined;
  /** The id of a session in memory. Default a random one. */
  sessionId?: string | undefined;
}

const REQUIRED_METHODS = ["getSessionId", "getItems", "addItems", "popItem", "clearSession"] as const;

/** Methods that only some sessions have, and that apply to a managed history too. */
const OPTIONAL_METHODS = [
  "prepareHistoryItemForModelInput",
  "prepareHistoryItemsForPersistenceComparison",
  "preserveReasoningItemIdsForPersistence",
  "applyHistoryMutations",
] as const;

/**
 * Makes a session of the SDK that manages its history: `getItems` returns the managed history, and `transcript` all
 * items that were added. Another session, or memory, stores every item unchanged. Each summary is requested only once.
 *
 * A run reads its session only once, when it begins. For requests within a run, use {@link turnfoldInputFilter} too.
 *
 * @throws {TurnfoldError} `invalid_option`, `invalid_strategy`, `invalid_counter`
 *
 * @example
 * ```ts
 * const session = turnfoldSession({ compressionStrategy: wholeHistory(), maxTokens: 50_000, llm });
 * await run(agent, "Where is my order?", { session });
 * const everything = await session.transcript();
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: a session in memory takes the items of any version of the SDK.
export function turnfoldSession<Item extends object = any>(options: SessionOptions<Item>): TurnfoldSession<Item> {
  return new TurnfoldSession(options);
}

/** A session that manages its history. */
// biome-ignore lint/suspicious/noExplicitAny: a session in memory takes the items of any version of the SDK.
export class TurnfoldSession<Item extends object = any> {
  /** Set when the session that stores the items accepts the context of a run. */
  declare readonly acceptsRunContext?: true;
  declare readonly prepareHistoryItemForModelInput?: (item: Item) => Item;
  declare readonly prepareHistoryItemsForPersistenceComparison?: (items: Item[]) => Item[];
  declare readonly preserveReasoningItemIdsForPersistence?: () => boolean;
  declare readonly applyHistoryMutations?: (args: HistoryMutations) => Promise<void> | void;

  private readonly stored: AgentsSession<Item>;
  private readonly manager: HistoryManager;
  /** Histories are managed one after the other, so that no summary is requested twice. */
  private lastManaging: Promise<unknown> = Promise.resolve();

  /** @internal */
  constructor(options: SessionOptions<Item>) {
    const given = checkOptions(options, { session: anyOption(), sessionId: anyOption() });
    const { manager, session, sessionId = globalThis.crypto.randomUUID() } = given;
    if (typeof sessionId !== "string" || sessionId === "") throw invalidOption("sessionId", "a text", sessionId);
    if (session !== undefined && given.sessionId !== undefined) {
      throw invalidOption("sessionId", "left out beside `session`, which has its own", sessionId);
    }
    const missing =
      session === undefined
        ? undefined
        : REQUIRED_METHODS.find((name) => typeof readMember(session, name) !== "function");
    if (missing !== undefined) throw invalidOption("session", `a session of the SDK, with ${missing}`, session);
    this.manager = manager;
    this.stored = (session as AgentsSession<Item> | undefined) ?? new MemoryItems<Item>(sessionId);
    if (readMember(this.stored, "acceptsRunContext") === true) Object.assign(this, { acceptsRunContext: true });
    for (const name of OPTIONAL_METHODS) {
      const method = readMember(this.stored, name);
      if (typeof method === "function") Object.assign(this, { [name]: method.bind(this.stored) });
    }
  }

  /** Returns the id of the session that stores the items. */
  getSessionId(): Promise<string> {
    return this.stored.getSessionId();
  }

  /**
   * Returns the managed history, or its last `limit` items.
   *
   * @throws {TurnfoldError} as `manageHistory`; the stored items are not changed.
   */
  async getItems(limit?: number, ...context: unknown[]): Promise<Item[]> {
    const items = await this.read(context);
    const managing = this.lastManaging.then(() => manageItems(afterLastCompaction(items), this.manager));
    this.lastManaging = managing.catch(() => {});
    return lastItems(await managing, limit);
  }

  /** Returns every item that was added and not popped, unchanged. */
  transcript(): Promise<Item[]> {
    return this.read([]);
  }

  /** Adds items at the end. */
  addItems(items: Item[], ...context: unknown[]): Promise<void> {
    return this.call("addItems", [items, ...context]);
  }

  /** Removes the last item of the transcript and returns it. */
  popItem(...context: unknown[]): Promise<Item | undefined> {
    return this.call("popItem", context);
  }

  /** Removes all items, also from the transcript. */
  clearSession(...context: unknown[]): Promise<void> {
    return this.call("clearSession", context);
  }

  /**
   * Adds items of which the first is the provider's compaction of the history. The history then begins with that item;
   * the transcript keeps the items before it.
   */
  replaceHistoryWithCompaction(items: Item[], ...context: unknown[]): Promise<void> {
    return this.addItems(items, ...context);
  }

  private read(context: readonly unknown[]): Promise<Item[]> {
    return this.call("getItems", context.length === 0 ? [] : [undefined, ...context]);
  }

  private call<Result>(name: (typeof REQUIRED_METHODS)[number], args: readonly unknown[]): Promise<Result> {
    const method = this.stored[name] as (...args: unknown[]) => Promise<Result>;
    return method.apply(this.stored, [...args]);
  }
}

/** Returns the items from the last compaction on. */
function afterLastCompaction<Item extends object>(items: readonly Item[]): readonly Item[] {
  for (let index = items.length - 1; index > 0; index--) {
    if ((items[index] as { type?: unknown }).type === "compaction") return items.slice(index);
  }
  return items;
}

import type { AgentsSession } from "./framework.ts";

/** Changes that the SDK makes to a history, such as a call that a person approved with other arguments. */
export interface HistoryMutations {
  mutations: readonly { type: string; callId?: unknown; replacement?: unknown }[];
}

/** A session in memory. */
export class MemoryItems<Item extends object> implements AgentsSession<Item> {
  private readonly id: string;
  private items: Item[] = [];

  constructor(id: string) {
    this.id = id;
  }

  async getSessionId(): Promise<string> {
    return this.id;
  }

  async getItems(limit?: number): Promise<Item[]> {
    return structuredClone(lastItems(this.items, limit));
  }

  async addItems(items: Item[]): Promise<void> {
    this.items.push(...structuredClone(items));
  }

  async popItem(): Promise<Item | undefined> {
    return this.items.pop();
  }

  async clearSession(): Promise<void> {
    this.items = [];
  }

  /** Replaces the first call with an id, and removes further calls with it. */
  async applyHistoryMutations({ mutations }: HistoryMutations): Promise<void> {
    for (const { type, callId, replacement } of mutations) {
      if (type !== "replace_function_call") continue;
      const isCall = (item: object) => {
        const { type: kind, callId: id } = item as { type?: unknown; callId?: unknown };
        return kind === "function_call" && id === callId;
      };
      const first = this.items.findIndex(isCall);
      this.items = this.items.flatMap((item, index) => {
        if (!isCall(item)) return [item];
        return index === first ? [structuredClone(replacement) as Item] : [];
      });
    }
  }
}

/** Returns the last `limit` items; all without a limit. */
export function lastItems<Item>(items: readonly Item[], limit: number | undefined): Item[] {
  if (limit === undefined) return [...items];
  return limit <= 0 ? [] : items.slice(-limit);
}

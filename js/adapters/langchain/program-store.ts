import type { ProgramStore } from "../../program-tool/program-store.ts";

/** What is used of a store of LangGraph (`BaseStore`). */
export interface LangGraphStore {
  get(namespace: string[], key: string): Promise<{ value: Record<string, unknown> } | null>;
  put(namespace: string[], key: string, value: Record<string, unknown>, index?: false): Promise<void>;
  delete(namespace: string[], key: string): Promise<void>;
}

/**
 * Keeps the definitions and the waiting programs of `programTool` in a store of LangGraph, such as that of the agent.
 *
 * @example
 * ```ts
 * const store = PostgresStore.fromConnString(url);
 * const program = programTool({ search, refund }, { store: langGraphStore(store) });
 * ```
 */
export function langGraphStore(store: LangGraphStore, namespace: readonly string[] = ["turnfold"]): ProgramStore {
  const place = [...namespace];
  return {
    get: async (key) => (await store.get(place, key))?.value.saved,
    // It is not searched by its meaning.
    set: (key, saved) => store.put(place, key, { saved }, false),
    delete: (key) => store.delete(place, key),
  };
}

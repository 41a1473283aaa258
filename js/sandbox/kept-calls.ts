/** `*calls` of a sandbox whose last program succeeded, as JSON. */
export const NO_CALLS = "[]";

/**
 * `*calls` after a program that failed: `before`, then its calls. Without their results when the memory was used up,
 * because these would use up that of the next program. The wasm side has the same rule.
 *
 * @param before JSON of `*calls` before.
 * @param calls JSON of each call.
 * @param kind the kind of the error.
 */
export function keptCalls(before: string, calls: readonly string[], kind: unknown): string {
  const all = `[${[before.slice(1, -1), ...calls].filter((json) => json !== "").join()}]`;
  if (kind !== "memory_exceeded" && kind !== "out_of_memory") return all;
  const kept = JSON.parse(all) as { result?: unknown }[];
  return JSON.stringify(kept.map(({ result: _, ...call }) => call));
}

/** Tokens as the provider reports them. */
export interface Usage {
  /** All tokens of the input, including those of the cache, which some providers report separately. */
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  /** Input tokens that were read from the provider's cache. */
  cacheReadTokens?: number | undefined;
  /** Input tokens that were written to the provider's cache. */
  cacheWriteTokens?: number | undefined;
}

const COUNTS = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"] as const;

/** No request has a trillion tokens; what is above is no count, and sums of counts stay exact. */
const MAX_COUNT = 1e12;

/**
 * Returns the counts that are numbers of tokens; other members of a provider's usage are ignored.
 *
 * @internal
 */
export function usageOf(given: unknown): Usage {
  const usage: Usage = {};
  if (typeof given !== "object" || given === null) return usage;
  for (const name of COUNTS) {
    const count = (given as Usage)[name];
    if (typeof count === "number" && count >= 0 && count <= MAX_COUNT) usage[name] = count;
  }
  return usage;
}

/**
 * Returns what is left of a sum without some of it.
 *
 * @internal
 */
export function usageWithout(total: Usage, some: Usage): Usage {
  const counts = Object.entries(usageOf(total)) as [keyof Usage, number][];
  return Object.fromEntries(counts.map(([name, count]) => [name, Math.max(0, count - (some[name] ?? 0))]));
}

/**
 * Adds the usage of another reply.
 *
 * @internal
 */
export function addUsage(total: Usage, more: Usage): void {
  const added = usageOf(more);
  for (const name of COUNTS) {
    const count = added[name];
    if (count !== undefined) total[name] = (total[name] ?? 0) + count;
  }
}

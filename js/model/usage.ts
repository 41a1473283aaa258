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

/**
 * Returns the counts that are numbers; other members of a provider's usage are ignored.
 *
 * @internal
 */
export function usageOf(given: unknown): Usage {
  const usage: Usage = {};
  if (typeof given !== "object" || given === null) return usage;
  for (const name of COUNTS) {
    const count = (given as Usage)[name];
    if (Number.isFinite(count) && (count as number) >= 0) usage[name] = count as number;
  }
  return usage;
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

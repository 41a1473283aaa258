import { requireText } from "../tokens/text.ts";
import type { PriceList } from "./prices.ts";

/** The month of the list of prices, for reports. */
export const PRICES_DATE = "November 2026";

/** What a model costs, and how its provider caches. */
export interface ModelPrice {
  /** The name in the list of prices. */
  name: string;
  provider: Provider;
  /** Dollars for a million tokens, and the rules of the provider's cache. */
  prices: PriceList & Record<"input" | "cacheRead" | "cacheWrite" | "output", number>;
  /** The context window in tokens, with the reply. */
  window: number;
}

type Provider = keyof typeof LISTS;

/**
 * A model for each line: its name, dollars for a million tokens of input, of input read from the cache (a share of the input's
 * price where it is written as `x0.1`, `-` where nothing is cached) and of output, and the window in thousands of tokens. Then
 * the tier of large requests, `272:2:1.5`: above 272,000 tokens the prices of input are doubled and that of output is 1.5 times as
 * high. A name with `@2026-07-30` has these prices from that day on.
 *
 * The facts are those of genai-prices 0.2.3 (November 2026, a copy of the providers' pages), GPT-6.2, Gemini 4 Neon and
 * Hydrogen are from stored copies of their announcements; those of models of 2023 are omitted. Cheaper hours, batches and
 * regions are not known to a recording.
 */
const LISTS = {
  anthropic: `
claude-fable-5.2 8 x0.025 40 1000
claude-fable-5.1 10 x0.025 50 1000
claude-fable-5 10 x0.1 50 1000
claude-mythos-5.2 8 x0.025 40 1000
claude-mythos-5 10 x0.1 50 1000
claude-opus-5.5 4 x0.05 20 1000
claude-opus-5 5 x0.1 25 1000
claude-opus-4.8 5 x0.1 25 1000
claude-opus-4.7 5 x0.1 25 1000
claude-opus-4.6 5 x0.1 25 1000 200:2:1.5
claude-opus-4.6@2026-03-13 5 x0.1 25 1000
claude-opus-4.5 5 x0.1 25 200
claude-opus-4.1 15 x0.1 75 200
claude-opus-4 15 x0.1 75 200
claude-opus-3 15 x0.1 75 200
claude-sonnet-5.5 2 x0.1 10 1000
claude-sonnet-5.5@2026-10-07 2 x0.05 10 1000
claude-sonnet-5 2 x0.1 10 1000
claude-sonnet-4.6 3 x0.1 15 1000 200:2:1.5
claude-sonnet-4.6@2026-03-13 3 x0.1 15 1000
claude-sonnet-4.5 3 x0.1 15 200 200:2:1.5
claude-sonnet-4 3 x0.1 15 200 200:2:1.5
claude-sonnet-3.7 3 x0.1 15 200
claude-sonnet-3.5 3 x0.1 15 200
claude-haiku-5.5 0.1 x0.1 0.5 1000 100:5:5
claude-haiku-4.5 1 x0.1 5 200
claude-haiku-3.5 0.8 x0.1 4 200
claude-haiku-3 0.25 x0.12 1.25 200`,
  openai: `
gpt-6.2-astra 8 x0.05 40 1050 272:2:1.5
gpt-6.2-sol 2 x0.05 10 1050 272:2:1.5
gpt-6.1-sol 2 x0.05 10 1050 272:2:1.5
gpt-6.1-terra 1 x0.05 5 1050 272:2:1.5
gpt-6-astra 10 x0.1 50 1050 272:2:1.5
gpt-6-sol 2 x0.1 10 1050 272:2:1.5
gpt-6-luna 0.1 x0.1 0.5 1050 272:2:1.5
gpt-5.6 5 x0.1 30 1050 272:2:1.5
gpt-5.6@2026-08-21 4 x0.1 20 1050 272:2:1.5
gpt-5.6-sol 5 x0.1 30 1050 272:2:1.5
gpt-5.6-sol@2026-08-21 4 x0.1 20 1050 272:2:1.5
gpt-5.6-terra 2.5 x0.1 15 1050 272:2:1.5
gpt-5.6-terra@2026-07-30 2 x0.1 12 1050 272:2:1.5
gpt-5.6-luna 1 x0.1 6 1050 272:2:1.5
gpt-5.6-luna@2026-07-30 0.2 x0.1 1.2 1050 272:2:1.5`,
  "openai before 5.6": `
gpt-5.5 5 x0.1 30 1050 272:2:1.5
gpt-5.5-pro 30 - 180 1050 272:2:1.5
gpt-5.4 2.5 x0.1 15 1050 272:2:1.5
gpt-5.4-mini 0.75 x0.1 4.5 400
gpt-5.4-nano 0.2 x0.1 1.25 400
gpt-5.4-pro 30 - 180 1050 272:2:1.5
gpt-5.3 1.75 x0.1 14 128
gpt-5.3-codex 1.75 x0.1 14 400
gpt-5.3-codex-spark 1.75 x0.1 14 128
gpt-5.2 1.75 x0.1 14 400
gpt-5.2-codex 1.75 x0.1 14 400
gpt-5.2-pro 21 - 168 400
gpt-5.1 1.25 x0.1 10 400
gpt-5.1-codex 1.25 x0.1 10 400
gpt-5.1-codex-max 1.25 x0.1 10 400
gpt-5.1-codex-mini 0.25 x0.1 2 400
gpt-5 1.25 x0.1 10 400
gpt-5-codex 1.25 x0.1 10 400
gpt-5-codex-mini 0.25 x0.1 2 400
gpt-5-mini 0.25 x0.1 2 400
gpt-5-nano 0.05 x0.1 0.4 400
gpt-5-pro 15 - 120 400
codex-mini 1.5 x0.25 6 200
gpt-4.1 2 x0.25 8 1047
gpt-4.1-mini 0.4 x0.25 1.6 1047
gpt-4.1-nano 0.1 x0.25 0.4 1047
gpt-4.5 75 x0.5 150 128
gpt-4o 2.5 x0.5 10 128
gpt-4o-mini 0.15 x0.5 0.6 128
gpt-4-turbo 10 - 30 128
gpt-4 30 - 60 8
gpt-3.5-turbo 0.5 - 1.5 16
o4-mini 1.1 x0.25 4.4 200
o3 10 x0.25 40 200
o3@2025-06-10 2 x0.25 8 200
o3-mini 1.1 x0.5 4.4 200
o3-pro 20 - 80 200
o1 15 x0.5 60 200
o1-mini 1.1 x0.5 4.4 128
o1-pro 150 - 600 200`,
  google: `
gemini-4-neon 3 x0.05 15 1000
gemini-4-argon 2 x0.05 10 1048
gemini-4-argon@2026-12-01 4 x0.05 20 1048
gemini-4-hydrogen 1.5 x0.05 7.5 1000
gemini-3.8-flash 0.75 x0.1 3.75 1048
gemini-3.8-flash@2027-01-01 1.5 x0.1 7.5 1048
gemini-3.7-flash 0.75 x0.1 3.75 1048
gemini-3.7-flash@2027-01-01 1.5 x0.1 7.5 1048
gemini-3.6-flash 0.75 x0.1 3.75 1048
gemini-3.6-flash@2027-01-01 1.5 x0.1 7.5 1048
gemini-3.5-flash 1.5 x0.1 9 1048
gemini-3.5-flash-lite 0.3 x0.1 2.5 1048
gemini-3.1-pro 2 x0.1 12 1048 200:2:1.5
gemini-3.1-flash-lite 0.25 x0.1 1.5 1048
gemini-3-pro 2 x0.1 12 1048 200:2:1.5
gemini-3-flash 0.5 x0.1 3 1048
gemini-2.5-pro 1.25 x0.1 10 1048 200:2:1.5
gemini-2.5-flash 0.3 x0.1 2.5 1048
gemini-2.5-flash-lite 0.1 x0.1 0.4 1048
gemini-2.0-flash 0.1 x0.25 0.4 1048
gemini-2.0-flash-lite 0.075 - 0.3 1048`,
  deepseek: `
deepseek-v4-pro 0.435 x0.0083 0.87 1000
deepseek-v4-pro@2026-08-17 0.66 x0.0333 1.98 1000
deepseek-v4-flash 0.14 x0.02 0.28 1000
deepseek-v4-flash@2026-08-17 0.22 x0.032 0.66 1000
deepseek-v4-flash@2026-09-10 0.15 x0.02 0.6 1000
deepseek-chat 0.27 x0.26 1.1 128
deepseek-chat@2025-09-29 0.28 x0.1 0.42 128
deepseek-reasoner 0.55 x0.255 2.19 128
deepseek-reasoner@2025-09-29 0.28 x0.1 0.42 128`,
  others: `
grok-4.7 2 x0.25 6 500 200:2:2
grok-4.6 2 x0.25 6 500 200:2:2
grok-4.5 2 x0.15 6 500 200:2:2
grok-4.3 1.25 x0.16 2.5 1000 200:2:2
grok-4.20 2 x0.1 6 1000 200:2:2
grok-4.20@2026-04-30 1.25 x0.16 2.5 1000 200:2:2
grok-4.1-fast 0.2 x0.25 0.5 2000
grok-4-fast 0.2 x0.25 0.5 2000
grok-4 3 x0.25 15 256
grok-3 3 x0.25 15 131
grok-3-mini 0.3 x0.25 0.5 131
grok-code-fast-1 0.2 x0.1 1.5 256
grok-build-0.1 1 x0.2 2 256 200:2:2
mistral-large-4 0.68 x0.1 2.09 1048
mistral-large-4@2026-10-20 1.36 x0.1 4.18 1048
mistral-large-4@2026-10-29 0.7 x0.1 2.1 1048
mistral-large 2 - 6 131
mistral-medium 0.4 x0.1 2 131
mistral-medium@2026-06-16 1.5 x0.1 7.5 262
mistral-small 0.1 - 0.3 131
mistral-small@2026-03-16 0.15 x0.1 0.6 262
devstral-2512 0.4 x0.1 2 262
devstral-small 0.1 - 0.3 131
codestral 0.3 x0.1 0.9 256
magistral-medium 2 - 5 131
kimi-k3.1-pro 2 x0.1 10 1048
kimi-k3 3 x0.1 15 1048
kimi-k2.7-code 0.95 x0.2 4 262
kimi-k2.6 0.95 x0.168 4 262
kimi-k2.5 0.6 x0.167 3 262
kimi-k2-thinking 0.6 x0.25 2.5 262
kimi-k2 0.6 x0.25 2.5 262
glm-4.7 0.6 x0.183 2.2 200
glm-4.6 0.6 x0.183 2.2 200
glm-4.5 0.6 x0.183 2.2 131
glm-4.5-air 0.2 x0.15 1.1 131
minimax-m3 0.3 x0.2 1.2 1000 512:2:2
minimax-m2.7 0.3 x0.2 1.2 204
minimax-m2 0.3 x0.1 1.2 204`,
} as const;

/** How the providers cache, as docs/costs.md says; `write` is the price of a written token relative to the input. */
const CACHES: Record<Provider, PriceList & { write: number }> = {
  anthropic: { mechanism: "anthropic", write: 1.25 },
  openai: { mechanism: "openai", write: 1.25 },
  "openai before 5.6": { mechanism: "openai", lifetime: 300, granularity: 128, write: 1 },
  google: { mechanism: "gemini", write: 1 },
  deepseek: { mechanism: "deepseek", write: 1 },
  others: { write: 1 },
};

/** A line of a list. */
interface ListedPrice extends ModelPrice {
  /** The first day of the price, in milliseconds since 1970. */
  from: number;
}

/** The prices of each model by its canonical name, the newest first. */
let known: Map<string, ListedPrice[]> | null = null;

/**
 * Returns the price of a model at a time; null for a model that is not listed. Names may have the prefixes and suffixes of
 * gateways and clouds, dates, and levels of effort: `us.anthropic.claude-opus-4-5-20251101-v1:0`, `openrouter/openai/gpt-5.1`.
 *
 * @param at milliseconds since 1970; without it the newest price is returned.
 * @example
 * ```ts
 * const price = modelPrice("claude-opus-4-5-20251101");
 * [price?.prices.input, price?.window]; // => [ 5, 200000 ]
 * ```
 * @throws {TurnfoldError} `invalid_argument` when `model` is not a string
 */
export function modelPrice(model: string, at?: number): ModelPrice | null {
  requireText(model, "modelPrice");
  known ??= readLists();
  const price = known.get(canonicalName(model))?.find(({ from }) => from <= (at ?? Number.POSITIVE_INFINITY));
  if (price === undefined) return null;
  // Clients name the larger window of a model in this way.
  return model.endsWith("[1m]") ? { ...price, window: 1_000_000 } : price;
}

function readLists(): Map<string, ListedPrice[]> {
  const byName = new Map<string, ListedPrice[]>();
  for (const [provider, list] of Object.entries(LISTS) as [Provider, string][]) {
    for (const line of list.trim().split("\n")) {
      const price = readLine(provider, line);
      const name = canonicalName(price.name);
      byName.set(name, [price, ...(byName.get(name) ?? [])]);
    }
  }
  return byName;
}

function readLine(provider: Provider, line: string): ListedPrice {
  const [dated = "", ...columns] = line.split(" ");
  const [name = "", from] = dated.split("@");
  const [input, read, output, window] = columns as [string, string, string, string];
  const { write, ...cache } = CACHES[provider];
  const price = (times: number, outputTimes: number) => ({
    input: Number(input) * times,
    cacheRead: Number(input) * times * (read === "-" ? 1 : Number(read.slice(1))),
    cacheWrite: Number(input) * times * (read === "-" ? 1 : write),
    output: Number(output) * outputTimes,
  });
  const [above, times, outputTimes] = (columns[4] ?? "").split(":").map(Number);
  const tiers = above && times && outputTimes ? [{ above: 1000 * above, ...price(times, outputTimes) }] : null;
  return {
    name,
    provider,
    prices: {
      ...cache,
      ...(read === "-" ? { mechanism: "none" } : {}),
      ...price(1, 1),
      ...(tiers === null ? {} : { tiers }),
    },
    window: 1000 * Number(window),
    from: from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from),
  };
}

/** Removes what gateways, clouds and clients add to the name of a model, and the date of its release. */
function canonicalName(model: string): string {
  let name = model.toLowerCase().replace(/^.*\//, "");
  for (const affix of AFFIXES) name = name.replace(affix, "");
  // A level of effort; of Mistral's models it is their size.
  if (!/^(?:mistral|magistral)/.test(name)) name = name.replace(/-(?:xhigh|high|medium|low|minimal|none)$/, "");
  name = name.replaceAll(".", "-").replace(/^(claude-.*)-thinking$/, "$1");
  // Older models have the version first: claude-3-5-sonnet.
  const reversed = /^claude-(\d+(?:-\d+)?)-([a-z]+)$/.exec(name);
  if (reversed !== null) name = `claude-${reversed[2]}-${reversed[1]}`;
  return name.replace(/^(claude-[a-z]+-\d+)-0$/, "$1");
}

const AFFIXES = [
  // Clouds.
  /^(?:(?:us|eu|apac|jp|au|global)\.)?(?:anthropic|mistral|deepseek|moonshotai?|zai|minimax|xai)\./,
  /\[1m\]$/,
  /(?<=^claude-.*)-v\d+(?::\d+)?$/,
  /@(?:\d{8}|default|latest)$/,
  // Dates and versions.
  /-latest$/,
  /-20\d\d-?[01]\d-?[0-3]\d$/,
  /-(?:preview|exp)(?:-\d\d-\d\d(?:\d\d)?)?$/,
  /(?<=^(?:grok|kimi|gpt|gemini).*)-(?:0\d|1[0-2])\d\d(?=$|-(?:non-)?reasoning$)/,
  /(?<=^gemini-.*)-00\d$/,
  /(?<=^grok-.*)-(?:non-)?reasoning$/,
];

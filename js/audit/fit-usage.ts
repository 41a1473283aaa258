import type { RecordedUsage } from "../recordings/recorded-chat.ts";
import type { MeasuredChat, MeasuredRequest } from "./measured-chat.ts";

/** How the provider counts a request: `fixed` tokens, and `factor` for each estimated token of its messages. */
export interface RequestScale {
  fixed: number;
  factor: number;
}

/** Bounds of the factor. Tokenizers differ less. */
const [MIN_FACTOR, MAX_FACTOR] = [0.5, 2.5];

/** The input of a recorded usage. */
export const inputOf = ({ fresh, read, written }: Pick<RecordedUsage, "fresh" | "read" | "written">): number =>
  fresh + read + written;

/**
 * Fits the scale of each request to the recorded usage of a recording.
 *
 * The factor is a property of a model's tokenizer, and is fitted to the growths from one request of a chat to the next, in
 * which fixed tokens cancel: it is the median of their ratios, each with the weight of its tokens. The fixed tokens of a
 * request are the median of what remains around it, so a change, such as tools that are added, counts from there on.
 *
 * @returns by chat and request; `fixed: 0` and `factor: 1` without any usage.
 */
export function fitUsage(chats: readonly MeasuredChat[]): RequestScale[][] {
  const factors = factorsByModel(chats);
  const common = medianOf([...factors.values()].map((factor) => [factor, 1])) ?? 1;
  const factorOf = ({ model }: MeasuredRequest) => factors.get(model ?? "") ?? common;
  const fitted = chats.map(({ requests }) => {
    const rests = requests.map((request) =>
      request.usage === undefined ? null : inputOf(request.usage) - factorOf(request) * request.estimated,
    );
    return { rests, fixed: fixedTokens(rests) };
  });
  // A chat without usage has the fixed tokens of the others of its kind.
  const known = fitted.flatMap(({ fixed }, index) =>
    fixed.map((tokens) => [chats[index]?.chat.kind === "agent", tokens] as const),
  );
  return chats.map(({ chat, requests }, index) => {
    const { fixed } = fitted[index] as (typeof fitted)[number];
    const others = known
      .filter(([isAgent]) => isAgent === (chat.kind === "agent"))
      .map(([, tokens]) => [tokens, 1] as const);
    const missing = fixed.length > 0 ? 0 : (medianOf(others) ?? 0);
    return requests.map((request, at) => ({
      fixed: Math.max(0, Math.round(fixed[at] ?? missing)),
      factor: factorOf(request),
    }));
  });
}

function factorsByModel(chats: readonly MeasuredChat[]): Map<string, number> {
  const ratios = new Map<string, [ratio: number, weight: number][]>();
  for (const { requests } of chats) {
    for (const [index, request] of requests.entries()) {
      const before = requests[index - 1];
      if (before?.usage === undefined || request.usage === undefined || before.model !== request.model) continue;
      const counted = request.estimated - before.estimated;
      const reported = inputOf(request.usage) - inputOf(before.usage);
      const ratio = reported / counted;
      if (counted < MIN_GROWTH || ratio < MIN_FACTOR || ratio > MAX_FACTOR) continue;
      const list = ratios.get(request.model ?? "") ?? [];
      ratios.set(request.model ?? "", list);
      list.push([ratio, counted]);
    }
  }
  const fitted = [...ratios].flatMap(([model, list]) => {
    const factor = medianOf(list);
    return factor === null ? [] : [[model, factor] as const];
  });
  return new Map(fitted);
}

/** Smaller growths are mostly the tokens around messages. */
const MIN_GROWTH = 100;

/** How many requests before and after have a say in the fixed tokens of a request. */
const NEIGHBOURS = 7;

/** The running median of the rests; empty without any. */
function fixedTokens(rests: readonly (number | null)[]): number[] {
  if (rests.every((rest) => rest === null)) return [];
  return rests.map((_, index) => {
    for (let reach = NEIGHBOURS; ; reach *= 2) {
      const near = rests.slice(Math.max(0, index - reach), index + reach + 1).filter((rest) => rest !== null);
      const median = medianOf(near.map((rest) => [rest, 1]));
      if (median !== null) return median;
    }
  });
}

/** The median of values with weights; null without any. */
function medianOf(values: readonly (readonly [value: number, weight: number])[]): number | null {
  const sorted = [...values].sort(([left], [right]) => left - right);
  const half = sorted.reduce((sum, [, weight]) => sum + weight, 0) / 2;
  let sum = 0;
  for (const [value, weight] of sorted) {
    sum += weight;
    if (sum >= half) return value;
  }
  return null;
}

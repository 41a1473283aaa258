import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { describe } from "../values/describe.ts";
import { requireText } from "./text.ts";
import { checkCounter, countAll, type TokenCounter } from "./tokens.ts";
import { withinBounds } from "./usage-fit.ts";

/** Tokens of one request by a counter and by the provider's usage. */
export interface UsageSample {
  /** Tokens by the counter, before any calibration. Positive. */
  readonly counted: number;
  /** Tokens by the provider, such as `usage.input_tokens`. Positive. */
  readonly reported: number;
}

/** Number of later samples after which the weight of a sample is halved. */
const HALF_LIFE = 8;

/**
 * Makes a counter scaled by the ratio of reported to counted tokens. For unpublished encodings it is within 10 % of the
 * provider's count after a few samples.
 *
 * The factor is the sum of reported tokens over the sum of counted tokens, so a large request weighs more than a small
 * one; a sample's weight halves with every eight later ones. The factor stays between 0.3 and 5, and is 1 without
 * samples. A sample must count everything that was sent: texts, roles and tools. The method of the result is
 * `estimate`, whatever that of `counter`, and its name contains the factor: `estimate × 1.12`.
 *
 * @param counter the counter of `counted`; to calibrate again, pass the same one with more samples.
 * @param samples the samples, oldest first.
 * @example
 * ```ts
 * const claude = calibrate(estimate, [{ counted: 9_120, reported: 10_214 }]);
 * claude.name; // => 'estimate × 1.12'
 * ```
 * @throws {TurnfoldError} `invalid_counter`, `invalid_samples` with the index of the sample in `details`.
 */
export function calibrate(counter: TokenCounter, samples: readonly UsageSample[]): TokenCounter {
  const base = wrapReadErrors("invalid_counter", "the counter", () => checkCounter(counter));
  const factor = wrapReadErrors("invalid_samples", "the samples", () => calibrationFactor(samples));
  return Object.freeze<TokenCounter>({
    name: `${base.name} × ${factor.toFixed(2)}`,
    method: "estimate",
    count(text) {
      requireText(text);
      const [counted = 0] = countAll(base, [text]);
      // A text that is not empty has at least one token.
      return counted === 0 ? 0 : Math.max(1, Math.round(counted * factor));
    },
  });
}

function calibrationFactor(samples: readonly UsageSample[]): number {
  if (!Array.isArray(samples)) throw invalidSamples(`samples are an array, got ${describe(samples)}`, {});
  let sum: UsageSample | null = null;
  for (const index of samples.keys()) sum = withSample(sum, checkSample(samples[index], index));
  return sum === null ? 1 : withinBounds(sum.reported / sum.counted);
}

/** Adds a later sample to the weighted sum of samples, which is null when there are none. */
function withSample(sum: UsageSample | null, { counted, reported }: UsageSample): UsageSample {
  const fade = sum === null ? 0 : 2 ** (-1 / HALF_LIFE);
  return {
    counted: (sum?.counted ?? 0) * fade + counted,
    reported: (sum?.reported ?? 0) * fade + reported,
  };
}

function checkSample(sample: unknown, index: number): UsageSample {
  const path = `samples[${index}]`;
  const { counted, reported } = wrapReadErrors("invalid_samples", path, () => {
    const { counted, reported } = Object(sample) as Partial<UsageSample>;
    return { counted, reported };
  });
  for (const [name, tokens] of [
    ["counted", counted],
    ["reported", reported],
  ] as const) {
    // Beyond safe integers, sums would not be exact.
    if (typeof tokens === "number" && tokens > 0 && tokens <= Number.MAX_SAFE_INTEGER) continue;
    throw invalidSamples(`${path}.${name} is a positive number of tokens, got ${describe(tokens)}`, {
      index,
      field: name,
    });
  }
  return { counted, reported } as UsageSample;
}

function invalidSamples(problem: string, details: Record<string, unknown>): TurnfoldError {
  return new TurnfoldError("invalid_samples", problem, {
    details,
    hint: "[{ counted: counter.count(text), reported: usage.inputTokens }]; leave out calls that reported no usage",
  });
}

import { reading, TurnfoldError } from "../errors.ts";
import { describe } from "../values/describe.ts";
import { requireText } from "./text.ts";
import { checkCounter, countAll, type TokenCounter } from "./tokens.ts";

/** What a counter said of a request, and what the provider's usage said of the same. */
export interface UsageSample {
  /** By the counter, before any calibration. Positive. */
  readonly counted: number;
  /** By the provider, such as `usage.input_tokens`. Positive. */
  readonly reported: number;
}

/** A provider's tokenizer is within these of any counter of text; what lies beyond is another text, or a mistake. */
const [least, most] = [0.5, 2];

/** This many samples later, a sample weighs half. */
const halfLife = 8;

/**
 * A counter scaled by what a provider reported against what was counted: within 10 % of the provider's own count for
 * encodings that nobody published, once a few usages were fed back (FR-009, SC-004).
 *
 * The factor is the tokens reported over the tokens counted, so that a large request says more than a small one; later
 * samples count for more, by half for every eight. It stays between 0.5 and 2, and is 1 without samples. Count in a
 * sample what was sent: texts, roles and tools. Its numbers are estimates, whatever `counter` is, and its name says the
 * factor: `estimate × 1.12`.
 *
 * @param counter what `counted` was counted with; to calibrate anew, give the same one and more samples.
 * @param samples in the order in which they came, the latest last.
 * @example
 * ```ts
 * const claude = calibrate(estimate, [{ counted: 9_120, reported: 10_214 }]);
 * claude.name; // => 'estimate × 1.12'
 * ```
 * @throws {TurnfoldError} `invalid_counter`, `invalid_samples` with the index of the sample in `details`.
 */
export function calibrate(counter: TokenCounter, samples: readonly UsageSample[]): TokenCounter {
  const base = checkCounter(counter);
  const factor = factorOf(samples);
  return Object.freeze<TokenCounter>({
    name: `${base.name} × ${factor.toFixed(2)}`,
    method: "estimate",
    count(text) {
      requireText(text);
      const [counted = 0] = countAll(base, [text]);
      // A text that has tokens has one at least.
      return counted === 0 ? 0 : Math.max(1, Math.round(counted * factor));
    },
  });
}

function factorOf(samples: readonly UsageSample[]): number {
  if (!Array.isArray(samples)) throw invalid(`samples are an array, got ${describe(samples)}`, {});
  let [counted, reported] = [0, 0];
  const fade = 2 ** (-1 / halfLife);
  for (const index of samples.keys()) {
    const sample = checkSample(samples[index], index);
    counted = counted * fade + sample.counted;
    reported = reported * fade + sample.reported;
  }
  return counted === 0 ? 1 : Math.min(most, Math.max(least, reported / counted));
}

function checkSample(sample: unknown, index: number): UsageSample {
  const path = `samples[${index}]`;
  const { counted, reported } = reading("invalid_samples", path, () => {
    const { counted, reported } = Object(sample) as Partial<UsageSample>;
    return { counted, reported };
  });
  for (const [name, tokens] of [
    ["counted", counted],
    ["reported", reported],
  ] as const) {
    // Beyond whole numbers that are exact, sums would not be.
    if (typeof tokens === "number" && tokens > 0 && tokens <= Number.MAX_SAFE_INTEGER) continue;
    throw invalid(`${path}.${name} is a positive number of tokens, got ${describe(tokens)}`, { index, field: name });
  }
  return { counted, reported } as UsageSample;
}

function invalid(problem: string, details: Record<string, unknown>): TurnfoldError {
  return new TurnfoldError("invalid_samples", problem, {
    details,
    hint: "[{ counted: counter.count(text), reported: usage.inputTokens }]; leave out calls that reported no usage",
  });
}

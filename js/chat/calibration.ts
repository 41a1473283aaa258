import type { Usage } from "../model/usage.ts";
import { isPlausible, type UsageSample, withSample } from "../tokens/calibrate.ts";
import type { CheckedParameters } from "./parameters.ts";
import type { TokenChange } from "./planning.ts";

/**
 * The ratio of a provider's token counts to those of a counter, learned from the usage in its replies. For each counter
 * there is one factor for each model that replies name, and one for all replies that name none.
 *
 * @internal
 */
export class Calibration {
  private readonly isEnabled: boolean;
  private readonly sums = new Map<string, UsageSample>();
  /** The model of the last reply, which is assumed for the next request. */
  private model = "";

  constructor(isOn: boolean) {
    this.isEnabled = isOn;
  }

  /** Returns the factor for the next request: 1 before the first usage. */
  factor(parameters: CheckedParameters): number {
    const sum = this.sums.get(this.key(parameters));
    return sum === undefined ? 1 : sum.reported / sum.counted;
  }

  /**
   * Learns from the provider's usage report of a request.
   *
   * @param tokens the counted tokens of the request.
   * @param usage the usage reported by the provider.
   * @param model the model that answered; empty if the reply does not name it.
   */
  learn(
    parameters: CheckedParameters,
    { after, factor }: TokenChange,
    { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 }: Usage,
    model: string = this.model,
  ): void {
    if (!this.isEnabled) return;
    this.model = model;
    const sample = { counted: after / factor, reported: inputTokens };
    // An input count below the tokens of the cache does not include all input.
    if (!isPlausible(sample) || cacheReadTokens + cacheWriteTokens > inputTokens) return;
    const key = this.key(parameters);
    this.sums.set(key, withSample(this.sums.get(key) ?? null, sample));
  }

  private key({ counterName, wire }: CheckedParameters): string {
    return JSON.stringify([this.model, counterName, wire.provider ?? null]);
  }
}

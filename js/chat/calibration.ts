import type { Usage } from "../model/usage.ts";
import { isPlausible, type UsageSample, withSample } from "../tokens/calibrate.ts";
import type { CheckedParameters } from "./parameters.ts";
import type { TokenChange } from "./planning.ts";

/**
 * What a provider counts for each token of a counter, learned from the usage that its replies report. There is one factor for
 * each model that replies name, or one for all replies that name none, by each counter.
 *
 * @internal
 */
export class Calibration {
  private readonly isOn: boolean;
  private readonly sums = new Map<string, UsageSample>();
  /** The model of the last reply, which is expected to answer next. */
  private model = "";

  constructor(isOn: boolean) {
    this.isOn = isOn;
  }

  /** The factor for the next request: 1 as long as nothing is known. */
  factor(parameters: CheckedParameters): number {
    const sum = this.sums.get(this.key(parameters));
    return sum === undefined ? 1 : sum.reported / sum.counted;
  }

  /**
   * Learns from what the provider reports of a request.
   *
   * @param tokens of the request.
   * @param usage by the provider.
   * @param model that answered, empty if the reply does not name it.
   */
  learn(
    parameters: CheckedParameters,
    { after, factor }: TokenChange,
    { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 }: Usage,
    model: string = this.model,
  ): void {
    if (!this.isOn) return;
    this.model = model;
    const sample = { counted: after / factor, reported: inputTokens };
    // Less input than went through the cache is not all input.
    if (!isPlausible(sample) || cacheReadTokens + cacheWriteTokens > inputTokens) return;
    const key = this.key(parameters);
    this.sums.set(key, withSample(this.sums.get(key) ?? null, sample));
  }

  private key({ counterName, wire }: CheckedParameters): string {
    return JSON.stringify([this.model, counterName, wire.provider ?? null]);
  }
}

import { invalidOption } from "../boundary/options.ts";
import { wrapReadErrors } from "../errors.ts";
import { type Usage, usageOf } from "../model/usage.ts";
import {
  fitScale,
  MAX_FACTOR,
  MIN_FACTOR,
  type RequestSample,
  type TokenScale,
  UNSCALED,
} from "../tokens/usage-fit.ts";
import { isPlain } from "../values/describe.ts";
import type { CheckedParameters } from "./parameters.ts";

/**
 * How the provider counts tokens, learned from the usage of replies; JSON data. {@link manageHistory} returns one that
 * has the request, the host adds the usage of the reply and passes it with the next request.
 *
 * @example
 * ```ts
 * const { conversation: sent, calibration } = await manageHistory(conversation, { maxTokens: 50_000 });
 * const next: Calibration = { ...calibration, usage: { inputTokens: 4_180, outputTokens: 212 } };
 * await manageHistory(sent, { maxTokens: 50_000 }, { calibration: next });
 * ```
 */
export interface Calibration {
  /** What was learned so far, and the size of the managed request. */
  readonly state?: unknown;
  /** The usage of the reply to the request. Without `inputTokens` nothing is learned. */
  readonly usage?: Usage | undefined;
  /** The model that replied. Each has its own factor. Default the model of the reply before. */
  readonly model?: string | undefined;
}

/** A counter and the provider whose tokens around messages it adds. */
interface CounterKey {
  counter: string;
  provider: string;
}

/** What was learned of one model with one counter. */
interface LearnedModel extends CounterKey {
  model: string;
  scale: TokenScale;
  samples: RequestSample[];
  /** A sample far from what the others predict. It is used when the next one is, too. */
  doubted: RequestSample | null;
}

/** A request whose reply is awaited. */
interface SentRequest extends CounterKey {
  counted: number;
  /** A key of its last message. */
  last: string;
}

/** The content of `state`. */
interface LearnedState {
  /** The models that replied, the last one at the end. */
  models: LearnedModel[];
  request: SentRequest | null;
}

/** The relative difference up to which a scale stays in use. */
const TOLERANCE = 0.02;

/** Maximum number of samples of a model. */
const MAX_SAMPLES = 16;

/**
 * The scale of a request, and what it was learned from.
 *
 * @internal
 */
export class RequestCalibration {
  readonly scale: TokenScale;
  private readonly key: CounterKey;
  private readonly models: LearnedModel[];
  /** The request whose reply was learned from. */
  readonly previous: SentRequest | null;

  /**
   * Learns from the usage of the last reply.
   *
   * @param replyTokens returns the tokens of that reply by the counter, for the key of the last message before it; null
   * if the messages do not continue that request.
   * @throws {TurnfoldError} `invalid_option`
   */
  constructor(given: unknown, parameters: CheckedParameters, replyTokens: (last: string) => number | null) {
    const key = counterKey(parameters);
    const { state, usage, model } = readCalibration(given);
    this.key = key;
    this.models = state.models;
    this.previous = state.request;
    const { request } = state;
    const { inputTokens = 0, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
    // An input count below the tokens of the cache does not include all input.
    const isWhole = inputTokens > 0 && cacheReadTokens + cacheWriteTokens <= inputTokens;
    if (request !== null && isWhole) {
      const { counted, last } = request;
      const reply = isSame(request, key) ? replyTokens(last) : null;
      const sample = { counted, reported: inputTokens, reply, output: outputTokens ?? null };
      this.models = withSample(state.models, model, request, sample);
    }
    this.scale = latestScale(this.models, key);
  }

  /** Returns the calibration for the reply to a request of `tokens` scaled tokens, with the key of its last message. */
  forRequest(tokens: number, last: string): Calibration {
    const { fixed, factor } = this.scale;
    const counted = Math.max(1, (tokens - fixed) / factor);
    return { state: { models: this.models, request: { ...this.key, counted, last } } satisfies LearnedState };
  }
}

/**
 * Returns the scaled tokens of the previous request, after learning from its usage.
 *
 * @internal
 */
export function previousTokens(calibration: Calibration, parameters: CheckedParameters): number {
  const { scale, previous } = new RequestCalibration(calibration, parameters, () => null);
  return Math.round(scaled(scale, previous?.counted ?? 0));
}

/**
 * Returns the calibration of a request that has fewer tokens than it was made for, by the provider.
 *
 * @internal
 */
export function withFewerTokens(calibration: Calibration, tokens: number, factor: number): Calibration {
  const state = calibration.state as LearnedState | undefined;
  if (!state?.request) return calibration;
  const counted = Math.max(1, state.request.counted - tokens / factor);
  return { ...calibration, state: { ...state, request: { ...state.request, counted } } satisfies LearnedState };
}

/**
 * Returns a copy of a calibration.
 *
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function checkCalibration(given: unknown): Calibration {
  return readCalibration(given);
}

/**
 * True for a calibration that a later session can use.
 *
 * @internal
 */
export function hasLearned(calibration: Calibration): boolean {
  return calibration.usage?.inputTokens !== undefined || readCalibration(calibration).state.models.length > 0;
}

function counterKey({ counterName, wire }: CheckedParameters): CounterKey {
  const { provider = "openai" } = wire as { provider?: string };
  return { counter: counterName, provider };
}

function withSample(
  models: LearnedModel[],
  name: string | undefined,
  { counter, provider }: CounterKey,
  sample: RequestSample,
): LearnedModel[] {
  const key = { model: name ?? models.at(-1)?.model ?? "", counter, provider };
  // The provider may ignore messages, but not most of them.
  if (sample.reported < MIN_FACTOR * sample.counted) return models;
  const known = models.find((model) => model.model === key.model && isSame(model, key));
  const before = known ?? { scale: latestScale(models, key), samples: [], doubted: null };
  const others = models.filter((model) => model !== known);
  const share = sample.reported / scaled(before.scale, sample.counted);
  const isFar = share < MIN_FACTOR || share > MAX_FACTOR;
  if (isFar && before.doubted === null) return [...others, { ...key, ...before, doubted: sample }];
  const start = isFar ? UNSCALED : before.scale;
  const samples = isFar ? [before.doubted as RequestSample, sample] : limited([...before.samples, sample]);
  const fitted = fitScale(samples, start);
  const scale = isClose(before.scale, fitted, sample) ? before.scale : fitted;
  return [...others, { ...key, scale, samples, doubted: null }];
}

/** Tokens by the provider. */
function scaled({ fixed, factor }: TokenScale, counted: number): number {
  return fixed + factor * counted;
}

/**
 * True when two scales give nearly the same for a request and for its half. The scale that is in use is then kept, so that
 * limits cut the whole history of a host at the same message as before.
 */
function isClose(left: TokenScale, right: TokenScale, { counted, reply }: RequestSample): boolean {
  const all = counted + (reply ?? 0);
  return [all, all / 2].every((tokens) => Math.abs(scaled(left, tokens) / scaled(right, tokens) - 1) <= TOLERANCE);
}

/** Removes the oldest sample when there are too many, but keeps the smallest request, which has the least thinking. */
function limited(samples: readonly RequestSample[]): RequestSample[] {
  if (samples.length <= MAX_SAMPLES) return [...samples];
  const smallest = Math.min(...samples.map(({ counted }) => counted));
  const removed = samples.findIndex(({ counted }) => counted > smallest);
  return samples.filter((_, index) => index !== Math.max(0, removed));
}

function latestScale(models: readonly LearnedModel[], key: CounterKey): TokenScale {
  return models.filter((model) => isSame(model, key)).at(-1)?.scale ?? UNSCALED;
}

function isSame(left: CounterKey, right: CounterKey): boolean {
  return left.counter === right.counter && left.provider === right.provider;
}

/** @throws {TurnfoldError} `invalid_option` */
function readCalibration(given: unknown): { state: LearnedState; usage: Usage; model: string | undefined } {
  return wrapReadErrors("invalid_option", "calibration", () => {
    const { state, usage, model } = isRecord(given ?? {}) ? ((given ?? {}) as Calibration) : wrongCalibration(given);
    if (model !== undefined && model !== null && typeof model !== "string")
      throw invalidOption("calibration.model", "a text", model);
    const learned = (state ?? null) === null ? { models: [], request: null } : structuredClone(state);
    if (!isLearned(learned)) return wrongCalibration(state);
    return { state: learned, usage: usageOf(usage), model: model ?? undefined };
  });
}

function wrongCalibration(given: unknown): never {
  const hint =
    "pass the calibration that manageHistory returned, with the usage of the reply: { ...calibration, usage }";
  throw invalidOption("calibration", "one that manageHistory returned", given, hint);
}

function isLearned(state: unknown): state is LearnedState {
  if (!isRecord(state)) return false;
  const { models, request } = state;
  const isSent =
    request === null || (isKey(request) && isPositive(request.counted) && typeof request.last === "string");
  return isSent && Array.isArray(models) && models.every(isModel);
}

function isModel(model: unknown): boolean {
  if (!isKey(model) || typeof model.model !== "string" || !isRecord(model.scale)) return false;
  const { scale, samples, doubted } = model;
  const isScale = Number.isSafeInteger(scale.fixed) && isCount(scale.fixed) && isPositive(scale.factor);
  return isScale && Array.isArray(samples) && samples.every(isSample) && (doubted === null || isSample(doubted));
}

function isSample(sample: unknown): boolean {
  if (!isRecord(sample)) return false;
  const { counted, reported, reply, output } = sample;
  return (
    isPositive(counted) && isPositive(reported) && [reply, output].every((tokens) => tokens === null || isCount(tokens))
  );
}

function isKey(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && typeof value.counter === "string" && typeof value.provider === "string";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && isPlain(value);
}

const isCount = (value: unknown) => Number.isFinite(value) && (value as number) >= 0;
const isPositive = (value: unknown) => Number.isFinite(value) && (value as number) > 0;

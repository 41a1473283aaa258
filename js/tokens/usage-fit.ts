/**
 * How a provider counts: a request has `fixed` tokens and `factor` for each token of the counter.
 *
 * @internal
 */
export interface TokenScale {
  /** Tokens that each request has besides those counted: a system prompt, tools or thinking that the counter does not see. */
  fixed: number;
  factor: number;
}

/**
 * One request, by the counter and by the usage of its reply.
 *
 * @internal
 */
export interface RequestSample {
  /** Tokens of the request by the counter, before any calibration. */
  counted: number;
  /** Tokens of the request by the provider. */
  reported: number;
  /** Tokens of the reply by the counter; null when the next sample is not of a request that continues this one. */
  reply: number | null;
  /** Tokens of the reply by the provider, with those of its thinking; null when unknown. */
  output: number | null;
}

/**
 * Bounds of the factor. Tokenizers differ less; a request outside of them has a part that the counter does not see.
 *
 * @internal
 */
export const [MIN_FACTOR, MAX_FACTOR] = [0.3, 5];

/**
 * The scale without samples.
 *
 * @internal
 */
export const UNSCALED: TokenScale = Object.freeze({ fixed: 0, factor: 1 });

/** The weight of the first guess of the factor: this share of the counted tokens. It matters until a history has grown by more. */
const GUESS_SHARE = 0.05;

/** Tokens that a request has more than the one before, by the counter and by the provider. */
interface Growth {
  counted: number;
  reported: number;
}

/**
 * Fits the scale to samples of one model, the oldest first.
 *
 * Fixed tokens cancel in the growth from one request to the next, so the growths give the factor of texts. A growth has
 * the reply to the earlier request, whose tokens the provider has reported, and new messages. Two assumptions are
 * compared: the reply is sent with its thinking and has the reported tokens, or it is counted like other texts. The
 * fixed tokens are the smallest remainder of a sample: thinking that is sent with the replies makes other remainders
 * larger. The returned factor is chosen so that the scale gives the last request and its reply exactly. Thus thinking is
 * spread over the messages, and disappears with those that are removed.
 *
 * @param start the scale of another model, or {@link UNSCALED}. One sample gives its size, and `start` the ratio of fixed
 * tokens to the factor.
 *
 * @internal
 */
export function fitScale(samples: readonly RequestSample[], start: TokenScale): TokenScale {
  const last = samples.at(-1);
  if (last === undefined) return start;
  const guess = start.factor * (last.reported / (start.fixed + start.factor * last.counted));
  // A guess outside of the bounds is of a request with a fixed part, and says nothing about the factor.
  const weight = guess > MAX_FACTOR ? 1 : GUESS_SHARE * last.counted;
  const [plain, known] = [growths(samples, false), growths(samples, true)];
  const plainFactor = factorOf(plain, guess, weight);
  const knownFactor = factorOf(known, guess, weight);
  const isKnown = misfit(known, knownFactor) <= misfit(plain, plainFactor);
  const textFactor = isKnown ? knownFactor : plainFactor;
  const fixed = Math.max(0, Math.min(...samples.map(({ counted, reported }) => reported - textFactor * counted)));
  const reply = last.reply ?? 0;
  const total = last.reported + (isKnown && last.output !== null ? last.output : textFactor * reply);
  const counted = last.counted + reply;
  const factor = withinBounds((total - fixed) / counted);
  return { fixed: Math.max(0, Math.round(total - factor * counted)), factor };
}

/**
 * Returns the growths of consecutive requests.
 *
 * @param isKnown whether replies have the tokens that the provider reported. Then they are subtracted.
 */
function growths(samples: readonly RequestSample[], isKnown: boolean): Growth[] {
  return samples.slice(1).flatMap((sample, index) => {
    const { counted, reported, reply, output } = samples[index] as RequestSample;
    // A history that was shortened lost thinking, too.
    if (reply === null || sample.counted <= counted + reply) return [];
    const growth = { counted: sample.counted - counted, reported: sample.reported - reported };
    if (!isKnown || output === null) return [growth];
    return [{ counted: growth.counted - reply, reported: growth.reported - output }];
  });
}

function factorOf(list: readonly Growth[], guess: number, weight: number): number {
  const possible = list.filter(
    ({ counted, reported }) => reported >= MIN_FACTOR * counted && reported <= MAX_FACTOR * counted,
  );
  const counted = possible.reduce((sum, growth) => sum + growth.counted, weight);
  const reported = possible.reduce((sum, growth) => sum + growth.reported, weight * withinBounds(guess));
  return reported / counted;
}

function misfit(list: readonly Growth[], factor: number): number {
  return list.reduce((sum, { counted, reported }) => sum + Math.abs(reported - factor * counted), 0);
}

/** @internal */
export function withinBounds(factor: number): number {
  return Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, factor));
}

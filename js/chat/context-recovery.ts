import type { ContextRefusal } from "../model/context-refusal.ts";
import type { CheckedParameters } from "./parameters.ts";

/** Share of a refused request that is sent again when the provider does not report its limit. */
const REDUCED_SHARE = 0.7;

/** Maximum ratio between the provider's count and ours; with a larger one they count different requests. */
const MAX_COUNT_RATIO = 2;

/**
 * True when the parameters of a call allow its history to be changed.
 *
 * @internal
 */
export function managesHistory({ strategies, hasLimits }: CheckedParameters): boolean {
  return strategies.length > 0 || hasLimits;
}

/**
 * Returns parameters that make a request fit which the provider refused as too long.
 *
 * @param sent the tokens of the refused request.
 *
 * @internal
 */
export function reducedParameters(
  parameters: CheckedParameters,
  refusal: ContextRefusal,
  sent: number,
): { parameters: CheckedParameters; warning: string } {
  const { limit, requested } = refusal;
  const reduced = reducedLimit(refusal, sent);
  const { reserveTokens, maxTokens, ...others } = parameters.wire as CheckedParameters["wire"] & {
    reserveTokens?: number;
    maxTokens?: number | { target?: number };
  };
  // A reserve that leaves nothing for the request is meant for a larger window.
  const isReserved = reserveTokens !== undefined && reserveTokens < reduced;
  const counted = requested === undefined ? "" : ` and counted ${requested}`;
  const limitNote = limit === undefined ? "" : ` (it takes ${limit} tokens${counted})`;
  // With an unknown limit, the share that is kept already is the target.
  const own = typeof maxTokens === "object" ? maxTokens.target : undefined;
  // A share of the limit, or a size, which must be within the limit.
  const target = limit === undefined ? 1 : own && Math.min(own, reduced);
  const wire = {
    ...others,
    ...(isReserved ? { reserveTokens } : {}),
    maxTokens: target === undefined ? reduced : { limit: reduced, target },
  };
  return {
    parameters: { ...parameters, hasLimits: true, wire },
    warning: `the provider refused a request of ${sent} tokens as too long${limitNote}: the history was managed to ${reduced}, and the model was asked once more`,
  };
}

/** Returns the provider's limit in tokens of the agent's counter, always below `sent`. */
function reducedLimit({ limit, requested }: ContextRefusal, sent: number): number {
  const isSame = requested !== undefined && requested <= sent * MAX_COUNT_RATIO && sent <= requested * MAX_COUNT_RATIO;
  const own = limit === undefined ? sent : isSame ? (limit * sent) / requested : limit;
  return Math.max(1, Math.floor(own < sent ? own : sent * REDUCED_SHARE));
}

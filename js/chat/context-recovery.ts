import type { ContextRefusal } from "../model/context-refusal.ts";
import type { CheckedParameters } from "./parameters.ts";

/** Share of a refused request that is sent again when the provider does not report its limit. */
const KEPT = 0.7;

/** Maximum ratio between the provider's count and ours; with a larger one they count different requests. */
const MOST_DIFFERENCE = 2;

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
export function withinRefusal(
  parameters: CheckedParameters,
  refusal: ContextRefusal,
  sent: number,
): { parameters: CheckedParameters; warning: string } {
  const { limit, asked } = refusal;
  const most = limitOf(refusal, sent);
  const { reserveTokens, maxTokens, ...others } = parameters.wire as CheckedParameters["wire"] & {
    reserveTokens?: number;
    maxTokens?: number | { target?: number };
  };
  // A reserve that leaves nothing for the request is meant for a larger window.
  const isReserved = reserveTokens !== undefined && reserveTokens < most;
  const counted = asked === undefined ? "" : ` and counted ${asked}`;
  const limitNote = limit === undefined ? "" : ` (it takes ${limit} tokens${counted})`;
  // With an unknown limit, the share that is kept already is the target.
  const target = limit === undefined ? 1 : typeof maxTokens === "object" ? maxTokens.target : undefined;
  const wire = {
    ...others,
    ...(isReserved ? { reserveTokens } : {}),
    maxTokens: target === undefined ? most : { limit: most, target },
  };
  return {
    parameters: { ...parameters, hasLimits: true, wire },
    warning: `the provider refused a request of ${sent} tokens as too long${limitNote}: the history was managed to ${most}, and the model was asked once more`,
  };
}

/** Returns the provider's limit in tokens of the agent's counter, always below `sent`. */
function limitOf({ limit, asked }: ContextRefusal, sent: number): number {
  const isSame = asked !== undefined && asked <= sent * MOST_DIFFERENCE && sent <= asked * MOST_DIFFERENCE;
  const own = limit === undefined ? sent : isSame ? (limit * sent) / asked : limit;
  return Math.max(1, Math.floor(own < sent ? own : sent * KEPT));
}

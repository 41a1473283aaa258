import type { ContextRefusal } from "../model/context-refusal.ts";
import type { CheckedParameters } from "./parameters.ts";

/** Share of a refused request that is sent again when the provider does not say how much it takes. */
const KEPT = 0.7;

/** A provider's count that differs by more is not of the same request. */
const MOST_DIFFERENCE = 2;

/**
 * True when the parameters of a call allow to change its history.
 *
 * @internal
 */
export function managesHistory({ strategies, hasLimits }: CheckedParameters): boolean {
  return strategies.length > 0 || hasLimits;
}

/**
 * The parameters with which a request fits that the provider refused as too long.
 *
 * @param sent tokens of the refused request.
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
  // A reserve that leaves nothing for the request was made for a larger window.
  const isReserved = reserveTokens !== undefined && reserveTokens < most;
  const counted = asked === undefined ? "" : ` and counted ${asked}`;
  const said = limit === undefined ? "" : ` (it takes ${limit} tokens${counted})`;
  // What is kept of a request whose limit is not known is a target already.
  const target = limit === undefined ? 1 : typeof maxTokens === "object" ? maxTokens.target : undefined;
  const wire = {
    ...others,
    ...(isReserved ? { reserveTokens } : {}),
    maxTokens: target === undefined ? most : { limit: most, target },
  };
  return {
    parameters: { ...parameters, hasLimits: true, wire },
    warning: `the provider refused a request of ${sent} tokens as too long${said}: the history was managed to ${most}, and the model was asked once more`,
  };
}

/** The provider's limit in the counts of the agent, below what was sent. */
function limitOf({ limit, asked }: ContextRefusal, sent: number): number {
  const isSame = asked !== undefined && asked <= sent * MOST_DIFFERENCE && sent <= asked * MOST_DIFFERENCE;
  const own = limit === undefined ? sent : isSame ? (limit * sent) / asked : limit;
  return Math.max(1, Math.floor(own < sent ? own : sent * KEPT));
}

// The best choice in hindsight: when to fold, with all requests known beforehand.

import { estimate, Renderer } from "turnfold/turns";

/** Minimum length of a cached beginning in tokens. */
export const MINIMUM = 1024;

const sum = (numbers) => numbers.reduce((left, right) => left + right, 0);

/**
 * The minimum cost of the requests of a run, by dynamic programming over request and last fold.
 *
 * @param requests the number of requests.
 * @param cold whether the cache expired before a request.
 * @param sent the tokens of a request, given the request of the last fold, null for none: `head`, which never changes, the folded
 * `state`, and the `tail` after it.
 * @param price the cost of making a fold, given the previous fold.
 * @param canFold whether a request can be folded, given the previous fold.
 */
export function cheapestFolds({ requests, cold, sent, price = () => 0, canFold = () => true, prices, minimum }) {
  const { cacheRead, cacheWrite, input = 1 } = prices;
  const total = ({ head, state, tail }) => head + state + tail;
  const cost = (tokens, known) => {
    if (tokens < minimum) return input * tokens;
    const read = known < minimum ? 0 : known;
    return cacheRead * read + cacheWrite * (tokens - read);
  };
  /** The minimum cost of the requests so far, by the last fold. */
  let costs = new Map([[null, 0]]);
  for (let request = 0; request < requests; request++) {
    const next = new Map();
    const keep = (fold, value) => {
      if (value < (next.get(fold) ?? Number.POSITIVE_INFINITY)) next.set(fold, value);
    };
    const isCold = cold(request);
    for (const [fold, before] of costs) {
      const whole = sent(request, fold);
      const known = request === 0 || isCold ? 0 : total(sent(request - 1, fold));
      keep(fold, before + cost(total(whole), Math.min(known, total(whole))));
      if (!canFold(request, fold)) continue;
      const folded = sent(request, request);
      keep(request, before + price(request, fold) + cost(total(folded), request === 0 || isCold ? 0 : folded.head));
    }
    costs = next;
  }
  return Math.min(...costs.values());
}

/** The sizes of the requests for any choice of folds, from a journal that folds at each request and one that never does. */
export function sizesOf({ turns, request }) {
  const count = ({ messages }) => messages.map(({ content }) => 3 + estimate.count(content));
  const always = new Renderer({ ...request, compression: ["journal", { prices: "none" }] });
  const never = new Renderer({ ...request, compression: ["journal", { patience: 1e12, prices: { cacheRead: 0 } }] });
  const [states, pairs] = [[], [0]];
  let head = 0;
  for (const turn of [...turns, null]) {
    const [system, first] = count(always.render());
    const [, prefix, ...added] = count(never.render());
    if (states.length === 0) head = system + prefix;
    states.push(Math.max(0, system + first - head));
    pairs[states.length - 1] = sum(added);
    if (turn === null) break;
    always.push(turn);
    never.push(turn);
  }
  always.dispose();
  never.dispose();
  return { head, states, pairs };
}

/** The minimum cost of a journal with `keep: 1`. */
export function bestInHindsight(run, prices) {
  const { head, states, pairs } = sizesOf(run);
  return cheapestFolds({
    requests: run.turns.length,
    cold: () => false,
    sent: (request, fold) =>
      fold === null
        ? { head, state: 0, tail: pairs[request] }
        : { head, state: states[fold], tail: pairs[request] - pairs[fold - 1] },
    canFold: (request) => request > 1,
    prices,
    minimum: MINIMUM,
  });
}

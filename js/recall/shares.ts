/** A share with its counts. */
export interface Share {
  /** From 0 to 1; null when `of` is 0. */
  share: number | null;
  hits: number;
  of: number;
  /** The 95 % interval by bootstrap over the recordings, or over the requests of a single one; null when `of` is 0. */
  interval: readonly [number, number] | null;
}

/** Counts of a recording or of a request. */
type HitsOf = readonly [hits: number, of: number];

const SAMPLES = 500;

/**
 * Computes the share of the summed hits, with a bootstrap interval over the units. Deterministic.
 *
 * @internal
 */
export function shareOf(units: readonly HitsOf[]): Share {
  const counted = units.filter(([, of]) => of > 0);
  const [hits, of] = sumOf(counted);
  if (of === 0) return { share: null, hits, of, interval: null };
  return { share: hits / of, hits, of, interval: ratioInterval(counted) };
}

function sumOf(units: readonly HitsOf[]): HitsOf {
  return units.reduce<HitsOf>(([hits, of], unit) => [hits + unit[0], of + unit[1]], [0, 0]);
}

/**
 * The 95 % interval of the ratio of two sums, by bootstrap over the units; the ratio to a sum of 0 is 1. Deterministic.
 *
 * @internal
 */
export function ratioInterval(units: readonly (readonly [above: number, below: number])[]): [number, number] {
  const random = seededRandom();
  const ratios: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    let [sumAbove, sumBelow] = [0, 0];
    for (let draw = 0; draw < units.length; draw++) {
      const [above, below] = units[Math.floor(random() * units.length)] as readonly [number, number];
      sumAbove += above;
      sumBelow += below;
    }
    ratios.push(sumBelow === 0 ? 1 : sumAbove / sumBelow);
  }
  ratios.sort((left, right) => left - right);
  const quantileOf = (quantile: number) => ratios[Math.round(quantile * (SAMPLES - 1))] as number;
  return [quantileOf(0.025), quantileOf(0.975)];
}

/** Mulberry32, always from the same seed. */
function seededRandom(): () => number {
  let state = 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

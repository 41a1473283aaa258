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
  const random = seededRandom();
  const shares: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    let [sampledHits, sampledOf] = [0, 0];
    for (let draw = 0; draw < counted.length; draw++) {
      const [hits, of] = counted[Math.floor(random() * counted.length)] as HitsOf;
      sampledHits += hits;
      sampledOf += of;
    }
    shares.push(sampledHits / sampledOf);
  }
  shares.sort((left, right) => left - right);
  const quantileOf = (quantile: number) => shares[Math.round(quantile * (SAMPLES - 1))] as number;
  return { share: hits / of, hits, of, interval: [quantileOf(0.025), quantileOf(0.975)] };
}

function sumOf(units: readonly HitsOf[]): HitsOf {
  return units.reduce<HitsOf>(([hits, of], unit) => [hits + unit[0], of + unit[1]], [0, 0]);
}

/**
 * Mulberry32, always from the same seed.
 *
 * @internal
 */
export function seededRandom(): () => number {
  let state = 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

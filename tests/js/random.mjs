/** A seeded generator (mulberry32): the same seed gives the same run, so a failure can be repeated. */
export function seeded(seed) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end) => Math.floor(next() * end);
  return { below, pick: (items) => items[below(items.length)], chance: (probability) => next() < probability };
}

/** A size from 0 to `most`, of any order of magnitude; half of them are below ten. */
export function sizeOf(random, most) {
  const largest = Math.max(1, Math.floor(most));
  const top = random.below(2) === 0 ? Math.min(10, largest) : largest;
  return Math.min(
    largest,
    Math.floor((top + 1) ** (random.below(2 ** 20) / 2 ** 20)) - (random.below(8) === 0 ? 1 : 0),
  );
}

/**
 * The number of random cases of a test that takes seconds for `all` of them: a quarter, which `npm test` runs after each change, or all with
 * `ALL_CASES=1` in front of the command, as every night.
 */
export const share = (all) => (process.env.ALL_CASES === "1" ? all : Math.ceil(all / 4));

// Shared by the missions: random data that is the same in each run, dates, tools, and the comparison of results.

/** Random choices from a seed (mulberry32). The seeds of the missions are such that no rounding and no order is ambiguous. */
export function random(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (from, to) => from + Math.floor(next() * (to - from + 1));
  const pick = (from) => from[int(0, from.length - 1)];
  const shuffle = (items) => {
    const copy = [...items];
    for (let i = copy.length - 1; i > 0; i--) {
      const j = int(0, i);
      [copy[i], copy[j]] = [copy[j], copy[i]];
    }
    return copy;
  };
  return { int, pick, chance: (share) => next() < share, shuffle };
}

/** The texts between commas. */
export const list = (text) => text.split(", ");

export const GIVEN = list(
  "Agda, Bertil, Cosima, Dorian, Elke, Fiete, Greta, Hanno, Imke, Jolan, Katrin, Levin, Malin, Nuria, Oskar, Petra, Ragna, Selma, Thore, Ulla, Vroni, Wiebke, Xaver, Ylva, Zora",
);
export const FAMILY = list(
  "Abendroth, Brandt, Cordes, Dierksen, Ellerbrock, Fabian, Grote, Harms, Immen, Jessen, Kessler, Lornsen, Mewes, Nissen, Ohm, Paulsen, Rickert, Sievers, Thamm, Vogt",
);

/** Different names of people. */
export function people(r, count) {
  const names = new Set();
  while (names.size < count) names.add(`${r.pick(GIVEN)} ${r.pick(FAMILY)}`);
  return [...names];
}

export const range = (count) => Array.from({ length: count }, (_, i) => i);
export const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
export const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** An ascending order by a key, or by the first that differs of several. */
export const by = (keysOf) => (a, b) => {
  const [left, right] = [[keysOf(a)].flat(), [keysOf(b)].flat()];
  return left.reduce((order, key, i) => order || compare(key, right[i]), 0);
};

export const pad = (number) => String(number).padStart(2, "0");
export const day = (date) => Date.parse(`${date}T00:00:00Z`);
export const iso = (ms) => new Date(ms).toISOString().slice(0, 10);
export const plusDays = (date, count) => iso(day(date) + count * 86_400_000);

export function round(number, decimals = 0) {
  const rounded = Math.round(number * 10 ** decimals) / 10 ** decimals;
  return rounded === 0 ? 0 : rounded;
}

/** A tool of a mission. Its results are copies, so that no program changes what the mission holds. */
export const tool = (signature, description, run) => ({
  signature,
  description,
  run: (given) => structuredClone(run(given) ?? null),
});

/** Fails a call of a tool. */
export function failure(message, data) {
  throw Object.assign(new Error(message), data && { data });
}

const shown = (value) => (typeof value === "bigint" ? `${value}n` : (JSON.stringify(value) ?? "nothing")).slice(0, 120);

/** True, or the first difference: numbers are equal within 1e-6, the order of keys is free, a missing key equals null. */
export function same(expected, actual, at = "answer") {
  const found = actual instanceof Map ? Object.fromEntries(actual) : (actual ?? null);
  if (typeof expected === "number")
    return Math.abs(expected - Number(found ?? Number.NaN)) <= 1e-6 && /number|bigint/.test(typeof found)
      ? true
      : `${at}: expected ${expected}, got ${shown(found)}`;
  if (typeof expected !== "object" || expected === null)
    return (expected ?? null) === found ? true : `${at}: expected ${shown(expected)}, got ${shown(found)}`;
  if (typeof found !== "object" || found === null || Array.isArray(expected) !== Array.isArray(found))
    return `${at}: expected ${shown(expected)}, got ${shown(found)}`;
  for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
    if (!(key in expected)) return `${at}: unexpected ${key}`;
    const verdict = same(expected[key], found[key], `${at}.${key}`);
    if (verdict !== true) return verdict;
  }
  return true;
}

import { ratioInterval } from "../recall/shares.ts";

/** Consecutive requests depend on each other, so stretches of them are drawn. */
const STRETCH = 10;

/** The 95 % interval of the ratio of two sums over requests. Deterministic. */
export function stretchedInterval(above: readonly number[], below: readonly number[]): [number, number] {
  const stretches: [number, number][] = [];
  for (let start = 0; start < above.length; start += STRETCH) {
    stretches.push([sumOf(above.slice(start, start + STRETCH)), sumOf(below.slice(start, start + STRETCH))]);
  }
  return ratioInterval(stretches);
}

export const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

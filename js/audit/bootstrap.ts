import { seededRandom } from "../recall/shares.ts";

const SAMPLES = 500;

/** Consecutive requests depend on each other, so stretches of them are drawn. */
const STRETCH = 10;

/** The 95 % interval of the ratio of two sums, by bootstrap over stretches of requests. Deterministic. */
export function ratioInterval(above: readonly number[], below: readonly number[]): [number, number] {
  const stretches: [number, number][] = [];
  for (let start = 0; start < above.length; start += STRETCH) {
    stretches.push([sumOf(above.slice(start, start + STRETCH)), sumOf(below.slice(start, start + STRETCH))]);
  }
  const random = seededRandom();
  const ratios: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    let [sumAbove, sumBelow] = [0, 0];
    for (let draw = 0; draw < stretches.length; draw++) {
      const [more, less] = stretches[Math.floor(random() * stretches.length)] as [number, number];
      sumAbove += more;
      sumBelow += less;
    }
    ratios.push(sumBelow === 0 ? 1 : sumAbove / sumBelow);
  }
  ratios.sort((left, right) => left - right);
  const quantileOf = (quantile: number) => ratios[Math.round(quantile * (SAMPLES - 1))] as number;
  return [quantileOf(0.025), quantileOf(0.975)];
}

export const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

/** A mean difference with the bounds between which 95 % of the resampled means lie. */
export interface PairedDifference {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

const RESAMPLES = 2000;
/** Of the means in order those beyond the bounds, on either side: 2.5 %. */
const TAIL = 50;

/**
 * The paired bootstrap with percentile bounds (Efron and Tibshirani 1993, chapter 13): questions are drawn with
 * replacement, and each brings both of its values. The draws are the same for the same number of questions, so equal
 * input gives equal bounds. Zeros without a question.
 */
export function pairedDifference(ours: readonly number[], theirs: readonly number[]): PairedDifference {
  const differences = ours.map((value, at) => value - (theirs[at] ?? 0));
  const count = differences.length;
  if (count === 0) return { mean: 0, low: 0, high: 0 };
  const random = generator(count);
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let draw = 0; draw < count; draw += 1) sum += differences[Math.floor(random() * count)] ?? 0;
    return sum / count;
  }).sort((a, b) => a - b);
  const mean = differences.reduce((sum, each) => sum + each, 0) / count;
  return { mean, low: means[TAIL] ?? 0, high: means[RESAMPLES - 1 - TAIL] ?? 0 };
}

/** mulberry32: numbers from 0 to 1 that a seed determines. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

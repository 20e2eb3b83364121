/** A quadratic objective of the coordinator: where to start, and its gradient. */
export interface ServerObjective {
  readonly start: Float64Array;
  gradient(weights: Float64Array, out: Float64Array): void;
}

/** How the loop of FedFisher's authors runs. */
export interface PaperLoop {
  /** 2000 unless given. */
  readonly steps?: number;
  /** A score of weights, the larger the better; the best of every hundredth step is taken. Without it the last step is. */
  validate?(weights: Float64Array): number;
  /** Called after every step; may throw to stop. */
  onStep?(step: number): void;
}

const BETWEEN_LOOKS = 100;

/**
 * The optimiser of FedFisher's code, which its paper calls Adam: m ← g + 0.9 m, v ← g² + 0.99 v, w ← w − 0.01 · change(m, v),
 * without Adam's factors 1 − β and without its correction of the first steps. Looks at steps 0, 100, …, and takes only what is
 * strictly better.
 */
export function paperDescent(
  { start, gradient }: ServerObjective,
  change: (m: number, v: number) => number,
  { steps = 2000, validate, onStep }: PaperLoop = {},
): Float64Array {
  const weights = start.slice();
  const slope = new Float64Array(weights.length);
  const momentum = new Float64Array(weights.length);
  const square = new Float64Array(weights.length);
  let best = weights;
  let score = Number.NEGATIVE_INFINITY;
  for (let step = 0; step < steps; step++) {
    gradient(weights, slope);
    for (let k = 0; k < weights.length; k++) {
      const g = slope[k];
      const m = g + momentum[k] * 0.9;
      const v = g * g + square[k] * 0.99;
      momentum[k] = m;
      square[k] = v;
      weights[k] -= 0.01 * change(m, v);
    }
    if (validate !== undefined && step % BETWEEN_LOOKS === 0) {
      const found = validate(weights);
      if (found > score) {
        score = found;
        best = weights.slice();
      }
    }
    onStep?.(step);
  }
  return best;
}

/** Plain gradient descent (FedFisher, Algorithm 1). */
export interface PlainDescent {
  readonly steps: number;
  /** At most 1 / λmax, which is taken unless given. */
  readonly rate?: number;
}

/** w ← w − rate · g. A rate of at most 1 / λmax approaches the nearest of all minimisers (FedFisher, Lemma 1). */
export function plainDescent(
  { start, gradient }: ServerObjective,
  steps: number,
  rate: number,
): Float64Array {
  const weights = start.slice();
  const slope = new Float64Array(weights.length);
  for (let step = 0; step < steps; step++) {
    gradient(weights, slope);
    for (let k = 0; k < weights.length; k++) weights[k] -= rate * slope[k];
  }
  return weights;
}

/** The rate of a descent whose objective has the given largest curvature; refuses one that may diverge. */
export function descentRate({ steps, rate }: PlainDescent, curvature: number): number {
  if (!(Number.isInteger(steps) && steps >= 0)) {
    throw new RangeError(`steps must be a whole number from 0 on: ${steps}`);
  }
  const most = curvature > 0 ? 1 / curvature : 1;
  if (rate !== undefined && !(rate > 0 && rate <= most)) {
    throw new RangeError(`rate must be above 0 and at most 1 / λmax = ${most}: ${rate}`);
  }
  return rate ?? most;
}

import type { GeneratorLayer } from './generator-plan.ts';
import {
  type BatchValues,
  batchValues,
  type GeneratorSpace,
  type RunningLayer,
} from './generator-space.ts';
import { valueCount } from './network-plan.ts';

/** Added to the variance of a channel. */
const EPSILON = 1e-5;

/**
 * Batch normalisation (Ioffe & Szegedy 2015, Algorithm 1) by the mean and variance of this batch, then a leaky ReLU; with a slope
 * of 1 there is none.
 */
export function generatorNorm(
  space: GeneratorSpace,
  { from, start, slope }: Extract<GeneratorLayer, { kind: 'norm' }>,
  given: BatchValues,
): RunningLayer {
  const { kernels, batch } = space;
  const { channels } = from;
  const numbers = batch * valueCount(from);
  const rows = numbers / channels;
  const made = batchValues(space, valueCount(from), channels);
  const means = new Float64Array(channels);
  const inverses = new Float64Array(channels);
  const weightsAt = (bytes: number) => kernels.f32(bytes + 4 * start, 2 * channels);

  return {
    made,
    forward() {
      const values = kernels.f32(given.values, numbers);
      const target = kernels.f32(made.values, numbers);
      const weights = weightsAt(space.weights.values);
      measure(values, means, inverses);
      const factors = inverses.map((inverse, c) => inverse * weights[c]);
      const shifts = means.map((mean, c) => weights[channels + c] - mean * factors[c]);
      for (let k = 0; k < numbers; k += channels) {
        for (let c = 0; c < channels; c++) {
          const value = values[k + c] * factors[c] + shifts[c];
          target[k + c] = value > 0 ? value : slope * value;
        }
      }
    },
    backward() {
      const values = kernels.f32(given.values, numbers);
      const after = kernels.f32(made.values, numbers);
      const gradient = kernels.f32(made.gradient, numbers);
      const target = kernels.f32(given.gradient, numbers);
      const weights = weightsAt(space.weights.values);
      const [products, sums] = [new Float64Array(channels), new Float64Array(channels)];
      for (let k = 0; k < numbers; k += channels) {
        for (let c = 0; c < channels; c++) {
          const own = after[k + c] > 0 ? gradient[k + c] : slope * gradient[k + c];
          target[k + c] = own;
          products[c] += own * (values[k + c] - means[c]);
          sums[c] += own;
        }
      }
      // γ/σ · (g − mean of g − x̂ · mean of g x̂), with x̂ = (x − mean)/σ.
      const factors = inverses.map((inverse, c) => inverse * weights[c]);
      const tilts = factors.map(
        (factor, c) => (factor * inverses[c] * inverses[c] * products[c]) / rows,
      );
      const shifts = factors.map((factor, c) => tilts[c] * means[c] - (factor * sums[c]) / rows);
      for (let k = 0; k < numbers; k += channels) {
        for (let c = 0; c < channels; c++) {
          target[k + c] = factors[c] * target[k + c] - tilts[c] * values[k + c] + shifts[c];
        }
      }
      const slopes = weightsAt(space.weights.gradient);
      slopes.set(products.map((product, c) => product * inverses[c]));
      slopes.set(sums, channels);
    },
  };
}

/** Writes the mean of every channel, and 1/σ. Sums of differences from the first pixel keep their digits. */
function measure(values: Float32Array, means: Float64Array, inverses: Float64Array): void {
  const channels = means.length;
  const rows = values.length / channels;
  const first = Float64Array.from(values.subarray(0, channels));
  const squares = inverses.fill(0);
  means.fill(0);
  for (let k = 0; k < values.length; k += channels) {
    for (let c = 0; c < channels; c++) {
      const gap = values[k + c] - first[c];
      means[c] += gap;
      squares[c] += gap * gap;
    }
  }
  for (let c = 0; c < channels; c++) {
    const gap = means[c] / rows;
    const variance = Math.max(0, squares[c] / rows - gap * gap);
    means[c] = first[c] + gap;
    inverses[c] = 1 / Math.sqrt(variance + EPSILON);
  }
}

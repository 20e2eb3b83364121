import { exponential } from '../numeric/exponential.ts';
import type { GeneratorPlan } from './generator-plan.ts';
import type { BatchValues, GeneratorSpace } from './generator-space.ts';
import { valueCount } from './network-plan.ts';
import { fours } from './weight-layout.ts';

/** All values of an input. */
export interface ValueRange {
  readonly low: number;
  readonly high: number;
}

/** The end of a generator: a shift for each channel, then a sigmoid that fills the range of the channel. */
export interface GeneratedInputs {
  /** A row for each example, in the order of a network's plan. */
  forward(): Float32Array;
  backward(gradient: Float32Array): void;
}

/** The end of a generator, after the last of its layers; `ranges` has one range for each channel of the inputs. */
export function generatedInputs(
  { kernels, batch, weights }: GeneratorSpace,
  { input, shifts }: GeneratorPlan,
  ranges: readonly ValueRange[],
  given: BatchValues,
): GeneratedInputs {
  const { channels } = input;
  const wide = fours(channels);
  const count = valueCount(input);
  const pixels = count / channels;
  const made = new Float32Array(batch * count);
  const shiftsAt = (bytes: number) => kernels.f32(bytes + 4 * shifts, wide);
  const eachValue = (visit: (channel: number, from: number, to: number) => void) => {
    for (let row = 0; row < batch; row++) {
      for (let c = 0; c < channels; c++) {
        for (let p = 0; p < pixels; p++) {
          visit(c, (row * pixels + p) * wide + c, row * count + c * pixels + p);
        }
      }
    }
  };
  return {
    forward() {
      const values = kernels.f32(given.values, batch * pixels * wide);
      const own = shiftsAt(weights.values);
      eachValue((c, from, to) => {
        const { low, high } = ranges[c];
        made[to] = low + (high - low) * sigmoid(values[from] + own[c]);
      });
      return made;
    },
    backward(gradient) {
      const target = kernels.f32(given.gradient, batch * pixels * wide).fill(0);
      const slopes = new Float64Array(wide);
      eachValue((c, to, from) => {
        const { low, high } = ranges[c];
        const share = high > low ? (made[from] - low) / (high - low) : 0;
        const slope = gradient[from] * (high - low) * share * (1 - share);
        target[to] = slope;
        slopes[c] += slope;
      });
      shiftsAt(weights.gradient).set(slopes);
    },
  };
}

function sigmoid(x: number): number {
  return 1 / (1 + exponential(-x));
}

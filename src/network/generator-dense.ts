import { crossProduct } from './cross-product.ts';
import type { GeneratorLayer } from './generator-plan.ts';
import {
  type BatchValues,
  batchValues,
  type GeneratorSpace,
  type RunningLayer,
} from './generator-space.ts';
import { valueCount } from './network-plan.ts';

/** Every output is a weighted sum of all inputs. */
export function generatorDense(
  space: GeneratorSpace,
  { from, to, start }: Extract<GeneratorLayer, { kind: 'dense' }>,
  given: BatchValues,
): RunningLayer {
  const { kernels, batch } = space;
  const [inputs, outputs] = [valueCount(from), valueCount(to)];
  const made = batchValues(space, outputs, outputs);
  const weights = space.weights.values + 4 * start;
  const transposed = kernels.allocate(4 * inputs * outputs);
  const panel = kernels.allocate(4 * Math.max(8 * inputs, 8 * outputs, batch * outputs));
  return {
    made,
    forward() {
      kernels.call.product(
        ...[batch, outputs, inputs, given.values, inputs, weights, outputs],
        ...[made.values, outputs, panel],
      );
    },
    backward() {
      kernels.call.transpose(inputs, outputs, weights, outputs, transposed, inputs);
      kernels.call.product(
        ...[batch, inputs, outputs, made.gradient, outputs, transposed, inputs],
        ...[given.gradient, inputs, panel],
      );
      const left = { at: given.values, width: inputs };
      const right = { at: made.gradient, width: outputs };
      crossProduct(
        { kernels, panel },
        batch,
        left,
        right,
        space.weights.gradient + 4 * start,
        'set',
      );
    },
  };
}

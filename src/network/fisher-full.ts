import { DataError } from '../data-error.ts';
import { packedLength } from '../numeric/gram.ts';
import { crossProduct } from './cross-product.ts';
import type { Examples } from './examples.ts';
import { type PassSum, runPass, whole } from './fisher-pass.ts';
import type { DrawnLabels } from './fisher-seeds.ts';
import type { NetworkPlan } from './network-plan.ts';
import { createRunningSum } from './running-sum.ts';
import { unpack } from './weight-layout.ts';
import type { Workspace } from './workspace.ts';

/** Most weights of a network whose whole Fisher information is made: 4.5 million numbers. */
export const MOST_FULL_WEIGHTS = 3000;

/** The whole Fisher information, the mean over the rows: packed upper triangle, row by row. */
export function fullFisher(
  plan: NetworkPlan,
  weights: Float32Array,
  examples: Examples,
  labels?: DrawnLabels,
): Float64Array {
  if (plan.weights > MOST_FULL_WEIGHTS) {
    throw new DataError(
      `the network has ${plan.weights} weights; the full Fisher information is for at most ${MOST_FULL_WEIGHTS}`,
      {},
      'choose the diagonal or Kronecker factors, or a smaller network',
    );
  }
  return whole(runPass(plan, weights, examples, labels, fullSum));
}

/** Gradients of single rows, some for each seed, then the sum of their outer products. */
function fullSum(workspace: Workspace): PassSum<Float64Array> {
  const { plan, kernels, layouts, length, most, seeds } = workspace;
  const sum = createRunningSum(kernels, length * length);
  const slopes = kernels.allocate(4 * (most * seeds + 1) * length);
  const panel = kernels.allocate(4 * most * seeds * length);
  return {
    gradient({ layout, seed, seeds: used, from, count, windows, gradient }) {
      const { start, inputs, outputs, block } = layout;
      const { positions } = block;
      for (let k = 0; k < count; k++) {
        const row = slopes + 4 * ((from + k) * used + seed) * length;
        const left = { at: windows() + 4 * k * positions * inputs, width: inputs };
        const right = { at: gradient() + 4 * k * positions * outputs, width: outputs };
        crossProduct(workspace, positions, left, right, row + 4 * start, 'set');
      }
      // The first layer is the last to be seen, and its last rows with the last seed.
      if (start === 0 && seed === used - 1) {
        const rows = count * used;
        const some = { at: slopes + 4 * from * used * length, width: length };
        crossProduct({ kernels, panel }, rows, some, some, sum.pointer, 'add-upper');
        sum.added(rows);
      }
    },
    mean(rows) {
      const total = sum.total();
      const place = unpack(
        layouts,
        Uint32Array.from({ length }, (_, k) => k),
        new Float64Array(plan.weights),
      );
      const packed = new Float64Array(packedLength(plan.weights));
      let at = 0;
      for (let i = 0; i < plan.weights; i++) {
        for (let j = i; j < plan.weights; j++) {
          const [a, b] = [place[i], place[j]];
          packed[at++] = total[Math.min(a, b) * length + Math.max(a, b)] / rows;
        }
      }
      return packed;
    },
  };
}

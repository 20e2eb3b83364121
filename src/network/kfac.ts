import { crossProduct } from './cross-product.ts';
import type { Examples } from './examples.ts';
import { diagonalSum } from './fisher-diagonal.ts';
import { type PassProgress, type PassSum, runPass, whole } from './fisher-pass.ts';
import type { DrawnLabels } from './fisher-seeds.ts';
import type { NetworkPlan } from './network-plan.ts';
import { createRunningSum } from './running-sum.ts';
import type { BlockLayout } from './weight-layout.ts';
import type { Workspace } from './workspace.ts';

/**
 * The Fisher information of a layer as a Kronecker product (Martens & Grosse 2015, Grosse & Martens 2016). Both are full symmetric
 * matrices: `inputs` of the inputs (with the 1 of a bias), summed over the positions of a convolution; `outputs` of the
 * slopes by what the layer makes, averaged over them.
 */
export interface BlockFactors {
  readonly inputs: Float64Array;
  readonly outputs: Float64Array;
}

/** The factors of every layer with weights: means over the rows. */
export function kfacFactors(
  plan: NetworkPlan,
  weights: Float32Array,
  examples: Examples,
  labels?: DrawnLabels,
): readonly BlockFactors[] {
  return whole(runPass(plan, weights, examples, labels, factorSum));
}

/** The factors of the inputs alone: for each layer the mean of x xᵀ, summed over positions. */
export function layerGrams(
  plan: NetworkPlan,
  weights: Float32Array,
  examples: Examples,
): readonly Float64Array[] {
  return whole(runPass(plan, weights, examples, undefined, gramSum));
}

/** The diagonal and the factors of one pass. */
export interface FisherInformation {
  readonly diagonal: Float64Array;
  readonly factors: readonly BlockFactors[];
}

/** The diagonal and the factors in one pass, with reports. */
export function fisherSteps(
  plan: NetworkPlan,
  weights: Float32Array,
  examples: Examples,
  labels?: DrawnLabels,
): Generator<PassProgress, FisherInformation> {
  return runPass(plan, weights, examples, labels, (workspace) => {
    const [diagonal, factors] = [diagonalSum(workspace), factorSum(workspace)];
    return {
      inputs: factors.inputs,
      gradient(gradient) {
        diagonal.gradient?.(gradient);
        factors.gradient?.(gradient);
      },
      mean: (rows) => ({ diagonal: diagonal.mean(rows), factors: factors.mean(rows) }),
    };
  });
}

/** The diagonal and the factors in one pass. */
export function fisherPass(
  plan: NetworkPlan,
  weights: Float32Array,
  examples: Examples,
  labels?: DrawnLabels,
): FisherInformation {
  return whole(fisherSteps(plan, weights, examples, labels));
}

function gramSum(workspace: Workspace): PassSum<readonly Float64Array[]> {
  const { kernels, layouts } = workspace;
  const sums = layouts.map(({ inputs }) => createRunningSum(kernels, inputs * inputs));
  return {
    inputs({ layout, windows }, count) {
      const { inputs, block } = layout!;
      const sum = sums[block.index];
      const positions = count * block.positions;
      const values = { at: windows, width: inputs };
      crossProduct(workspace, positions, values, values, sum.pointer, 'add-upper');
      sum.added(positions);
    },
    mean: (rows) =>
      layouts.map((layout) => {
        const { block, inputs, order } = layout;
        return symmetric(sums[block.index].total(), inputs, order, rows);
      }),
  };
}

function factorSum(workspace: Workspace): PassSum<readonly BlockFactors[]> {
  const { kernels, layouts } = workspace;
  const grams = gramSum(workspace);
  const sums = layouts.map(({ outputs }) => createRunningSum(kernels, outputs * outputs));
  return {
    inputs: grams.inputs,
    gradient({ layout, gradient, positions }) {
      const { outputs, block } = layout;
      const slopes = { at: gradient(), width: outputs };
      crossProduct(workspace, positions, slopes, slopes, sums[block.index].pointer, 'add-upper');
      sums[block.index].added(positions);
    },
    mean(rows) {
      const inputs = grams.mean(rows);
      return layouts.map((layout, k) => ({
        inputs: inputs[k],
        outputs: outputFactor(layout, sums[k].total(), rows),
      }));
    },
  };
}

function outputFactor(
  { block, outputs }: BlockLayout,
  sum: Float64Array,
  rows: number,
): Float64Array {
  const order = Int32Array.from({ length: block.rows }, (_, k) => k);
  return symmetric(sum, outputs, order, rows * block.positions);
}

/** The symmetric matrix of an upper triangle in another order, divided. */
function symmetric(
  upper: Float64Array,
  pitch: number,
  order: Int32Array,
  divisor: number,
): Float64Array {
  const size = order.length;
  const full = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      const [a, b] = [order[i], order[j]];
      full[i * size + j] = upper[Math.min(a, b) * pitch + Math.max(a, b)] / divisor;
    }
  }
  return full;
}

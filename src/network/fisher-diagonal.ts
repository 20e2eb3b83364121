import type { LayerGradient } from './backward-pass.ts';
import { addChosenWindows } from './chosen-windows.ts';
import { crossProduct } from './cross-product.ts';
import type { Examples } from './examples.ts';
import { type PassSum, runPass, whole } from './fisher-pass.ts';
import type { DrawnLabels } from './fisher-seeds.ts';
import type { NetworkPlan } from './network-plan.ts';
import { createRunningSum, type RunningSum } from './running-sum.ts';
import { unpack } from './weight-layout.ts';
import type { Workspace } from './workspace.ts';

/** The diagonal of the Fisher information, for each weight the mean over the rows of the expected squared slope of the log-likelihood. */
export function diagonalFisher(
  plan: NetworkPlan,
  weights: Float32Array,
  examples: Examples,
  labels?: DrawnLabels,
): Float64Array {
  return whole(runPass(plan, weights, examples, labels, diagonalSum));
}

/** Sums squares of gradients of single rows. */
export function diagonalSum(workspace: Workspace): PassSum<Float64Array> {
  const { plan, kernels, layouts, stages, length, most } = workspace;
  const sum = createRunningSum(kernels, length);
  const widest = (of: 'inputs' | 'outputs') => Math.max(...layouts.map((layout) => layout[of]));
  const inputSquares = kernels.allocate(4 * most * widest('inputs'));
  const gradientSquares = kernels.allocate(4 * most * widest('outputs'));
  const largest = Math.max(...layouts.map(({ inputs, outputs }) => inputs * outputs));
  const single = kernels.allocate(4 * largest);

  /** Squares of a product with one position are products of squares, and inputs are the same for all seeds. */
  const dense = ({ layout, seed, seeds, count, windows, gradient }: LayerGradient) => {
    const { inputs, outputs, start } = layout;
    if (seed === 0) kernels.f32(gradientSquares, count * outputs).fill(0);
    kernels.call.addSquares(gradientSquares, gradient(), count * outputs);
    if (seed < seeds - 1) return;
    kernels.f32(inputSquares, count * inputs).fill(0);
    kernels.call.addSquares(inputSquares, windows(), count * inputs);
    const left = { at: inputSquares, width: inputs };
    const right = { at: gradientSquares, width: outputs };
    crossProduct(workspace, count, left, right, sum.pointer + 4 * start, 'add');
  };

  const convolution = ({ layout, count, windows, gradient }: LayerGradient) => {
    const { inputs, outputs, start, block } = layout;
    const { positions } = block;
    for (let k = 0; k < count; k++) {
      const left = { at: windows() + 4 * k * positions * inputs, width: inputs };
      const right = { at: gradient() + 4 * k * positions * outputs, width: outputs };
      crossProduct(workspace, positions, left, right, single, 'set');
      kernels.call.addSquares(sum.pointer + 4 * start, single, inputs * outputs);
    }
  };

  const pooledSums = layouts.map(({ block }) => {
    const tables = stages.find(({ layout }) => layout?.block === block)?.tables;
    return tables && { tables, sums: createRunningSum(kernels, tables.length) };
  });

  /** All seeds together, at the last of them. */
  const pooled = (gradient: LayerGradient, sums: RunningSum) => {
    if (gradient.seed < gradient.seeds - 1) return;
    addChosenWindows(workspace, gradient, 'squares', sums.pointer);
    sums.added(gradient.count * gradient.seeds);
  };

  return {
    gradient(gradient) {
      const { block } = gradient.layout;
      const chosen = pooledSums[block.index];
      if (chosen !== undefined) pooled(gradient, chosen.sums);
      else if (block.positions === 1) dense(gradient);
      else convolution(gradient);
      // The first layer is the last to be seen.
      if (gradient.layout.start === 0) sum.added(gradient.count);
    },
    mean(rows) {
      const total = sum.total();
      layouts.forEach(({ start }, k) => {
        const own = pooledSums[k]?.sums.total();
        if (own === undefined) return;
        pooledSums[k]?.tables.places.forEach((place, at) => {
          if (place >= 0) total[start + at] = own[place];
        });
      });
      const mean = total.map((value) => value / rows);
      return unpack(layouts, mean, new Float64Array(plan.weights));
    },
  };
}

import { backwardPass, type LayerGradient } from './backward-pass.ts';
import { addChosenWindows } from './chosen-windows.ts';
import { crossProduct } from './cross-product.ts';
import type { Workspace } from './workspace.ts';

/** The gradient by the weights, summed over examples. */
export interface GradientSum {
  /** Takes the gradient by the outputs of the last forward pass back; returns the bytes of the sum, laid out as the weights. */
  run(rows: number): number;
}

/** Reserves the sum. */
export function createGradientSum(workspace: Workspace): GradientSum {
  const { kernels, length } = workspace;
  const sum = kernels.allocate(4 * length);
  const pooled = workspace.stages.flatMap(({ tables, layout }) => {
    if (tables === undefined || layout === undefined) return [];
    return [{ tables, layout, own: kernels.allocate(4 * tables.length) }];
  });

  const visit = (gradient: LayerGradient) => {
    const { start, inputs, outputs } = gradient.layout;
    const chosen = pooled.find(({ layout }) => layout === gradient.layout);
    if (chosen !== undefined) {
      addChosenWindows(workspace, gradient, 'sums', chosen.own);
      return;
    }
    const left = { at: gradient.windows(), width: inputs };
    const right = { at: gradient.gradient(), width: outputs };
    const what = gradient.from === 0 ? 'set' : 'add';
    crossProduct(workspace, gradient.positions, left, right, sum + 4 * start, what);
  };

  return {
    run(rows) {
      for (const { own, tables } of pooled) kernels.f32(own, tables.length).fill(0);
      backwardPass(workspace, rows, 1, visit);
      for (const { own, tables, layout } of pooled) {
        const { start, inputs, outputs } = layout;
        kernels.call.takePlaces(sum + 4 * start, own, tables.table, inputs * outputs);
      }
      return sum;
    },
  };
}

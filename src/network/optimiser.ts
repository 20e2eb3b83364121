import type { FullTraining } from './training.ts';
import type { Workspace } from './workspace.ts';

/** A rule for steps along a gradient. What it remembers are arrays as long as the weights in kernel memory. */
export interface Optimiser {
  /** Bytes of the arrays it remembers. */
  readonly memory: readonly number[];
  /** One step of the workspace's weights along the gradient at these bytes; `step` counts from 1. */
  step(gradient: number, step: number): void;
}

const FIRST = 0.9;
const SECOND = 0.999;
const EPSILON = 1e-8;

/** The optimiser of the terms. */
export function createOptimiser(workspace: Workspace, training: FullTraining): Optimiser {
  return optimisers[training.optimiser](workspace, training);
}

const optimisers: Record<
  FullTraining['optimiser'],
  (workspace: Workspace, training: FullTraining) => Optimiser
> = {
  momentum({ kernels, weights, length }, { rate, momentum }) {
    const speed = kernels.allocate(4 * length);
    return {
      memory: [speed],
      step: (gradient) => {
        kernels.call.momentumStep(weights, speed, gradient, length, rate, momentum);
      },
    };
  },

  adam: (workspace, { rate }) => adamOptimiser(workspace, rate),
};

/** Adam; `first` is the part of the mean gradient that is kept. */
export function adamOptimiser(
  { kernels, weights, length }: Pick<Workspace, 'kernels' | 'weights' | 'length'>,
  rate: number,
  first: number = FIRST,
): Optimiser {
  const means = kernels.allocate(4 * length);
  const squares = kernels.allocate(4 * length);
  const [firstPower, secondPower] = [powers(first), powers(SECOND)];
  return {
    memory: [means, squares],
    step(gradient, step) {
      const [left1, left2] = [1 - firstPower(step), 1 - secondPower(step)];
      kernels.call.adamStep(
        ...[weights, means, squares, gradient, length, rate / left1, Math.sqrt(left2)],
        ...[first, 1 - first, SECOND, 1 - SECOND, EPSILON],
      );
    },
  };
}

/** Powers by repeated products: the standard does not fix the bits of `**`. */
function powers(base: number): (exponent: number) => number {
  let [power, reached] = [1, 0];
  return (exponent) => {
    if (exponent < reached) [power, reached] = [1, 0];
    for (; reached < exponent; reached++) power *= base;
    return power;
  };
}

import type { DiagonalSite } from '../src/network/fuse-diagonal.ts';
import type { FullSite } from '../src/network/fuse-full.ts';
import type { JacobianSite } from '../src/network/fuse-jacobians.ts';
import type { KfacSite } from '../src/network/fuse-kfac.ts';
import type { Network } from '../src/network/network.ts';
import { type NetworkPlan, planNetwork } from '../src/network/network-plan.ts';
import type { RegMeanSite } from '../src/network/regmean.ts';

/** The network of test/vectors/network-fusion.py: a convolution, a pool and two dense layers, with biases. */
export const smallNetwork: Network = {
  layers: [
    { kind: 'convolution', channels: 2, size: 3, padding: 1 },
    { kind: 'relu' },
    { kind: 'max-pool', size: 2 },
    { kind: 'dense', units: 4 },
    { kind: 'relu' },
  ],
};

export const smallPlan: NetworkPlan = planNetwork(
  smallNetwork,
  { channels: 1, height: 6, width: 6 },
  3,
);

export const siteRows = [30, 50, 20] as const;

/** Numbers between −1 and 1 of a linear congruential stream. */
export function stream(seed: number, count: number): Float64Array {
  let state = seed;
  return Float64Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}

/** XᵀX / rows of a drawn X, as a packed triangle; one column can be 0. */
export function drawnGram(seed: number, rows: number, width: number, dead = -1): Float64Array {
  const x = stream(seed, rows * width).map((value, k) => (k % width === dead ? 0 : value));
  const packed: number[] = [];
  for (let i = 0; i < width; i++) {
    for (let j = i; j < width; j++) {
      let sum = 0;
      for (let r = 0; r < rows; r++) sum += x[r * width + i] * x[r * width + j];
      packed.push(sum / rows);
    }
  }
  return Float64Array.from(packed);
}

/** A site with everything that any fusion asks for. */
export type WholeSite = KfacSite &
  RegMeanSite & { readonly diagonal: DiagonalSite; readonly full: FullSite } & {
    readonly jacobians: JacobianSite;
  };

/** The three sites of the vectors. */
export function drawnSites(plan: NetworkPlan = smallPlan): readonly WholeSite[] {
  return siteRows.map((rows, i) => {
    const weights = stream(1000 + i, plan.weights);
    const fisher = stream(2000 + i, plan.weights).map((value, k) => {
      if (k % 17 === 0) return 0;
      return value * value * (k % 17 === 1 ? 1e-8 : 1);
    });
    const factors = plan.blocks.map(({ index, rows: outputs, columns }) => ({
      inputs: drawnGram(4000 + 10 * i + index, columns + 2, columns, index === 1 ? 3 : -1),
      outputs: drawnGram(5000 + 10 * i + index, outputs + 2, outputs),
    }));
    return {
      rows,
      weights,
      factors,
      inputs: factors.map(({ inputs }) => inputs),
      diagonal: { rows, weights, fisher },
      full: { rows, weights, fisher: drawnGram(3000 + i, 40, plan.weights) },
      jacobians: { rows, weights, jacobian: stream(6000 + i, rows * plan.weights) },
    };
  });
}

/** The largest difference of two arrays of one length. */
export function apart(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Number.POSITIVE_INFINITY;
  return Array.from(a).reduce((most, value, k) => Math.max(most, Math.abs(value - b[k])), 0);
}

import { reproducibleKernels } from '../../src/numeric/kernels.ts';
import { clientOf } from '../baselines/client.ts';
import { dotOf, productWith } from '../baselines/product.ts';
import { testError } from '../privacy/trial.ts';
import type { Rows } from './generator.ts';

/** Mean squared error of a model on rows. */
export function mseOf(rows: Rows, weights: Float64Array): number {
  return testError(rows, weights).mse;
}

/** Test errors of many models, as what they are above the exact one's. */
export interface TestLoss {
  /** Test MSE of the exact model, from the rows. */
  readonly exact: number;
  /** (MSE − exact)/exact, without the cancellation of a difference: it is right to its last digits even at 1e-12. */
  gap(weights: Float64Array): number;
  mse(weights: Float64Array): number;
}

/** Around the exact model w: MSE(w + δ) − MSE(w) = (δᵀGδ + 2δᵀ(Gw − h))/n, with G and h of the test rows. */
export function testLoss(rows: Rows, model: Float64Array): TestLoss {
  const kernels = reproducibleKernels();
  const { gram, moments } = clientOf(kernels, rows);
  const product = productWith(kernels, gram, moments.length);
  const exact = mseOf(rows, model);
  const slope = product(model);
  for (let i = 0; i < slope.length; i++) slope[i] = 2 * (slope[i]! - moments[i]!);
  const above = (weights: Float64Array) => {
    const away = weights.map((w, i) => w - model[i]!);
    return (dotOf(away, product(away)) + dotOf(away, slope)) / rows.count;
  };
  return {
    exact,
    gap: (weights) => above(weights) / exact,
    mse: (weights) => exact + above(weights),
  };
}

import { reproducibleKernels } from '../../src/numeric/kernels.ts';
import { baselineClient } from '../baselines/client.ts';
import { dotOf, productWith } from '../baselines/product.ts';
import type { Rows } from '../data/generator.ts';
import { testError } from '../privacy/trial.ts';

/** Mean squared error of a model on rows. */
export function mseOf(rows: Rows, weights: Float64Array): number {
  return testError(rows, weights).mse;
}

/** Test errors of many models, as excess over the exact model. */
export interface TestLoss {
  /** Test MSE of the exact model, from the rows. */
  readonly exact: number;
  /** (MSE − exact)/exact, computed without cancellation: accurate to the last digits even at 1e-12. */
  gap(weights: Float64Array): number;
  mse(weights: Float64Array): number;
}

/** Around the exact model w: MSE(w + δ) − MSE(w) = (δᵀGδ + 2δᵀ(Gw − h))/n, with G and h of the test rows. */
export function testLoss(rows: Rows, model: Float64Array): TestLoss {
  const kernels = reproducibleKernels();
  const { gram, moments } = baselineClient(kernels, rows);
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

import { symmetricEigen } from '../numeric/eigen.ts';
import type { Kernels } from '../numeric/kernels.ts';
import { fitAll, type SampleFit } from './sample-fit.ts';
import { centred, type SampleMoments } from './sample-moments.ts';

/**
 * The fit of frequent directions, `count` rows from every site, if all sites are like the sample: the squared lengths of the
 * directions of z = (1, x…, y…) become shorter by the one after the `count`-th, and the rest is 0.
 */
export function fitSketched(kernels: Kernels, sample: SampleMoments, count: number): SampleFit {
  const { products, predictors, responses } = sample;
  const z = 1 + predictors.length + responses.length;
  const { values, vectors } = symmetricEigen(kernels, products, z);
  const cut = count < z ? Math.max(0, values[z - 1 - count]) : 0;
  const kept = values.map((value) => Math.max(0, value - cut));
  const sketched = new Float64Array(z * z);
  for (let k = Math.max(0, z - count); k < z; k++) {
    for (let i = 0; i < z; i++) {
      const weight = kept[k] * vectors[i * z + k];
      for (let j = 0; j < z; j++) sketched[i * z + j] += weight * vectors[j * z + k];
    }
  }
  const { covariance, cross } = centred(sketched, predictors.length, responses.length);
  return { ...fitAll(kernels, { covariance, cross }), free: Math.min(count, predictors.length) };
}

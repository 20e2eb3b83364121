import { cholesky } from '../../src/numeric/cholesky.ts';
import type { Kernels } from '../../src/numeric/kernels.ts';
import type { Client } from './client.ts';
import { meanByRows } from './local-steps.ts';

/** Each client's own ridge regression, without the others. */
export function localFits(
  kernels: Kernels,
  clients: readonly Client[],
  ridge: number,
): readonly Float64Array[] {
  return clients.map((client) => ridgeFit(kernels, client, ridge));
}

/** The clients' own fits averaged by rows: one round of d numbers. */
export function averagedFits(
  kernels: Kernels,
  clients: readonly Client[],
  ridge: number,
): Float64Array {
  return meanByRows(clients, localFits(kernels, clients, ridge));
}

/** (G + σI)⁻¹h in float64. */
export function ridgeFit(
  kernels: Kernels,
  { gram, moments }: Pick<Client, 'gram' | 'moments'>,
  ridge: number,
): Float64Array {
  const d = moments.length;
  const matrix = gram.slice();
  for (let i = 0; i < d; i++) matrix[i * d + i]! += ridge;
  const factored = cholesky(kernels, matrix, d);
  if ('indefiniteAt' in factored) {
    throw new RangeError(`G + σI is not positive definite at row ${factored.indefiniteAt}`);
  }
  return factored.factor.solve(moments);
}

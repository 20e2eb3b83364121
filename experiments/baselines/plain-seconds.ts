import { gramRows } from '../../src/numeric/gram.ts';
import { createKernels, type Kernels } from '../../src/numeric/kernels.ts';
import { packedIndex } from '../../src/statistic/linear-layout.ts';
import type { Rows } from '../data/generator.ts';
import { ridgeFit } from './local-fits.ts';
import { rowFedAvg } from './row-fed-avg.ts';
import { type RowMatrix, rowMatrix } from './row-matrix.ts';

/** One-Shot in plain float64, as the paper runs it: AᵀA and Aᵀb of each client, their sum, one Cholesky solve. */
export function plainOneShot(
  kernels: Kernels,
  clients: readonly RowMatrix[],
  ridge: number,
): Float64Array {
  const d = clients[0]!.columns;
  const gram = new Float64Array(d * d);
  const moments = new Float64Array(d);
  for (const { count, values } of clients) {
    const packed = gramRows(kernels, values, count, d + 1);
    for (let i = 0; i < d; i++) {
      for (let j = i; j < d; j++) gram[i * d + j]! += packed[packedIndex(d + 1, i, j)]!;
      moments[i]! += packed[packedIndex(d + 1, i, d)]!;
    }
  }
  for (let i = 0; i < d; i++) for (let j = 0; j < i; j++) gram[i * d + j] = gram[j * d + i]!;
  return ridgeFit(kernels, { gram, moments }, ridge);
}

/** Seconds of both in plain float64, with the same kernels, all clients one after another in one thread. */
export interface PlainSeconds {
  readonly oneShot: number;
  /** A round of FedAvg, over the rows. */
  readonly round: number;
}

/** Repetitions after a first one that warms up; the shortest counts, as the others were interrupted. */
const REPEATED = 10;

export function plainSeconds(sites: readonly Rows[], ridge: number): PlainSeconds {
  const kernels = createKernels();
  const clients = sites.map(rowMatrix);
  const oneShot = leastSeconds(() => plainOneShot(kernels, clients, ridge));
  const rounds = rowFedAvg(kernels, sites, ridge);
  return { oneShot, round: leastSeconds(() => rounds.next()) };
}

function leastSeconds(work: () => unknown): number {
  work();
  const seconds = Array.from({ length: REPEATED }, () => {
    const begun = performance.now();
    work();
    return (performance.now() - begun) / 1000;
  });
  return Math.min(...seconds);
}

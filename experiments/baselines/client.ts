import { gramRows } from '../../src/numeric/gram.ts';
import type { Kernels } from '../../src/numeric/kernels.ts';
import { packedIndex } from '../../src/statistic/linear-layout.ts';
import type { Rows } from '../data/generator.ts';
import { rowMatrix } from './row-matrix.ts';

/** One client of an iterative method. Full-batch steps need its rows only through AᵀA and Aᵀb. */
export interface Client {
  /** n_k. */
  readonly count: number;
  /** AᵀA, row-major. */
  readonly gram: Float64Array;
  /** Aᵀb. */
  readonly moments: Float64Array;
}

export function baselineClient(kernels: Kernels, rows: Rows): Client {
  const { count, columns: d, values } = rowMatrix(rows);
  const packed = gramRows(kernels, values, count, d + 1);
  const gram = new Float64Array(d * d);
  const moments = new Float64Array(d);
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) {
      const entry = packed[packedIndex(d + 1, i, j)]!;
      gram[i * d + j] = entry;
      gram[j * d + i] = entry;
    }
    moments[i] = packed[packedIndex(d + 1, i, d)]!;
  }
  return { count, gram, moments };
}

/** n: rows of all clients. */
export function rowsOf(clients: readonly Client[]): number {
  return clients.reduce((sum, { count }) => sum + count, 0);
}

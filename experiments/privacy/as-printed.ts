import { symmetricEigen } from '../../src/numeric/eigen.ts';
import { gramRows } from '../../src/numeric/gram.ts';
import type { Kernels } from '../../src/numeric/kernels.ts';
import { packedIndex } from '../../src/statistic/linear-layout.ts';
import type { Rows } from '../data/generator.ts';

/** G = AᵀA, row-major, and h = Aᵀb of unscaled rows. */
export interface RawProducts {
  readonly gram: Float64Array;
  readonly moments: Float64Array;
}

export function rawProducts(kernels: Kernels, sites: readonly Rows[]): RawProducts {
  const d = sites[0]!.features.length;
  const gram = new Float64Array(d * d);
  const moments = new Float64Array(d);
  for (const { count, features, response } of sites) {
    const rows = new Float64Array(count * (d + 1));
    [...features, response].forEach((column, j) => {
      for (let r = 0; r < count; r++) rows[r * (d + 1) + j] = column[r]!;
    });
    const packed = gramRows(kernels, rows, count, d + 1);
    for (let i = 0; i < d; i++) {
      for (let j = 0; j < d; j++) gram[i * d + j]! += packed[packedIndex(d + 1, i, j)]!;
      moments[i]! += packed[packedIndex(d + 1, i, d)]!;
    }
  }
  return { gram, moments };
}

/** The paper's noise for (1, δ) and sensitivity 1: τ = √(2 ln(1.25/δ)), line 1 of Algorithm 2. */
export function printedDeviation(delta: number): number {
  return Math.sqrt(2 * Math.log(1.25 / delta));
}

/**
 * Algorithm 2 of the paper as apparently used for Table V: τ/ε at each client, although rows have length 10 and not 1, with
 * (E + Eᵀ)/2 on G, then (G̃ + σI)⁻¹h̃. NOT private: only for comparison.
 */
export function asPrinted(
  kernels: Kernels,
  { gram, moments }: RawProducts,
  { clients, deviation, ridge }: { clients: number; deviation: number; ridge: number },
  normal: () => number,
): Float64Array {
  const d = moments.length;
  // The clients' independent noises add up to one noise with √K times the deviation.
  const spread = Math.sqrt(clients) * deviation;
  const noisy = gram.slice();
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) {
      const entry = gram[i * d + j]! + (i === j ? spread : spread * Math.SQRT1_2) * normal();
      noisy[i * d + j] = entry;
      noisy[j * d + i] = entry;
    }
  }
  const target = moments.map((h) => h + spread * normal());
  return solveByEigen(kernels, noisy, target, ridge);
}

// Noise may make G̃ indefinite, so no Cholesky.
function solveByEigen(
  kernels: Kernels,
  matrix: Float64Array,
  target: Float64Array,
  ridge: number,
): Float64Array {
  const d = target.length;
  const { values, vectors } = symmetricEigen(kernels, matrix, d);
  const solution = new Float64Array(d);
  for (let k = 0; k < d; k++) {
    let along = 0;
    for (let i = 0; i < d; i++) along += vectors[i * d + k]! * target[i]!;
    along /= values[k]! + ridge;
    for (let i = 0; i < d; i++) solution[i]! += along * vectors[i * d + k]!;
  }
  return solution;
}

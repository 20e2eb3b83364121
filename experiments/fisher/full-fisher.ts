import { symmetricEigen } from '../../src/numeric/eigen.ts';
import type { Kernels } from '../../src/numeric/kernels.ts';
import type { CirclePoints } from './circle-points.ts';
import { activeUnits, type TwoLayer } from './two-layer.ts';

/** A client's points and its trained network. */
export interface TrainedClient {
  readonly points: CirclePoints;
  readonly net: TwoLayer;
}

/** Step size of the server (FedFisher, Appendix D.1). */
const SERVER_RATE = 0.001;

/**
 * Lemma 1's gradient descent with the full Fisher F = Σ JᵢᵀJᵢ/n, after T steps from the average w̄, without the steps: with the Jacobians
 * stacked and JJᵀ = U diag(s²) Uᵀ, w = w̄ + Jᵀ U diag((1 − (1 − ηs²)ᵀ)/s²) Uᵀ r, r = Jᵢ(wᵢ − w̄). One result for each ηT.
 */
export function fullFisherWeights(
  kernels: Kernels,
  clients: readonly TrainedClient[],
  average: Float64Array,
  etaTs: readonly number[],
): Float64Array[] {
  const rows = clients.flatMap(({ points, net }) => jacobianRows(points, net));
  const distances = clients.flatMap(({ points, net }) =>
    Array.from({ length: points.count }, () => net.weights),
  );
  const count = rows.length;
  const r = Float64Array.from(rows, (row, j) => {
    const own = distances[j]!;
    let sum = 0;
    for (let k = 0; k < row.length; k++) sum += row[k]! * (own[k]! - average[k]!);
    return sum;
  });
  const { values, vectors } = symmetricEigen(kernels, gramOf(rows), count);
  const along = Float64Array.from(values, (_, i) => {
    let sum = 0;
    for (let j = 0; j < count; j++) sum += vectors[j * count + i]! * r[j]!;
    return sum;
  });
  return etaTs.map((etaT) => {
    const scaled = along.map((value, i) => value * stepsFilter(Math.max(0, values[i]!), etaT));
    const weights = average.slice();
    rows.forEach((row, j) => {
      let size = 0;
      for (let i = 0; i < count; i++) size += vectors[j * count + i]! * scaled[i]!;
      for (let k = 0; k < row.length; k++) weights[k] = weights[k]! + size * row[k]!;
    });
    return weights;
  });
}

/** (1 − (1 − ηs²)ᵀ)/s², which is ηT where s² is 0. */
function stepsFilter(square: number, etaT: number): number {
  const steps = etaT / SERVER_RATE;
  if (square * etaT < 1e-12) return etaT;
  return -Math.expm1(steps * Math.log1p(-SERVER_RATE * square)) / square;
}

/** The derivative of the output at each point by all weights, over √n. */
function jacobianRows(points: CirclePoints, net: TwoLayer): Float64Array[] {
  const units = net.signs.length;
  const active = activeUnits(points, net);
  const scale = 1 / Math.sqrt(points.count);
  return Array.from({ length: points.count }, (_, j) => {
    const row = new Float64Array(2 * units);
    for (let r = 0; r < units; r++) {
      const size = scale * net.signs[r]! * active[j * units + r]!;
      row[2 * r] = size * points.x[2 * j]!;
      row[2 * r + 1] = size * points.x[2 * j + 1]!;
    }
    return row;
  });
}

/** JJᵀ, of which the upper triangle is filled. */
function gramOf(rows: readonly Float64Array[]): Float64Array {
  const count = rows.length;
  const gram = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    for (let j = i; j < count; j++) {
      const [a, b] = [rows[i]!, rows[j]!];
      let sum = 0;
      for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!;
      gram[i * count + j] = sum;
    }
  }
  return gram;
}

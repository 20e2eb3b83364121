import type { Kernels } from '../../src/numeric/kernels.ts';
import { normals } from '../../src/random/normals.ts';
import { seededWords } from '../../src/random/seeded-words.ts';
import { type CirclePoints, circlePoints, pooledPoints } from './circle-points.ts';
import { fullFisherWeights } from './full-fisher.ts';
import { halfSquaredError, type TwoLayer, trained } from './two-layer.ts';

/** η·T of the server's gradient descent; the paper has η = 0.001 and does not say T. */
export const etaTs = [10, 100, 1000, 1e6] as const;

const CLIENTS = 2;
const POINTS = 100;
/** Step size of the clients (FedFisher, Appendix D.1). */
const RATE = 0.1;

/** Mean loss over the clients, of every way to a model. */
export interface TheoryLosses {
  readonly fedAvg: number;
  /** One for each ηT. */
  readonly fedFisher: readonly number[];
  /** Gradient descent on all points, as many steps as a client takes. */
  readonly central: number;
}

/** The losses of all seeds at one width and number of local steps. */
export interface TheoryPoint {
  readonly width: number;
  readonly steps: number;
  readonly losses: readonly TheoryLosses[];
}

/** One data set, one initial network, trained and fused (FedFisher, Appendix D.1). */
export function theoryTrial(
  kernels: Kernels,
  width: number,
  steps: number,
  seed: number,
): TheoryLosses {
  const normal = normals(seededWords(seed));
  const clients = Array.from({ length: CLIENTS }, () => drawnClient(normal));
  return trialLosses(kernels, clients, drawnNetwork(width, normal), steps);
}

/** The losses for given clients and a given network. */
export function trialLosses(
  kernels: Kernels,
  clients: readonly CirclePoints[],
  start: TwoLayer,
  steps: number,
): TheoryLosses {
  const { signs } = start;
  const own = clients.map((points) => ({
    points,
    net: { signs, weights: trained(points, start, steps, RATE) },
  }));
  const average = start.weights.map(
    (_, k) => own.reduce((sum, { net }) => sum + net.weights[k]!, 0) / own.length,
  );
  const loss = (weights: Float64Array) =>
    clients.reduce((sum, points) => sum + halfSquaredError(points, { signs, weights }), 0) /
    clients.length;
  return {
    fedAvg: loss(average),
    fedFisher: fullFisherWeights(kernels, own, average, etaTs).map(loss),
    central: loss(trained(pooledPoints(clients), start, steps, RATE)),
  };
}

/** x̃ ~ N(b, diag(1, 2⁻¹·²)), x = x̃/‖x̃‖, y = w·x, with w and b of the client around a number of its own each. */
function drawnClient(normal: () => number): CirclePoints {
  const around = (centre: number) => [centre + normal(), centre + normal()] as const;
  const [w, b] = [around(normal()), around(normal())];
  const second = Math.sqrt(2 ** -1.2);
  const points = Array.from({ length: POINTS }, () => {
    const [p, q] = [b[0] + normal(), b[1] + second * normal()];
    const length = Math.sqrt(p * p + q * q);
    const x = [p / length, q / length] as const;
    return { x, y: w[0] * x[0] + w[1] * x[1] };
  });
  return circlePoints(points);
}

/** w ~ N(0, ½ I) and a = ±1/√m. */
function drawnNetwork(width: number, normal: () => number): TwoLayer {
  const size = 1 / Math.sqrt(width);
  const signs = Float64Array.from({ length: width }, () => (normal() < 0 ? -size : size));
  const weights = Float64Array.from({ length: 2 * width }, () => Math.SQRT1_2 * normal());
  return { signs, weights };
}

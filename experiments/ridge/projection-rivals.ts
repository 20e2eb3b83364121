import { type Projection, projectionMatrix } from '../../src/features/projection.ts';
import { cholesky } from '../../src/numeric/cholesky.ts';
import { directionsOf, shrunk } from '../../src/numeric/frequent-directions.ts';
import { gramRows, unpacked } from '../../src/numeric/gram.ts';
import { type Kernels, reproducibleKernels } from '../../src/numeric/kernels.ts';
import { transposedProduct } from '../../src/numeric/transposed-product.ts';
import { baselineClient, type Client } from '../baselines/client.ts';
import { rowMatrix } from '../baselines/row-matrix.ts';
import { pooled } from '../privacy/trial.ts';
import type { Draw } from './draw.ts';
import { mseOf } from './test-loss.ts';
import { share, type Work } from './work.ts';

/** Test MSE of what else could be sent, by dimension of the Gaussian projection in whose bytes it is. */
export interface RivalsFound {
  readonly sparse: readonly number[];
  readonly hadamard: readonly number[];
  /** A Gaussian projection to √2·m columns, whose compact upload has the bytes of m columns in exact arithmetic. */
  readonly compact: readonly number[];
  /** Frequent directions of each site, and how many. */
  readonly directions: readonly number[];
  readonly sketched: readonly number[];
}

/**
 * The rivals of a Gaussian projection for `dimensions` below d, in float64 from the sums of all rows: the sums of projected
 * rows are RᵀGR, and those of the sites' sketches are added.
 */
export function* projectionRivals(
  draw: Draw,
  dimensions: readonly number[],
  ridge: number,
  seed: number,
  exact: number,
): Work<RivalsFound> {
  const { sites, test, setting } = draw;
  const { features } = setting;
  const kernels = reproducibleKernels();
  const all = baselineClient(kernels, pooled(sites));
  yield 0.1;
  const wider = dimensions.map((m) => Math.floor(Math.SQRT2 * m));
  const projected = function* (
    of: Omit<Projection, 'dimension' | 'seed'>,
    sizes: readonly number[],
  ) {
    const smaller = sizes.filter((m) => m < features);
    const fits = yield* projectedModels(kernels, all, { ...of, seed }, smaller, ridge);
    return sizes.map((_, i) => (fits[i] === undefined ? exact : mseOf(test, fits[i])));
  };
  const sparse = yield* share(0.1, 0.25, projected({ matrix: 'sparse' }, dimensions));
  const hadamard = yield* share(0.25, 0.4, projected({ matrix: 'hadamard' }, dimensions));
  const compact = yield* share(0.4, 0.55, projected({}, wider));
  const sketched = dimensions.map((m) => rowsInBytesOf(m, features));
  const directions = yield* share(0.55, 1, sketchedModels(kernels, draw, sketched, ridge));
  return {
    sparse,
    hadamard,
    compact,
    directions: directions.map((model) => mseOf(test, model)),
    sketched,
  };
}

/** Rows of d + 1 numbers in the bytes of the sums of m projections and a response. */
function rowsInBytesOf(m: number, features: number): number {
  return Math.max(1, Math.floor(((m + 1) * (m + 2)) / 2 / (features + 1)));
}

/** Models of projections in the features themselves; a smaller dimension is a part of the largest, as in `projectedFits`. */
function* projectedModels(
  kernels: Kernels,
  { gram, moments }: Client,
  projection: Omit<Projection, 'dimension'>,
  dimensions: readonly number[],
  ridge: number,
): Work<Float64Array[]> {
  const d = moments.length;
  const most = Math.max(1, ...dimensions);
  const r = projectionMatrix(d, { ...projection, dimension: most });
  const sums = transposedProduct(kernels, r, transposedProduct(kernels, gram, r, d), d);
  const right = transposedProduct(kernels, r, moments, d);
  const models: Float64Array[] = [];
  for (const [i, m] of dimensions.entries()) {
    const part = Float64Array.from({ length: m * m }, (_, at) => {
      return sums[Math.floor(at / m) * most + (at % m)]!;
    });
    const weights = ridgeOf(kernels, part, right.subarray(0, m), (ridge * m) / most);
    const model = new Float64Array(d);
    for (let row = 0; row < d; row++) {
      for (let j = 0; j < m; j++) model[row]! += r[row * most + j]! * weights[j]!;
    }
    models.push(model);
    yield (i + 1) / dimensions.length;
  }
  return models;
}

/** Models of frequent directions: each site sends a sketch of its rows and responses, and the coordinator adds their sums. */
function* sketchedModels(
  kernels: Kernels,
  { sites, setting }: Draw,
  sizes: readonly number[],
  ridge: number,
): Work<Float64Array[]> {
  const width = setting.features + 1;
  const d = setting.features;
  const found = [];
  for (const [k, rows] of sites.entries()) {
    found.push(directionsOf(kernels, rowMatrix(rows).values, width));
    yield (0.5 * (k + 1)) / sites.length;
  }
  const models: Float64Array[] = [];
  for (const [i, most] of sizes.entries()) {
    const sketches = found.map((own) => shrunk(own, most));
    const rows = new Float64Array(sketches.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const sketch of sketches) {
      rows.set(sketch, at);
      at += sketch.length;
    }
    const sums = unpacked(gramRows(kernels, rows, rows.length / width, width), width);
    const gram = Float64Array.from({ length: d * d }, (_, e) => {
      return sums[Math.floor(e / d) * width + (e % d)]!;
    });
    const right = Float64Array.from({ length: d }, (_, j) => sums[j * width + d]!);
    models.push(ridgeOf(kernels, gram, right, ridge));
    yield 0.5 + (0.5 * (i + 1)) / sizes.length;
  }
  return models;
}

/** (G + σI)⁻¹h. */
function ridgeOf(
  kernels: Kernels,
  gram: Float64Array,
  right: Float64Array,
  ridge: number,
): Float64Array {
  const d = right.length;
  for (let i = 0; i < d; i++) gram[i * d + i]! += ridge;
  const factored = cholesky(kernels, gram, d);
  if ('indefiniteAt' in factored) throw new Error(`indefinite at row ${factored.indefiniteAt}`);
  return factored.factor.solve(right.slice());
}

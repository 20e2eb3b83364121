import { cholesky } from '../numeric/cholesky.ts';
import { ddCholesky } from '../numeric/dd-cholesky.ts';
import {
  type DdArray,
  type DdMatrix,
  ddArray,
  ddAt,
  ddMatrix,
  ddSet,
} from '../numeric/dd-matrix.ts';
import { dd, ddAdd, ddDivide, ddMultiply, ddSubtract } from '../numeric/double-double.ts';
import { type Kernels, reproducibleKernels } from '../numeric/kernels.ts';

/** The sums behind a random intercept: one matrix within sites, and the sums of each site. */
export interface SiteSums {
  /** Σ (T_k − s_k s_kᵀ/t_k) over all columns of the layout. */
  readonly within: DdMatrix;
  /** First rows s_k of the sites' matrices; t_k is the first entry. */
  readonly firsts: readonly DdArray[];
}

/** Splits matrices of one layout into within-site and between-site parts. Sites without rows are left out. */
export function siteSums(matrices: readonly DdMatrix[]): SiteSums {
  const filled = matrices.filter((matrix) => matrix.hi[0] > 0);
  const { width } = filled[0];
  const within = ddMatrix(width);
  for (const matrix of filled) {
    for (let i = 0; i < width; i++) {
      const share = ddDivide(ddAt(matrix, i), ddAt(matrix, 0));
      for (let j = i; j < width; j++) {
        const own = ddSubtract(ddAt(matrix, i * width + j), ddMultiply(share, ddAt(matrix, j)));
        const sum = ddAdd(ddAt(within, i * width + j), own);
        ddSet(within, i * width + j, sum);
        ddSet(within, j * width + i, sum);
      }
    }
  }
  const firsts = filled.map(({ hi, lo }) => ({ hi: hi.slice(0, width), lo: lo.slice(0, width) }));
  return { within, firsts };
}

/**
 * XᵀV⁻¹X for V = W⁻¹ + θ·11ᵀ within each site, over all columns: the within-site part in full, and a site's mean with
 * t_k/(1 + θ t_k) of its weight. All terms are positive, so nothing cancels, even for large θ.
 */
export function weightedSums({ within, firsts }: SiteSums, theta: number): DdMatrix {
  const { width } = within;
  const sum: DdMatrix = { width, hi: within.hi.slice(), lo: within.lo.slice() };
  for (const first of firsts) {
    const weight = ddAt(first, 0);
    const factor = ddMultiply(weight, ddAdd(dd(1), ddMultiply(weight, dd(theta))));
    for (let i = 0; i < width; i++) {
      const scaled = ddDivide(ddAt(first, i), factor);
      for (let j = i; j < width; j++) {
        const value = ddAdd(ddAt(sum, i * width + j), ddMultiply(scaled, ddAt(first, j)));
        ddSet(sum, i * width + j, value);
        ddSet(sum, j * width + i, value);
      }
    }
  }
  return sum;
}

/** The likelihood that is maximised: of the data (ML), or of the residuals (REML). */
export type Likelihood = 'ml' | 'reml';

/** The profile deviance at one θ, up to constants that do not depend on θ. */
interface Profile {
  readonly deviance: number;
  /** dDeviance/dθ. */
  readonly slope: number;
}

/** The minimum of the profile, and its gain over θ = 0. */
export interface RandomOptimum {
  readonly theta: number;
  /** Deviance at θ = 0 minus that at the optimum: the likelihood ratio. */
  readonly gain: number;
}

const SMALLEST = 1e-9;
const LARGEST = 1e9;
const POINTS = 37;

/**
 * Minimises the deviance, profiled over coefficients and σ, in θ = τ²/σ² ≥ 0: a grid over eighteen decades around the
 * sites' weights, then the root of the derivative in every valley. Undefined if there is no best θ.
 */
export function bestTheta(
  sums: SiteSums,
  columns: readonly number[],
  rows: number,
  likelihood: Likelihood,
): RandomOptimum | undefined {
  const profile = profileOf(sums, columns, rows, likelihood);
  if (profile === undefined) return undefined;
  const typical = sums.firsts.reduce((sum, { hi }) => sum + hi[0], 0) / sums.firsts.length;
  const step = (LARGEST / SMALLEST) ** (1 / (POINTS - 1));
  const grid = [0, ...Array.from({ length: POINTS }, (_, k) => (SMALLEST * step ** k) / typical)];
  const found = grid.map(profile);
  if (found.some(({ deviance }) => Number.isNaN(deviance))) return undefined;
  if (found[POINTS].slope < 0) return undefined;
  let best = { theta: 0, deviance: found[0].deviance };
  for (let k = 0; k < POINTS; k++) {
    if (!(found[k].slope < 0 && found[k + 1].slope >= 0)) continue;
    const theta = root((t) => profile(t).slope, grid[k], grid[k + 1]);
    const { deviance } = profile(theta);
    if (deviance < best.deviance) best = { theta, deviance };
  }
  return { theta: best.theta, gain: found[0].deviance - best.deviance };
}

/** The deviance in coordinates in which the matrix at θ = 0 is the identity, so that collinearity costs no digits. */
function profileOf(
  { within, firsts }: SiteSums,
  columns: readonly number[],
  rows: number,
  likelihood: Likelihood,
): ((theta: number) => Profile) | undefined {
  const width = columns.length;
  const start = weightedSums({ within, firsts }, 0);
  const chosen = ddMatrix(width);
  columns.forEach((i, a) => {
    columns.forEach((j, b) => {
      ddSet(chosen, a * width + b, ddAt(start, i * start.width + j));
    });
  });
  const factor = ddCholesky(chosen, width, () => false);
  if (factor.kept.length < width) return undefined;
  const turn = (column: (i: number) => { hi: number; lo: number }) => {
    const b = ddArray(width);
    columns.forEach((i, a) => {
      ddSet(b, a, column(i));
    });
    return factor.forward(b);
  };
  const means = firsts.map((first) => turn((i) => ddAt(first, i)).hi);
  const half = columns.map((j) => turn((i) => ddAt(within, i * within.width + j)));
  const inner = new Float64Array(width * width);
  for (let a = 0; a < width; a++) {
    const column = ddArray(width);
    half.forEach((row, b) => {
      ddSet(column, b, ddAt(row, a));
    });
    inner.set(factor.forward(column).hi, a * width);
  }
  const kernels = reproducibleKernels();
  const weights = firsts.map(({ hi }) => hi[0]);
  return (theta) => profileAt({ inner, means, weights, width, rows, likelihood, kernels }, theta);
}

interface Turned {
  readonly inner: Float64Array;
  readonly means: readonly Float64Array[];
  readonly weights: readonly number[];
  readonly width: number;
  readonly rows: number;
  readonly likelihood: Likelihood;
  readonly kernels: Kernels;
}

function profileAt(turned: Turned, theta: number): Profile {
  const { inner, means, weights, width, rows, likelihood, kernels } = turned;
  const p = width - 1;
  const matrix = inner.slice();
  means.forEach((mean, k) => {
    const factor = 1 / (weights[k] * (1 + theta * weights[k]));
    for (let i = 0; i < width; i++) {
      const scaled = factor * mean[i];
      for (let j = i; j < width; j++) matrix[i * width + j] += scaled * mean[j];
    }
  });
  const left = new Float64Array(p * p);
  const moment = new Float64Array(p);
  for (let i = 0; i < p; i++) {
    left.set(matrix.subarray(i * width, i * width + p), i * p);
    moment[i] = matrix[i * width + p];
  }
  const outcome = p === 0 ? undefined : cholesky(kernels, left, p);
  if (outcome !== undefined && 'indefiniteAt' in outcome) {
    return { deviance: Number.NaN, slope: Number.NaN };
  }
  const beta = outcome?.factor.solve(moment) ?? moment;
  let residual = matrix[p * width + p];
  for (let i = 0; i < p; i++) residual -= beta[i] * moment[i];
  const count = likelihood === 'reml' ? rows - p : rows;
  let deviance = count * Math.log(residual);
  let slope = 0;
  if (likelihood === 'reml') deviance += outcome?.factor.logDeterminant() ?? 0;
  means.forEach((mean, k) => {
    const shrink = 1 / (1 + theta * weights[k]);
    deviance -= Math.log(shrink);
    let rest = mean[p];
    for (let i = 0; i < p; i++) rest -= beta[i] * mean[i];
    let pull = (count * rest * rest) / residual;
    if (likelihood === 'reml' && outcome !== undefined) {
      const own = mean.subarray(0, p);
      const solved = outcome.factor.solve(own);
      for (let i = 0; i < p; i++) pull += own[i] * solved[i];
    }
    slope += weights[k] * shrink - shrink * shrink * pull;
  });
  return { deviance, slope };
}

/** The root of a function that rises through zero between two points (Ridders 1979), to the last digits. */
function root(f: (x: number) => number, from: number, to: number): number {
  let [low, high] = [from, to];
  let [below, above] = [f(low), f(high)];
  let last = Number.NaN;
  for (let step = 0; step < 200; step++) {
    const middle = (low + high) / 2;
    const value = f(middle);
    const scale = Math.sqrt(value * value - below * above);
    if (scale === 0 || !(high - low > 1e-15 * high)) return middle;
    const next = middle - ((middle - low) * value) / scale;
    const at = f(next);
    if (at === 0 || Math.abs(next - last) <= 1e-15 * next) return next;
    last = next;
    for (const [x, y] of [
      [middle, value],
      [next, at],
    ]) {
      if (y < 0 && x > low) [low, below] = [x, y];
      if (y >= 0 && x < high) [high, above] = [x, y];
    }
  }
  return (low + high) / 2;
}

import type { DdFactor } from '../numeric/dd-cholesky.ts';
import { type DdArray, type DdMatrix, ddArray, ddAt, ddDot, ddSet } from '../numeric/dd-matrix.ts';
import { dd, ddAdd, ddMultiply, ddScale, ddSubtract } from '../numeric/double-double.ts';
import { bigDoubleDouble, type NormalEquations } from './normal-equations.ts';

const FRACTION = 256; // bits kept below the point when a coefficient becomes an integer
const STEPS = 6;

/** How a solution is refined. */
export interface RefinementTerms {
  /** Most steps. */
  readonly steps: number;
  /** Stops early when the relative change of a step is at most this; 0 unless given. */
  readonly enough?: number;
  /** What the matrix lacks on its diagonal; nothing unless given. */
  readonly penalty?: Float64Array;
}

/**
 * Iterative refinement of (A + P) x = b with residuals in double-double over the leading columns of A; `solve` works in
 * float64. Returns the solution and the change of each step.
 */
export function refineByResiduals(
  matrix: DdMatrix,
  b: DdArray,
  solve: (rest: Float64Array) => Float64Array,
  { steps, enough = 0, penalty }: RefinementTerms,
): { readonly solution: DdArray; readonly changes: readonly number[] } {
  const width = b.hi.length;
  const solution = ddArray(width);
  const changes: number[] = [];
  for (let step = 0; step < steps; step++) {
    const rest = Float64Array.from({ length: width }, (_, i) => {
      // The first step starts from 0, whose image needs no pass over the matrix.
      if (step === 0) return b.hi[i];
      const image = ddDot(matrix, i * matrix.width, solution, 0, width);
      const missing = ddSubtract(ddAt(b, i), image);
      if (penalty === undefined || penalty[i] === 0) return missing.hi;
      return ddSubtract(missing, ddMultiply(ddAt(solution, i), dd(penalty[i]))).hi;
    });
    const correction = solve(rest);
    for (let i = 0; i < width; i++) {
      ddSet(solution, i, ddAdd(ddAt(solution, i), dd(correction[i])));
    }
    changes.push(Math.sqrt(squares(correction) / (squares(solution.hi) || 1)));
    if (changes[step] <= enough) break;
  }
  return { solution, changes };
}

function squares(v: Float64Array): number {
  return v.reduce((sum, x) => sum + x * x, 0);
}

/**
 * Iterative refinement with residuals in exact integer arithmetic: the accuracy of the factor affects
 * only the speed of convergence, so coefficients are correct to the last bit for condition numbers up
 * to about 1e15 (the Gram's 1e30).
 */
export function refineExactly(
  equations: NormalEquations,
  factor: DdFactor,
  start: DdArray,
  response: number,
): DdArray {
  const { kept } = factor;
  const { equilibration, predictors } = equations;
  const target = predictors + response;
  const rank = kept.length;
  const gram = kept.map((i) => kept.map((j) => equations.integer(i, j)));
  const moment = kept.map((i) => equations.integer(i, target));
  // Entry (i, j) of the equilibrated matrix is eᵢ eⱼ · integer · 2^−shift; the shift cancels.
  const shift = Math.max(...gram.map((row, i) => bitLength(row[i])), 1);
  const diagonal = kept.map((c, i) => {
    const at = c * equations.matrix.width + c;
    return equations.matrix.hi[at] / bigDoubleDouble(gram[i][i], shift).hi / equilibration[c] ** 2;
  });
  const unit = diagonal[0];
  let beta = start;
  for (let step = 0; step < STEPS; step++) {
    const fixed = kept.map((column, k) => {
      // β is per equilibrated column over the equilibrated response.
      const scale = equilibration[column] / equilibration[target];
      return toFixed(beta.hi[k] * scale) + toFixed(beta.lo[k] * scale);
    });
    const rest = ddArray(rank);
    kept.forEach((column, i) => {
      let residual = moment[i] << BigInt(FRACTION);
      for (let j = 0; j < rank; j++) residual -= gram[i][j] * fixed[j];
      const real = bigDoubleDouble(residual, shift + FRACTION);
      ddSet(rest, i, ddScale(real, unit * equilibration[column] * equilibration[target]));
    });
    const correction = factor.solve(rest);
    const next = ddArray(rank);
    let converged = true;
    for (let k = 0; k < rank; k++) {
      ddSet(next, k, ddAdd(ddAt(beta, k), ddAt(correction, k)));
      if (Math.abs(correction.hi[k]) > 2 ** -70 * Math.abs(next.hi[k])) converged = false;
    }
    beta = next;
    if (converged) break;
  }
  return beta;
}

/** x · 2^FRACTION, exactly, for doubles above 2^(52 − FRACTION). */
function toFixed(x: number): bigint {
  if (x === 0) return 0n;
  const exponent = Math.max(-1000, Math.floor(Math.log2(Math.abs(x)))) - 52;
  const mantissa = BigInt(Math.round(x / 2 ** exponent));
  const shift = BigInt(FRACTION + exponent);
  return shift >= 0n ? mantissa << shift : mantissa >> -shift;
}

function bitLength(value: bigint): number {
  return value.toString(16).length * 4;
}

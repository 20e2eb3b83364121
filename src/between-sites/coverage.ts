import type { Failure } from '../failure.ts';
import type { Fit } from '../model/fit.ts';
import { leastSquaresFit } from '../model/least-squares-fit.ts';
import {
  crossProducts,
  type NormalEquations,
  normalEquationsOf,
} from '../solve/normal-equations.ts';
import type { LinearSiteStatistic } from '../statistic/site-statistics.ts';
import { type LinearStatistic, rowCount } from '../statistic/statistic.ts';
import { type AloneDirection, aloneDirections } from './alone-directions.ts';
import { type CoverageBound, coverageBound } from './coverage-bound.ts';
import { spectrumOf } from './symmetric-matrix.ts';

/** Which directions of the columns the sites cover, and an error bound. */
export interface Coverage {
  readonly about: 'coverage';
  /** Smallest eigenvalue of the pooled correlation matrix (columns of unit SD, per row): the paper's α over n. */
  readonly alpha: number;
  /** Number of directions that some site covers. */
  readonly rank: number;
  readonly columns: number;
  readonly sites: readonly SiteCoverage[];
  /** Directions in which one site has nearly all the information. */
  readonly alone: readonly AloneDirection[];
  /** Columns that no site can separate from those before them. */
  readonly uncovered: readonly string[];
  /**
   * ‖b − b*‖ ≤ bias·‖b*‖ + noise with the given confidence (mathematics §7); b per SD of the columns, in units of the
   * response, whose noise is taken from the residual. Absent where columns are aliased and no ridge decides between them.
   */
  readonly bound?: CoverageBound & { readonly confidence: number };
}

export interface SiteCoverage {
  readonly site: string;
  readonly n: number;
  /** Smallest eigenvalue of the site's own matrix about its own means, per row, in the pooled SDs. */
  readonly alpha: number;
  /** Number of directions that the site covers. */
  readonly rank: number;
}

const ROUNDING = 1e-12; // share of a column below which an eigenvalue counts as 0
const CONFIDENCE = 0.95;

/** `penalty` is that of the fit, over equilibrated predictors; absent for least squares. */
export function coverage(
  total: LinearStatistic,
  siteStatistics: readonly LinearSiteStatistic[],
  response: number,
  penalty?: Float64Array,
): Coverage | Failure {
  const filled = siteStatistics.filter(({ statistic }) => rowCount(statistic) > 0);
  const plain = leastSquaresFit(total);
  if ('problem' in plain) return plain;
  const { equations, solution } = plain;
  const { layout, predictors } = equations;
  if (filled.length === 0 || predictors === 0) {
    return {
      problem: 'there is no column to cover',
      remedy: 'ask of a study whose formula has terms',
    };
  }
  const sizes = Float64Array.from({ length: predictors }, (_, i) =>
    Math.sqrt(Math.max(0, equations.matrix.hi[i * (equations.matrix.width + 1)])),
  );
  const correlation = scaledMatrix(equations, sizes, predictors);
  const spectrum = spectrumOf(correlation, predictors);
  const weight = equations.weightSum;
  const sites = filled.map(({ site, statistic }): SiteCoverage => {
    const counts = { rows: rowCount(statistic), logWeightSum: 0 };
    const own = normalEquationsOf(crossProducts(statistic), layout, counts);
    const factor = Math.sqrt(weight / own.weightSum);
    // Each site's equations have their own equilibration, by powers of two.
    const units = sizes.map(
      (size, i) => (size * own.equilibration[i]) / equations.equilibration[i] / factor,
    );
    const itself = scaledMatrix(own, ownSizes(own, units), predictors);
    const shares = spectrumOf(itself, predictors);
    const rank = shares.filter((value) => value > ROUNDING).length;
    if (rank < predictors) return { site, n: own.rows, alpha: 0, rank };
    const [alpha] = spectrumOf(scaledMatrix(own, units, predictors), predictors);
    return { site, n: own.rows, alpha, rank };
  });
  const kept = solution.kept;
  const bound = boundOf(plain, response, penalty, sizes, correlation);
  return {
    about: 'coverage',
    alpha: solution.aliased.length > 0 ? 0 : Math.max(0, spectrum[0]),
    rank: kept.length,
    columns: predictors,
    sites,
    alone: filled.length < 2 ? [] : aloneDirections(equations, kept, sizes, filled),
    uncovered: solution.aliased.map((column) => layout.columns[column + 1]),
    ...(bound === undefined ? {} : { bound: { confidence: CONFIDENCE, ...bound } }),
  };
}

/** The predictors' block of the matrix with each column over its unit; columns without one are 0. */
function scaledMatrix(
  { matrix }: NormalEquations,
  units: ArrayLike<number>,
  width: number,
): Float64Array {
  const over = Array.from(units, (unit) => (unit > 0 ? 1 / unit : 0));
  const scaled = new Float64Array(width * width);
  for (let i = 0; i < width; i++) {
    for (let j = 0; j < width; j++) {
      scaled[i * width + j] = matrix.hi[i * matrix.width + j] * over[i] * over[j];
    }
  }
  return scaled;
}

/** Lengths of a site's own columns; 0 for those that vary by rounding only, in the pooled unit. */
function ownSizes({ matrix }: NormalEquations, units: Float64Array): Float64Array {
  return units.map((unit, i) => {
    const size = Math.sqrt(Math.max(0, matrix.hi[i * (matrix.width + 1)]));
    return size > unit * ROUNDING ? size : 0;
  });
}

/** The bound for the penalty of each column, in pooled SDs. */
function boundOf(
  plain: Fit,
  response: number,
  penalty: Float64Array | undefined,
  sizes: Float64Array,
  correlation: Float64Array,
): CoverageBound | undefined {
  const { equations, solution } = plain;
  const { weightSum } = equations;
  const model = plain.models[response];
  const freedom = model.rows - model.terms.length;
  if (!(freedom > 0)) return undefined;
  const noise = Math.sqrt(model.residualSumOfSquares / freedom);
  // From the penalty on an equilibrated coefficient to that on the same column over its SD.
  const added = Array.from(sizes, (size, i) => ((penalty?.[i] ?? 0) * weightSum) / (size * size));
  if (solution.aliased.length > 0 && added.some((p) => !(p > 0 && p < Number.POSITIVE_INFINITY))) {
    return undefined;
  }
  const gram = correlation.map((value) => value * weightSum);
  return coverageBound({ gram, penalties: added, noise, confidence: CONFIDENCE });
}

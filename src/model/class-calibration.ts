import type { Design, ResponseClasses } from '../features/design.ts';
import { type ClassMembers, classMembers, classWeight } from '../solve/class-members.ts';
import type { Fit } from './fit.ts';
import type { Report } from './report.ts';
import type { ReportedClasses } from './reported-classes.ts';

/** The report of a regression with the probabilities of its categories, where they can be had. */
export function withClasses(report: Report, design: Design, fit: Fit | undefined): Report {
  if (fit === undefined || report.classes !== undefined) return report;
  const classes = design.classes.flatMap((category) => calibratedClasses(fit, category) ?? []);
  return classes.length === 0 ? report : { ...report, classes };
}

/**
 * Probabilities of classes from a regression on their indicators: in the space of the fitted values each class is normal
 * about its own mean, all with one covariance. Both are those of rows left out of the fit: with h = edf/n, a fitted value
 * becomes (f − hy)/(1 − h), as in generalised cross-validation. Undefined where the fit does not give them.
 */
export function calibratedClasses(
  fit: Fit,
  category: ResponseClasses,
): ReportedClasses | undefined {
  const { equations, total } = fit;
  const { rows, layout } = equations;
  const { present } = classMembers(category, total);
  const leverage = meanLeverage(fit, category);
  const isPlain = fit.glm === undefined && fit.siteEffects === undefined && layout.intercept;
  if (!isPlain || present.length < 2 || rows <= present.length || !(leverage < 1)) return undefined;
  const sizes = present.map((one) => classWeight(total, one));
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const { moments, squares } = fittedMoments(fit, category, present);
  const count = category.columns.length;
  const departures = moments.map((row, c) => row.map((moment) => moment / sizes[c]));
  const share = rows / (all * (rows - present.length) * (1 - leverage) ** 2);
  const covariance = squares.map((square, at) => {
    const [r, s] = [Math.floor(at / count), at % count];
    const between = departures.reduce((sum, own, c) => sum + sizes[c] * own[r] * own[s], 0);
    return (square - between) * share;
  });
  const widest = squares.map((square) => square * share);
  // Departures of the left-out means from the mean of all rows, which is that of the indicators.
  const means = departures.map((own, c) =>
    own.map((departure, r) => {
      const away = Number(isMember(present[c], r, category, total.layout)) - overall(r);
      return (departure - leverage * away) / (1 - leverage);
    }),
  );
  function overall(r: number): number {
    const member = present.findIndex((one) => isMember(one, r, category, total.layout));
    return member < 0 ? 0 : sizes[member] / all;
  }
  const solve = semidefiniteSolver(covariance, widest, count);
  if (solve === undefined) return undefined;
  const unit = (layout.weightScale ?? 1) ** 2;
  const levels = means.map((mean, c) => {
    const weights = solve(mean);
    const constant = weights.reduce(
      (sum, weight, r) => sum - weight * (mean[r] / 2 + overall(r)),
      Math.log(sizes[c] / all),
    );
    return { level: present[c].name, n: sizes[c] * unit, constant, weights };
  });
  const isSound = levels.every((one) => [one.constant, ...one.weights].every(Number.isFinite));
  return isSound ? { label: category.label, levels } : undefined;
}

/** Whether response r of a category is the indicator of this class. */
function isMember(
  { column, less }: ClassMembers,
  r: number,
  { columns }: ResponseClasses,
  layout: Fit['total']['layout'],
): boolean {
  const place = layout.columns.length - layout.responses + columns[r];
  return less === undefined && column === place;
}

/** Effective degrees of freedom over rows: how much of a fitted value is its own row, on average. */
function meanLeverage({ solution, equations, lasso }: Fit, { columns }: ResponseClasses): number {
  const slopes =
    lasso === undefined
      ? (solution.factored?.effectiveSlopes ?? Number.NaN)
      : columns.reduce(
          (sum, r) => sum + solution.coefficients[r].hi.filter((b) => b !== 0).length,
          0,
        ) / columns.length;
  return (1 + slopes) / equations.rows;
}

/** Sums of the centred fitted values over each class, and of their products over all rows (row-major). */
function fittedMoments(
  { equations, solution }: Fit,
  { columns }: ResponseClasses,
  present: readonly ClassMembers[],
): { readonly moments: readonly (readonly number[])[]; readonly squares: readonly number[] } {
  const { matrix, predictors, equilibration } = equations;
  const { kept, coefficients } = solution;
  const { width, hi } = matrix;
  const slopes = columns.map((r) => {
    const unit = equilibration[predictors + r];
    return Float64Array.from(kept, (_, k) => coefficients[r].hi[k] / unit);
  });
  const images = slopes.map((slope) =>
    Float64Array.from(kept, (row) => {
      let sum = 0;
      kept.forEach((column, k) => {
        sum += hi[row * width + column] * slope[k];
      });
      return sum;
    }),
  );
  const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, x, k) => sum + x * b[k], 0);
  // A response has as many columns before it in the total as predictors, and the constant.
  const indicated = (column: number): number[] => {
    const own = hi.subarray((column - 1) * width, column * width);
    const unit = equilibration[column - 1];
    return slopes.map((slope) => kept.reduce((sum, j, k) => sum + own[j] * slope[k], 0) / unit);
  };
  return {
    // Over all rows the centred values add up to 0.
    moments: present.map(({ column, less }) =>
      less === undefined ? indicated(column) : indicated(less).map((sum) => -sum),
    ),
    squares: slopes.flatMap((slope) => images.map((image) => dot(slope, image))),
  };
}

/** Below this share of its variance, what is left of a fitted value is rounding. */
const NOTHING = 1e-9;

/**
 * Solves A x = b by Cholesky in the given order. Values that follow from those before, as the last of some that add up to 1,
 * get 0. Undefined where nothing is left of `widest`, the diagonal before the classes were taken out.
 */
function semidefiniteSolver(
  matrix: readonly number[],
  widest: readonly number[],
  width: number,
): ((b: readonly number[]) => number[]) | undefined {
  const lower = new Float64Array(width * width);
  const kept: number[] = [];
  for (let i = 0; i < width; i++) {
    for (const j of kept) {
      let sum = matrix[i * width + j];
      for (const k of kept) if (k < j) sum -= lower[i * width + k] * lower[j * width + k];
      lower[i * width + j] = sum / lower[j * width + j];
    }
    const own = matrix[i * width + i];
    const pivot = kept.reduce((rest, k) => rest - lower[i * width + k] ** 2, own);
    if (pivot > NOTHING * own && own > NOTHING * widest[i * width + i]) {
      lower[i * width + i] = Math.sqrt(pivot);
      kept.push(i);
    }
  }
  if (kept.length === 0) return undefined;
  return (b) => {
    const x = new Array<number>(width).fill(0);
    for (const i of kept) {
      const rest = kept.reduce((sum, k) => (k < i ? sum - lower[i * width + k] * x[k] : sum), b[i]);
      x[i] = rest / lower[i * width + i];
    }
    for (const i of kept.toReversed()) {
      const rest = kept.reduce((sum, k) => (k > i ? sum - lower[k * width + i] * x[k] : sum), x[i]);
      x[i] = rest / lower[i * width + i];
    }
    return x;
  };
}

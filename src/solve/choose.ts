import { reproducibleKernels } from '../numeric/kernels.ts';
import { ridgePath } from '../numeric/ridge-path.ts';
import type { RidgeRule } from '../study/study.ts';
import type { NormalEquations } from './normal-equations.ts';

/** A penalty picked by a rule, with the curve it was picked from. */
export interface ChosenPenalty {
  readonly rule: RidgeRule;
  /** The ridge, or glmnet's lambda where a lasso was chosen. */
  readonly ridge: number;
  /**
   * In the user's units, or of several responses the sum of each over its variance. GCV: n·RSS/(n − edf)². Left-out
   * sites: their mean squared error of prediction. Marginal likelihood: minus its logarithm.
   */
  readonly score: number;
  readonly curve: readonly CurvePoint[];
  /** Where the score is smallest; larger penalties may have been preferred. */
  readonly minimum: number;
  /** Penalties between which the score stays within one standard error of its minimum, or 1 % without one. */
  readonly flat: readonly [number, number];
}

export interface CurvePoint {
  readonly ridge: number;
  readonly score: number;
  /** Standard error of the score over the left-out groups. */
  readonly error?: number;
}

const GRID_POINTS = 100;
const DECADES = 12;

/**
 * Minimises generalised cross-validation n·RSS/(n − edf)² over the ridge, from the total alone
 * (Golub, Heath & Wahba 1979): a grid over twelve decades, then golden-section search.
 */
export function chooseByGcv(equations: NormalEquations, unitPenalty: Float64Array): ChosenPenalty {
  const { matrix, predictors: p, responses, rows, layout, equilibration } = equations;
  const root = unitPenalty.map((u) => (u > 0 ? 1 / Math.sqrt(u) : 0));
  const gram = new Float64Array(p * p);
  for (let i = 0; i < p; i++) {
    for (let j = 0; j < p; j++)
      gram[i * p + j] = matrix.hi[i * matrix.width + j] * root[i] * root[j];
  }
  let largest = 0;
  for (let i = 0; i < p; i++) largest += gram[i * p + i];
  const kernels = reproducibleKernels();
  const paths = Array.from({ length: responses }, (_, r) => {
    const at = p + r;
    const moment = Float64Array.from(root, (u, i) => matrix.hi[at * matrix.width + i] * u);
    const square = matrix.hi[at * matrix.width + at];
    return ridgePath(kernels, gram, p, moment, square, rows, layout.intercept ? 1 : 0);
  });
  const shares = paths.map((_, r) => {
    const at = p + r;
    if (responses > 1) return rows / (matrix.hi[at * matrix.width + at] || 1);
    const unit = layout.references[at + 1].scale * (layout.weightScale ?? 1);
    return (unit / equilibration[at]) ** 2;
  });
  const score = (ridge: number) =>
    paths.reduce((sum, path, r) => sum + path.at(ridge).gcv * shares[r], 0);
  const curve = Array.from({ length: GRID_POINTS }, (_, k) => {
    const ridge = largest * 10 ** (1 - (DECADES * k) / (GRID_POINTS - 1));
    return { ridge, score: score(ridge) };
  });
  const best = curve.reduce((a, b) => (b.score < a.score ? b : a));
  const step = 10 ** (DECADES / (GRID_POINTS - 1));
  const ridge = Math.exp(
    goldenSection(
      (t) => score(Math.exp(t)),
      Math.log(best.ridge / step),
      Math.log(best.ridge * step),
    ),
  );
  const near = curve.filter((point) => point.score <= 1.01 * best.score);
  const flat = [near[near.length - 1].ridge, near[0].ridge] as const;
  return { rule: 'gcv', ridge, score: score(ridge), curve, minimum: ridge, flat };
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** Where a function with one valley on [low, high] is smallest. */
function goldenSection(f: (t: number) => number, low: number, high: number): number {
  let [a, b] = [low, high];
  let [c, d] = [b - GOLDEN * (b - a), a + GOLDEN * (b - a)];
  let [fc, fd] = [f(c), f(d)];
  for (let step = 0; step < 60 && b - a > 1e-10; step++) {
    if (fc < fd) {
      [b, d, fd] = [d, c, fc];
      c = b - GOLDEN * (b - a);
      fc = f(c);
    } else {
      [a, c, fc] = [c, d, fd];
      d = a + GOLDEN * (b - a);
      fd = f(d);
    }
  }
  return (a + b) / 2;
}

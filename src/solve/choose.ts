import { reproducibleKernels } from '../numeric/kernels.ts';
import { ridgePath } from '../numeric/ridge-path.ts';
import type { NormalEquations } from './normal-equations.ts';

/** A ridge picked by a rule, with the curve it was picked from. */
export interface ChosenRidge {
  readonly rule: 'gcv';
  readonly ridge: number;
  /** n·RSS/(n − edf)² in the user's units; of several responses, the sum of each over its variance. */
  readonly score: number;
  readonly curve: readonly { readonly ridge: number; readonly score: number }[];
}

const GRID_POINTS = 100;
const DECADES = 12;

/**
 * Minimises generalised cross-validation n·RSS/(n − edf)² over the ridge, from the total alone
 * (Golub, Heath & Wahba 1979): a grid over twelve decades, then golden-section search.
 */
export function chooseByGcv(equations: NormalEquations, unitPenalty: Float64Array): ChosenRidge {
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
  return { rule: 'gcv', ridge, score: score(ridge), curve };
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

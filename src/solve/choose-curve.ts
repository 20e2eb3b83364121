import type { RidgeRule } from '../study/study.ts';

/** A penalty chosen by a rule, with the curve it was chosen from. */
export interface ChosenPenalty {
  readonly rule: RidgeRule;
  /** The ridge, or glmnet's lambda for a lasso. */
  readonly ridge: number;
  /**
   * In the user's units. GCV: n·RSS/(n − edf)². Left-out sites: their mean squared error of prediction. With
   * several responses, both are sums of the values over their variances. Marginal likelihood: minus its logarithm, summed.
   */
  readonly score: number;
  readonly curve: readonly CurvePoint[];
  /** The penalty with the smallest score; a larger one may have been preferred. */
  readonly minimum: number;
  /**
   * The range of penalties whose score is within one standard error of the minimum; without a standard error, within 1 %
   * of it, and for a likelihood within a factor of e².
   */
  readonly flat: readonly [number, number];
}

/** A point of a curve, which runs from strong to weak penalties. */
export interface CurvePoint {
  readonly ridge: number;
  readonly score: number;
  /** Standard error of the score over the left-out groups. */
  readonly error?: number;
}

const GRID_POINTS = 100;
const DECADES = 12;

/** A hundred ridges over twelve decades, from ten times the largest useful one. */
export function ridgeGrid(largest: number): number[] {
  return Array.from(
    { length: GRID_POINTS },
    (_, k) => largest * 10 ** (1 - (DECADES * k) / (GRID_POINTS - 1)),
  );
}

/** The smallest score of a smooth curve: over the grid, then by golden-section search between its neighbours. */
export function smoothMinimum(
  rule: RidgeRule,
  grid: readonly number[],
  score: (ridge: number) => number,
  nearlyAsGood: (score: number, best: number) => boolean,
): ChosenPenalty {
  const curve = grid.map((ridge) => ({ ridge, score: score(ridge) }));
  const best = lowest(curve);
  const step = 10 ** (DECADES / (GRID_POINTS - 1));
  const ridge = Math.exp(
    goldenSection(
      (t) => score(Math.exp(t)),
      Math.log(best.ridge / step),
      Math.log(best.ridge * step),
    ),
  );
  const flat = span(curve.filter((point) => nearlyAsGood(point.score, best.score)));
  return { rule, ridge, score: score(ridge), curve, minimum: ridge, flat };
}

/**
 * The point of a left-out curve with the smallest score, or the largest penalty whose score is within one standard
 * error of it (Breiman et al. 1984, §3.4.3). Points are not refined: their error is much larger than the grid.
 */
export function leftOutChoice(
  rule: RidgeRule,
  curve: readonly Required<CurvePoint>[],
  prefer: 'minimum' | 'one-standard-error',
): ChosenPenalty {
  const best = lowest(curve);
  const near = curve.filter(({ score }) => score <= best.score + best.error);
  const { ridge, score } = prefer === 'minimum' ? best : near[0];
  return { rule, ridge, score, curve, minimum: best.ridge, flat: span(near) };
}

function lowest<Point extends CurvePoint>(curve: readonly Point[]): Point {
  return curve.reduce((a, b) => (b.score < a.score ? b : a));
}

function span(points: readonly CurvePoint[]): [number, number] {
  return [points[points.length - 1].ridge, points[0].ridge];
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** The minimum of a function with one valley on [low, high]. */
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

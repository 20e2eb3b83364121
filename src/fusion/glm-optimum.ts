import { dot } from './glm-factor.ts';
import { type LocalProblem, type Point, pointAt } from './glm-point.ts';
import { firthPrior, type Prior, ridgePrior } from './glm-prior.ts';

const MOST_STEPS = 100;
const MOST_HALVINGS = 40;
/** Squared length of a step, in standard errors, at which the iteration stops. */
const ARRIVED = 1e-22;
/** Share of the objective that is rounding. */
const NOISE = 1e-12;

/**
 * The maximum of a site's own likelihood with its prior, in units of the references: Newton's
 * method with step halving. Columns that are combinations of others at this site keep the
 * coefficient 0; the prior keeps the rest finite where the site's rows are separated.
 */
export function localOptimum(problem: LocalProblem, prior: 'firth' | number): Point {
  const chosen = prior === 'firth' ? firthPrior(problem) : ridgePrior(problem, prior);
  return ascent(problem, chosen, firstPoint(problem), MOST_STEPS).point;
}

/** Newton's method with step halving from a point: where it came to, and the next move it would make. */
function ascent(
  problem: LocalProblem,
  prior: Prior,
  start: Point,
  mostSteps: number,
): { readonly point: Point; readonly move: Float64Array; readonly arrived: boolean } {
  let point = start;
  for (let step = 0; ; step++) {
    const { score, curvature } = prior.slope(point);
    const move = curvature.solve(score);
    const arrived = !(dot(score, move, move.length) > ARRIVED);
    const next = arrived || step === mostSteps ? undefined : climb(problem, prior, point, move);
    if (next === undefined) return { point, move, arrived };
    point = next;
  }
}

/** Newton steps after which a coefficient that still moves has no finite optimum. */
const PATIENCE = 15;
/** Change of the linear predictor over half a column's range; along separated rows a Newton step is about 1. */
const STILL_MOVING = 0.05;

/**
 * 1 for each coefficient of the user's units that the site's likelihood keeps finite without a prior, 0 where its rows are
 * separated along it, and where the column is a combination of others.
 */
export function boundedCoefficients(problem: LocalProblem, optimum: Point): Float64Array {
  const { layout, kept } = problem;
  const { move, arrived } = ascent(problem, ridgePrior(problem, 0), optimum, PATIENCE);
  const inUnits = move.slice();
  if (layout.intercept) {
    layout.references.slice(1, move.length).forEach(({ center, scale }, k) => {
      inUnits[0] -= (move[k + 1] * center) / scale;
    });
  }
  const bounded = new Float64Array(move.length);
  for (const j of kept) bounded[j] = Number(arrived || Math.abs(inUnits[j]) < STILL_MOVING);
  return bounded;
}

/** The longest of the whole move, half, a quarter, … that does not lower the objective. */
function climb(
  problem: LocalProblem,
  prior: Prior,
  point: Point,
  move: Float64Array,
): Point | undefined {
  const objective = (at: Point) => at.logKernel + prior.logDensity(at);
  const least = objective(point) - NOISE * (1 + Math.abs(objective(point)));
  for (let half = 0; half < MOST_HALVINGS; half++) {
    const beta = point.beta.map((b, j) => b + move[j] * 2 ** -half);
    const there = pointAt(problem, beta);
    if (there !== undefined && objective(there) >= least) return there;
  }
  return undefined;
}

/** Start without effects: η = 0, or the link of the mean response where there is an intercept. */
function firstPoint(problem: LocalProblem): Point {
  const { layout, family, blocks } = problem;
  const beta = new Float64Array(layout.columns.length - 1);
  let whole = 0;
  let sum = 0;
  for (const { rows, response, weights } of blocks) {
    for (let r = 0; r < rows; r++) {
      whole += weights?.[r] ?? 1;
      sum += response[r] * (weights?.[r] ?? 1);
    }
  }
  if (layout.intercept) beta[0] = family.link((sum + 0.5) / (whole + 1));
  return pointAt(problem, beta) as Point;
}

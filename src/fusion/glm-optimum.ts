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
export function localOptimum(problem: LocalProblem, prior: 'firth' | number): Float64Array {
  const chosen = prior === 'firth' ? firthPrior(problem) : ridgePrior(problem, prior);
  let point = firstPoint(problem);
  for (let step = 0; ; step++) {
    const { score, curvature } = chosen.slope(point);
    const move = curvature.solve(score);
    const near = !(dot(score, move, move.length) > ARRIVED);
    const next = near || step === MOST_STEPS ? undefined : climb(problem, chosen, point, move);
    if (next === undefined) return point.beta;
    point = next;
  }
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
  const rows = blocks.reduce((sum, block) => sum + block.rows, 0);
  const sum = blocks.reduce((s, { response }) => s + response.reduce((t, y) => t + y, 0), 0);
  if (layout.intercept) beta[0] = family.link((sum + 0.5) / (rows + 1));
  return pointAt(problem, beta) as Point;
}

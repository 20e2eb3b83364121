import { factorKept, type KeptFactor } from './glm-factor.ts';
import { type LocalProblem, type Point, score, weighted } from './glm-point.ts';
import { scoreResiduals } from './glm-rows.ts';

/** A prior that keeps a site's own optimum finite. */
export interface Prior {
  /** Its log-density, added to the log-likelihood. */
  logDensity(point: Point): number;
  /** The gradient of their sum, and the curvature for a Newton step. */
  slope(point: Point): Slope;
}

export interface Slope {
  readonly score: Float64Array;
  readonly curvature: KeptFactor;
}

/**
 * Jeffreys' prior ½ ln |H|, which removes the bias of order 1/n from the coefficients (Firth 1993):
 * a row of hat value h gains h(½ − μ) in a logistic, h/2 in a Poisson regression.
 */
export function firthPrior(problem: LocalProblem): Prior {
  const { family, blocks, kept, layout } = problem;
  const width = layout.columns.length - 1;
  return {
    logDensity: ({ factor }) => factor.logDeterminant / 2,
    slope({ etas, factor, information }) {
      const residuals = etas.map((eta) => new Float64Array(eta.length));
      const weights = etas.map((eta) => new Float64Array(eta.length));
      blocks.forEach(({ rows, columns, response, weights: own }, k) => {
        for (let r = 0; r < rows; r++) {
          const eta = etas[k][r];
          const mean = family.mean(eta);
          const variance = family.variance(eta);
          const weight = own?.[r] ?? 1;
          const hat = weight * variance * factor.squaredLength((j) => columns[j][r]);
          residuals[k][r] = weight * (response[r] - mean) + family.priorScore(hat, mean);
          weights[k][r] = variance * (weight + family.priorCurvature(hat));
        }
      });
      const same = family.priorCurvature(1) === 0;
      const curvature = same ? information : weighted(problem, (_, k) => weights[k]);
      return {
        score: score(problem, residuals),
        curvature: factorKept(curvature, width, kept),
      };
    },
  };
}

/** Σ ½h(W′/W)u over a site's rows: the gradient of Jeffreys' prior. */
export function jeffreysScore(problem: LocalProblem, { etas, factor }: Point): Float64Array {
  const { family, blocks } = problem;
  return score(
    problem,
    blocks.map(({ columns, weights }, k) =>
      etas[k].map((eta, r) => {
        const variance = family.variance(eta) * (weights?.[r] ?? 1);
        const hat = variance * factor.squaredLength((j) => columns[j][r]);
        return family.priorScore(hat, family.mean(eta));
      }),
    ),
  );
}

/** −½ λ Σ (bⱼ SDⱼ)² with the site's own population SDs; the intercept is free. */
export function ridgePrior(problem: LocalProblem, lambda: number): Prior {
  const { family, blocks, kept, layout } = problem;
  const width = layout.columns.length - 1;
  const penalty = squaredSpreads(problem).map((variance) => lambda * variance);
  return {
    logDensity: ({ beta }) => -beta.reduce((sum, b, j) => sum + penalty[j] * b * b, 0) / 2,
    slope({ beta, etas, information }) {
      const plain = score(
        problem,
        blocks.map((block, k) => scoreResiduals(family, block, etas[k])),
      );
      const curvature = information.slice();
      penalty.forEach((p, j) => {
        curvature[j * width + j] += p;
      });
      return {
        score: plain.map((value, j) => value - penalty[j] * beta[j]),
        curvature: factorKept(curvature, width, kept),
      };
    },
  };
}

/** Variances of the columns at this site; mean squares without an intercept. */
function squaredSpreads({ layout, blocks }: LocalProblem): Float64Array {
  const n = blocks.reduce((sum, { rows }) => sum + rows, 0) || 1;
  return Float64Array.from({ length: layout.columns.length - 1 }, (_, j) => {
    if (j === 0) return 0;
    const total = (of: (u: number) => number) =>
      blocks.reduce((sum, { columns }) => sum + columns[j].reduce((s, u) => s + of(u), 0), 0);
    const mean = layout.intercept ? total((u) => u) / n : 0;
    return total((u) => (u - mean) ** 2) / n;
  });
}

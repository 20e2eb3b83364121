import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearModel } from '../src/model/linear-model.ts';
import { enableRelaxedSimd } from '../src/node/compute/relaxed-simd.ts';
import { canFuse, createKernels } from '../src/numeric/kernels.ts';
import { chooseLasso, leftOutLassos } from '../src/solve/choose-lasso.ts';
import { lambdaSequence, lasso, lassoPath, lassoProblem, lassoScale } from '../src/solve/lasso.ts';
import { lassoDescent } from '../src/solve/lasso-descent.ts';
import { leastSquares } from '../src/solve/least-squares.ts';
import { normalEquations } from '../src/solve/normal-equations.ts';
import type { Solution } from '../src/solve/solution.ts';
import type { LinearSiteStatistic } from '../src/statistic/site-statistics.ts';
import { sumStatistics } from '../src/statistic/statistic.ts';
import { cases } from './endurance.ts';
import { agreement } from './linear.ts';
import { expectRelative } from './relative.ts';
import { hasSharedData, sharedJson, sharedLines } from './shared-data.ts';
import { everyRow, studyOf, summaryOf, type Table, tableOf } from './tables.ts';

interface Fitted {
  readonly weights: string | null;
  readonly lambda: number;
  readonly mix: number;
}

function vectorsOf<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`./vectors/${name}`, import.meta.url), 'utf8'));
}

// Made by test/vectors/lasso.R and lasso.py, which say how the conventions map.
const glmnet = vectorsOf<{
  readonly table: Readonly<Record<string, readonly number[]>>;
  readonly glmnet: readonly (Fitted & { readonly coefficients: readonly number[] })[];
  readonly sequence: readonly number[];
}>('lasso.json');
const sklearn = vectorsOf<{
  readonly sites: readonly string[];
  readonly cases: readonly (Fitted & {
    readonly formula: string;
    readonly coefficients: readonly (readonly number[])[];
  })[];
  readonly left_out: readonly {
    readonly weights: string | null;
    readonly mix: number;
    readonly points: readonly {
      readonly lambda: number;
      readonly score: number;
      readonly error: number;
    }[];
  }[];
}>('lasso-sklearn.json');

const table = tableOf(glmnet.table);
const formula = 'y ~ a + b + c + d + e + f';

function partsBy(from: Table, text: string, weights: string | null, sites: readonly string[]) {
  const agreed = agreement(studyOf(from, text, weights === null ? {} : { weights }));
  const parts: LinearSiteStatistic[] = [...new Set(sites)].map((site) => {
    const rows = everyRow(from).filter((r) => sites[r] === site);
    return { site, statistic: summaryOf(agreed, from, rows).statistic };
  });
  const total = sumStatistics(
    agreed.layout,
    parts.map(({ statistic }) => statistic),
  );
  return { parts, total, equations: normalEquations(total) };
}

function pooled(from: Table, text: string, weights: string | null) {
  return partsBy(from, text, weights, new Array<string>(from.rows).fill('one')).equations;
}

function solved(equations: ReturnType<typeof pooled>, lambda: number, mix: number): Solution {
  const solution = lasso(equations, { lambda, mix });
  if ('problem' in solution) throw new Error(solution.problem);
  return solution;
}

/** Zero where the truth is zero, otherwise relative to the truth. */
function expectCoefficients(
  got: ArrayLike<number>,
  expected: readonly number[],
  tolerance: number,
): void {
  expect(got).toHaveLength(expected.length);
  expected.forEach((value, k) => {
    expectRelative(got[k], value, tolerance, `coefficient ${k}`);
  });
}

describe('a lasso means what it means elsewhere', () => {
  it.each(glmnet.glmnet)('glmnet: λ = $lambda, mix $mix, weights $weights', (truth) => {
    const equations = pooled(table, formula, truth.weights);
    const model = linearModel(equations, solved(equations, truth.lambda, truth.mix), 0);
    expectCoefficients(model.estimates, truth.coefficients, 1e-9);
  });

  it.each(sklearn.cases)(
    'sklearn: $formula, alpha = $lambda, l1_ratio = $mix, weights $weights',
    (truth) => {
      const equations = pooled(table, truth.formula, truth.weights);
      const solution = solved(equations, truth.lambda, truth.mix);
      truth.coefficients.forEach((expected, r) => {
        expectCoefficients(linearModel(equations, solution, r).estimates, expected, 1e-9);
      });
    },
  );

  it("glmnet's sequence of lambdas, as far as glmnet followed it", () => {
    const ours = lambdaSequence(pooled(table, formula, null), 1);
    expect(ours).toHaveLength(100);
    glmnet.sequence.forEach((lambda, k) => {
      expectRelative(ours[k], lambda, 1e-12, `lambda ${k}`);
    });
  });
});

describe('laws of the lasso', () => {
  const equations = pooled(table, formula, null);
  const scale = lassoScale(equations);
  const problem = lassoProblem(scale, equations.matrix, equations.predictors, scale.weight);

  it('every point of the path satisfies the conditions of optimality', () => {
    const lambdas = lambdaSequence(equations, 1);
    const path = lassoPath(createKernels(), problem, lambdas, 1, scale.responseUnits[0]);
    const d = problem.moment.length;
    path.forEach((b, l) => {
      const l1 = lambdas[l] / scale.responseUnits[0];
      for (let j = 0; j < d; j++) {
        let slope = problem.moment[j];
        for (let k = 0; k < d; k++) slope -= problem.gram[j * d + k] * b[k];
        if (b[j] === 0) expect(Math.abs(slope)).toBeLessThanOrEqual(l1 * (1 + 1e-12) + 1e-13);
        else expect(Math.abs(slope - Math.sign(b[j]) * l1)).toBeLessThan(1e-13);
      }
    });
    expect(path[0].every((b) => b === 0)).toBe(true);
    expect(path[99].every((b) => b !== 0)).toBe(true);
  });

  it('λ = 0 is least squares', () => {
    const none = leastSquares(equations, new Float64Array(equations.predictors)) as Solution;
    const got = linearModel(equations, solved(equations, 0, 1), 0);
    const plain = linearModel(equations, none, 0);
    expectCoefficients(got.estimates, Array.from(plain.estimates), 1e-12);
    expectRelative(got.residualSumOfSquares, plain.residualSumOfSquares, 1e-12, 'RSS');
  });

  it('mix = 0 is the ridge λ·n on standardised columns', () => {
    const { matrix, rows, predictors } = equations;
    const penalty = Float64Array.from(
      { length: predictors },
      (_, j) => (matrix.hi[j * matrix.width + j] / rows) * 0.3 * rows,
    );
    const ridge = leastSquares(equations, penalty) as Solution;
    const expected = Array.from(linearModel(equations, ridge, 0).estimates);
    const got = linearModel(equations, solved(equations, 0.3, 0), 0).estimates;
    expectCoefficients(got, expected, 1e-12);
  });

  it('reaches the optimum if rounding hides that columns depend on each other', () => {
    enableRelaxedSimd(); // fused kernels find a tiny pivot where there is none
    const rows = [
      [0.25, -0.625, 0, 0, -0.625],
      [0.5625, 2.1875, -0.0625, -1.5, 0],
      [0.0625, 0.3125, 0.1875, 0.125, 0.5625],
    ];
    const y = [1.3125, 1.75, -1.1875];
    const sum = (of: (row: number[], r: number) => number) =>
      rows.reduce((total, row, r) => total + of(row, r), 0);
    const gram = Float64Array.from({ length: 25 }, (_, at) =>
      sum((row) => row[Math.floor(at / 5)] * row[at % 5]),
    );
    const moment = Float64Array.from({ length: 5 }, (_, j) => sum((row, r) => row[j] * y[r]));
    for (const fused of [canFuse(), false]) {
      const start = new Float64Array(5);
      const kernels = createKernels({ fused });
      const { violation } = lassoDescent(kernels, { gram, moment }, 0.01, 0, start);
      expect(violation).toBeLessThan(1e-12);
    }
  });

  it('no other coefficients do better, whatever the correlations', () => {
    const entry = fc.integer({ min: -40, max: 40 }).map((k) => k / 16);
    fc.assert(
      fc.property(
        fc.array(fc.array(entry, { minLength: 5, maxLength: 5 }), { minLength: 2, maxLength: 7 }),
        fc.array(entry, { minLength: 7, maxLength: 7 }),
        fc.constantFrom(0.01, 0.3, 2),
        fc.constantFrom(0, 0.2),
        (rows, y, l1, l2) => {
          const dot = (i: number, j: number) => rows.reduce((s, row) => s + row[i] * row[j], 0);
          const gram = Float64Array.from({ length: 25 }, (_, at) =>
            dot(Math.floor(at / 5), at % 5),
          );
          const moment = Float64Array.from({ length: 5 }, (_, j) =>
            rows.reduce((s, row, r) => s + row[j] * y[r], 0),
          );
          const start = new Float64Array(5);
          const { coefficients, violation } = lassoDescent(
            createKernels(),
            { gram, moment },
            l1,
            l2,
            start,
          );
          const objective = (b: Float64Array) =>
            rows.reduce(
              (s, row, r) => s + (y[r] - row.reduce((t, x, j) => t + x * b[j], 0)) ** 2,
              0,
            ) /
              2 +
            b.reduce((s, v) => s + l1 * Math.abs(v) + (l2 * v * v) / 2, 0);
          expect(violation).toBeLessThan(1e-6);
          const best = objective(coefficients);
          for (let j = 0; j < 5; j++) {
            for (const by of [-0.5, -1e-3, 1e-3, 0.5]) {
              const other = coefficients.slice();
              other[j] += by;
              expect(objective(other)).toBeGreaterThanOrEqual(best - 1e-9 * (1 + best));
            }
          }
        },
      ),
      { numRuns: cases(150) },
    );
  });

  it('leaves out constant columns and survives columns that repeat', () => {
    const { y, a } = glmnet.table;
    const odd = tableOf({ y, a, again: a, still: a.map(() => 3) });
    const twice = pooled(odd, 'y ~ a + again + still', null);
    const solution = solved(twice, 0.1, 1);
    expect(solution.aliased).toEqual([2]);
    const once = pooled(odd, 'y ~ a', null);
    const alone = linearModel(once, solved(once, 0.1, 1), 0).estimates[1];
    const [, first, second] = linearModel(twice, solution, 0).estimates;
    expectRelative(first + second, alone, 1e-12, 'what both share');
  });
});

describe('lambda by left-out sites', () => {
  it.each(sklearn.left_out)('scores as raw rows do: mix $mix, weights $weights', (truth) => {
    const { parts, total, equations } = partsBy(table, formula, truth.weights, sklearn.sites);
    const curve = leftOutLassos(
      total,
      equations,
      truth.mix,
      parts.map(({ statistic }) => statistic),
      truth.points.map(({ lambda }) => lambda),
    );
    truth.points.forEach(({ score, error }, l) => {
      expectRelative(curve[l].score, score, 1e-9, 'score');
      expectRelative(curve[l].error, error, 1e-9, 'error');
    });
  });

  it('picks the smallest score, or the largest lambda within one standard error of it', () => {
    const { parts, total, equations } = partsBy(table, formula, null, sklearn.sites);
    const least = chooseLasso(total, equations, 1, 'minimum', parts);
    const sparse = chooseLasso(total, equations, 1, 'one-standard-error', parts);
    if ('problem' in least || 'problem' in sparse) throw new Error('no choice');
    const best = least.curve.find(({ ridge }) => ridge === least.ridge)!;
    expect(Math.min(...least.curve.map(({ score }) => score))).toBe(least.score);
    const within = least.curve.filter(({ score }) => score <= best.score + best.error!);
    expect(sparse.ridge).toBe(Math.max(...within.map(({ ridge }) => ridge)));
    expect(sparse.ridge).toBeGreaterThan(least.ridge);
    expect(sparse.minimum).toBe(least.ridge);
  });

  it('says why it cannot where sites are hidden or alone', () => {
    const { parts, total, equations } = partsBy(table, formula, null, sklearn.sites);
    expect(chooseLasso(total, equations, 1, 'minimum', undefined)).toHaveProperty('problem');
    expect(chooseLasso(total, equations, 1, 'minimum', parts.slice(0, 1))).toHaveProperty(
      'problem',
    );
  });
});

describe.skipIf(!hasSharedData)('wine quality', () => {
  it('gives the two lassos of glmnet', () => {
    const { lasso: truths, terms } = sharedJson<{
      readonly terms: readonly string[];
      readonly lasso: readonly {
        readonly glmnet_lambda: number;
        readonly coef: Readonly<Record<string, number>>;
      }[];
    }>('wine-quality', 'reference_ridge.json');
    const wine = wineTable();
    const equations = pooled(wine, `quality ~ ${terms.join(' + ')}`, null);
    for (const { glmnet_lambda: lambda, coef } of truths) {
      const model = linearModel(equations, solved(equations, lambda, 1), 0);
      model.terms.forEach((term, k) => {
        expectRelative(model.estimates[k], coef[term], 1e-6, term);
      });
    }
  });
});

function wineTable(): Table {
  const files = ['red', 'white'].map((colour) =>
    sharedLines('wine-quality', 'sites', `${colour}.csv`),
  );
  const names = files[0].header.split(',');
  const rows = files.flatMap(({ lines }) => lines.map((line) => line.split(',').map(Number)));
  return tableOf(Object.fromEntries(names.map((name, j) => [name, rows.map((row) => row[j])])));
}

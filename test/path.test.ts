import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  lassoPathAnswer,
  type Path,
  pathAnswer,
  pathText,
  ridgePathAnswer,
} from '../src/analysis/path.ts';
import type { QueryInput } from '../src/analysis/query-input.ts';
import type { Failure } from '../src/failure.ts';
import { linearModel } from '../src/model/linear-model.ts';
import { createKernels } from '../src/numeric/kernels.ts';
import { penaltyPaths } from '../src/solve/choose-gcv.ts';
import { ridges } from '../src/solve/choose-ridges.ts';
import { lasso } from '../src/solve/lasso.ts';
import { leastSquares } from '../src/solve/least-squares.ts';
import { type PenaltyScale, unitPenalty } from '../src/solve/penalty.ts';
import type { Solution } from '../src/solve/solution.ts';
import type { RidgeFusion, TableStudy } from '../src/study/study.ts';
import { plainInk } from '../src/text/text-table.ts';
import { agreement, contribution } from './linear.ts';
import { expectRelative } from './relative.ts';
import { fitted } from './resolved-fit.ts';
import { everyRow, studyOf, summaryOf, type Table, tableOf } from './tables.ts';

interface PathTruth {
  readonly ridge: number;
  readonly edf: number;
  readonly gcv: number;
  readonly 'r.squared': number;
}

function vectorsOf<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`./vectors/${name}`, import.meta.url), 'utf8'));
}

// Made by test/vectors/choose.py by singular values.
const vectors = vectorsOf<{
  readonly table: Readonly<Record<string, readonly number[]>>;
  readonly path: Readonly<Record<PenaltyScale, readonly PathTruth[]>>;
}>('choose.json');
const table = tableOf(vectors.table);

/** What a path is asked of: the fit of a study that says how it penalises. */
function evidenceOf(
  from: Table,
  formula: string,
  fusion: Omit<RidgeFusion, 'kind' | 'ridge'> = {},
  choices: Partial<Pick<TableStudy, 'weights'>> = {},
): QueryInput {
  const terms = { ...choices, fusion: { kind: 'ridge', ridge: 0, ...fusion } } as const;
  const study = studyOf(from, formula, terms);
  const agreed = agreement(study);
  const summary = summaryOf(agreed, from, everyRow(from));
  const { total, fit } = fitted(agreed, [contribution(agreed, 'one', summary)]);
  if ('problem' in fit) throw new Error(fit.problem);
  return { study, design: agreed.design, total, fit, response: 0 };
}

function answered(answer: Path | Failure): Path {
  if ('problem' in answer) throw new Error(answer.problem);
  return answer;
}

const formula = 'y ~ a + b + c + d';

describe.each([
  ['raw', false],
  ['standardized', true],
] as const)('the ridge path, %s', (scale, standardize) => {
  const { equations } = evidenceOf(table, formula).fit;
  const unit = unitPenalty(equations, scale);

  it('has the degrees of freedom, GCV and R² that singular values give', () => {
    const [path] = penaltyPaths(equations, unit);
    const square = equations.matrix.hi[equations.matrix.hi.length - 1];
    const responseUnit = linearModel(
      equations,
      leastSquares(equations, unit) as Solution,
      0,
    ).responseUnit;
    for (const truth of vectors.path[scale]) {
      const { edf, gcv, rss } = path.at(truth.ridge);
      expectRelative(edf, truth.edf, 1e-9, 'edf');
      expectRelative(gcv * responseUnit ** 2, truth.gcv, 1e-9, 'gcv');
      expect(Math.abs(1 - rss / square - truth['r.squared'])).toBeLessThan(1e-9);
    }
  });

  it.each([
    [formula, {}],
    [`${formula} - 1`, {}],
    [formula, { weights: 'w' }],
  ])('is at every ridge what a fit there gives: %s %o', (text, choices) => {
    const evidence = evidenceOf(table, text, { standardize }, choices);
    const { points, terms } = answered(ridgePathAnswer(evidence));
    const own = unitPenalty(evidence.fit.equations, scale);
    expect(points).toHaveLength(100);
    expect(terms).toEqual(['a', 'b', 'c', 'd']);
    for (const at of [0, 17, 42, 63, 80, 99]) {
      const { penalty, intercept, coefficients, edf, ...rest } = points[at];
      const solution = leastSquares(
        evidence.fit.equations,
        own.map((u) => u * penalty),
      ) as Solution;
      const model = linearModel(evidence.fit.equations, solution, 0);
      const first = model.intercept ? [intercept!] : [];
      [...first, ...coefficients].forEach((got, k) => {
        expectRelative(got, model.estimates[k], 1e-11, `coefficient ${k} at ${penalty}`);
      });
      expectRelative(edf, model.effectiveSlopes + first.length, 1e-9, 'edf');
      const share = 1 - model.residualSumOfSquares / model.totalSumOfSquares;
      expect(Math.abs(rest['r.squared'] - share)).toBeLessThan(1e-12);
    }
  });

  it('goes from strong to weak, and from nothing to least squares', () => {
    const evidence = evidenceOf(table, formula, { standardize });
    const { points, scales } = answered(ridgePathAnswer(evidence));
    points.slice(1).forEach(({ penalty, edf, ...rest }, k) => {
      expect(penalty).toBeLessThan(points[k].penalty);
      expect(edf).toBeGreaterThan(points[k].edf);
      expect(rest['r.squared']).toBeGreaterThanOrEqual(points[k]['r.squared'] - 1e-14);
    });
    const { a } = vectors.table;
    const mean = a.reduce((s, v) => s + v, 0) / a.length;
    const variance = a.reduce((s, v) => s + (v - mean) ** 2, 0) / a.length;
    expectRelative(scales[0], Math.sqrt(variance), 1e-12, 'SD');
  });
});

describe("lm.ridge's GCV", () => {
  // Made by test/vectors/lasso.R; lm.ridge does not count the intercept.
  const { table: columns, mass } = vectorsOf<{
    readonly table: Readonly<Record<string, readonly number[]>>;
    readonly mass: { readonly lambda: readonly number[]; readonly gcv: readonly number[] };
  }>('lasso.json');

  it.each(mass.lambda.map((lambda, k) => [lambda, mass.gcv[k]]))('λ = %d', (lambda, gcv) => {
    const { equations, models } = evidenceOf(tableOf(columns), 'y ~ a + b + c + d + e + f').fit;
    const { rss, edf } = penaltyPaths(equations, unitPenalty(equations, 'standardized'))[0].at(
      lambda,
    );
    const got = (rss * models[0].responseUnit ** 2) / (equations.rows - (edf - 1)) ** 2;
    expectRelative(got, gcv, 1e-9, 'GCV');
  });
});

describe('many ridges at once', () => {
  it('give zero to a column that nothing penalises because it never varies', () => {
    const odd = tableOf({ ...vectors.table, still: vectors.table.a.map(() => 4) });
    const { fit: model } = evidenceOf(odd, 'y ~ a + still + b');
    const unit = unitPenalty(model.equations, 'standardized');
    expect(unit[1]).toBe(0);
    const [{ weakest, differences }] = ridges(
      createKernels(),
      model.equations.matrix,
      unit,
      [2, 1],
    );
    expect(weakest.hi[1]).toBe(0);
    expect(Array.from(differences.subarray(2, 4))).toEqual([0, 0]);
    const without = evidenceOf(odd, 'y ~ a + b').fit.equations;
    const penalty = unitPenalty(without, 'standardized');
    const truth = leastSquares(without, penalty) as Solution;
    expectRelative(weakest.hi[0], truth.coefficients[0].hi[0], 1e-12, 'a');
    expectRelative(weakest.hi[2], truth.coefficients[0].hi[1], 1e-12, 'b');
  });
});

describe('the lasso path', () => {
  it.each([1, 0.5])('is at every lambda what a lasso there gives, mix %d', (mix) => {
    const evidence = evidenceOf(table, formula, { lasso: { lambda: 0.1, mix } }, { weights: 'w' });
    const { kind, points } = answered(pathAnswer(evidence));
    expect(kind).toBe('lasso');
    expect(points[0].coefficients.every((b) => b === 0)).toBe(true);
    expect(points[0].edf).toBe(1);
    expect(points[99].edf).toBe(5);
    for (const at of [5, 30, 70, 99]) {
      const { penalty, intercept, coefficients } = points[at];
      const { equations } = evidence.fit;
      const solution = lasso(equations, { lambda: penalty, mix }) as Solution;
      const model = linearModel(equations, solution, 0);
      [intercept!, ...coefficients].forEach((got, k) => {
        expectRelative(got, model.estimates[k], 1e-9, `coefficient ${k} at ${penalty}`);
      });
    }
  });

  it('is given only where the study has a lasso', () => {
    expect(answered(pathAnswer(evidenceOf(table, formula))).kind).toBe('ridge');
    expect(answered(lassoPathAnswer(evidenceOf(table, formula))).kind).toBe('lasso');
  });
});

describe('what has no path says so', () => {
  const constant = tableOf({ ...vectors.table, y: vectors.table.y.map(() => 1) });
  it.each([
    ['no predictor', evidenceOf(table, 'y ~ 1')],
    ['a constant response', evidenceOf(constant, 'y ~ a')],
  ])('%s', (_, evidence) => {
    expect(ridgePathAnswer(evidence)).toHaveProperty('problem');
    expect(lassoPathAnswer(evidence)).toHaveProperty('problem');
  });
});

describe('a path as text', () => {
  it('shows a dozen points and every slope', () => {
    const text = pathText(answered(ridgePathAnswer(evidenceOf(table, formula))), plainInk);
    const lines = text.split('\n');
    expect(lines[1]).toMatch(/^ridge\s+edf\s+R²\s+GCV$/);
    expect(lines).toHaveLength(2 + 12 + 1 + 1 + 4);
    expect(lines.at(-4)).toMatch(/^a\s+[▁▂▃▄▅▆▇█]{12}\s+-?\d/);
    expect(text).not.toContain('NaN');
  });

  it('marks slopes that a lasso leaves out', () => {
    const text = pathText(answered(lassoPathAnswer(evidenceOf(table, formula))), plainInk);
    expect(text.split('\n')[1]).toMatch(/^lambda\s+coefficients\s+R²$/);
    expect(text).toMatch(/^d\s+·+[▁▂▃▄▅▆▇█]+/m);
  });
});

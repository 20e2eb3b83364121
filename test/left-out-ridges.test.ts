import { describe, expect, it } from 'vitest';
import { reproducibleKernels } from '../src/numeric/kernels.ts';
import { leftOutChoice, ridgeGrid } from '../src/solve/choose-curve.ts';
import { largestRidge } from '../src/solve/choose-gcv.ts';
import { ridges } from '../src/solve/choose-ridges.ts';
import { leftOutRidges } from '../src/solve/left-out.ts';
import { foldOf, leftOutLosses, weightOf } from '../src/solve/left-out-fold.ts';
import { normalEquations } from '../src/solve/normal-equations.ts';
import { unitPenalty } from '../src/solve/penalty.ts';
import { shiftedSolver } from '../src/solve/shifted-solver.ts';
import { type LinearStatistic, sumStatistics } from '../src/statistic/statistic.ts';
import type { Codebook } from '../src/study/codebook.ts';
import { agreement, reduction } from './linear.ts';

/** Sites of `rows` rows each whose last column is nearly the first: `near` of it is its own. */
function sitesOf(sites: number, width: number, rows: number, near: number): LinearStatistic[] {
  const names = Array.from({ length: width }, (_, j) => `x${j}`);
  const number = { type: 'number', range: [-4, 4] } as const;
  const codebook: Codebook = Object.fromEntries([...names, 'y'].map((name) => [name, number]));
  const agreed = agreement({
    schema: 'suffice/study@1',
    formula: 'y ~ .',
    codebook,
    fusion: { kind: 'ridge', ridge: 'leave-one-site-out', standardize: true },
    arithmetic: 'exact',
  });
  let state = 7;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  return Array.from({ length: sites }, () => {
    const shift = next();
    const x = names.map(() => Float64Array.from({ length: rows }, () => next() + shift));
    x[width - 1] = x[0].map((cell, r) => cell + near * x[width - 1][r]);
    const y = Float64Array.from({ length: rows }, (_, r) => (x[0][r] + x[1][r] + next()) / 2);
    const columns = agreed.design.variables.map((name) =>
      name === 'y' ? y : x[names.indexOf(name)],
    );
    const site = reduction(agreed, { file: 'site', missing: 'drop' });
    site.add({ rows, columns }, (r) => r + 1);
    return site.finish().statistic;
  });
}

function problemOf(groups: readonly LinearStatistic[]) {
  const total = sumStatistics(groups[0].layout, groups);
  const equations = normalEquations(total);
  const unit = unitPenalty(equations, 'standardized');
  const grid = ridgeGrid(largestRidge(equations, unit));
  return { total, equations, unit, grid };
}

describe('ridges whose penalties are alike', () => {
  it.each([0.5, 1e-3, 1e-6])(
    'need no refinement, the last column %s apart from the first',
    (near) => {
      const groups = sitesOf(6, 30, 50, near);
      const { total, equations, unit, grid } = problemOf(groups);
      const curve = leftOutRidges(total, equations, unit, groups, grid);
      const kernels = reproducibleKernels();
      const refined = groups.map((group) => {
        const fold = foldOf(equations, weightOf(total), group);
        const [{ weakest }] = ridges(kernels, fold.train, unit, grid);
        const p = unit.length;
        const slopes = Float64Array.from({ length: p * p }, (_, at) => {
          return fold.train.hi[Math.floor(at / p) * fold.train.width + (at % p)];
        });
        const differences = shiftedSolver(kernels, slopes, unit).refined(
          grid,
          unit.map((u, j) => u * weakest.hi[j]),
          grid.map((ridge) => Math.min(...grid) - ridge),
        );
        return { fold, losses: leftOutLosses(kernels, fold, 0, weakest, differences) };
      });
      const { layout, equilibration, predictors } = equations;
      const share = (layout.references[predictors + 1].scale / equilibration[predictors]) ** 2;
      const weight = refined.reduce((sum, { fold }) => sum + fold.leftWeight, 0);
      const exact = curve.map((point, l) => ({
        ...point,
        score: (refined.reduce((sum, { losses }) => sum + losses[l], 0) * share) / weight,
      }));
      curve.forEach(({ score }, l) => {
        expect(Math.abs(score / exact[l].score - 1)).toBeLessThan(1e-12);
      });
      const choice = (points: typeof curve) =>
        leftOutChoice('leave-one-site-out', points, 'minimum').ridge;
      expect(choice(curve)).toBe(choice(exact));
    },
  );
});

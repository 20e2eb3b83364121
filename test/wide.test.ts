import { describe, expect, it } from 'vitest';
import { findBlas } from '../src/node/compute/blas.ts';
import { leastSquares } from '../src/solve/least-squares.ts';
import { normalEquations } from '../src/solve/normal-equations.ts';
import { unitPenalty } from '../src/solve/penalty.ts';
import { solveInDoubleDouble } from '../src/solve/solve-double-double.ts';
import { solveInFloat } from '../src/solve/solve-float.ts';
import { solveWide } from '../src/solve/solve-wide.ts';
import type { Codebook } from '../src/study/codebook.ts';
import type { LinearSummary } from './linear.ts';
import { agreement, reduction } from './linear.ts';

/** A study over `width` numbers in [−1, 1] whose response is exactly Σ (j mod 5) xⱼ on an eighth grid. */
function wideSummary(width: number, rows: number, options: object = {}): LinearSummary {
  const names = Array.from({ length: width }, (_, j) => `x${j}`);
  const codebook: Codebook = Object.fromEntries([
    ...names.map((name) => [name, { type: 'number', range: [-1, 1] }]),
    ['y', { type: 'number', range: [-4 * width, 4 * width] }],
  ]);
  const agreed = agreement({
    schema: 'suffice/study@1',
    formula: 'y ~ .',
    codebook,
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
  });
  let state = 1;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.round(16 * (state / 2 ** 32)) / 8 - 1;
  };
  const x = names.map(() => Float64Array.from({ length: rows }, next));
  const y = Float64Array.from({ length: rows }, (_, r) =>
    x.reduce((sum, column, j) => sum + (j % 5) * column[r], 0),
  );
  const columns = agreed.design.variables.map((name) =>
    name === 'y' ? y : x[names.indexOf(name)],
  );
  const site = reduction(agreed, { file: 'wide', missing: 'drop', ...options });
  site.add({ rows, columns }, (r) => r + 1);
  return site.finish();
}

describe('wide problems', () => {
  it('recover coefficients that fit exactly, above the width of double-double', () => {
    const width = 300;
    const equations = normalEquations(wideSummary(width, 900).statistic);
    const solution = leastSquares(equations, new Float64Array(width));
    if ('problem' in solution) throw new Error(solution.problem);
    const { equilibration, layout } = equations;
    solution.coefficients[0].hi.forEach((beta, j) => {
      const slope =
        (beta * equilibration[j] * layout.references[width + 1].scale) /
        (equilibration[width] * layout.references[j + 1].scale);
      expect(Math.abs(slope - (j % 5))).toBeLessThan(1e-12);
    });
  });

  it('give one ridge solution by double-double, by float64 kernels and by conjugate gradients', () => {
    const equations = normalEquations(wideSummary(60, 40).statistic);
    const penalty = unitPenalty(equations, 'raw').map((p) => 0.37 * p);
    const exact = solveInDoubleDouble(equations, penalty).coefficients[0].hi;
    const float = solveInFloat(equations, penalty)?.coefficients[0].hi ?? [];
    const iterated = solveWide(equations, penalty).coefficients[0].hi;
    exact.forEach((beta, j) => {
      expect(Math.abs(float[j] - beta)).toBeLessThan(1e-13);
      expect(Math.abs(iterated[j] - beta)).toBeLessThan(1e-13);
    });
  });

  it('names the aliased column of a singular problem above the width of double-double', () => {
    const width = 260;
    const equations = normalEquations(wideSummary(width, 200).statistic);
    const solution = leastSquares(equations, new Float64Array(width));
    if ('problem' in solution) throw new Error(solution.problem);
    expect(solution.kept).toHaveLength(199);
    expect(solution.aliased).toHaveLength(width - 199);
  });

  it('has the same bits through the system’s BLAS', async (context) => {
    const blas = await findBlas();
    if (blas === undefined) return context.skip('no BLAS on this machine');
    const wasm = wideSummary(210, 300).statistic.values;
    expect(wideSummary(210, 300, { grams: blas }).statistic.values).toEqual(wasm);
  });
});

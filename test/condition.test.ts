import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { leastSquaresFit } from '../src/model/least-squares-fit.ts';
import { createReport } from '../src/model/report.ts';
import { largestEigenvalue } from '../src/numeric/largest-eigenvalue.ts';
import { kernelProduct, symmetricProduct } from '../src/numeric/symmetric-product.ts';
import type { Codebook } from '../src/study/codebook.ts';
import { enduring } from './endurance.ts';
import { agreement, reduction } from './linear.ts';

interface Case {
  readonly rows: number;
  readonly width: number;
  readonly offset?: number;
  readonly near?: number;
  readonly intercept?: boolean;
  readonly condition: number;
}

const { cases }: { readonly cases: readonly Case[] } = JSON.parse(
  readFileSync(new URL('vectors/condition.json', import.meta.url), 'utf8'),
);

/** The draws of vectors/condition.py. */
function draws(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.round(16 * (state / 2 ** 32)) / 8 - 1;
  };
}

function reportedCondition({ rows, width, offset = 0, near, intercept = true }: Case): number {
  const names = Array.from({ length: width }, (_, j) => `x${j}`);
  const number = { type: 'number', range: [offset - 2, offset + 2] } as const;
  const codebook: Codebook = Object.fromEntries([...names, 'y'].map((name) => [name, number]));
  const agreed = agreement({
    schema: 'suffice/study@1',
    formula: intercept ? 'y ~ .' : 'y ~ 0 + .',
    codebook,
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
  });
  const next = draws();
  const x = names.map(() => Float64Array.from({ length: rows }, next));
  if (near !== undefined) x[1] = x[0].map((cell, r) => cell + x[1][r] / 2 ** near);
  const y = Float64Array.from({ length: rows }, () => offset + next());
  const columns = agreed.design.variables.map((name) =>
    name === 'y' ? y : x[names.indexOf(name)].map((cell) => cell + offset),
  );
  const site = reduction(agreed, { file: 'condition', missing: 'drop' });
  site.add({ rows, columns }, (r) => r + 1);
  const fit = leastSquaresFit(site.finish().statistic);
  if ('problem' in fit) throw new Error(fit.problem);
  const { condition } = createReport(fit, { formula: 'y ~ .', sites: [], digest: '' });
  return condition ?? Number.NaN;
}

describe('the condition number of a report', () => {
  it.each(
    cases
      .filter(({ width }) => enduring || width < 1000)
      .map((one) => [JSON.stringify({ ...one, condition: undefined }), one] as const),
  )('is numpy’s to eight digits: %s', (_, one) => {
    expect(Math.abs(reportedCondition(one) / one.condition - 1)).toBeLessThan(1e-8);
  });
});

/** H diag(values) H for a reflection H = I − 2uuᵀ: a full matrix with these eigenvalues. */
function rotated(values: Float64Array): Float64Array {
  const d = values.length;
  const next = draws();
  const u = Float64Array.from({ length: d }, next);
  const length = Math.sqrt(u.reduce((sum, x) => sum + x * x, 0));
  const unit = u.map((x) => x / length);
  const weighted = unit.reduce((sum, x, i) => sum + values[i] * x * x, 0);
  const matrix = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = 0; j < d; j++) {
      const outer = unit[i] * unit[j];
      matrix[i * d + j] =
        (i === j ? values[i] : 0) - 2 * outer * (values[i] + values[j]) + 4 * weighted * outer;
    }
  }
  return matrix;
}

describe('the largest eigenvalue', () => {
  const every = (d: number) => Array.from({ length: d }, (_, i) => i);

  it.each([
    ['of one number', Float64Array.of(3)],
    ['of the identity', new Float64Array(50).fill(1)],
    ['of zeros', new Float64Array(7)],
    ['that is alone', Float64Array.from({ length: 90 }, (_, i) => (i === 40 ? 1e6 : i / 90))],
    ['that is double', Float64Array.from({ length: 90 }, (_, i) => (i < 2 ? 5 : i / 90))],
    ['of a narrow gap', Float64Array.from({ length: 400 }, (_, i) => 1 + i / 400)],
  ])('%s', (_, values) => {
    const d = values.length;
    const product = symmetricProduct(rotated(values), d, every(d));
    const found = largestEigenvalue(d, product, 1e-9);
    const exact = Math.max(...values);
    expect(Math.abs(found - exact)).toBeLessThanOrEqual(1e-9 * exact);
  });

  it('is the same by the kernel, and of the kept rows and columns alone', () => {
    const values = Float64Array.from({ length: 60 }, (_, i) => i + 1);
    const matrix = rotated(values);
    const kept = every(60).filter((i) => i % 7 !== 3);
    const [byLoop, byKernel] = [symmetricProduct, kernelProduct].map((product) =>
      largestEigenvalue(kept.length, product(matrix, 60, kept), 1e-12),
    );
    expect(Math.abs(byKernel / byLoop - 1)).toBeLessThan(1e-12);
    const part = Float64Array.from({ length: kept.length ** 2 }, (_, at) => {
      const [i, j] = [Math.floor(at / kept.length), at % kept.length];
      return matrix[kept[i] * 60 + kept[j]];
    });
    const alone = symmetricProduct(part, kept.length, every(kept.length));
    expect(largestEigenvalue(kept.length, alone, 1e-12)).toBe(byLoop);
  });
});

import { describe, expect, it } from 'vitest';
import { createDesign } from '../src/features/design.ts';
import { restrictDesign } from '../src/features/restrict-design.ts';
import { privateColumns } from '../src/privacy/private-layout.ts';
import type { Codebook } from '../src/study/codebook.ts';
import { parseFormula } from '../src/study/formula.ts';
import { refusal } from './csv-read.ts';
import { privateCase, terms } from './private-tables.ts';

const codebook: Codebook = {
  y: { type: 'number', range: [0, 50], center: 25, sd: 6 },
  u: { type: 'number', range: [-10, 30] },
  v: { type: 'number', range: [100, 220], sd: 10 },
  g: { type: 'category', levels: ['a', 'b', 'c'] },
};

describe('public units', () => {
  const unitsOf = (formula: string, columns: Codebook = codebook) =>
    createDesign(parseFormula(formula), columns).columns.map(
      ({ publicUnit: { center, scale } }) => [center, scale],
    );

  it('are the middle of the range and the guessed deviation, or a sixth of the range', () => {
    expect(unitsOf('y ~ u + v + g + u:v')).toEqual([
      [0, 1],
      [10, 20 / 3],
      [160, 10],
      [0.5, 0.5],
      [0.5, 0.5],
      [expect.closeTo(2200, 6), expect.closeTo(8800 / 6, 6)],
      [25, 6],
    ]);
  });

  it('start at 0 without intercept, where they are root mean squares', () => {
    expect(unitsOf('y ~ u + g - 1')).toEqual([
      [0, Math.sqrt(10 ** 2 + (40 / 6) ** 2)],
      ...[0, 1, 2].map(() => [0, 1]),
      [0, expect.closeTo(Math.sqrt(25 ** 2 + 6 ** 2), 12)],
    ]);
  });

  it('of a column that cannot vary are usable', () => {
    const constant: Codebook = { ...codebook, u: { type: 'number', range: [0, 0] } };
    for (const formula of ['y ~ u', 'y ~ u - 1', 'y ~ u:g', 'u ~ v']) {
      for (const [, scale] of unitsOf(formula, constant)) expect(scale).toBeGreaterThan(0);
    }
  });

  it('stay with the columns of a sub-model', () => {
    const design = createDesign(parseFormula('y ~ u + v + g'), codebook);
    const { columns } = restrictDesign(design, ['u', 'g']);
    expect(columns.map(({ publicUnit }) => publicUnit)).toEqual([
      { center: 0, scale: 1 },
      { center: 160, scale: 10 },
      { center: 25, scale: 6 },
    ]);
  });
});

describe('a private layout', () => {
  it('has the columns of z in public units, and the bound 2.5/√d in steps', () => {
    const { layout } = privateCase('y ~ u + v - 1', codebook, { ...terms, placement: 'local' });
    expect(layout).toMatchObject({
      columns: ['(Intercept)', 'u', 'v', 'y'],
      responses: 1,
      intercept: false,
      arithmetic: 'exact',
      grid: 16,
      weightScale: null,
      privacy: {
        kind: 'products',
        bound: Math.floor((2.5 / Math.sqrt(2)) * 65536),
        noise: 'at-sites',
      },
    });
    expect(privateColumns(layout)).toBe(2);
    expect(privateColumns(privateCase('y ~ u + v', codebook).layout)).toBe(3);
  });

  it.each([
    ['cbind(y, u) ~ v', 'a private study has one response; this one has 2', 'for each response'],
    ['g ~ v', 'one for each of its 3 levels', 'I(g == "c")'],
    ['factor(w) ~ v', 'one for each of its 2 levels', 'I(w == 7)'],
  ])('refuses %s', (formula, problem, remedy) => {
    const columns: Codebook = {
      ...codebook,
      w: { type: 'number', range: [0, 9], levels: ['1', '7'] },
    };
    const refused = refusal(() => privateCase(formula, columns));
    expect(refused.problem).toContain(problem);
    expect(refused.remedy).toContain(remedy);
  });

  it('refuses a deviation that is nothing beside its range, and coefficients of another formula', () => {
    const columns: Codebook = {
      ...codebook,
      u: { type: 'number', range: [-1, 1], sd: 1e-200 },
    };
    expect(refusal(() => privateCase('y ~ u', columns)).place).toEqual({ column: 'u' });
    const start = (at: number[]) => ({ ...terms, refinement: { round: 1, at, total: '' } });
    expect(refusal(() => privateCase('y ~ u', codebook, start([1]))).problem).toContain(
      'starts from 2 usable coefficients',
    );
    refusal(() => privateCase('y ~ u', codebook, start([1, 1e200])));
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DataError } from '../src/data-error.ts';
import { createDesign } from '../src/features/design.ts';
import { expressionParts, hasComparison } from '../src/features/expression-parts.ts';
import { agreement } from '../src/federate.ts';
import { refuseOffset } from '../src/fusion/refuse-offset.ts';
import { federate } from '../src/rows/federate-rows.ts';
import type { Codebook } from '../src/study/codebook.ts';
import { parseFormula } from '../src/study/formula.ts';
import type { TableStudy } from '../src/study/study.ts';

const levels = Array.from({ length: 1500 }, (_, k) => `level ${k}`);
const codebook: Codebook = {
  y: { type: 'number', range: [-100, 100] },
  x: { type: 'number', range: [0, 100] },
  t: { type: 'number', range: [1, 50] },
  k: { type: 'number', range: [1, 3] },
  g: { type: 'category', levels: ['a', 'b'] },
  many: { type: 'category', levels },
};

const study: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'y ~ x + offset(log(t))',
  codebook,
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
};

/** Values of all columns in rows given by column. */
function matrix(formula: string, cells: Readonly<Record<string, readonly number[]>>) {
  const design = createDesign(parseFormula(formula), codebook);
  const columns = design.variables.map((name) => Float64Array.from(cells[name]!));
  const hi = design.columns.map(() => new Float64Array(columns[0]!.length));
  const origin = { file: 'site.csv', rowOf: (r: number) => r + 1 };
  design.evaluate({ rows: columns[0]!.length, columns }, origin, hi, []);
  return { names: design.columns.map(({ name }) => name), hi };
}

describe('rows that a function has no value for', () => {
  it.each([
    ['beyond the breaks', 'y ~ cut(x, c(-1, 40, 100))', 101, 'beyond the breaks'],
    ['no level', 'y ~ factor(k, levels = c(1, 2, 3))', 4, 'not among the levels'],
    ['no level inside', 'y ~ interaction(g, factor(k, levels = c(1, 2, 3)))', 4, 'not among'],
    ['out of the domain', 'y ~ log1p(x)', -7.5, 'above -1'],
  ])('%s', (_, formula, value, problem) => {
    const cells = { y: [1, 1], x: [5, value], k: [1, value], g: [0, 1] };
    try {
      matrix(formula, cells);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(DataError);
      expect((error as DataError).message).toContain(problem);
      expect((error as DataError).message).toContain('row 2');
      expect((error as DataError).message).not.toContain(String(value));
    }
  });
});

describe('categories of very many levels', () => {
  it('have a column each, also in an interaction', () => {
    const { names, hi } = matrix('y ~ interaction(many, g)', {
      y: [0, 0],
      many: [7, 1499],
      g: [0, 1],
    });
    expect(names).toHaveLength(1 + 2999 + 1);
    expect(names.flatMap((name, k) => (hi[k]![0] === 1 ? [name] : []))).toEqual([
      '(Intercept)',
      'interaction(many, g)level 7.a',
    ]);
    expect(hi.at(-2)![1]).toBe(1);
  });

  it('have no other contrasts, which would fill the memory', () => {
    const design = () => createDesign(parseFormula('y ~ C(many, contr.sum)'), codebook);
    expect(design).toThrow('contrasts of 1500 levels are too many');
  });
});

describe('offsets', () => {
  // Made by test/vectors/formula-functions.R.
  const { data, cases } = JSON.parse(
    readFileSync(new URL('./vectors/formula-functions.json', import.meta.url), 'utf8'),
  );

  it('are added to a prediction at one row, as predict() does', () => {
    const formula = 'y ~ x + a + offset(log(t)) + offset(2 * z)';
    const wanted = cases.find((one: { formula: string }) => one.formula === formula);
    const number = { type: 'number', range: [-200, 200] } as const;
    const book: Codebook = {
      y: number,
      x: number,
      z: number,
      t: { type: 'number', range: [0.1, 100] },
      a: { type: 'category', levels: ['ash', 'beech', 'cedar'] },
    };
    const [x, a, t, z] = ['x', 'a', 't', 'z'].map((name) => data[name][3]);
    const at = { x, a, t, z };
    const { answers } = federate(
      { formula, codebook: book },
      { one: data },
      { audience: 'owner', query: { questions: [{ about: 'prediction', at }] } },
    );
    const [answer] = answers as unknown as readonly { readonly fitted: number }[];
    expect(Math.abs(answer!.fitted / wanted.fitted[3] - 1)).toBeLessThan(1e-9);
  });

  it('are refused where a method has no place for them', () => {
    const design = createDesign(parseFormula('y ~ x + offset(log(t))'), codebook);
    expect(() => refuseOffset(design, 'a network')).toThrow('a network has no offset(log(t)) here');
    expect(() => agreement({ ...study, formula: 'g ~ x + offset(t)' })).toThrow('is a category');
  });
});

describe('what a site sees in an expression', () => {
  it.each([
    ['y ~ cut(x, c(-1, 40, 100))', true],
    ['y ~ pmax(x, 40)', true],
    ['y ~ ns(x, knots = 40, Boundary.knots = c(0, 100))', true],
    ['y ~ I(k %in% c(1, 2))', true],
    ['y ~ ifelse(x > 40, x, 0)', true],
    ['y ~ round(x)', true],
    ['y ~ g %in% x + x', false],
    ['y ~ poly(x, 2, raw = TRUE) + log1p(x) + offset(t)', false],
  ])('%s compares: %s', (formula, compares) => {
    expect(hasComparison(formula)).toBe(compares);
  });

  it('the parts of what a function takes, also of an offset', () => {
    const formula =
      'y ~ pmax(x - 99, 0) + ns(x * t, knots = 40, Boundary.knots = c(0, 100)) + offset(x * k)';
    const { parts } = expressionParts(formula, codebook, ['y', 'x', 't', 'k']);
    const named = parts.map(({ name, compares }) => [name, compares]);
    expect(named).toEqual([
      ['x - 99', false],
      ['x', false],
      ['x * t', false],
      ['t', false],
      ['k', false],
    ]);
  });
});

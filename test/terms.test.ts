import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DataError } from '../src/data-error.ts';
import { createDesign, type Design } from '../src/features/design.ts';
import type { Codebook } from '../src/study/codebook.ts';
import { FormulaError, parseFormula } from '../src/study/formula.ts';
import type { Block, Origin } from '../src/table/columns.ts';

interface Case {
  readonly formula: string;
  readonly terms: readonly string[];
  readonly names: readonly string[];
  readonly columns: readonly (readonly number[])[];
  readonly targets: readonly (readonly number[])[];
}

// Made by test/vectors/design.R.
const vectors: {
  readonly data: Record<string, readonly (number | string)[]>;
  readonly levels: Record<string, readonly string[]>;
  readonly cases: readonly Case[];
} = JSON.parse(readFileSync(new URL('./vectors/design.json', import.meta.url), 'utf8'));

const codebook: Codebook = Object.fromEntries(
  Object.entries(vectors.data).map(([name, values]) => {
    const levels = vectors.levels[name];
    if (typeof values[0] === 'string') return [name, { type: 'category', levels: levels! }];
    const numbers = values as readonly number[];
    const range = [Math.min(...numbers), Math.max(...numbers)] as const;
    return [name, { type: 'number', range, ...(levels && { levels }) }];
  }),
);

function origin(firstRow: number): Origin {
  return { file: 'site.csv', rowOf: (r) => firstRow + r };
}

function blockOf(design: Design): Block {
  const columns = design.variables.map((name) => {
    const column = codebook[name]!;
    return Float64Array.from(vectors.data[name]!, (value) =>
      column.type === 'category' ? column.levels.indexOf(String(value)) : Number(value),
    );
  });
  return { rows: columns[0]!.length, columns };
}

function matrix(design: Design, block: Block): { hi: Float64Array[]; lo: Float64Array[] } {
  const hi = design.columns.map(() => new Float64Array(block.rows));
  const lo = design.columns.map(() => new Float64Array(block.rows).fill(Number.NaN));
  design.evaluate(block, origin(1), hi, lo);
  return { hi, lo };
}

describe('model.matrix() of R, columns, names and values', () => {
  it.each(vectors.cases)('$formula', ({ formula, names, columns, targets, terms }) => {
    const design = createDesign(parseFormula(formula), codebook);
    const predictors = design.columns.length - design.responses;
    expect(design.columns.slice(0, predictors).map((column) => column.name)).toEqual(names);
    expect(design.terms.map((term) => term.label)).toEqual(terms);
    for (const { label, columns: places } of design.terms) {
      for (const place of places) expect(design.columns[place]!.term).toBe(label);
    }
    const block = blockOf(design);
    const { hi, lo } = matrix(design, block);
    [...columns, ...targets].forEach((expected, index) => {
      const { name, reference } = design.columns[index]!;
      expected.forEach((value, row) => {
        const got = hi[index]![row]!;
        expect(Math.abs(got - value), name).toBeLessThanOrEqual(
          1e-12 * Math.max(1, Math.abs(value)),
        );
        expect(Math.abs(got - reference.center), name).toBeLessThanOrEqual(reference.scale);
        expect(Math.abs(lo[index]![row]!), name).toBeLessThanOrEqual(
          design.needsLow[index] ? Math.abs(got) * 2 ** -53 : 0,
        );
      });
    });
  });

  it('is the same where nobody asks for the low parts', () => {
    const design = createDesign(parseFormula('y ~ x:w:z + log(x):w + sex:log(w)'), codebook);
    const block = blockOf(design);
    const hi = design.columns.map(() => new Float64Array(block.rows));
    design.evaluate(block, origin(1), hi, []);
    expect(hi).toEqual(matrix(design, block).hi);
  });
});

describe('references', () => {
  const reference = (formula: string, index: number, book: Codebook) =>
    createDesign(parseFormula(formula), book).columns[index]!.reference;
  const number = (low: number, high: number) => ({ type: 'number', range: [low, high] }) as const;

  it.each([
    ['a range', 'y ~ x', 1, { center: 5120, scale: 4096 }],
    ['a square starts at 0', 'y ~ I((x - 5000)^2)', 1, { center: 4194304, scale: 8388608 }],
    ['a stated reference', 'y ~ g', 1, { center: 3, scale: 16 }],
    ['no intercept', 'y ~ x - 1', 0, { center: 0, scale: 8192 }],
    ['no intercept, stated', 'y ~ g - 1', 0, { center: 0, scale: 32 }],
    ['no intercept, response', 'y ~ x - 1', 1, { center: 0, scale: 1 }],
    ['times an indicator reaches 0', 'y ~ x:s', 1, { center: 4096, scale: 4096 }],
    ['an indicator', 'y ~ s', 1, { center: 0, scale: 1 }],
    ['the intercept', 'y ~ s', 0, { center: 0, scale: 1 }],
    ['a constant', 'y ~ one', 1, { center: 1, scale: 2 ** -20 }],
  ])('%s: %s', (_, formula, index, expected) => {
    const book: Codebook = {
      y: number(0, 1),
      x: number(2000, 8000),
      g: { type: 'number', center: 3, scale: 10 },
      s: { type: 'category', levels: ['a', 'b'] },
      one: number(1, 1),
    };
    expect(reference(formula, index, book)).toEqual(expected);
  });

  it('|v − c| ≤ s for every value of every column, whatever the ranges', () => {
    const bound = fc.double({ min: -1e150, max: 1e150, noNaN: true });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const formulas = ['y ~ x + w + x:w + I(x^2) + x:s', 'y ~ I(x - w) + abs(x):s + I(x * w) - 1'];
    fc.assert(
      fc.property(fc.tuple(bound, bound, bound, bound), share, share, ([a, b, c, d], p, q) => {
        const [x, w] = [
          number(Math.min(a, b), Math.max(a, b)),
          number(Math.min(c, d), Math.max(c, d)),
        ];
        const book = {
          y: number(0, 1),
          x,
          w,
          s: { type: 'category', levels: ['a', 'b'] },
        } as const;
        for (const formula of formulas) {
          const design = createDesign(parseFormula(formula), book);
          const values = { y: p, x: within(x.range, p), w: within(w.range, q), s: 1 };
          const columns = design.variables.map((name) =>
            Float64Array.of(values[name as keyof typeof values]),
          );
          const { hi } = matrix(design, { rows: 1, columns });
          design.columns.forEach(({ reference: { center, scale } }, index) => {
            expect(Math.abs(hi[index]![0]! - center)).toBeLessThanOrEqual(scale);
            expect(Number.isInteger(Math.log2(scale))).toBe(true);
          });
        }
      }),
    );
  });
});

function within([low, high]: readonly [number, number], share: number): number {
  return Math.min(high, Math.max(low, low * (1 - share) + high * share));
}

describe('what the codebook decides', () => {
  it('a baseline comes first', () => {
    const dose = { type: 'category', levels: ['low', 'mid', 'high'], baseline: 'mid' } as const;
    const design = createDesign(parseFormula('y ~ dose'), { ...codebook, dose });
    expect(design.columns.map((column) => column.name)).toEqual([
      '(Intercept)',
      'doselow',
      'dosehigh',
      'y',
    ]);
    const { hi } = matrix(design, {
      rows: 3,
      columns: [new Float64Array(3), Float64Array.of(0, 1, 2)],
    });
    expect(hi.slice(1, 3)).toEqual([Float64Array.of(1, 0, 0), Float64Array.of(0, 0, 1)]);
  });

  it('a column that was removed again is not needed', () => {
    const design = createDesign(parseFormula('y ~ x + w - w'), codebook);
    expect(design.variables).toEqual(['y', 'x']);
  });

  it.each([
    ['y ~ open', '"open" needs a range', '"range": [low, high]', 4],
    ['y ~ log(x0)', 'x0 above 0', 'range of "x0"', 4],
    ['y ~ x + log(x0 - 1)', 'x0 - 1 runs from -1 to 9', 'range of "x0"', 8],
    ['y ~ sqrt(neg)', 'neg at least 0', 'range of "neg"', 4],
    ['y ~ I(1/neg)', 'neg away from 0', 'range of "neg"', 7],
    ['y ~ I(neg^-2)', 'neg away from 0', 'range of "neg"', 9],
    ['y ~ I(neg^0.5)', 'neg at least 0', 'range of "neg"', 9],
    ['y ~ exp(big)', 'too large', 'narrow', 4],
    ['y ~ log(sex)', '"sex" is a category', 'I(sex == "female")', 8],
    ['y ~ I(sex == "mal")', '"mal" is not a level', 'female, male', 10],
    ['y ~ I(sex < "male")', 'cannot compare texts', '== or !=', 10],
    ['y ~ I(x == "2")', '"x" is a number', 'without quotes', 8],
    ['y ~ I(sex == 2)', '"sex" is a category', 'I(sex == "female")', 6],
    ['y ~ I(log(x0) > 1)', 'x0 above 0', 'range of "x0"', 6],
    ['y ~ factor(x)', 'needs the levels of "x"', '"levels"', 11],
    ['y ~ single', 'one level', 'other levels', 4],
    ['y ~ backwards', 'range of "backwards" is not usable: 2 to 1', 'low ≤ high', 4],
    ['y ~ 0', 'no terms', 'y ~ x', 4],
  ])('refused: %s', (text, problem, remedy, position) => {
    const book: Codebook = {
      ...codebook,
      open: { type: 'number' },
      x0: { type: 'number', range: [0, 10] },
      neg: { type: 'number', range: [-1, 1] },
      big: { type: 'number', range: [0, 1e6] },
      backwards: { type: 'number', range: [2, 1] },
      single: { type: 'category', levels: ['only'] },
    };
    try {
      createDesign(parseFormula(text), book);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(FormulaError);
      expect((error as FormulaError).message).toContain(problem);
      expect((error as FormulaError).remedy).toContain(remedy);
      expect((error as FormulaError).position).toBe(position);
    }
  });
});

describe('a row without a value is named, its value is not', () => {
  it.each([
    ['y ~ log(x)', [3, -7.5], 'row 11, column "x": log(x) needs x above 0'],
    ['y ~ I(1/x)', [3, 0], 'row 11, column "x": 1/x needs x away from 0'],
    ['y ~ factor(cp)', [2, 3], 'row 11, column "cp": the value is not among the levels'],
    ['y ~ exp(x)', [2, 7777], 'row 11, column "exp(x)": the value is too large to hold'],
  ])('%s', (text, values, message) => {
    const design = createDesign(parseFormula(text), codebook);
    const block = { rows: 2, columns: [new Float64Array(2), Float64Array.from(values)] };
    const fill = (): Float64Array[] => design.columns.map(() => new Float64Array(2));
    expect(() => design.evaluate(block, origin(10), fill(), fill())).toThrow(DataError);
    expect(() => design.evaluate(block, origin(10), fill(), fill())).toThrow(message);
    expect(() => design.evaluate(block, origin(10), fill(), fill())).not.toThrow(/7\.5|7777/);
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createDesign, type Design } from '../src/features/design.ts';
import type { Codebook } from '../src/study/codebook.ts';
import { FormulaError, formulaColumns, parseFormula } from '../src/study/formula.ts';
import { expandFormula } from '../src/study/formula-terms.ts';

interface Case {
  readonly formula: string;
  readonly terms: readonly string[];
  readonly response: string;
  readonly names: readonly string[];
  readonly columns: readonly (readonly number[])[];
  readonly targets: readonly (readonly number[])[];
}

// Made by test/vectors/comparisons.R.
const vectors: {
  readonly data: Record<string, readonly (number | string)[]>;
  readonly cases: readonly Case[];
} = JSON.parse(readFileSync(new URL('./vectors/comparisons.json', import.meta.url), 'utf8'));

const codebook: Codebook = Object.fromEntries(
  Object.entries(vectors.data).map(([name, values]) => {
    if (typeof values[0] === 'string') {
      return [name, { type: 'category', levels: [...new Set(values as string[])].sort() }];
    }
    const numbers = values as readonly number[];
    return [name, { type: 'number', range: [Math.min(...numbers), Math.max(...numbers)] }];
  }),
);

function valuesOf(design: Design): Float64Array[] {
  const columns = design.variables.map((name) => {
    const column = codebook[name];
    return Float64Array.from(vectors.data[name], (value) =>
      column.type === 'category' ? column.levels.indexOf(String(value)) : Number(value),
    );
  });
  const rows = columns[0].length;
  const hi = design.columns.map(() => new Float64Array(rows));
  const lo = design.needsLow.map((needed) => (needed ? new Float64Array(rows) : undefined));
  design.evaluate({ rows, columns }, { file: 'site.csv', rowOf: (r) => r + 1 }, hi, lo);
  return hi;
}

describe('comparisons inside I() are what R makes of them', () => {
  it.each(vectors.cases)('$formula', ({ formula, terms, response, names, columns, targets }) => {
    const parsed = parseFormula(formula);
    const design = createDesign(parsed, codebook);
    const predictors = design.columns.length - design.responses;
    expect(parsed.responseLabel).toBe(response);
    expect(design.terms.map(({ label }) => label)).toEqual(terms);
    expect(design.columns.slice(0, predictors).map(({ name }) => name)).toEqual(names);
    const values = valuesOf(design);
    [...columns, ...targets].forEach((expected, k) => {
      expected.forEach((value, r) => {
        expect(values[k][r], `column ${k}, row ${r}`).toBeCloseTo(value, 12);
      });
    });
  });
});

describe('a comparison', () => {
  it('counts: its columns are indicators in the unit frame, as term and as response', () => {
    const design = createDesign(parseFormula('I(num > 0) ~ I(x > 2) + I((x > 2) * 1)'), codebook);
    expect(design.columns[1].reference).toEqual({ center: 0, scale: 1 });
    expect(design.columns[3]).toMatchObject({
      name: 'I(num > 0)',
      term: 'I(num > 0)',
      reference: { center: 0, scale: 1 },
    });
    expect(design.needsLow).toEqual([false, false, true, false]);
  });

  it('with a text asks for a category, and with a number for a number', () => {
    const asked = formulaColumns(parseFormula('I(num > 0) ~ I(cp == "4") + I("f" != sex)*x'));
    expect(asked.numeric).toEqual(['num', 'x']);
    expect(asked.factors).toEqual(['cp', 'sex']);
  });

  it('compares the levels of a number column by their numbers', () => {
    const book: Codebook = {
      y: { type: 'number', range: [0, 9] },
      k: { type: 'number', range: [1, 3], levels: ['1', '2', '3'] },
    };
    const design = createDesign(parseFormula('y ~ I(k == "2")'), book);
    const hi = design.columns.map(() => new Float64Array(3));
    const columns = [Float64Array.of(5, 6, 7), Float64Array.of(1, 2, 3)];
    const origin = { file: 'site.csv', rowOf: (r: number) => r };
    design.evaluate({ rows: 3, columns }, origin, hi, []);
    expect([...hi[1]]).toEqual([0, 1, 0]);
  });

  it('spells odd levels as R does', () => {
    const level = 'a"b\\\tü';
    const book: Codebook = {
      y: { type: 'number', range: [0, 1] },
      g: { type: 'category', levels: [level, 'b'] },
    };
    const design = createDesign(parseFormula(`y ~ I(g == 'a"b\\\\\\tü')`), book);
    expect(design.columns[1].name).toBe('I(g == "a\\"b\\\\\\tü")TRUE');
  });

  it.each([
    ['y ~ x > 2', 'a comparison is not a term', 6, 'I(x > 2)'],
    ['y ~ (x > 2)*num', 'a comparison is not a term', 7, 'I(x > 2)'],
    ['y ~ I(1 < x < 2)', 'unexpected "<"', 12, 'inside I()'],
    ['y ~ I(< 2)', 'unexpected "<"', 6, 'inside I()'],
    ['y ~ I(x = 2)', 'the argument of I() has a name', 4, '"=="'],
    ['y ~ I(!x)', 'unexpected "!"', 6, '"!="'],
    ['y ~ I(x > 1 & x < 2)', 'unexpected "&"', 12, '(x > 1) * (z < 2)'],
    ['y ~ "male"', '"male" is not a term', 4, 'I(sex == "male")'],
    ['y ~ I("male")', '"male" is not a number', 6, 'I(sex == "male")'],
    ['y ~ I((sex) == "male")', '"male" is not a number', 15, 'category column'],
    ['y ~ I(sex > "male")', '">" cannot compare texts', 10, '== or !='],
    ['y ~ I(sex == "male)', 'a quote is never closed', 13, 'close it'],
  ])('refused: %s', (text, problem, position, remedy) => {
    const error = refusal(() => expandFormula(parseFormula(text), Object.keys(codebook)));
    expect(error.message).toContain(problem);
    expect(error.remedy).toContain(remedy);
    expect(error.position).toBe(position);
  });
});

describe('a category on the left side', () => {
  const species = {
    species: { type: 'category', levels: ['Adelie', 'Chinstrap', 'Gentoo'], baseline: 'Gentoo' },
    sex: { type: 'category', levels: ['female', 'male'] },
    k: { type: 'number', range: [0, 2], levels: ['0', '1', '2'] },
    x: { type: 'number', range: [0, 1] },
  } as const satisfies Codebook;

  it('is an indicator for every level, the baseline first', () => {
    const design = createDesign(parseFormula('cbind(x, species, factor(k)) ~ sex'), species);
    expect(design.columns.slice(2).map(({ name }) => name)).toEqual([
      'x',
      'speciesGentoo',
      'speciesAdelie',
      'speciesChinstrap',
      'factor(k)0',
      'factor(k)1',
      'factor(k)2',
    ]);
    expect(design.responses).toBe(7);
    expect(design.terms).toEqual([{ label: 'sex', columns: [1] }]);
    expect(design.classes).toEqual([
      { label: 'species', levels: ['Gentoo', 'Adelie', 'Chinstrap'], columns: [1, 2, 3] },
      { label: 'factor(k)', levels: ['0', '1', '2'], columns: [4, 5, 6] },
    ]);
    const hi = design.columns.map(() => new Float64Array(2));
    const block = [
      [0.5, 1],
      [2, 0],
      [1, 2],
      [0, 1],
    ].map((cells) => Float64Array.from(cells)); // x, species, k, sex
    design.evaluate({ rows: 2, columns: block }, { file: 'a.csv', rowOf: (r) => r }, hi, []);
    expect(hi.slice(3).map((column) => [...column])).toEqual([
      [1, 0],
      [0, 1],
      [0, 0],
      [0, 0],
      [1, 0],
      [0, 1],
    ]);
  });

  it('of two levels can be the indicator of the second', () => {
    const design = createDesign(parseFormula('sex ~ x'), species, { responses: 'indicator' });
    expect(design.columns[2].name).toBe('sexmale');
    expect(design.classes).toEqual([{ label: 'sex', levels: ['female', 'male'], columns: [0] }]);
    const many = refusal(() =>
      createDesign(parseFormula('species ~ x'), species, { responses: 'indicator' }),
    );
    expect(many.message).toContain('the response species has 3 levels');
    expect(many.remedy).toContain('I(species == "Adelie")');
  });

  it('may be a comparison, told by one column; a number has no classes', () => {
    const design = createDesign(parseFormula('cbind(x, I(sex == "male")) ~ 1'), species);
    expect(design.classes).toEqual([
      { label: 'I(sex == "male")', levels: ['FALSE', 'TRUE'], columns: [1] },
    ]);
  });
});

function refusal(action: () => unknown): FormulaError {
  try {
    action();
  } catch (error) {
    if (error instanceof FormulaError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FormulaError, formulaColumns, parseFormula } from '../src/study/formula.ts';
import { expandFormula } from '../src/study/formula-terms.ts';

interface Case {
  readonly formula: string;
  readonly terms: readonly string[];
  readonly intercept: boolean;
  readonly response: string;
}

// Made by test/vectors/design.R.
const vectors: { readonly data: Record<string, unknown>; readonly cases: readonly Case[] } =
  JSON.parse(readFileSync(new URL('./vectors/design.json', import.meta.url), 'utf8'));

const columns = ['y', 'z', 'x', 'w', 'bill_length', 'Sex'];

describe('terms() of R, and its labels', () => {
  it.each(vectors.cases)('$formula', ({ formula, terms, intercept, response }) => {
    const expanded = expandFormula(parseFormula(formula), Object.keys(vectors.data));
    expect(expanded.terms.map((term) => term.label)).toEqual(terms);
    expect(expanded.intercept).toBe(intercept);
    expect(expanded.responseLabel).toBe(response);
  });
});

describe('what a formula asks of a table', () => {
  it('names columns, factors and the dot, responses first', () => {
    const formula = parseFormula('cbind(y, log(z)) ~ . + factor(x):I(w * x) - `bill length`');
    expect(formulaColumns(formula)).toEqual({
      columns: ['y', 'z', 'x', 'w', 'bill length'],
      responses: ['y', 'z'],
      numeric: ['y', 'z', 'w', 'x', 'bill length'],
      factors: ['x'],
      usesDot: true,
    });
    expect(formula.responses).toHaveLength(2);
  });

  it('tells a leading dot of a name from the dot', () => {
    const { columns, usesDot } = formulaColumns(parseFormula('y ~ .site + ..x'));
    expect(columns).toEqual(['y', '.site', '..x']);
    expect(usesDot).toBe(false);
  });
});

describe('a formula that cannot be used says where and what to write', () => {
  it.each([
    ['y x', 'no "~"', 3, 'response ~ terms'],
    ['', 'no "~"', 0, 'response ~ terms'],
    ['~ x', 'no response', 0, 'y ~ x'],
    ['y ~', 'ends too early', 3, 'missing'],
    ['y ~ x ~ z', 'unexpected "~"', 6, 'one "~"'],
    ['y ~ (x + z', 'never closed', 4, '")"'],
    ['y ~ x + z)', 'unbalanced ")"', 9, 'remove'],
    ['y ~ x z', 'unexpected "z"', 6, '"+"'],
    ['y ~ x + + ', 'ends too early', 10, 'missing'],
    ['y ~ poly(x, 2)', 'poly() is not additive over sites', 4, 'poly(x, 2, raw = TRUE)'],
    ['y ~ spline(x)', 'unknown function "spline"', 4, 'log'],
    ['y ~ constructor(x)', 'unknown function "constructor"', 4, 'log'],
    ['y ~ log(x, w)', '"base" of log() must be a number', 11, 'log(x)'],
    ['y ~ sqrt(x, 2)', 'takes one argument; it has 2', 4, 'sqrt(x)'],
    [
      'y ~ poly(x, degree=2, raw=F)',
      'poly() is not additive over sites',
      4,
      'poly(x, 2, raw = TRUE)',
    ],
    ['y ~ bs(x, knots=quantile(x))', 'quantile() is not additive over sites', 16, 'c(40, 60)'],
    [
      'y ~ bs(x, knots=w)',
      '"knots" of bs() must be a list of numbers',
      16,
      'bs(x, knots = c(40, 60)',
    ],
    ['y ~ relevel(Sex)', 'relevel() needs its argument "ref"', 4, 'relevel(x, ref = "b")'],
    ['y ~ scale(x, scale=FALSE)', 'scale() is not additive over sites', 4, 'standardized later'],
    ['y ~ x:offset(w)', 'offset() cannot stand here', 6, 'y ~ x + offset(log(t))'],
    ['y ~ x - offset(w)', 'offset() cannot stand here', 8, 'y ~ x + offset(log(t))'],
    ['y ~ log(offset(w))', 'offset() cannot stand here', 8, 'y ~ x + offset(log(t))'],
    ['y ~ I(poly(x, 2, raw=TRUE))', 'poly() cannot stand here', 6, 'a term of its own'],
    ['y ~ I(c(1, 2))', 'c() is a list of values', 6, '%in% c(1, 2)'],
    ['y ~ I(x %in% w)', '"%in%" needs a list of values', 8, 'c(1, 2)'],
    ['y ~ ifelse(x > 60, "a", "b")', '"a" is not a number', 19, 'I(sex == "male")'],
    ['y ~ pmin()', 'pmin() needs an argument', 4, 'pmin(x, 10)'],
    ['y ~ round(x, digits=1, 2)', 'takes 2 arguments; it has 3', 4, 'round(x, 1)'],
    ['y ~ ns(x, knot=3, knots=4)', 'ns() has knots twice', 4, 'ns(x'],
    ['y ~ cut(x, c(0, 1), ordered_result=TRUE)', 'no argument "ordered_result"', 4, 'right'],
    ['y ~ I(x = 2)', 'the argument of I() has a name', 4, 'I(x == 2)'],
    ['y = x ~ w', 'unexpected "="', 2, 'I(x == 2)'],
    ['y ~ log(x,)', 'unbalanced ")"', 10, 'remove'],
    ['y ~ log(base = (2', 'never closed', 15, '")"'],
    ['y ~ factor(x + 1)', 'name of a column', 13, 'codebook'],
    ['y ~ log(factor(x))', 'factor() cannot stand here', 8, 'numbers'],
    ['y ~ 2 * x', '2 is not a term', 4, 'I(2 * x)'],
    ['y ~ x - 50', '50 is not a term', 8, 'I('],
    ['y ~ 1:x', 'no terms to cross', 5, 'stand alone'],
    ['y ~ x^w', 'whole number', 6, 'I(x^2)'],
    ['y ~ I(2^x)', 'exponent must be a number', 7, 'exp('],
    ['y ~ I(x:w)', 'not arithmetic', 7, 'between terms'],
    ['y ~ log(.)', '"." stands for terms', 8, 'column'],
    ['y ~ x + (1 | w)', 'unexpected "|"', 11, 'sites can have a random intercept'],
    ['y ~ x > 2', 'a comparison is not a term', 6, 'I(x > 2)'],
    ['y ~ `x', 'backtick', 4, 'close'],
    ['y ~ TRUE', 'TRUE', 4, '`TRUE`'],
    ['y ~ y + x', 'y is the response', 4, 'remove'],
    ['y ~ bil_length', 'no column "bil_length"', 4, 'bill_length'],
    ['y ~ x + sex', 'no column "sex"', 8, 'Sex'],
    ['y ~ quite_other', 'no column "quite_other"', 4, 'there are y, z, x'],
    ['cbind() ~ x', 'cbind() is empty', 0, 'responses'],
    ['y ~ cbind(x, w)', 'cbind() is for the response', 4, '"+"'],
  ])('%s', (text, problem, position, remedy) => {
    const error = refusal(() => expandFormula(parseFormula(text), columns));
    expect(error.message).toContain(problem);
    expect(error.remedy).toContain(remedy);
    expect(error.position).toBe(position);
  });

  it('puts the caret under the place', () => {
    const { message } = refusal(() => parseFormula('y ~ x + poly(w, 2)'));
    expect(message).toBe(
      'poly() is not additive over sites: its orthogonal columns need all rows\n  y ~ x + poly(w, 2)\n          ^',
    );
  });

  it('stops nesting that would exhaust the stack', () => {
    const nested = `y ~ ${'('.repeat(5000)}x${')'.repeat(5000)}`;
    expect(refusal(() => parseFormula(nested)).message).toContain('nests too deeply');
  });

  it('takes thousands of terms', () => {
    const many = Array.from({ length: 3000 }, (_, i) => `x${i}`);
    const formula = parseFormula(`y ~ ${many.join(' + ')}`);
    expect(expandFormula(formula, ['y', ...many]).terms).toHaveLength(3000);
  });

  it('stops a crossing that would never end', () => {
    const many = ['y', ...Array.from({ length: 60 }, (_, i) => `x${i}`)];
    expect(refusal(() => expandFormula(parseFormula('y ~ .^9'), many)).message).toContain(
      'too much',
    );
    expect(expandFormula(parseFormula('y ~ .^2'), many).terms).toHaveLength(60 + (60 * 59) / 2);
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

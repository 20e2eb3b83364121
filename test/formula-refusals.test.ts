import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createDesign } from '../src/features/design.ts';
import { knotNotes, spelledKnots } from '../src/features/spelled-knots.ts';
import type { Codebook } from '../src/study/codebook.ts';
import { FormulaError, parseFormula } from '../src/study/formula.ts';
import { functionNames, signatures } from '../src/study/formula-signatures.ts';
import { refusedFunctions } from '../src/study/refused-functions.ts';

const codebook: Codebook = {
  y: { type: 'number', range: [0, 10] },
  x: { type: 'number', range: [0, 100] },
  t: { type: 'number', range: [1, 50] },
  a: { type: 'number', range: [0, 9] },
  b: { type: 'number', range: [0, 9] },
  c: { type: 'number', range: [0, 9] },
  g: { type: 'category', levels: ['a', 'b', 'c'] },
  k: { type: 'number', range: [1, 3] },
};

function design(formula: string) {
  return createDesign(parseFormula(formula), codebook);
}

function refusal(formula: string): FormulaError {
  try {
    design(formula);
  } catch (error) {
    if (error instanceof FormulaError) return error;
    throw error;
  }
  throw new Error(`nothing was refused: ${formula}`);
}

/** The calls that a remedy says to write: it must not be refused in its turn. */
function callsIn(remedy: string): string[] {
  const found: string[] = [];
  const starts = /\b(?:I|ns|bs|cut|poly|pmin|pmax|factor|relevel|interaction|round|ifelse)\(/g;
  let end = 0;
  for (const { index } of remedy.matchAll(starts)) {
    if (index < end) continue;
    let open = 0;
    end = index;
    do {
      if (remedy[end] === '(') open++;
      if (remedy[end] === ')') open--;
      end++;
    } while (open > 0 || remedy[end - 1] !== ')');
    found.push(remedy.slice(index, end));
  }
  return found;
}

/** An example over this codebook: those of categories are over x, which is a number here. */
function overCodebook(call: string): string {
  return call
    .replace(/^(factor|as\.factor|relevel|ordered|C)\(x/, '$1(g')
    .replace(/^(log|log2|log10)\(x\)/, '$1(t)')
    .replace(/I\(x %in% c\("/, 'I(g %in% c("')
    .replace('interaction(a, b)', 'interaction(g, factor(k, levels = c(1, 2, 3)))')
    .replace('c("low", "mid", "high")', 'c("c", "b", "a")')
    .replace(
      'levels = c("a", "b"), labels = c("A", "B")',
      'levels = c("a", "b", "c"), labels = c("A", "B", "C")',
    )
    .replace('log(x / (1 - x))', 'log((x + 1) / (101 - x))')
    .replace('cut(x, c(0, ', 'cut(x, c(-1, ')
    .replace('I(end - start)', 'I(x - t)')
    .replace('exp(2 * x)', 'exp(2 * a)');
}

describe('functions of R that a formula cannot call', () => {
  it.each(Object.entries(refusedFunctions))('%s', (name, [problem, remedy]) => {
    const error = refusal(`y ~ x + ${name}(x)`);
    expect([error.problem, error.remedy, error.position]).toEqual([problem, remedy, 8]);
    for (const call of callsIn(remedy))
      expect(() => design(`y ~ ${overCodebook(call)}`)).not.toThrow();
  });

  it('are none of those that it can call', () => {
    expect(functionNames.filter((name) => Object.hasOwn(refusedFunctions, name))).toEqual([]);
  });

  it.each(functionNames)('the example of %s() works', (name) => {
    const example = overCodebook(signatures[name as keyof typeof signatures].example);
    expect(() => design(`y ~ a + ${example}`)).not.toThrow();
  });

  it('are in the documentation, with the same words', () => {
    const text = readFileSync(new URL('../docs/formulas.md', import.meta.url), 'utf8');
    const page = text.replace(/ +/g, ' ');
    for (const [name, [problem, remedy]] of Object.entries(refusedFunctions)) {
      expect(page).toContain(`| \`${name}\` | ${problem} | ${remedy} |`);
    }
    for (const name of functionNames) expect(page).toContain(`\`${name}(`);
  });
});

describe('what needs all rows, or does not fit the codebook', () => {
  it.each([
    ['poly(x, 2)', 'need all rows', 'poly(x, 2, raw = TRUE)'],
    [
      'ns(x, df = 4)',
      'needs its Boundary.knots',
      'ns(x, knots = c(25, 50, 75), Boundary.knots = c(0, 100))',
    ],
    ['ns(x, df = 3, Boundary.knots = c(10, 90))', 'needs its knots', 'knots = c(36.7, 63.3)'],
    ['bs(log(t), df = 5)', 'needs its Boundary.knots', 'bs(log(t), knots = c('],
    [
      'bs(x, knots = 50)',
      'needs its Boundary.knots',
      'bs(x, knots = 50, Boundary.knots = c(0, 100))',
    ],
    ['ns(x, knots = 120, Boundary.knots = c(0, 100))', 'between the Boundary.knots', 'beyond'],
    ['ns(x, Boundary.knots = 3)', 'two different numbers', 'c(20, 80)'],
    ['ns(x, knots = c(5, 5), Boundary.knots = c(0, 100))', 'repeated', 'once'],
    ['cut(x, 4)', 'needs all rows', 'c(0, 40, 60, 100)'],
    ['cut(x, c(0, 50, 100))', 'leave out values at 0', 'include.lowest = TRUE'],
    ['cut(x, c(20, 50, 80))', 'at or below 20', '-Inf'],
    ['cut(x, c(0, 50, 100), right = FALSE)', 'at 100', 'include.lowest = TRUE'],
    ['cut(x, c(-1, 50, 100), labels = c("a", "b", "c"))', '2 levels', 'one for each'],
    ['relevel(g, ref = "z")', 'ref = "z" is not a level', 'a, b, c'],
    ['factor(g, levels = c("a", "b"))', 'leave out c', 'list all levels'],
    ['factor(g, levels = c("a", "b", "c", "d"))', '"d" is not a level', 'a, b, c'],
    ['C(g, contr.other)', 'the contrasts "contr.other" are unknown', 'contr.sum'],
    ['interaction(g, k)', 'needs the levels of "k"', 'factor(k, levels = c(1, 2))'],
    ['offset(g)', 'is a category', 'compare'],
    ['log1p(I(x - 50))', 'above -1', 'range of "x"'],
    ['I(1/x)', 'away from 0', 'range of "x"'],
    ['ifelse(x > 10, log(x), log(x))', 'above 0', 'range of "x"'],
  ])('%s', (term, problem, remedy) => {
    const error = refusal(`y ~ ${term}`);
    expect(error.problem).toContain(problem);
    expect(error.remedy).toContain(remedy);
  });

  it.each([
    ['y ~ I(x %% 10)', 'unexpected "%"', 'floor(x / 10)'],
    ['y ~ data$x', 'unexpected "$"', 'without its table'],
    ['y ~ x[1]', 'unexpected "["', 'rows cannot be chosen'],
    ['y ~ splines::ns(x, 3)', 'unexpected ":"', 'without its package'],
  ])('%s', (formula, problem, remedy) => {
    const error = refusal(formula);
    expect(error.problem).toContain(problem);
    expect(error.remedy).toContain(remedy);
  });

  it('a test guards what it chooses', () => {
    expect(() =>
      design('y ~ ifelse(x > 0, log(x), 0) + ifelse(0 == x, 0, 1/(x + 1))'),
    ).not.toThrow();
  });
});

describe('knots of a draft', () => {
  it('are written into the formula, from the range of the codebook', () => {
    const spelled = spelledKnots(
      'y ~ a + ns( x,df=3 )*g + bs(t, knots = c(10, 20)) + poly(a, 2, raw=T)',
      codebook,
    );
    expect(spelled.formula).toBe(
      'y ~ a + ns(x, knots = c(33.3, 66.7), Boundary.knots = c(0, 100))*g + bs(t, knots = c(10, 20), Boundary.knots = c(1, 50)) + poly(a, 2, raw=T)',
    );
    expect(knotNotes(spelled)[0]).toContain('ns( x,df=3 ) is written as ns(x, knots');
    expect(() => design(spelled.formula)).not.toThrow();
  });

  it('stay as they are where they are given', () => {
    const text = 'y ~ ns(x, knots = 40, Boundary.knots = c(0, 90)) + a';
    expect(spelledKnots(text, codebook)).toEqual({ formula: text, changed: [] });
  });
});

import { describe, expect, it } from 'vitest';
import { createDesign } from '../src/features/design.ts';
import { baselinesText, termTexts } from '../src/features/term-text.ts';
import type { Codebook } from '../src/study/codebook.ts';
import { parseFormula } from '../src/study/formula.ts';

const codebook: Codebook = {
  y: { type: 'number', range: [0, 9] },
  age: { type: 'number', range: [0, 99] },
  cp: { type: 'number', range: [1, 3], levels: ['1', '2', '3'] },
  'length of stay': { type: 'number', range: [1, 99] },
  'sex at birth': { type: 'category', levels: ['F', 'M'] },
  treatment: { type: 'category', levels: ['new drug', 'control', 'old drug'], baseline: 'control' },
};

describe('names for people', () => {
  it.each([
    ['age', 'age', 'age'],
    ['`length of stay`', '`length of stay`', 'length of stay'],
    ['treatment', 'treatmentnew drug', 'treatment: new drug (vs control)'],
    ['0 + treatment', 'treatmentcontrol', 'treatment: control'],
    ['`sex at birth`', '`sex at birth`M', 'sex at birth: M (vs F)'],
    ['factor(cp)', 'factor(cp)2', 'cp: 2 (vs 1)'],
    ['I(age^2)', 'I(age^2)', 'age²'],
    ['I(`length of stay`^2)', 'I(`length of stay`^2)', '(length of stay)²'],
    ['I(age^1.5)', 'I(age^1.5)', 'age^1.5'],
    ['log(`length of stay`)', 'log(`length of stay`)', 'log(length of stay)'],
    ['I((age - 50) / 10)', 'I((age - 50)/10)', '(age - 50)/10'],
    ['I(age >= 60)', 'I(age >= 60)TRUE', 'age ≥ 60'],
    ['I(treatment == "control")', 'I(treatment == "control")TRUE', 'treatment = control'],
    ['age * treatment', 'age:treatmentnew drug', 'age × treatment: new drug (vs control)'],
    ['treatment + treatment:age', 'treatmentcontrol:age', 'treatment: control × age'],
    ['poly(age, 3, raw = TRUE)', 'poly(age, 3, raw = TRUE)2', 'age²'],
    [
      'ns(age, knots = 40, Boundary.knots = c(20, 60))',
      'ns(age, knots = 40, Boundary.knots = c(20, 60))2',
      'age, natural spline 2 of 2',
    ],
    ['cut(age, c(-1, 40, 99))', 'cut(age, c(-1, 40, 99))(40,99]', 'age: (40,99] (vs (-1,40])'],
    [
      'relevel(treatment, ref = "old drug")',
      'relevel(treatment, ref = "old drug")control',
      'treatment: control (vs old drug)',
    ],
    ['C(treatment, contr.sum)', 'C(treatment, contr.sum)2', 'treatment: contrast 2 of 2'],
    [
      'interaction(treatment, `sex at birth`)',
      'interaction(treatment, `sex at birth`)control.M',
      'treatment and sex at birth: control.M (vs control.F)',
    ],
    ['I(cp %in% c(1, 2))', 'I(cp %in% c(1, 2))TRUE', 'cp %in% c(1, 2)'],
    ['I(age + cp) * cp', 'I(age + cp):cp', '(age + cp) × cp'],
  ])('%s has %s', (right, name, text) => {
    const formula = `y ~ ${right}`;
    const columns = createDesign(parseFormula(formula), codebook).columns.map((one) => one.name);
    expect(columns).toContain(name);
    expect(termTexts(formula, codebook).columns.get(name) ?? name).toBe(text);
  });

  it('of terms, responses and baselines', () => {
    const texts = termTexts('`sex at birth` ~ age * treatment + factor(cp)', codebook);
    expect(texts.terms.get('age:treatment')).toBe('age × treatment');
    expect(texts.short.get('age:treatmentnew drug')).toBe('age × treatment: new drug');
    expect(texts.columns.get('`sex at birth`M')).toBe('sex at birth: M');
    expect(baselinesText(texts)).toBe('treatment: control; cp: 1');
    expect(baselinesText(termTexts('y ~ 0 + treatment', codebook))).toBeUndefined();
  });

  it('never give two columns one text', () => {
    const twins: Codebook = {
      y: { type: 'number', range: [0, 9] },
      'a × b': { type: 'number', range: [0, 9] },
      a: { type: 'number', range: [0, 9] },
      b: { type: 'number', range: [0, 9] },
    };
    const { columns } = termTexts('y ~ a * b + `a × b`', twins);
    expect(columns.get('a:b')).toBeUndefined();
    expect(columns.get('a')).toBe('a');
  });
});

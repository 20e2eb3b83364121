import { describe, expect, it } from 'vitest';
import type { Question } from '../src/analysis/question.ts';
import { type Result, resultOf } from '../src/conclude.ts';
import { reportText } from '../src/model/report-text.ts';
import type { RidgeFusion } from '../src/study/study.ts';
import { agreement, collect, contribution } from './linear.ts';
import { expectRelative } from './relative.ts';
import { studyOf, summaryOf, type Table, tableOf } from './tables.ts';

const table = tableOf({
  x: [1, 2, 4, 3, 5, 7, 2, 6],
  y: [1.5, 2, 4.5, 3, 7, 8.5, 4, 8],
  v: [3, 1, 2, 5, 4, 4, 1, 2],
  flat: [5, 5, 5, 5, 5, 5, 5, 5],
});

/** Sites a and b, four rows each. */
function asked(
  formula: string,
  method: Partial<RidgeFusion>,
  questions: readonly Question[] = [],
  rows: Table = table,
): Result {
  const agreed = agreement(
    studyOf(rows, formula, { fusion: { kind: 'ridge', ridge: 0, ...method } }),
  );
  const sites = { a: [0, 1, 2, 3], b: [4, 5, 6, 7] };
  const sent = collect(
    agreed,
    Object.entries(sites).map(([site, own]) =>
      contribution(agreed, site, summaryOf(agreed, rows, own)),
    ),
  );
  const found = resultOf(agreed, sent, [], { questions });
  if ('problem' in found) throw new Error(found.problem);
  return found;
}

/** Paths of numbers that JSON cannot hold. */
function strangers(value: unknown, path = ''): string[] {
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => strangers(inner, `${path}.${key}`));
}

describe('predictions of several responses with fixed effects of the sites', () => {
  it('ask for the site', () => {
    const { answers } = asked('cbind(y, v) ~ x', { siteEffects: 'fixed' }, [
      { about: 'prediction', at: { x: 3 } },
    ]);
    expect(answers).toHaveLength(2);
    for (const answer of answers) expect(answer).toHaveProperty('problem');
  });

  it('take the intercept of the site that was given', () => {
    const { answers } = asked('cbind(y, v) ~ x', { siteEffects: 'fixed' }, [
      { about: 'prediction', at: { x: 3, '.site': 'b' } },
    ]);
    // predict(lm(cbind(y, v) ~ x + s), data.frame(x = 3, s = "b"))
    const expected = [4.980263157894736, 1.960526315789474];
    answers.forEach((answer, k) => {
      if (!('fitted' in answer)) throw new Error('no prediction');
      expectRelative(answer.fitted, expected[k], 1e-12, 'fitted');
    });
  });
});

describe('errors that are nothing', () => {
  it('of clusters with an intercept each test nothing', () => {
    const { report, answers } = asked('y ~ 1', { siteEffects: 'fixed', errors: 'clustered' }, [
      { about: 'anova' },
      { about: 'contrast', of: ['.siteb = 0'] },
      { about: 'prediction', at: { '.site': 'b' } },
    ]);
    expect(report.terms?.map((row) => [row['std.error'], row.statistic])).toEqual([
      [0, undefined],
      [0, undefined],
    ]);
    expect(strangers({ report, answers })).toEqual([]);
    const [anova, contrast] = answers;
    if (!('rows' in anova)) throw new Error('no anova');
    for (const row of anova.rows) expect(row).not.toHaveProperty('statistic');
    expect(contrast).toHaveProperty('problem');
  });

  it.each(['flat ~ x', 'flat ~ 1', 'cbind(y, flat) ~ x', 'flat ~ 0 + x + I(x / x)'])(
    'of a perfect fit leave no number out of JSON: %s',
    (formula) => {
      for (const method of [{}, { errors: 'clustered' }] as const) {
        const { report } = asked(formula, method);
        expect(strangers(report)).toEqual([]);
        expect(reportText(report)).not.toMatch(/NaN|Infinity|undefined/);
      }
    },
  );
});

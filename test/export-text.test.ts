import { describe, expect, it } from 'vitest';
import type { ExportedModel } from '../src/export/exported-model.ts';
import { htmlReport } from '../src/export/html-report.ts';
import { rSnippet } from '../src/export/r-snippet.ts';
import { modelOf } from './export-models.ts';

const plain = modelOf('y ~ a + g');

describe('a page says what was done', () => {
  it('names the method that was asked for, not the study’s', () => {
    const asked: ExportedModel = { ...plain, method: { kind: 'ridge', ridge: 'gcv' } };
    expect(htmlReport(plain)).toContain('by least squares.');
    expect(htmlReport(asked)).toContain('by ridge regression, penalty chosen by GCV.');
    expect(rSnippet(asked)).toContain('# ridge regression, penalty chosen by GCV;');
  });

  it('draws no interval around what a penalty biases, whatever the errors', () => {
    const ridge = { value: 2, rule: 'given' };
    const { report } = plain;
    const rows = report.terms!.map(({ term, estimate, 'std.error': error }) => ({
      term,
      estimate,
      'std.error': error!,
    }));
    const biased = { ...report, terms: rows, errors: 'clustered', ridge } as typeof report;
    const page = htmlReport({ ...plain, report: biased });
    expect(page).toContain('robust to correlation within sites');
    expect(page).toContain('ignore the bias of the penalty');
    expect(page).not.toContain('95 % intervals');
    expect(htmlReport(plain)).toContain('95 % intervals');
  });

  it('calls a Wald test by its name, and steps steps', () => {
    const rows = [{ term: 'a', df: 1, statistic: 4, 'p.value': 0.0455 }];
    const page = htmlReport({
      ...plain,
      report: { ...plain.report, deviation: { steps: 1, estimate: 0.01, advice: 'enough' } },
      answers: [{ about: 'anova', test: 'Wald chi-square', rows }],
    });
    expect(page).toContain('Wald χ²');
    expect(page).toContain('This fit of 1 Newton step is not exactly');
  });

  it('gives one reason once, and no news of classes where there are none', () => {
    const lacking = ['description', 'path', 'discriminant'] as const;
    const page = htmlReport({
      ...plain,
      answers: lacking.map((about) => ({ about, problem: `${about} needs sums`, advice: 'ask' })),
    });
    expect(page).toContain('Not for this model: description, path. Reason: needs sums (ask).');
    expect(page).not.toContain('discriminant');
  });
});

import { describe, expect, it } from 'vitest';
import { htmlReport } from '../src/export/html-report.ts';
import { pythonSnippet } from '../src/export/python-snippet.ts';
import { rSnippet } from '../src/export/r-snippet.ts';
import { nextPrivateRound } from '../src/fusion/next-round.ts';
import type { Report } from '../src/model/report.ts';
import { reportText } from '../src/model/report-text.ts';
import type { Codebook } from '../src/study/codebook.ts';
import type { PrivacyTerms, TableStudy } from '../src/study/study.ts';
import { modelOf } from './export-models.ts';
import { privateReport, privateStudy } from './private-models.ts';

const codebook: Codebook = {
  y: { type: 'number', range: [-20, 30] },
  x: { type: 'number', range: [-10, 10] },
  g: { type: 'category', levels: ['a', 'b'] },
};
const rows = Array.from({ length: 3000 }, (_, r) => {
  const x = ((r * 37) % 200) / 10 - 10;
  return [5 + 1.4 * x + (r % 7) - 3, x, r % 2];
});
const base: PrivacyTerms = { epsilon: 1, delta: 1e-5, unit: 'row' };

interface Told {
  readonly study: TableStudy;
  readonly report: Report;
}

function told(terms: Partial<PrivacyTerms>, columns: Codebook = codebook): Told {
  const study = privateStudy('y ~ x + g', columns, { ...base, ...terms });
  return { study, report: privateReport(study, rows, 1) };
}

function refined(terms: Partial<PrivacyTerms>): Told {
  let { study, report } = told(terms);
  for (let round = 1; round <= terms.rounds!; round++) {
    const next = nextPrivateRound(study, report);
    if ('problem' in next) throw new Error(next.problem);
    study = next;
    report = privateReport(study, rows, 1 + round);
  }
  return { study, report };
}

/** The words of a page. */
function wordsOf(model: Told): string {
  return htmlReport(model)
    .replaceAll(/<style>[\s\S]*?<\/style>|<svg[\s\S]*?<\/svg>|<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');
}

const oneShot = told({});
const last = refined({ rounds: 2 });
const local = told({ placement: 'local' });
const labels = told({ protects: 'labels' });
const replaced = told({ neighbours: 'replace-one' });

describe('the page of a private model', () => {
  it.each([
    ['of one round', oneShot],
    ['of three', last],
    ['with noise by each site', local],
    ['of private responses', labels],
    ['against another row', replaced],
  ])('%s offers nothing that only plain sums give', (_, model) => {
    const page = wordsOf(model);
    expect(page).toContain('Only this report is published; nothing more can be asked of it.');
    expect(page).toContain('integers on a 16-bit grid, noise added');
    expect(page).not.toMatch(/in one round|need no more than what was sent|exact integers/);
    expect(page).not.toMatch(/robust to correlation|pooled rows/);
  });

  it('counts its rounds', () => {
    const page = wordsOf(last);
    expect(page).toContain('Each site sent sums in 3 rounds; no row left its site.');
    expect(page).toContain('was added in each of 3 rounds, to the sum over the sites');
    expect(page).toContain('This is the last of 3 rounds; together they spend ε = 1.00');
    expect(page).not.toMatch(/sums once|added once/);
    const sites = wordsOf(refined({ rounds: 1, placement: 'local' }));
    expect(sites).toContain('was added by each site to what it sent, in each of 2 rounds (');
    const first = wordsOf(told({ rounds: 2 }));
    expect(first).toContain('Each site sent sums once;');
    expect(first).toContain('This is round 1 of 3; so far ε = ');
  });

  it('calls the number of rows noisy only where it is', () => {
    expect(wordsOf(oneShot)).toMatch(/fitted to about [\d,]+ rows/);
    expect(wordsOf(oneShot)).toContain('; the number of rows is noisy too.');
    for (const model of [labels, replaced]) {
      expect(wordsOf(model)).toContain('fitted to 3,000 rows');
      expect(wordsOf(model)).not.toContain('number of rows is noisy');
      expect(reportText(model.report)).toMatch(/^3,000 rows from 2 sites/m);
      expect(rSnippet(model)).toContain('; 3,000 rows from 2 sites');
    }
  });

  it('leaves the page of a plain model as it was', () => {
    const page = htmlReport(modelOf('y ~ a'));
    expect(page).toContain('Not available in one round');
    expect(page).toContain('Each site sent sums once;');
    expect(page).toContain('exact integers on a 44-bit grid');
    expect(page).toMatch(/off by \d{4}\./);
  });
});

describe('the residual of a private model', () => {
  it('is told in two digits, and leaves no gap where it is not', () => {
    const clear = told({ epsilon: 20 });
    expect(clear.report.glance?.sigma).toBeCloseTo(2, 0);
    expect(reportText(clear.report)).toMatch(/^Residual standard error: about 2\.\d$/m);
    expect(wordsOf(clear)).toMatch(/A typical prediction is off by about 2\.\d\./);
    const { sigma: _, ...glance } = clear.report.glance!;
    const hidden = reportText({ ...clear.report, glance });
    expect(hidden).not.toContain('Residual standard error');
    for (const text of [hidden, reportText(clear.report)]) expect(text).not.toContain('\n\n\n');
  });
});

describe('responses beyond the public units', () => {
  const narrow: Codebook = {
    ...codebook,
    y: { type: 'number', range: [-50, 1000], center: 20, sd: 1 },
  };
  const model = told({}, narrow);
  const start = /About \d+ % of the responses lie beyond what the study’s public units carry/;

  it('are the first thing said under the table', () => {
    const { report } = model;
    expect(report.privacy!.clipped).toBeGreaterThan(0.5);
    expect(report.privacy).not.toHaveProperty('forecast');
    expect(report.glance).not.toHaveProperty('sigma');
    const text = reportText(report);
    expect(text.split('\n\n')[2]).toMatch(start);
    expect(text).toContain('State the public centre and SD of y in the codebook ("center", "sd").');
    expect(text).not.toMatch(/Residual standard error|explained variance/);
    expect(wordsOf(model)).toMatch(start);
    for (const code of [rSnippet(model), pythonSnippet(model)]) expect(code).toMatch(start);
  });

  it('are not claimed where few are clipped, nor where noise hides how many', () => {
    expect(oneShot.report.privacy).not.toHaveProperty('clipped');
    expect(oneShot.report.privacy).toHaveProperty('forecast');
    const few = rows.slice(0, 300);
    const noisy = privateStudy('y ~ x + g', codebook, { ...base, epsilon: 0.05 });
    for (let seed = 1; seed <= 20; seed++) {
      const { privacy } = privateReport(noisy, few, seed);
      expect(privacy).not.toHaveProperty('clipped');
    }
  });
});

import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { combineFiles } from '../src/node/run/combine.ts';
import { fitFiles } from '../src/node/run/fit.ts';
import { silentProgress } from '../src/node/run/progress.ts';
import { muOf } from '../src/privacy/calibration.ts';
import { encodeContribution } from '../src/statistic/envelope.ts';
import type { PrivacyTerms, Study, TableStudy } from '../src/study/study.ts';
import { temporaryFolder } from './cli.ts';
import { agreement, contribution } from './linear.ts';
import { summaryOf, tableOf } from './tables.ts';

const root = temporaryFolder();
const ALL = 3000;
const table = tableOf({
  y: Array.from({ length: ALL }, (_, r) => ((r * 7919) % 101) / 10 + ((r * 104729) % 97) / 16),
  x: Array.from({ length: ALL }, (_, r) => ((r * 104729) % 97) / 8),
});

function studyWith(more: Partial<PrivacyTerms> = {}, formula = 'y ~ x'): TableStudy {
  return {
    schema: 'suffice/study@1',
    formula,
    codebook: {
      y: { type: 'number', range: [-5, 25], center: 8, sd: 3.5 },
      x: { type: 'number', range: [0, 13] },
    },
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
    privacy: { epsilon: 1, delta: 1e-6, unit: 'row', ...more },
  };
}

/** Contributions of three sites as files. */
function filesOf(study: Study): string[] {
  const agreed = agreement(study);
  const folder = mkdtempSync(join(root, 'files-'));
  return ['a', 'b', 'c'].map((site, k) => {
    const rows = Array.from({ length: ALL / 3 }, (_, r) => (k * ALL) / 3 + r);
    const made = contribution(agreed, site, summaryOf(agreed, table, rows));
    const path = join(folder, `${site}.suffice`);
    writeFileSync(path, encodeContribution(made));
    return path;
  });
}

const combined = (study: Study, paths: readonly string[], home: string) =>
  combineFiles(study, paths, 'optional', { questions: [] }, home);

describe('combining contributions to a private study', () => {
  it('draws one noise for one set of files, in any order', async () => {
    const study = studyWith();
    const paths = filesOf(study);
    const home = mkdtempSync(join(root, 'home-'));
    const { report } = await combined(study, paths, home);
    expect((await combined(study, paths.toReversed(), home)).report).toMatchObject({
      digest: report.digest,
      terms: report.terms,
    });
    expect(report.sites).toEqual([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
    const elsewhere = await combined(study, paths, mkdtempSync(join(root, 'home-')));
    expect(elsewhere.report.digest).not.toBe(report.digest);
  });

  it('refuses a total that the budget is not for, also of two at once', async () => {
    const study = studyWith({ releases: 2 });
    const paths = filesOf(study);
    const home = mkdtempSync(join(root, 'home-'));
    const sets = [paths, paths.slice(1), paths.slice(0, 2), paths.slice(0, 1)];
    const outcomes = await Promise.allSettled(sets.map((set) => combined(study, set, home)));
    const made = outcomes.filter(({ status }) => status === 'fulfilled');
    expect(made).toHaveLength(2);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') {
        expect(outcome.reason).toMatchObject({ code: 'not-allowed' });
        expect(outcome.reason.message).toContain('budget is spent');
      }
    }
  });

  it('answers no further question, and spends nothing on one', async () => {
    const study = studyWith();
    const asked = { questions: [{ about: 'anova' }] } as const;
    const home = mkdtempSync(join(root, 'home-'));
    await expect(combineFiles(study, filesOf(study), 'optional', asked, home)).rejects.toThrow(
      'its report is all there is to see',
    );
    expect(existsSync(join(home, 'published'))).toBe(false);
  });
});

describe('fitting files as a private study would', () => {
  const path = join(root, 'rows.csv');
  const lines = Array.from({ length: ALL }, (_, r) => `${table.cells.y[r]},${table.cells.x[r]}`);
  writeFileSync(path, `${['y,x', ...lines].join('\n')}\n`);
  const { codebook, fusion } = studyWith();
  const request = {
    ...{ formula: 'y ~ x', paths: [path], codebook, fusion, arithmetic: 'exact' as const },
    ...{ missing: 'drop' as const, decimal: '.' as const, missingMarkers: [] },
  };
  const terms = { epsilon: 1, delta: 1e-6, unit: 'row' as const };

  it('takes the planned rounds, which spend the budget and no more', async () => {
    const privacy = { ...terms, rounds: 3 };
    const { report } = await fitFiles({ ...request, privacy }, () => silentProgress);
    expect(report.privacy).toMatchObject({ round: 3, rounds: 3 });
    expect(report.privacy?.spent.mu).toBeCloseTo(muOf(terms), 9);
    const slope = report.terms!.find(({ term }) => term === 'x')!.estimate;
    expect(Math.abs(slope - 0.5)).toBeLessThan(0.15);
  });

  it('refuses where noise would drown the answer, unless forced', async () => {
    const privacy = { ...terms, epsilon: 1e-4 };
    await expect(fitFiles({ ...request, privacy }, () => silentProgress)).rejects.toMatchObject({
      code: 'not-allowed',
      message: expect.stringContaining('nothing was spent'),
    });
    const forced = await fitFiles({ ...request, privacy, force: true }, () => silentProgress);
    expect(forced.report.privacy?.epsilon).toBe(1e-4);
  });
});

describe('a private study is refused', () => {
  it.each([
    ['a term made of the hidden response', studyWith({ protects: 'labels' }, 'I(y > 5) ~ x + y')],
    ['labels told by a comparison', studyWith({ protects: 'labels' }, 'y ~ x + I(y > 5)')],
    ['a ridge chosen from the data', { ...studyWith(), fusion: { kind: 'ridge', ridge: 'gcv' } }],
    ['weights', { ...studyWith(), weights: 'x' }],
    ['several responses', studyWith({}, 'cbind(y, x) ~ 1')],
    ['a family', { ...studyWith(), fusion: { kind: 'glm', family: 'poisson' } }],
    [
      'an sd without a centre',
      {
        ...studyWith(),
        codebook: { ...codebookOf(), y: { type: 'number', range: [-5, 25], sd: 3 } },
      },
    ],
    [
      'persons with several rows under replace-one',
      {
        ...studyWith({
          unit: 'person',
          person: 'who',
          rowsPerPerson: 2,
          neighbours: 'replace-one',
        }),
        codebook: { ...codebookOf(), who: { type: 'id' } },
      },
    ],
  ] as readonly [string, Study][])('with %s', (_, study) => {
    expect(() => agreement(study)).toThrow(expect.objectContaining({ remedy: expect.any(String) }));
  });

  it('and the same without that is not', () => {
    expect(() => agreement(studyWith({ protects: 'labels' }))).not.toThrow();
    expect(() => agreement(studyWith())).not.toThrow();
  });
});

function codebookOf(): TableStudy['codebook'] {
  return studyWith().codebook;
}

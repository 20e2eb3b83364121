import { describe, expect, it } from 'vitest';
import { nextPrivateRound } from '../src/fusion/next-round.ts';
import { resolvePrivate } from '../src/fusion/private.ts';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { type Report, reportJson } from '../src/model/report.ts';
import { reportText } from '../src/model/report-text.ts';
import { deltaOf, muOf } from '../src/privacy/calibration.ts';
import { normals } from '../src/random/normals.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import type { Codebook } from '../src/study/codebook.ts';
import type { PrivacyTerms, TableStudy } from '../src/study/study.ts';
import { tableStudy } from '../src/study/table-study.ts';
import { privateReport, privateStudy } from './private-models.ts';
import { privateCase, type Row, summarize } from './private-tables.ts';

const base: PrivacyTerms = { epsilon: 1, delta: 1e-5, unit: 'row' };
const number = { type: 'number', range: [-6, 6], sd: 1 } as const;
const names = Array.from({ length: 9 }, (_, j) => `x${j}`);
const codebook: Codebook = {
  y: { type: 'number', range: [80, 140], center: 110, sd: 10 },
  ...Object.fromEntries(names.map((name) => [name, number])),
};
const formula = `y ~ ${names.join(' + ')}`;
const slopes = [4, -3, 3, 2, -2, 2, 1, -1, 0.5];

function rowsOf(seed: number, count: number): Row[] {
  const draw = normals(seededWords(seed));
  return Array.from({ length: count }, () => {
    const x = names.map(() => Math.max(-6, Math.min(6, draw())));
    const mean = x.reduce((sum, value, j) => sum + slopes[j] * value, 110);
    return [Math.max(80, Math.min(140, mean + 2 * draw())), ...x];
  });
}

function refined(study: TableStudy, report: Report): TableStudy {
  const next = nextPrivateRound(study, report);
  if ('problem' in next) throw new Error(next.problem);
  return tableStudy(parseStudy(JSON.parse(JSON.stringify(next))));
}

function distance({ terms = [] }: Report): number {
  return [110, ...slopes].reduce((sum, value, k) => sum + (terms[k].estimate - value) ** 2, 0);
}

describe('rounds after a private first one', () => {
  it('come nearer to the coefficients each time, and spend the promise, no more', () => {
    const privacy = { ...base, epsilon: 0.5, rounds: 4 };
    const seeds = 3;
    const distances = new Array<number>(5).fill(0);
    let last: Report | undefined;
    for (let seed = 1; seed <= seeds; seed++) {
      const rows = rowsOf(seed, 5000);
      let study = privateStudy(formula, codebook, privacy);
      let spent = 0;
      for (let round = 0; round <= 4; round++) {
        const report = privateReport(study, rows, 50 * seed + round);
        const facts = report.privacy!;
        expect(facts).toMatchObject({ round, rounds: 4 });
        expect(facts.spent.mu).toBeGreaterThan(spent);
        spent = facts.spent.mu;
        distances[round] += distance(report) / seeds;
        if (round > 0) expect(report.errors).toBeUndefined();
        if (round < 4) study = refined(study, report);
        last = report;
      }
    }
    expect(distances[1]).toBeLessThan(0.8 * distances[0]);
    expect(distances[4]).toBeLessThan(0.3 * distances[0]);
    const { spent, mu, next } = last!.privacy!;
    expect(next).toBeUndefined();
    expect(spent.mu).toBeCloseTo(mu, 12);
    expect(spent.epsilon).toBeLessThanOrEqual(0.5);
    expect(spent.epsilon).toBeGreaterThan(0.4999);
  });

  it('carry the total of the first round along, and start where the last one ended', () => {
    const study = privateStudy(formula, codebook, { ...base, rounds: 2 });
    const rows = rowsOf(1, 800);
    const first = privateReport(study, rows, 1);
    const second = refined(study, first);
    const told = privateReport(second, rows, 2);
    expect(told.privacy!.next).toMatchObject({ round: 2, total: first.privacy!.next!.total });
    expect(told.n).toBe(first.n);
    const { at } = second.privacy!.refinement!;
    // (y − 110) / 10 on x: the slope of x0 in public units is a tenth of the user's.
    expect(at[1]).toBeCloseTo(first.terms![1].estimate / 10, 12);
  });

  it('are refused where none is planned, all are done, or the total is another study’s', () => {
    const rows = rowsOf(1, 300);
    const single = privateStudy(formula, codebook, base);
    expect(nextPrivateRound(single, privateReport(single, rows, 1))).toMatchObject({
      problem: 'the study plans no further round',
    });
    const { privacy: _, ...open } = single;
    expect(nextPrivateRound(open, privateReport(single, rows, 1))).toHaveProperty('problem');
    const double = privateStudy(formula, codebook, { ...base, rounds: 1 });
    const second = refined(double, privateReport(double, rows, 1));
    expect(nextPrivateRound(second, privateReport(second, rows, 2))).toMatchObject({
      problem: 'all 2 rounds are done',
    });
    const { refinement, ...terms } = second.privacy as PrivacyTerms;
    const short = { ...terms, refinement: { ...refinement!, total: 'AAAAAAAAAAA=' } };
    const { layout } = privateCase(formula, codebook, terms);
    const one = privateCase(formula, codebook, short);
    const total = summarize(one, rows).statistic;
    expect(resolvePrivate(total, short, layout)).toMatchObject({
      problem: 'the total of the first round does not belong to this study',
    });
  });
});

describe('the report of a private study', () => {
  const rows = rowsOf(3, 6000);
  const study = privateStudy(formula, codebook, base);
  const report = privateReport(study, rows, 9);

  it('has honest errors, noisy rows, no rows of single sites, and what it cost', () => {
    expect(report).toMatchObject({
      errors: 'noise-aware',
      freedom: 'normal',
      sites: [{ name: 'north' }, { name: 'south' }],
      grid: 16,
      aliased: [],
    });
    expect(report.n).not.toBe(6000);
    expect(Math.abs(report.n - 6000)).toBeLessThan(4 * report.privacy!.sigma.count);
    const { mu, spent, ...facts } = report.privacy!;
    expect(facts).toMatchObject({
      epsilon: 1,
      delta: 1e-5,
      unit: 'row',
      neighbours: 'add-remove',
      placement: 'central',
      protects: 'rows',
      solver: 'cleaner',
      noises: 1,
      range: [80, 140],
      forecast: { verdict: 'one-shot' },
    });
    expect(facts).not.toHaveProperty('round');
    expect(mu).toBeLessThanOrEqual(muOf(base));
    expect(mu / muOf(base)).toBeGreaterThan(1 - 1e-9);
    expect(spent.mu).toBeCloseTo(mu, 14);
    expect(deltaOf(spent.mu, 1)).toBeLessThanOrEqual(1e-5);
    report.terms!.forEach((line, k) => {
      const value = [110, ...slopes][k];
      expect(Math.abs(line.estimate - value) / line['std.error']!).toBeLessThan(4);
      expect(line['conf.high']! - line['conf.low']!).toBeCloseTo(
        2 * 1.959964 * line['std.error']!,
        4,
      );
    });
  });

  it('reads as plain words, without a table of rows by site', () => {
    const text = reportText(report);
    expect(text).toContain(
      'Noise for ε = 1, δ = 0.00001 was added once, to the sum over the sites',
    );
    expect(text).toContain(
      'whether any one row is in the data can be guessed correctly in at most 55.3 of 100 cases',
    );
    expect(text).toContain('Standard errors and intervals include the noise');
    expect(text).toContain('capped to the public range of the response, 80 to 140.');
    expect(text).toContain('z value');
    expect(text).toMatch(
      /^about [\d,]+ rows from 2 sites; integers on a 16-bit grid, noise added$/m,
    );
    expect(text).not.toContain('dropped');
    expect(text).toMatch(/^Site\nnorth\nsouth$/m);
  });

  it('says why there are no errors, and that another round is planned', () => {
    const poor = privateStudy(formula, codebook, { ...base, epsilon: 0.1, rounds: 2 });
    const told = privateReport(poor, rowsOf(4, 400), 1);
    const text = reportText(told);
    expect(told.errors).toBeUndefined();
    expect(told.terms!.every((line) => line['std.error'] === undefined)).toBe(true);
    expect(text).toContain('There are no standard errors, because the noise is too large');
    expect(text).toContain('This is round 1 of 3; so far ε = ');
    expect(text).toContain('suffice study refine');
    expect(text).not.toContain('Std. Error');
  });

  it('counts a person’s rows, and names the other promises', () => {
    const person: Codebook = { ...codebook, who: { type: 'id' } };
    const own = { ...base, unit: 'person', person: 'who', rowsPerPerson: 3 } as const;
    const withIds = rowsOf(5, 500).map((cells, r) => [...cells, r]);
    const told = privateReport(privateStudy(formula, person, own), withIds, 1);
    expect(reportText(told)).toContain('whether any one person with up to 3 rows is in the data');
    const labels = { ...base, protects: 'labels' } as const;
    const exact = privateReport(privateStudy(formula, codebook, labels), rowsOf(5, 500), 1);
    expect(exact.n).toBe(500);
    expect(reportText(exact)).toContain(
      'which of two values the response of any one row has can be guessed correctly in at most',
    );
  });

  it('is JSON without a number that JSON cannot hold', () => {
    const again = JSON.parse(reportJson(report)) as Report;
    expect(again).toEqual(JSON.parse(JSON.stringify(report)));
    expect(again.privacy!.range).toEqual([80, 140]);
  });
});

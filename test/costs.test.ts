import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { costsText, sentenceOf } from '../src/costs/costs-text.ts';
import { errorInterval } from '../src/costs/error-interval.ts';
import { type SendingCosts, sendingCosts } from '../src/costs/sending-costs.ts';
import { DataError } from '../src/data-error.ts';
import { normals } from '../src/random/normals.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import { sentBytes } from '../src/statistic/envelope.ts';
import type { TableStudy } from '../src/study/study.ts';
import { plainInk } from '../src/text/text-table.ts';
import { runSuffice, temporaryFolder } from './cli.ts';
import type { LinearSummary } from './linear.ts';
import { agreement } from './linear.ts';

import { everyRow, federated, studyOf, summaryOf, type Table, tableOf } from './tables.ts';

const vectors: readonly {
  readonly error: number;
  readonly left: number;
  readonly rows: number;
  readonly interval: readonly [number, number];
}[] = JSON.parse(readFileSync(new URL('vectors/error-interval.json', import.meta.url), 'utf8'));

const next = normals(seededWords(8));
const rows = 400;
const names = Array.from({ length: 12 }, (_, i) => `x${i + 1}`);
const factor = Array.from({ length: rows }, next);

/** Twelve columns that share a factor; the first two and the last matter. */
const table: Table = (() => {
  const columns: Record<string, number[]> = Object.fromEntries(
    names.map((name) => [name, factor.map((f) => Number((f + next()).toFixed(3)))]),
  );
  const { x1, x2, x12 } = columns;
  const y = x1.map((v, r) => Number((v + 2 * x2[r] - x12[r] + next()).toFixed(3)));
  return tableOf({ ...columns, y });
})();
const study = studyOf(table, `y ~ ${names.join(' + ')}`);

function costsOf(own: TableStudy, part = everyRow(table)): SendingCosts {
  const summary: LinearSummary = summaryOf(agreement(own), table, part);
  return sendingCosts(own, summary.statistic, { sites: 4, rows: 100 });
}

describe('advice', () => {
  const costs = costsOf(study);
  const called = (name: string) => costs.choices.filter((choice) => choice.name === name);

  it('has the bytes that the studies would send', () => {
    const bytes = (own: TableStudy) => sentBytes(agreement(own).layout);
    expect(called('exact')[0].bytes).toBe(bytes(study));
    expect(called('compact')[0].bytes).toBe(bytes({ ...study, arithmetic: 'compact' }));
    const features = [{ kind: 'projection', dimension: 6, seed: 1 }] as const;
    const six = called('Gaussian projection').find(({ size }) => size === 6);
    expect(six?.bytes).toBe(bytes({ ...study, features }));
    const [fewer] = called('fewer columns');
    expect(fewer.bytes).toBe(bytes(studyOf(table, `y ~ ${fewer.ask}`)));
  });

  it('keeps the columns that matter, and finds that the others do not', () => {
    const [fewer] = called('fewer columns');
    expect(fewer.ask?.split(' + ').sort()).toEqual(['x1', 'x12', 'x2']);
    expect(fewer.interval?.[0]).toBe(0);
    expect(called('Gaussian projection')[0].error).toBeGreaterThan(0.5);
  });

  it('bounds what compact sums change', () => {
    const sites = [0, 1, 2, 3].map((k) => everyRow(table).filter((r) => r % 4 === k));
    const [exact, compact] = (['exact', 'compact'] as const).map((arithmetic) => {
      const { report } = federated({ ...study, arithmetic }, table, sites);
      if (typeof report === 'string') throw new Error(report);
      return report;
    });
    // Rows of x times the differences of the coefficients: what the predictions change.
    const away = (exact.terms ?? []).map(({ estimate }, i) => {
      return (compact.terms?.[i].estimate ?? Number.NaN) - (estimate ?? Number.NaN);
    });
    const changed = everyRow(table).reduce((sum, r) => {
      const change = names.reduce((z, name, i) => z + away[i + 1] * table.cells[name][r], away[0]);
      return sum + change ** 2;
    }, 0);
    const { error } = called('compact')[0];
    expect(changed).toBeGreaterThan(0);
    expect(changed / (exact.glance?.deviance ?? 0)).toBeLessThan(error ?? 0);
    // Not idle either: the largest rounding of every entry at once would be needed to reach it.
    expect(error).toBeLessThan(1e-12);
    const [four, two] = [called('sums in 4 bytes')[0], called('sums in 2 bytes')[0]];
    expect(four.error ?? Number.NaN).toBeGreaterThan(error ?? 0);
    expect(two.error ?? 1).toBeGreaterThan(four.error ?? 0);
  });

  it('is told in a table and a sentence', () => {
    expect(sentenceOf(costs)).toBe('exact costs 1.7 kB a site: send it.');
    const text = costsText(costs, plainInk);
    expect(text).toContain('Nothing is sent.');
    expect(text).toMatch(/^exact +12 +1\.7 kB .* 0$/m);
    expect(text).toMatch(/^Hadamard projection +6 .* ≈ \d+ % \(\d+ to \d+\)$/m);
  });

  it.each([
    ['too few rows', study, everyRow(table).slice(0, 25), /25 rows for 12 columns/],
    ['one column', studyOf(table, 'y ~ x1'), undefined, /a single column/],
    ['no intercept', studyOf(table, 'y ~ x1 + x2 - 1'), undefined, /needs a formula with an inter/],
    [
      'a feature map',
      { ...study, features: [{ kind: 'projection', dimension: 2, seed: 1 }] } as TableStudy,
      undefined,
      /has a feature map already/,
    ],
  ])('refuses %s', (_, own, part, words) => {
    expect(() => costsOf(own, part)).toThrow(DataError);
    expect(() => costsOf(own, part)).toThrow(words);
  });
});

describe('suffice study advise', () => {
  const folder = temporaryFolder();
  const [studyPath, samplePath] = ['study.json', 'sample.csv'].map((file) => join(folder, file));
  writeFileSync(studyPath, JSON.stringify(study));
  const header = [...names, 'y'];
  const lines = everyRow(table).map((r) => header.map((name) => table.cells[name][r]).join(','));
  writeFileSync(samplePath, [header.join(','), ...lines, ''].join('\n'));

  it('prints the advice of the library', async () => {
    const { code, stdout } = await runSuffice([
      ...['study', 'advise', studyPath, samplePath],
      ...['--sites', '4', '--rows', '100', '--json'],
    ]);
    expect(code).toBe(0);
    const { schema, sentence, ...found } = JSON.parse(stdout);
    expect({ schema, sentence }).toEqual({
      schema: 'suffice/costs@1',
      sentence: 'exact costs 1.7 kB a site: send it.',
    });
    expect(found).toEqual(JSON.parse(JSON.stringify(costsOf(study))));
  });

  it.each([
    ['no linear regression', { fusion: { kind: 'average' } }, 'advice is about linear regressions'],
    ['mapped', { features: [{ kind: 'projection', dimension: 2, seed: 1 }] }, 'a feature map alr'],
  ])('refuses a study that is %s before it looks for the sample', async (_, change, words) => {
    const path = join(folder, 'other.json');
    writeFileSync(path, JSON.stringify({ ...study, ...change }));
    const sample = join(folder, 'not-there.csv');
    const { code, stderr, stdout } = await runSuffice(['study', 'advise', path, sample]);
    expect(code).toBe(3);
    expect(stdout).toBe('');
    expect(stderr).toContain(words);
  });
});

it('has the intervals of scipy’s noncentral χ², to 3 %', () => {
  for (const { error, left, rows: n, interval } of vectors) {
    const found = errorInterval(error, left, n);
    found.forEach((end, k) => {
      expect(Math.abs(end - interval[k])).toBeLessThanOrEqual(0.03 * interval[k]);
    });
  }
});

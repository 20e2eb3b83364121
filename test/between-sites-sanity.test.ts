import { describe, expect, it } from 'vitest';
import { sanity } from '../src/between-sites/sanity.ts';
import { packedIndex } from '../src/statistic/linear-layout.ts';
import { setRingEntry } from '../src/statistic/ring.ts';
import type { LinearSiteStatistic } from '../src/statistic/site-statistics.ts';
import { sumStatistics } from '../src/statistic/statistic.ts';
import { chance } from './chance.ts';
import { agreement } from './linear.ts';
import { studyOf, summaryOf, type Table } from './tables.ts';

const { below } = chance(7);
const uniform = () => (below(2 ** 30) + 0.5) / 2 ** 30;
const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
const round = (value: number, digits: number) => Math.round(value * 10 ** digits) / 10 ** digits;

interface Row {
  height: number;
  glucose: number;
  temperature: number;
  score: number;
  sex: number;
  y: number;
}

function row(): Row {
  const height = round(170 + 10 * normal(), 1);
  const glucose = round(4 + 0.8 * uniform() + Math.exp(0.4 * normal()), 2);
  const temperature = round(37 + 0.7 * normal(), 1);
  const score = round(5 * normal(), 2);
  const sex = below(2);
  const y = round(0.4 * height - 2 * glucose + 1.5 * score + 4 * sex + 6 * normal() + 10, 2);
  return { height, glucose, temperature, score, sex, y };
}

const codebook = {
  height: { type: 'number', range: [0, 4000] },
  glucose: { type: 'number', range: [0, 500] },
  temperature: { type: 'number', range: [0, 250] },
  score: { type: 'number', range: [-100, 100] },
  sex: { type: 'category', levels: ['f', 'm'] },
  y: { type: 'number', range: [-4000, 4000] },
} as const;
const formula = 'y ~ height + glucose + temperature + score + sex';

/** Sites of unequal size, all drawn alike. */
function clean(sites: number): Row[][] {
  return Array.from({ length: sites }, () => Array.from({ length: 40 + below(110) }, row));
}

function partsOf(sites: readonly (readonly Row[])[]): LinearSiteStatistic[] {
  const names = Object.keys(codebook) as (keyof Row)[];
  return sites.map((rows, k) => {
    const table: Table = {
      rows: rows.length,
      codebook,
      cells: Object.fromEntries(
        names.map((name) => [name, Float64Array.from(rows, (r) => r[name])]),
      ),
    };
    const agreed = agreement(studyOf(table, formula));
    const all = Array.from({ length: rows.length }, (_, r) => r);
    return { site: `s${k}`, statistic: summaryOf(agreed, table, all).statistic };
  });
}

function flagsOf(parts: readonly LinearSiteStatistic[]) {
  const { layout } = parts[0].statistic;
  const total = sumStatistics(
    layout,
    parts.map(({ statistic }) => statistic),
  );
  return sanity(total, parts).flags;
}

describe('sanity', () => {
  it('raises almost nothing on 200 clean splits', () => {
    const raised = Array.from({ length: 200 }, () => flagsOf(partsOf(clean(2 + below(7))))).flat();
    console.info(`flags on 200 clean splits: ${raised.length}`);
    expect(raised.map(({ site, evidence }) => `${site}: ${evidence}`).slice(3)).toEqual([]);
  });

  const faults: readonly [string, string, string | undefined, RegExp, (rows: Row[]) => Row[]][] = [
    [
      'a decimal slipped in glucose',
      'scale',
      'glucose',
      /factor of 10\b/,
      (rows) => rows.map((r) => ({ ...r, glucose: 10 * r.glucose })),
    ],
    [
      'inches for centimetres',
      'scale',
      'height',
      /inches for centimetres/,
      (rows) => rows.map((r) => ({ ...r, height: r.height / 2.54 })),
    ],
    [
      'mg/dl for mmol/l',
      'scale',
      'glucose',
      /mg\/dl for mmol\/l of glucose/,
      (rows) => rows.map((r) => ({ ...r, glucose: 18.0156 * r.glucose })),
    ],
    [
      'Fahrenheit for Celsius',
      'scale',
      'temperature',
      /Fahrenheit for Celsius/,
      (rows) => rows.map((r) => ({ ...r, temperature: 1.8 * r.temperature + 32 })),
    ],
    [
      'a sign turned round',
      'sign',
      'score',
      /coefficient of score/,
      (rows) => rows.map((r) => ({ ...r, score: -r.score })),
    ],
    [
      'two columns swapped',
      'scale',
      'glucose',
      /glucose has SD/,
      (rows) => rows.map((r) => ({ ...r, glucose: r.height, height: r.glucose })),
    ],
    [
      'another zero',
      'location',
      'score',
      /SDs away/,
      (rows) => rows.map((r) => ({ ...r, score: r.score + 40 })),
    ],
    ['each row twice', 'rows', undefined, /twice/, (rows) => [...rows, ...rows]],
    [
      'a column left at its default',
      'constant',
      'glucose',
      /in all \d+ rows/,
      (rows) => rows.map((r) => ({ ...r, glucose: 0 })),
    ],
    [
      'one sex only',
      'constant',
      'sexm',
      /sexm is 0/,
      (rows) => rows.map((r) => ({ ...r, sex: 0 })),
    ],
    [
      'answers shuffled among the rows',
      'fit',
      'y',
      /residual SD/,
      (rows) => rows.map((r, k) => ({ ...r, y: 3 * rows[(k + 7) % rows.length].y })),
    ],
    ['hardly a row', 'rows', undefined, /it sent 3 rows/, (rows) => rows.slice(0, 3)],
  ];
  it.each(faults)('finds %s', (_, kind, column, evidence, spoil) => {
    for (let trial = 0; trial < 5; trial++) {
      const sites = clean(5);
      const spoilt = 1 + below(4);
      sites[spoilt] = spoil(sites[spoilt]);
      const flags = flagsOf(partsOf(sites));
      const found = flags.filter((flag) => flag.site === `s${spoilt}` && flag.kind === kind);
      const right = found.filter((flag) => flag.column === column && evidence.test(flag.evidence));
      expect(right.length, JSON.stringify(flags)).toBe(1);
      expect(flags.filter((flag) => flag.site !== `s${spoilt}`)).toEqual([]);
    }
  });

  it('does not take columns that are constant at a site as evidence of rows that are there twice', () => {
    // Even sums of x and y by chance, and eight columns that say nothing but the number of rows.
    const names = Array.from({ length: 8 }, (_, k) => `c${k + 1}`);
    const codebook = Object.fromEntries(
      ['y', 'x', ...names].map((name) => [name, { type: 'number', range: [-8, 8] } as const]),
    );
    const study = (table: Table) => agreement(studyOf(table, `y ~ x + ${names.join(' + ')}`));
    const siteOf = (x: number[], y: number[], own: number): LinearSiteStatistic['statistic'] => {
      const columns: Record<string, number[]> = { x, y };
      names.forEach((name, k) => {
        columns[name] = x.map(() => ((own + k) % 7) + 0.5);
      });
      const cells = Object.fromEntries(
        Object.entries(columns).map(([name, values]) => [name, Float64Array.from(values)]),
      );
      const table: Table = { rows: x.length, codebook, cells };
      return summaryOf(study(table), table, [...x.keys()]).statistic;
    };
    const sites = [
      { site: 'even', statistic: siteOf([1, 3, 1, 3, 5, 3], [1, 1, 3, 3, 1, 3], 0) },
      { site: 'odd', statistic: siteOf([1, 3, 5, 1, 1], [1, 1, 3, 1, 3], 3) },
    ];
    expect(flagsOf(sites).filter(({ evidence }) => /twice/.test(evidence))).toEqual([]);
  });

  it('finds a file sent under two names, and one site that is nearly everything', () => {
    const [first, second] = clean(2);
    const copied = partsOf([first, second, first]);
    expect(flagsOf(copied).map(({ evidence }) => evidence)).toContain('its sums are those of s0');
    const parts = partsOf([Array.from({ length: 3000 }, row), Array.from({ length: 50 }, row)]);
    expect(flagsOf(parts).map(({ kind, site }) => `${site} ${kind}`)).toEqual(['s0 rows']);
  });

  it('finds sums that no rows can have', () => {
    const spoil = (i: number, j: number, value: (whole: bigint) => bigint) => {
      const parts = partsOf(clean(4));
      const { layout, values } = parts[2].statistic;
      const forged = values.slice();
      const whole = BigInt(1) << BigInt(2 * layout.grid);
      setRingEntry(forged, 4, packedIndex(layout.columns.length, i, j), value(whole));
      parts[2] = { site: 's2', statistic: { layout, values: forged } };
      return flagsOf(parts).filter(({ kind, site }) => kind === 'impossible' && site === 's2');
    };
    expect(spoil(1, 1, (one) => -one)[0].evidence).toBe('the variance of height is negative');
    expect(spoil(2, 2, (one) => one * 9999n)[0].evidence).toMatch(/outside the range/);
    expect(spoil(0, 0, (one) => one / 3n)[0].evidence).toMatch(/not whole/);
    expect(spoil(1, 2, (one) => one * 40n)[0].evidence).toBe(
      'the correlation of height and glucose is beyond 1',
    );
    expect(spoil(5, 5, (one) => one * 2n).map(({ evidence }) => evidence)).toContain(
      'sexm is 0 or 1 at the other sites, and not here',
    );
  });
});

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readContribution } from '../src/federate.ts';
import type { Fit } from '../src/model/fit.ts';
import { createReport } from '../src/model/report.ts';
import type { DdMatrix } from '../src/numeric/dd-matrix.ts';
import { crossProducts } from '../src/solve/normal-equations.ts';
import { encodeContribution } from '../src/statistic/envelope.ts';
import { wordsOf } from '../src/statistic/layout.ts';
import { fractionBitsOf, packedIndex, triangleEntries } from '../src/statistic/linear-layout.ts';
import { setRingEntry } from '../src/statistic/ring.ts';
import {
  type LinearStatistic,
  rowCount,
  statisticBytes,
  sumStatistics,
} from '../src/statistic/statistic.ts';
import type { GlmFusion } from '../src/study/study.ts';
import { dealt, oneRound, pooledGlm, rounds, solved, vectorTable } from './glm-rounds.ts';
import { agreement, contribution } from './linear.ts';
import { everyRow, studyOf, summaryOf, type Table, tableOf } from './tables.ts';

const { five } = JSON.parse(readFileSync(new URL('vectors/glm.json', import.meta.url), 'utf8'));
const table = vectorTable(five.table);
const sites = dealt(table.cells.site);
const glm = (family: 'binomial' | 'poisson', more: Partial<GlmFusion> = {}) => ({
  fusion: { kind: 'glm', family, ...more } as GlmFusion,
});

function statisticOf(
  data: Table,
  formula: string,
  fusion: GlmFusion,
  rows: number[],
): LinearStatistic {
  return summaryOf(agreement(studyOf(data, formula, { fusion })), data, rows).statistic;
}

function expectFinite({ models: [model], glm }: Fit): void {
  for (const values of [model.estimates, model.unscaledVariances]) {
    expect(values.every(Number.isFinite)).toBe(true);
  }
  expect(Object.values(glm!).every((v) => typeof v === 'string' || Number.isFinite(v))).toBe(true);
}

const ramp = Array.from({ length: 12 }, (_, k) => k);
const odd: Readonly<Record<string, Readonly<Record<string, number[]>>>> = {
  'separated rows': { x: ramp, y: ramp.map((k) => Number(k > 5)) },
  'nearly separated rows': { x: ramp, y: ramp.map((k) => Number(k > 5 || k === 0)) },
  'cases only': { x: ramp, y: ramp.map(() => 1) },
  'no events': { x: ramp, y: ramp.map(() => 0) },
  'a constant predictor': { x: ramp.map(() => 3), y: ramp.map((k) => k % 2) },
  'one row': { x: [4], y: [1] },
  'two rows': { x: [4, 7], y: [1, 0] },
  'rows that all lack a cell': { x: [Number.NaN, Number.NaN], y: [1, 0] },
  'one row of many copies': { x: ramp.map(() => 5), y: ramp.map(() => 1) },
};

describe.each(Object.entries(odd))('a site with %s', (_, columns) => {
  const x = Array.from({ length: 60 }, (_, r) => (r * 7) % 12);
  const y = x.map((value, r) => Number((r * 13) % 17 > 12 - value));
  const level = x.map((_, r) => r % 3);
  const data = tableOf(
    { x: [...x, ...columns.x], y: [...y, ...columns.y], g: [...level, ...columns.x.map(() => 0)] },
    { g: ['i', 'ii', 'iii'] },
  );
  const own = columns.x.map((_, k) => 60 + k);
  const usual = x.map((_, r) => r);
  it.each([
    ['binomial', 'firth'],
    ['binomial', 1e-4],
    ['poisson', 'firth'],
    ['poisson', 1e-4],
  ] as const)('%s, prior %s: sends finite numbers and is answered', (family, prior) => {
    const formula = 'y ~ x + g';
    const study = studyOf(data, formula, glm(family, { prior }));
    const agreed = agreement(study);
    const { statistic, rows } = summaryOf(agreed, data, own);
    const file = encodeContribution(
      contribution(agreed, 'odd', { statistic, rows, dropped: 0, missing: {} }),
    );
    expect(readContribution(agreed, file)).toHaveProperty('contribution');
    const matrix = crossProducts(statistic);
    expect(Math.max(...matrix.hi.map(Math.abs))).toBeLessThan(1e4);
    const both = solved(oneRound(study, data, [usual, own]));
    expectFinite(both);
    const alone = solved(oneRound(study, data, [usual]));
    // One odd site of a sixth of the rows does not run away with the answer.
    both.models[0].estimates.forEach((b, k) => {
      const error = Math.sqrt(alone.models[0].unscaledVariances[k]);
      expect(Math.abs(b - alone.models[0].estimates[k])).toBeLessThan(4 * error);
    });
    if (rows === 0) expect(both.models[0].estimates).toEqual(alone.models[0].estimates);
  });
});

it('rows separated in all sites together are said to be, not NaN', async () => {
  const x = Array.from({ length: 40 }, (_, r) => r);
  const data = tableOf({ x, y: x.map((v) => Number(v > 19)) });
  const study = studyOf(data, 'y ~ x', glm('binomial'));
  const halves = dealt(x.map((v) => v % 2));
  const first = solved(oneRound(study, data, halves));
  expectFinite(first);
  const pooled = await pooledGlm(study, first, async (next) => oneRound(next, data, halves));
  expect(pooled).toMatchObject({ problem: expect.stringContaining('separated') });
});

describe('rows that a level separates', () => {
  // Nobody of level iii is a case, at any site; in the second table one is.
  const x = Array.from({ length: 120 }, (_, r) => (r * 7) % 12);
  const g = x.map((_, r) => r % 3);
  const y = x.map((value, r) => Number(g[r] < 2 && (r * 13) % 17 > 12 - value));
  const quasi = tableOf({ x, g, y }, { g: ['i', 'ii', 'iii'] });
  const whole = tableOf(
    { x, g, y: y.map((v, r) => Number(v === 1 || r % 12 === 2)) },
    { g: ['i', 'ii', 'iii'] },
  );
  const thirds = dealt(x.map((_, r) => Math.floor(r / 40)));
  it.each(['binomial', 'poisson'] as const)(
    'are said by their term in every round: %s',
    (family) => {
      const study = studyOf(quasi, 'y ~ x + g', glm(family, { remainder: 'expected' }));
      for (const fit of rounds(study, quasi, thirds, 3)) {
        expect(fit.glm!.separated).toEqual(['giii']);
        expect(
          createReport(fit, { formula: '', sites: [], digest: '' }).deviation!.advice,
        ).toContain('the coefficient of giii may have no finite estimate');
      }
    },
  );

  it.each(['binomial', 'poisson'] as const)(
    'are not said where one row is enough: %s',
    (family) => {
      const study = studyOf(whole, 'y ~ x + g', glm(family, { remainder: 'expected' }));
      for (const fit of rounds(study, whole, thirds, 3)) expect(fit.glm!.separated).toEqual([]);
    },
  );
});

it('a site without events does not end a Poisson regression, and is named where it has a term', () => {
  const count = Array.from({ length: 120 }, (_, r) => (r < 90 ? (r * 5) % 4 : 0));
  const x = count.map((_, r) => ((r * 11) % 23) / 4);
  const site = count.map((_, r) => Math.floor(r / 30));
  const data = tableOf({ x, count, site }, { site: ['a', 'b', 'c', 'd'] });
  const parts = dealt(site);
  const plain = studyOf(data, 'count ~ x', glm('poisson', { remainder: 'expected' }));
  for (const fit of rounds(plain, data, parts, 3)) expect(fit.glm!.separated).toEqual([]);
  const own = studyOf(data, 'count ~ x + site', glm('poisson', { remainder: 'expected' }));
  for (const fit of rounds(own, data, parts, 3)) expect(fit.glm!.separated).toEqual(['sited']);
});

it('no rows at all are no regression', () => {
  const study = studyOf(table, 'y ~ a', glm('binomial'));
  expect(oneRound(study, table, [[], []])).toMatchObject({ problem: 'no rows are left' });
});

describe('the second round', () => {
  const at = { '(Intercept)': -0.3, a: 0.01, b: -0.2, gii: 0.1, giii: 0 };
  const fusion = glm('poisson', { at }).fusion;
  // Integer sums of rounded products do not depend on how rows were dealt; sums of float64 residuals nearly so.
  it('adds over rows: H is the same to the bit however they are dealt, the score nearly', () => {
    const agreed = agreement(studyOf(table, 'count ~ a + b + g', { fusion }));
    const whole = crossProducts(summaryOf(agreed, table, everyRow(table), 600).statistic);
    fc.assert(
      fc.property(fc.array(fc.nat(3), { minLength: 600, maxLength: 600 }), (deal) => {
        const parts = dealt(deal).map((rows) => summaryOf(agreed, table, rows).statistic);
        const sum = crossProducts(sumStatistics(agreed.layout, parts));
        const width = whole.width - 1;
        for (let i = 0; i < width; i++) {
          const row = (matrix: DdMatrix) =>
            matrix.hi.subarray(i * (width + 1), (i + 1) * (width + 1));
          expect(row(sum).subarray(0, width)).toEqual(row(whole).subarray(0, width));
          expect(row(sum)[width]).toBeCloseTo(row(whole)[width], 9);
        }
      }),
      { numRuns: 5 },
    );
  });

  it('is the information and the score at the given coefficients', () => {
    const statistic = statisticOf(table, 'count ~ a + b + g', fusion, everyRow(table));
    const { layout } = statistic;
    const square = layout.weightScale! ** 2;
    const { hi, width } = crossProducts(statistic);
    const { a, b, g, count } = table.cells;
    let information = 0;
    let moment = 0;
    for (let r = 0; r < table.rows; r++) {
      const eta = at['(Intercept)'] + at.a * a[r] + at.b * b[r] + (g[r] === 1 ? at.gii : 0);
      const u = (b[r] - layout.references[2].center) / layout.references[2].scale;
      information += Math.exp(eta) * u * u;
      moment += u * (Math.exp(eta) * eta + count[r] - Math.exp(eta));
    }
    expect(hi[2 * width + 2] * square).toBeCloseTo(information, 9);
    expect(hi[2 * width + width - 1] * square).toBeCloseTo(moment, 9);
    expect(rowCount(statistic)).toBe(600);
  });
});

describe('what is refused', () => {
  const columns = { x: [1, 2, 3, 4], y: [0, 1, 2, 1], n: [0, -1, 2, 3], w: [1, 1, 1, 1] };
  const data = tableOf(columns);
  const reduced = (formula: string, fusion: GlmFusion) => () =>
    statisticOf(data, formula, fusion, [0, 1, 2, 3]);
  it.each([
    [
      'y',
      'binomial',
      'site.csv, row 3, column "y": the response of a logistic regression must be 0 or 1',
    ],
    [
      'n',
      'poisson',
      'site.csv, row 2, column "n": the response of a Poisson regression must not be negative',
    ],
  ] as const)('%s of a %s regression', (response, family, message) => {
    expect(reduced(`${response} ~ x`, glm(family).fusion)).toThrow(message);
  });

  it('two responses, coefficients without a term, columns that are not there, a penalty with robust errors', () => {
    const binomial = glm('binomial');
    expect(() => agreement(studyOf(data, 'y ~ x', glm('binomial', { without: ['z'] })))).toThrow(
      'the model has no column z to leave out',
    );
    const both = { ridge: 1, errors: 'HC1' } as const;
    expect(() => agreement(studyOf(data, 'y ~ x', glm('binomial', both)))).toThrow(
      'a penalty and robust errors do not go together',
    );
    expect(() => agreement(studyOf(data, 'cbind(y, n) ~ x', binomial))).toThrow(
      'a logistic or Poisson regression has one response',
    );
    const at = { '(Intercept)': 0 };
    expect(() => agreement(studyOf(data, 'y ~ x', glm('binomial', { at })))).toThrow(
      'the coefficients to start from lack x',
    );
  });

  it('coefficients that expect absurd counts', () => {
    const at = { '(Intercept)': 0, x: 50 };
    expect(reduced('w ~ x', glm('poisson', { at }).fusion)).toThrow(/far beyond the range/);
  });

  const agreed = agreement(studyOf(table, 'y ~ a + b', glm('binomial')));
  const honest = summaryOf(agreed, table, sites[0]);
  const { layout } = agreed;
  const width = layout.columns.length;
  const one = 1n << BigInt(fractionBitsOf(layout));
  it.each([
    ['half a row', triangleEntries(layout), one / 2n, 'the number of rows is not a whole number'],
    [
      'more cases than rows',
      triangleEntries(layout) + 2,
      1000n * one,
      'the sum of the response is outside its range',
    ],
    [
      'half a case',
      triangleEntries(layout) + 2,
      one / 2n,
      'the number of cases is not a whole number',
    ],
    ['a negative square', packedIndex(width, 1, 1), -one, 'the square of a is negative'],
    [
      'a square too large',
      packedIndex(width, 1, 1),
      1000n * one,
      'the square of a exceeds what its range allows',
    ],
    ['a product too large', packedIndex(width, 1, 2), 100n * one, 'a × b breaks Cauchy–Schwarz'],
  ])('%s', (_, entry, value, refused) => {
    const values = honest.statistic.values.slice();
    setRingEntry(values, wordsOf(layout), entry, value);
    const file = encodeContribution(
      contribution(agreed, 'x', { ...honest, statistic: { layout, values } }),
    );
    expect(readContribution({ ...agreed, layout }, file)).toEqual({ refused });
  });
});

it.each([
  ['half a direction', 5],
  ['a coefficient that is half finite', 5 + 2 * 3],
])('a contribution with %s is refused', (_, entry) => {
  const agreed = agreement(studyOf(table, 'y ~ a + b', glm('binomial', { remainder: 'expected' })));
  const honest = summaryOf(agreed, table, sites[0]);
  const { layout } = agreed;
  const values = honest.statistic.values.slice();
  const half = (1n << BigInt(fractionBitsOf(layout))) / 2n;
  setRingEntry(values, wordsOf(layout), triangleEntries(layout) + entry, half);
  const file = encodeContribution(
    contribution(agreed, 'x', { ...honest, statistic: { layout, values } }),
  );
  expect(readContribution(agreed, file)).toHaveProperty(
    'refused',
    expect.stringContaining('is no count'),
  );
});

describe('the response', () => {
  const yes = { ...table.codebook, s: { type: 'category', levels: ['no', 'yes'] } } as const;
  const named = { ...table, codebook: yes, cells: { ...table.cells, s: table.cells.y } };
  it.each(['s ~ a + g', 'I(count > 1) ~ a + g'])(
    'may be a category of two levels: %s',
    (formula) => {
      const cells = formula.startsWith('s')
        ? table.cells.y
        : table.cells.count.map((c) => Number(c > 1));
      const numbers = tableOf(
        { y: [...cells], a: [...table.cells.a], g: [...table.cells.g] },
        {
          g: ['i', 'ii', 'iii'],
        },
      );
      const { fusion } = glm('binomial');
      const category = statisticOf(named, formula, fusion, everyRow(table));
      const number = statisticOf(numbers, 'y ~ a + g', fusion, everyRow(table));
      expect(statisticBytes(category)).toEqual(statisticBytes(number));
    },
  );
});

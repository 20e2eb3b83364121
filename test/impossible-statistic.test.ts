import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collect, readContribution } from '../src/federate.ts';
import { signContribution } from '../src/protocol/signed-contribution.ts';
import { encodeContribution } from '../src/statistic/envelope.ts';
import { impossibility } from '../src/statistic/impossibility.ts';
import { entriesOf, wordsOf } from '../src/statistic/layout.ts';
import { fractionBitsOf, packedIndex } from '../src/statistic/linear-layout.ts';
import { ringEntry, setRingEntry } from '../src/statistic/ring.ts';
import { impossibleColumn } from '../src/statistic/semidefinite.ts';
import type { LinearStatistic } from '../src/statistic/statistic.ts';
import { isSurelyDefinite } from '../src/statistic/surely-definite.ts';
import type { Codebook } from '../src/study/codebook.ts';
import type { Fusion, PrivacyTerms, TableStudy } from '../src/study/study.ts';
import { anyStudy, operator, rows, runningStudy, table as shared } from './coordinator-study.ts';
import { cases, enduring } from './endurance.ts';
import { type Agreement, agreement, contribution } from './linear.ts';
import { privateCase, summarize } from './private-tables.ts';
import { oneStore } from './stores.ts';
import { anyFormula, anyTable, everyRow, studyOf, summaryOf, tableOf } from './tables.ts';

const choices: readonly Partial<TableStudy>[] = [
  { grid: 22 },
  { grid: 44 },
  { grid: 66 },
  { grid: 88 },
  { arithmetic: 'compact' },
];

/** The statistic with one entry of its triangle changed. */
function changed(
  { layout, values }: LinearStatistic,
  i: number,
  j: number,
  change: (value: bigint, one: bigint) => bigint,
): LinearStatistic {
  const words = wordsOf(layout);
  const at = packedIndex(layout.columns.length, i, j);
  const copy = values.slice();
  const one = 1n << BigInt(fractionBitsOf(layout));
  setRingEntry(copy, words, at, change(ringEntry(values, words, at), one));
  return { layout, values: copy };
}

describe('products that a factor in float64 finds definite', () => {
  it('are found so by double-double numbers, however they were changed', () => {
    let [definite, not] = [0, 0];
    fc.assert(
      fc.property(
        anyTable(40),
        fc.integer({ min: 0, max: 3 }),
        fc.integer({ min: 0, max: 3 }),
        fc.integer({ min: -44, max: 6 }),
        fc.boolean(),
        (table, i, j, exponent, up) => {
          const agreed = agreement(studyOf(table, 'y ~ a + c', {}));
          const { statistic } = summaryOf(agreed, table, everyRow(table));
          const count = statistic.layout.columns.length;
          const shift = (value: bigint, one: bigint) => {
            const step = exponent < 0 ? one >> BigInt(-exponent) : one << BigInt(exponent);
            return up ? value + step : value - step;
          };
          const other = changed(statistic, i % count, j % count, shift);
          for (const one of [statistic, other]) {
            if (isSurelyDefinite(one, count)) {
              definite++;
              expect(impossibleColumn(one, count, { relative: 0, absolute: 0 })).toBeUndefined();
            } else not++;
          }
        },
      ),
      { numRuns: cases(200, 1 / 5), seed: 20294 },
    );
    expect(definite).toBeGreaterThan(10);
    expect(not).toBeGreaterThan(10);
  });
});

describe('sums of real rows are taken', () => {
  it.each(choices)('%o, of any rank, weighted or not', (choice) => {
    fc.assert(
      fc.property(anyTable(40), anyFormula, fc.boolean(), (table, formula, weighted) => {
        const study = studyOf(table, formula, { ...choice, ...(weighted ? { weights: 'w' } : {}) });
        const agreed = agreement(study);
        for (const take of [everyRow(table), everyRow(table).slice(0, 2), []]) {
          expect(impossibility(summaryOf(agreed, table, take).statistic)).toBeUndefined();
        }
      }),
      { numRuns: cases(60), seed: 20291 },
    );
  });

  it.each(choices)('%o, columns that are copies but for the last digits', (choice) => {
    fc.assert(
      fc.property(
        fc.array(
          fc.integer({ min: -(2 ** 52), max: 2 ** 52 }).map((v) => v * 2 ** -52),
          { minLength: 3, maxLength: 30 },
        ),
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: -1000, max: 1000 }),
        (x, digits, k) => {
          const near = (r: number) => 2 ** -digits * ((r * 7919) % 13);
          const data = tableOf({
            y: x.map((v, r) => k * v + near(r)),
            x,
            z: x.map((v, r) => v + near(r)),
            far: x.map((v) => 1e9 + v),
          });
          const agreed = agreement(studyOf(data, 'y ~ x + z + far + x:z', choice));
          expect(impossibility(summaryOf(agreed, data, everyRow(data)).statistic)).toBeUndefined();
        },
      ),
      { numRuns: cases(60), seed: 20292 },
    );
  });

  it.each<Fusion>([
    { kind: 'glm', family: 'binomial' },
    { kind: 'glm', family: 'poisson' },
    { kind: 'glm', family: 'poisson', at: { '(Intercept)': 0.3, x: 0.2, z: -0.1, w: 0 } },
  ])('%o', (fusion) => {
    const x = Array.from({ length: 60 }, (_, r) => ((r * 104729) % 97) / 97);
    const data = tableOf({
      y: x.map((_, r) => (r * 31) % 2),
      x,
      z: x.map((v) => 2 * v),
      w: x.map((v, r) => v + (r % 3) * 1e-7),
    });
    for (const arithmetic of ['exact', 'compact'] as const) {
      const agreed = agreement(studyOf(data, 'y ~ x + z + w', { fusion, arithmetic }));
      const { statistic } = summaryOf(agreed, data, everyRow(data));
      expect(impossibility(statistic)).toBeUndefined();
    }
  });

  const wide = (width: number, count: number) => {
    const names = Array.from({ length: width }, (_, j) => `x${j}`);
    const codebook: Codebook = Object.fromEntries(
      ['y', ...names].map((name) => [name, { type: 'number', range: [-1, 1] }]),
    );
    const cell = (r: number, j: number) => Math.sin(r * 12.9898 + j * 78.233);
    const cells = Object.fromEntries(
      ['y', ...names].map((name, j) => [
        name,
        Float64Array.from({ length: count }, (_, r) => cell(r, j)),
      ]),
    );
    return { rows: count, codebook, cells };
  };

  it.each([
    [150, 40],
    [300, 60],
    [1000, 50],
  ])('%d columns of %d rows, exact or float64', (width, count) => {
    const data = wide(width, count);
    const agreed = agreement(studyOf(data, 'y ~ .'));
    const { statistic } = summaryOf(agreed, data, everyRow(data));
    expect(impossibility(statistic)).toBeUndefined();
    // Three columns that are each the opposite of the other two.
    const lie = [1, 2, 3].reduce(
      (sums, k) => changed(sums, k, (k % 3) + 1, (_, one) => -(BigInt(count) * one) / 3n),
      statistic,
    );
    expect(impossibility(lie)).toMatch(/are not those of any rows|breaks Cauchy/);
  });
});

const table = tableOf({
  y: [1, 2, 4, 3, 7, 5, 2, 6],
  x: [0.5, 1.25, 3, 2, 5, 1, 0, 4],
  z: [3, 1, 4, 1, 5, 9, 2, 6],
});

/** Three columns each far from the others by pairs, and impossible together: correlations of −0.9. */
function apart(agreed: Agreement): LinearStatistic {
  const { statistic } = summaryOf(agreed, table, everyRow(table));
  const pairs = [
    [1, 2],
    [1, 3],
    [2, 3],
  ] as const;
  const words = wordsOf(agreed.layout);
  const one = Number(1n << BigInt(fractionBitsOf(agreed.layout)));
  const entry = (i: number, j: number) =>
    Number(ringEntry(statistic.values, words, packedIndex(4, i, j))) / one;
  return pairs.reduce((sums, [i, j]) => {
    const centred = (k: number) => entry(k, k) - entry(0, k) ** 2 / entry(0, 0);
    const product = -0.9 * Math.sqrt(centred(i) * centred(j));
    const value = product + (entry(0, i) * entry(0, j)) / entry(0, 0);
    return changed(sums, i, j, () => BigInt(Math.round(value * 2 ** 32)) * BigInt(one / 2 ** 32));
  }, statistic);
}

describe('sums that no rows give are refused', () => {
  it.each(choices)('%o: three correlations of −0.9', (choice) => {
    const agreed = agreement(studyOf(table, 'y ~ x + z', choice));
    expect(impossibility(apart(agreed))).toBe(
      'the products of y with the other columns are not those of any rows',
    );
  });

  it('by the twentieth digit: a copy of two columns that is off by a little', () => {
    const { x, y, z } = table.cells;
    const copy = tableOf({ x: [...x], y: [...y], z: [...z], w: Array.from(x, (v, r) => v + z[r]) });
    const agreed = agreement(studyOf(copy, 'y ~ x + z + w'));
    const { statistic } = summaryOf(agreed, copy, everyRow(copy));
    expect(impossibility(statistic)).toBeUndefined();
    const less = changed(statistic, 3, 3, (v, one) => v - one / 10n ** 14n);
    expect(impossibility(less)).toMatch(/^the products of . with the other columns are not/);
  });

  it('of 1,100 columns, in groups of a thousand: time and memory do not grow with the cube', () => {
    const names = Array.from({ length: 1100 }, (_, j) => `x${j}`);
    const codebook: Codebook = Object.fromEntries(
      ['y', ...names].map((name) => [name, { type: 'number', range: [-1, 1] }]),
    );
    const data = { rows: 0, codebook, cells: {} };
    const { layout } = agreement(studyOf(data, 'y ~ .', { arithmetic: 'compact' }));
    const words = wordsOf(layout);
    const one = 1n << BigInt(fractionBitsOf(layout));
    const width = layout.columns.length;
    const values = new Uint32Array(entriesOf(layout) * words);
    const set = (i: number, j: number, value: bigint) =>
      setRingEntry(values, words, packedIndex(width, i, j), value);
    for (let k = 0; k < width; k++) set(k, k, 100n * one);
    /** What is said where three columns are each nearly the opposite of the other two. */
    const saidOf = (a: number, b: number, c: number) => {
      const pairs = [
        [a, b],
        [b, c],
        [a, c],
      ] as const;
      for (const [i, j] of pairs) set(i, j, -90n * one);
      const said = impossibility({ layout, values });
      for (const [i, j] of pairs) set(i, j, 0n);
      return said;
    };
    if (enduring) expect(impossibility({ layout, values })).toBeUndefined();
    expect(saidOf(1051, 1052, 1053)).toMatch(/^the products of x1052 with the other columns/);
    if (enduring)
      expect(saidOf(500, 501, width - 1)).toMatch(/^the products of y with the other columns/);
    // Columns of different groups are only looked at by pairs.
    expect(saidOf(1, 2, 1050)).toBeUndefined();
  });

  it('more rows than 2³²; exactly 2³² are taken', () => {
    const agreed = agreement(studyOf(table, 'y ~ x + z'));
    const { statistic } = summaryOf(agreed, table, everyRow(table));
    expect(impossibility(changed(statistic, 0, 0, (_, one) => one << 32n))).toBeUndefined();
    expect(impossibility(changed(statistic, 0, 0, (_, one) => (one << 32n) + one))).toBe(
      'there are more than 2³² rows',
    );
  });

  it('exact sums of a private study with a trusted coordinator', () => {
    const codebook = {
      y: { type: 'number', range: [-5, 5] },
      x: { type: 'number', range: [-2, 2] },
      z: { type: 'number', range: [-2, 2] },
    } as const;
    const cells = Array.from({ length: 40 }, (_, r) => [
      ((r * 7) % 11) - 5,
      (r % 5) - 2,
      ((r * 3) % 5) - 2,
    ]);
    const { statistic } = summarize(privateCase('y ~ x + z', codebook), cells);
    expect(impossibility(statistic)).toBeUndefined();
    const squares = [1, 2, 3].map((k) =>
      Number(ringEntry(statistic.values, 2, packedIndex(4, k, k))),
    );
    const lie = (
      [
        [1, 2],
        [1, 3],
        [2, 3],
      ] as const
    ).reduce(
      (sums, [i, j]) =>
        changed(sums, i, j, () =>
          BigInt(Math.round(-0.9 * Math.sqrt(squares[i - 1] * squares[j - 1]))),
        ),
      statistic,
    );
    expect(impossibility(lie)).toMatch(/are not those of any rows/);
  });
});

const privacy: PrivacyTerms = { epsilon: 1, delta: 1e-6, unit: 'row' };

oneStore('a sum that would overflow', (open) => {
  const many = (agreed: Agreement, site: string, count: bigint) => {
    const sums = summaryOf(agreed, table, everyRow(table));
    const statistic = changed(sums.statistic, 0, 0, (_, one) => count * one);
    return contribution(agreed, site, { ...sums, statistic });
  };

  it('has no total offline: half the ring and less is taken, the whole is not', () => {
    const agreed = agreement(studyOf(table, 'y ~ x + z', { arithmetic: 'compact' }));
    const [a, b] = ['a', 'b'].map((site) => many(agreed, site, 2n ** 30n - 2n));
    expect(readContribution(agreed, encodeContribution(a))).toEqual({ contribution: a });
    expect(collect(agreed, [a, b])).toHaveProperty('total');
    expect(collect(agreed, [a, b, many(agreed, 'c', 1000n)])).toEqual({
      problem: 'the contributions together are too large for the arithmetic of the study',
      remedy: expect.stringContaining('leave out'),
    });
  });

  it('is refused on arrival, nothing is stored, and the others resolve', async () => {
    const store = await open();
    const study: TableStudy = { ...anyStudy(), arithmetic: 'compact' };
    const { coordinator, id, agreed, sites } = await runningStudy(store, ['a', 'b', 'c'], {
      study,
    });
    await sites[0].send(rows(0, 20));
    const huge = (k: number, count: bigint) => {
      const { key, name } = sites[k];
      const lie = summaryOf(agreed, shared, rows(0, 20));
      const statistic = changed(lie.statistic, 0, 0, (_, one) => count * one);
      const sent = contribution(agreed, name, { ...lie, statistic });
      return encodeContribution(signContribution(sent, key));
    };
    const [, b, c] = sites;
    await coordinator.contribute(b.caller, id, huge(1, 2n ** 29n));
    await expect(
      coordinator.contribute(c.caller, id, huge(2, 2n ** 29n + 2n ** 20n)),
    ).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('too large'),
    });
    expect((await coordinator.view(operator, id)).sites[2].state).toBe('ready');
    await c.send(rows(20, 40));
    await coordinator.runDueWork();
    expect((await coordinator.view(operator, id)).state).toBe('resolved');
  });

  // Products of a row are at most 1, so the largest entry is the number of rows; it stands last in a private study, else first.
  it.each([
    ['private', { privacy, arithmetic: 'exact', disclosure: {} }, -1],
    [
      'with minimumSites',
      { aggregation: { kind: 'plain', minimumSites: 2 }, arithmetic: 'compact' },
      0,
    ],
  ] as const)(
    'is refused in a study %s by the number of contributions, whatever rows the others have',
    async (_, terms, at) => {
      const said: string[][] = [];
      for (const count of [20, 21]) {
        const study: TableStudy = { ...anyStudy(), ...terms };
        const { coordinator, id, agreed, sites } = await runningStudy(await open(), ['a', 'b'], {
          study,
        });
        await sites[0].send(rows(20, 20 + count));
        const { key, name, caller } = sites[1];
        const probe = async (claimed: number): Promise<string> => {
          const none = summaryOf(agreed, shared, []);
          const { layout, values } = none.statistic;
          const own = values.slice();
          const entry = (at + entriesOf(layout)) % entriesOf(layout);
          setRingEntry(own, 2, entry, BigInt(claimed) << 32n);
          const sent = contribution(agreed, name, { ...none, statistic: { layout, values: own } });
          const file = encodeContribution(signContribution(sent, key), 'the same for all');
          return coordinator.contribute(caller, id, file).then(
            () => 'taken',
            (refused) => refused.message,
          );
        };
        said.push([await probe(2 ** 30 - 22), await probe(2 ** 24), await probe(2 ** 24 - 1)]);
      }
      expect(said[1]).toEqual(said[0]);
      const refused = 'the contribution is too large: each of the first 16 may have 16777215 rows';
      expect(said[0]).toEqual([refused, refused, 'taken']);
    },
  );
});

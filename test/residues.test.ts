import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PastRelease } from '../src/disclosure/release.ts';
import { residuesOf } from '../src/disclosure/release-residues.ts';
import { smallResidues } from '../src/disclosure/residues.ts';
import { personCells, rowCells } from '../src/disclosure/row-cells.ts';
import type { Codebook } from '../src/study/codebook.ts';
import type { TableStudy } from '../src/study/study.ts';
import { temporaryFolder } from './cli.ts';
import { exactStudy, releasingSite } from './releasing-site.ts';
import { tagsOf } from './tags-of.ts';

const root = temporaryFolder();

describe('everyone, women, men', () => {
  const header = ['age', 'sex', 'y'];
  const codebook = (missing: readonly string[]): Codebook => ({
    age: { type: 'number', range: [0, 120] },
    sex: { type: 'number', range: [0, 9], missing },
    y: { type: 'number', range: [0, 50] },
  });
  const everyone = exactStudy('y ~ age', codebook(['']), { name: 'everyone' });
  const women = exactStudy('y ~ age + I(sex * 0 + age^2)', codebook(['', '2']), { name: 'women' });
  const men = exactStudy('y ~ age + I(sex * 0 + age^2)', codebook(['', '1']), { name: 'men' });
  /** 120 people; the sex of `unknown` of them is not known. */
  const people = (unknown: number) =>
    Array.from({ length: 120 }, (_, r) => [
      ...[20.5 + ((r * 37) % 79), r < unknown ? '' : 1 + (r % 2)],
      (10 + ((r * 23) % 71) / 4 + r / 1000).toFixed(3),
    ]);

  it.each([
    ['everyone first', [everyone, women, men]],
    ['everyone last', [women, men, everyone]],
    ['everyone between', [men, everyone, women]],
  ] as const)('isolate one person: the third is refused, %s', async (_, studies) => {
    const site = releasingSite(root, header);
    const rows = people(1);
    for (const study of studies.slice(0, 2)) {
      const { code, rule } = await site.release(study, rows);
      expect([code, rule('R9').outcome]).toEqual([0, 'pass']);
    }
    const third = await site.release(studies[2], rows, '--acknowledge', 'R9');
    expect([third.code, third.rule('R9').outcome, third.written]).toEqual([5, 'block', false]);
    expect(third.rule('R9').verdicts[0].problem).toMatch(/leaves fewer than 10 rows/);
    expect(site.lines().length).toBe(2);
  });

  it.each([0, 12])('leave %i people, and the third passes', async (unknown) => {
    const site = releasingSite(root, header);
    for (const study of [everyone, women, men]) {
      const { code, rule, written } = await site.release(study, people(unknown));
      expect([code, rule('R9').outcome, written]).toEqual([0, 'pass', true]);
    }
  });

  it('are found in files of their own, over the same columns', async () => {
    const site = releasingSite(root, header);
    const named = (name: string): TableStudy => ({ ...everyone, name });
    const rows = people(3);
    const of = (sex: number) => rows.filter((row) => row[1] === sex);
    expect((await site.release(named('women'), of(1))).code).toBe(0);
    expect((await site.release(named('men'), of(2))).code).toBe(0);
    const all = await site.release(named('everyone'), rows);
    expect([all.code, all.rule('R9').outcome]).toEqual([5, 'block']);
    expect(site.lines().length).toBe(2);
  });
});

const DAY = '2030-01-01';
const cellsOf =
  (...members: readonly (readonly number[])[]) =>
  (cells: number) =>
    members.map((rows) => {
      const counts = new Int32Array(cells);
      for (const row of rows) counts[row]++;
      return counts;
    });
const between = (from: number, to: number) => Array.from({ length: to - from }, (_, k) => from + k);

/** The smallest number of rows that remain, by trying all combinations. */
function smallest(now: Int32Array, past: readonly Int32Array[]): number {
  let least = Number.POSITIVE_INFINITY;
  const signs = [-1, 0, 1];
  const visit = (k: number, chosen: readonly number[]) => {
    if (k < past.length) {
      for (const sign of signs) visit(k + 1, [...chosen, sign]);
      return;
    }
    const used = chosen.filter((sign) => sign !== 0).length;
    if (used < 2 || used > 3 || !chosen.includes(-1)) return;
    let rows = 0;
    now.forEach((count, cell) => {
      const left = past.reduce((sum, counts, i) => sum + chosen[i] * counts[cell], count);
      if (left !== 0) rows++;
    });
    if (rows > 0) least = Math.min(least, rows);
  };
  visit(0, []);
  return least;
}

describe('small residues', () => {
  it('are found exactly where trying every sum and difference finds them', () => {
    const release = fc.array(fc.integer({ min: 0, max: 11 }), { minLength: 18, maxLength: 18 });
    // Rows of a release: blocks of six that it has or has not, so that some combinations cancel.
    const sets = fc.array(fc.subarray([0, 1, 2]), { minLength: 2, maxLength: 5 });
    let found = 0;
    fc.assert(
      fc.property(sets, fc.subarray([0, 1, 2], { minLength: 1 }), release, (past, now, odd) => {
        const rowsOf = (blocks: readonly number[], at: number) =>
          between(0, 18).filter((r) => blocks.includes(Math.floor(r / 6)) !== (odd[r] === at));
        const members = [now, ...past].map((blocks, k) => rowsOf(blocks, k === 1 ? 0 : 9));
        const [present, ...earlier] = cellsOf(...members)(18);
        const repeated = earlier.some((counts) => counts.join() === present.join());
        const residues = smallResidues(
          present,
          earlier.map((counts) => ({ at: DAY, counts })),
          5,
        );
        const distinct = [...new Map(earlier.map((one) => [one.join(), one])).values()];
        const known = distinct.filter((counts) => counts.some((count) => count > 0));
        const least = repeated ? Number.POSITIVE_INFINITY : smallest(present, known);
        expect(Math.min(...residues.map(({ rows }) => rows), 5)).toBe(Math.min(least, 5));
        if (residues.length > 0) found++;
      }),
      { numRuns: 300 },
    );
    expect(found).toBeGreaterThan(10);
  });

  it.each([
    [1, 1],
    [9, 9],
    [10, undefined],
  ])('of %i rows in a sum of four releases', (left, expected) => {
    const parts = [between(0, 100), between(100, 200), between(200, 300 - left)];
    const [now, ...past] = cellsOf(between(0, 300), ...parts)(300);
    const residues = smallResidues(
      now,
      past.map((counts) => ({ at: DAY, counts })),
      10,
    );
    expect(residues.map(({ rows }) => rows)).toEqual(expected === undefined ? [] : [expected]);
  });

  it('are not new where the same rows were released before', () => {
    const [now, ...past] = cellsOf(
      between(0, 50),
      between(0, 50),
      between(0, 20),
      between(21, 50),
    )(50);
    const known = past.map((counts) => ({ at: DAY, counts }));
    expect(smallResidues(now, known, 10)).toEqual([]);
    expect(smallResidues(now, known.slice(1), 10)).not.toEqual([]);
  });

  it('are not taken from tables of few values, where counts agree by chance', () => {
    const counts = (...numbers: number[]) => Int32Array.from(numbers);
    const past = [counts(103, 97), counts(95, 106), counts(98, 101)].map((one) => ({
      at: DAY,
      counts: one,
    }));
    expect(smallResidues(counts(99, 102), past, 10)).toEqual([]);
    // But a sum of parts is not chance.
    const parts = past.slice(0, 2);
    expect(smallResidues(counts(199, 203), parts, 10)).toEqual([{ at: [DAY, DAY], rows: 1 }]);
  });

  it('are looked for in 50 releases of 10,000 rows, over three sets of columns', () => {
    const rows = 10_000;
    const over = (key: number) =>
      BigUint64Array.from({ length: rows }, (_, r) =>
        BigInt.asUintN(64, BigInt(r + 1) * 0x9e3779b97f4a7c15n * BigInt(2 * key + 1)),
      );
    const keys = Array.from({ length: 3 }, (_, key) => over(key));
    const has = (k: number, r: number) => (Math.imul(r + 1, 2654435761 + 97 * k) >>> 8) % 10 < 7;
    const isIn = (k: number, r: number) => (k < 25 ? r < rows - 20 * k - 40 : has(k, r));
    const past = Array.from({ length: 50 }, (_, k): PastRelease => {
      const tags = (key: number) => keys[key].filter((_, r) => isIn(k, r)).sort();
      const earlier = between(0, Math.min(k, 3)).filter((key) => key !== k % 3);
      return {
        ...{ digest: `release ${k}`, at: `release ${k}`, study: `study ${k}`, site: 'north' },
        ...{ mode: 'add', rows, columns: [], tags: tags(k % 3) },
        over: Object.fromEntries(earlier.map((key) => [`release ${key}`, tags(key)])),
      };
    });
    const file = {
      used: new Uint8Array(rows).fill(1),
      tags: new Map(past.map(({ digest }, k) => [digest, keys[k % 3]])),
    };
    const now = { study: 's', site: 'north', mode: 'add', columns: [], labels: [] } as const;
    expect(residuesOf({ ...now, tags: new Map(), file, least: 10 }, past)).toEqual([]);
    // All rows of the first but 7, without those of another.
    const close = { ...file, used: new Uint8Array(rows).fill(1, rows - 520, rows - 47) };
    const odd = residuesOf({ ...now, tags: new Map(), file: close, least: 10 }, past);
    expect(odd.length).toBeGreaterThan(0);
  });
});

describe('cells of rows', () => {
  const table = Array.from({ length: 30 }, (_, r) => [r, r % 3, (r * 7) % 5]);
  const over = (...columns: number[]) => {
    const tags = table.map((row) => tagsOf([columns.map((k) => row[k])])[0]);
    return BigUint64Array.from(tags);
  };
  const wide = over(0, 1, 2);
  const narrow = over(1, 2);

  it('count each release in full, over whatever columns', () => {
    const part = wide.slice(0, 12).sort();
    const gone = tagsOf([[99, 1, 1]]);
    const { now, past } = rowCells(
      Uint8Array.from(table, (_, r) => r % 2),
      [
        { at: 'a', tags: part, fileTags: wide },
        { at: 'b', tags: narrow.slice().sort(), fileTags: narrow },
        { at: 'c', tags: BigUint64Array.from([...part, ...gone]).sort(), fileTags: wide },
        { at: 'd', tags: gone, fileTags: wide },
      ],
    );
    const sum = (counts: Int32Array) => counts.reduce((a, b) => a + b, 0);
    const of = (name: string) => past.find(({ at }) => at === name)!.counts;
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(of);
    expect([now, a, b, c, d].map(sum)).toEqual([15, 12, 30, 13, 1]);
    expect(c.map((count, k) => count - a[k] - d[k])).toEqual(new Int32Array(now.length));
  });

  it('count rows that look alike together, whether the file has them or not', () => {
    const alike = tagsOf([[1], [1], [1], [2]]);
    const one = alike.find((tag) => tag === tagsOf([[1]])[0])!;
    const fileTags = BigUint64Array.of(one);
    const without = (count: number) => {
      const others = alike.filter((tag) => tag !== one);
      const ones = new BigUint64Array(3 - count).fill(one);
      return BigUint64Array.from([...others, ...ones]).sort();
    };
    const { now, past } = rowCells(Uint8Array.of(1), [
      { at: 'all', tags: alike, fileTags },
      { at: 'without one', tags: without(1), fileTags },
    ]);
    const [all, part] = past.map(({ counts }) => counts);
    const left = all.map((count, k) => count - part[k] - now[k]);
    expect(left).toEqual(new Int32Array(all.length));
  });

  it('count persons by their tags alone', () => {
    const tags = (...ids: number[]) => tagsOf(ids.map((id) => [id]));
    const { now, past } = personCells(tags(1, 2, 3), [{ at: 'a', people: tags(3, 4) }]);
    expect(now.length).toBe(4);
    expect(now.reduce((sum, count, k) => sum + count * past[0].counts[k], 0)).toBe(1);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type History, historyOf } from '../src/disclosure/history.ts';
import type { PastRelease, ReleasedColumn } from '../src/disclosure/release.ts';
import { joinTags, symmetricDifference, without } from '../src/disclosure/row-tags.ts';
import { spentByRows } from '../src/disclosure/spent.ts';
import type { Charge } from '../src/privacy/charge.ts';
import { tagsOf } from './tags-of.ts';

const multiset = fc.array(fc.nat(6), { maxLength: 25 });
const tagged = (values: readonly number[]) => tagsOf(values.map((value) => [value]));
const count = (values: readonly number[], value: number) =>
  values.filter((one) => one === value).length;

describe('two multisets of rows', () => {
  it('differ by what counting says', () => {
    fc.assert(
      fc.property(multiset, multiset, (a, b) => {
        let common = 0;
        for (let v = 0; v <= 6; v++) common += Math.min(count(a, v), count(b, v));
        const onlyA = a.length - common;
        const onlyB = b.length - common;
        expect(symmetricDifference(tagged(a), tagged(b))).toEqual({ onlyA, onlyB, common });
        const rest = without(tagged(a), tagged(b));
        expect(rest.length).toBe(onlyA);
        const kept = a.filter((v, k) => count(a.slice(0, k), v) >= count(b, v));
        expect(rest).toEqual(tagged(kept));
      }),
    );
  });

  it('differ by nothing from themselves', () => {
    const million = new BigUint64Array(1_000_000).map((_, k) => BigInt(k) * 7919n);
    expect(symmetricDifference(million, million.slice())).toEqual({
      onlyA: 0,
      onlyB: 0,
      common: 1_000_000,
    });
  });
});

type Row = Readonly<Record<string, number>>;
const number = (name: string): ReleasedColumn => ({ name, column: { type: 'number' } });
const arm: ReleasedColumn = {
  name: 'arm',
  column: { type: 'category', levels: ['a', 'b', 'c', 'd'] },
};
const rowsBetween = (from: number, to: number): Row[] =>
  Array.from({ length: to - from }, (_, k) => {
    const r = from + k;
    return { age: 20 + ((r * 37) % 61), days: Math.sqrt(r), dose: (r % 9) / 4, arm: r % 4 };
  });
const over = (rows: readonly Row[], columns: readonly ReleasedColumn[]) =>
  tagsOf(rows.map((row) => columns.map(({ name }) => row[name])));

interface Wanted {
  readonly study: string;
  readonly columns: readonly ReleasedColumn[];
  readonly mode?: 'add' | 'replace';
  readonly charge?: Charge;
  readonly weights?: string;
  readonly outcome?: NonNullable<PastRelease['outcome']>;
}

/** What a private release costs. */
const costing = (mu: number, more: Partial<Charge> = {}): Charge => ({
  ...{ mu, promise: 'p', round: 0, place: 'c', placement: 'local', unit: 'row', releases: 1 },
  ...more,
});

/** A site that releases rows of a table again and again. */
function siteOf(past: PastRelease[] = []) {
  return {
    past,
    /** What the site's past says about a release now; the file has these columns unless told otherwise. */
    judge(rows: readonly Row[], wanted: Wanted, lost: string[] = []) {
      const { study, columns, mode = 'add', charge, weights } = wanted;
      const tags = new Map(
        past
          .filter((one) => one.columns.every(({ name }) => !lost.includes(name)))
          .map((one) => [one.digest, over(rows, one.columns)]),
      );
      const labels = columns.flatMap(({ name, column }) =>
        column.type === 'category' ? column.levels.slice(1).map((level) => name + level) : [name],
      );
      const more = { ...(charge && { charge }), ...(weights && { weights }) };
      return historyOf({ study, site: 'north', mode, columns, labels, tags, ...more }, past);
    },
    release(rows: readonly Row[], { columns, mode = 'add', ...wanted }: Wanted) {
      const at = `release ${past.length + 1}`;
      const tags = over(rows, columns);
      past.push({
        digest: at,
        at,
        site: 'north',
        mode,
        columns,
        rows: rows.length,
        tags,
        ...wanted,
      });
    },
  };
}
const apart = ({ differences }: History) => differences.map(({ rows }) => rows);
const first: Wanted = { study: 'first', columns: [number('age'), number('days')] };
const again: Wanted = { ...first, mode: 'replace' };
const other: Wanted = { study: 'other', columns: [number('dose'), number('days'), arm] };

describe('what a site released before', () => {
  const rows = rowsBetween(0, 60);

  it('is nothing at first', () => {
    expect(siteOf().judge(rows, first)).toEqual({
      differences: [],
      releasedColumns: 2,
      spentMu: 0,
      sameRound: false,
      otherSite: 'none',
      contributions: 0,
      adds: true,
      exactBefore: false,
      incomparable: 0,
      shared: [],
    });
  });

  it('differs by the row that is left out, added or corrected', () => {
    const site = siteOf();
    site.release(rows, first);
    expect(apart(site.judge(rows.slice(1), again))).toEqual([1]);
    expect(apart(site.judge(rowsBetween(0, 61), again))).toEqual([1]);
    const corrected = rows.with(7, { ...rows[7], age: 99 });
    expect(apart(site.judge(corrected, again))).toEqual([2]);
    expect(apart(site.judge(rows.slice(0, 7), again))).toEqual([53]);
    expect(apart(site.judge([...rows, rows[3]], again))).toEqual([1]);
  });

  it('is the same in a file that was shuffled, and with −0 for 0', () => {
    const site = siteOf();
    const zeros = rows.map((row, r) => ({ ...row, age: r % 5 === 0 ? 0 : row.age }));
    site.release(zeros, first);
    const negative = zeros.map((row) => ({ ...row, age: row.age === 0 ? -0 : row.age }));
    expect(apart(site.judge(negative.toReversed(), again))).toEqual([0]);
  });

  it('is compared over its own columns when another study uses the file', () => {
    const site = siteOf();
    site.release(rows, first);
    expect(site.judge(rows, other)).toMatchObject({
      differences: [{ at: 'release 1', rows: 0 }],
      exactBefore: true,
      releasedColumns: 6, // age, days, dose and three of four levels
    });
    // Rows that the other study cannot use for a missing dose.
    const missing = [3, 14, 15];
    const complete = rows.filter((_, r) => !missing.includes(r));
    expect(apart(site.judge(complete, other))).toEqual([3]);
  });

  it('is not taken for the same where a cell has gone missing since', () => {
    const site = siteOf();
    site.release(rows, first);
    const emptied = rows.with(0, { ...rows[0], age: Number.NaN });
    expect(apart(site.judge(emptied, other))).toEqual([2]);
  });

  it('cannot be compared without its columns or its tags, and that is told', () => {
    const site = siteOf();
    site.release(rows, { ...first, charge: costing(0.3) });
    const { tags: _, ...untagged } = { ...site.past[0], digest: 'old', study: 'old' };
    site.past.push(untagged);
    const history = site.judge(rows, other, ['age']);
    expect(history).toMatchObject({ incomparable: 2, differences: [], exactBefore: false });
    // What may be of the same rows may have been spent by them.
    expect(history.spentMu).toBeCloseTo(Math.hypot(0.3, 0.3), 15);
    expect(history.shared).toEqual(['release 1', 'old']);
  });

  it('adds up over private releases that share a row, and over no others', () => {
    const site = siteOf();
    site.release(rowsBetween(0, 60), { ...first, charge: costing(0.3) });
    site.release(rowsBetween(59, 100), { ...other, charge: costing(0.4) });
    site.release(rowsBetween(100, 200), { ...first, study: 'third', charge: costing(2) });
    const history = site.judge(rowsBetween(30, 99), { ...first, study: 'fourth' });
    expect(history.spentMu).toBeCloseTo(0.5, 15);
    expect(history).toMatchObject({ exactBefore: false, shared: ['release 1', 'release 2'] });
    expect(site.judge(rowsBetween(300, 340), other).spentMu).toBe(0);
  });

  it('counts columns only where it is of mostly the same rows', () => {
    const site = siteOf();
    site.release(rowsBetween(0, 60), first);
    expect(site.judge(rowsBetween(31, 91), other).releasedColumns).toBe(5);
    expect(site.judge(rowsBetween(30, 90), other).releasedColumns).toBe(6);
  });
});

describe('a study that gets a site’s rows in parts', () => {
  it('gives away by its total what no part does', () => {
    const site = siteOf();
    site.release(rowsBetween(0, 40), first);
    expect(site.judge(rowsBetween(40, 70), first)).toMatchObject({
      differences: [{ at: 'release 1', rows: 70 }],
    });
    site.release(rowsBetween(40, 70), first);
    // All rows but one, in place of both parts.
    expect(apart(site.judge(rowsBetween(0, 69), again))).toEqual([29, 41, 1]);
    expect(apart(site.judge(rowsBetween(0, 70), other))).toEqual([30, 40, 0]);
    site.release(rowsBetween(0, 20), again);
    // The total will be all rows but one, as it was before.
    expect(apart(site.judge(rowsBetween(20, 69), first))).toEqual([
      ...[49, 21, 21, 69], // the part itself: from the parts, their total, the replacement
      ...[29, 41, 1], // the new total: from the parts, and from the old total
    ]);
  });

  it('has a part twice where an addition repeats rows', () => {
    const site = siteOf();
    site.release(rowsBetween(0, 40), first);
    site.release(rowsBetween(40, 70), first);
    expect(site.judge(rowsBetween(65, 90), first).repeated).toBe(5);
    expect(site.judge(rowsBetween(35, 90), first).repeated).toBe(35);
    expect(site.judge(rowsBetween(70, 90), first).repeated).toBeUndefined();
    expect(site.judge(rowsBetween(65, 90), again).repeated).toBeUndefined();
    expect(site.judge(rowsBetween(65, 90), other).repeated).toBeUndefined();
  });

  it('does not count what was refused, which has left all the same', () => {
    const site = siteOf();
    site.release(rowsBetween(0, 40), first);
    site.release(rowsBetween(40, 70), { ...first, outcome: 'refused' });
    expect(apart(site.judge(rowsBetween(0, 70), again))).toEqual([30, 40]);
    expect(apart(site.judge(rowsBetween(40, 69), first))).toEqual([69, 1, 41]);
    expect(site.judge(rowsBetween(40, 69), first).repeated).toBeUndefined();
  });

  it('has totals that are those of the rows put together', () => {
    const part = fc.record({
      values: fc.array(fc.nat(5), { minLength: 1, maxLength: 12 }),
      mode: fc.constantFrom('add' as const, 'replace' as const),
    });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), fc.array(fc.nat(5)), (parts, now) => {
        const columns = [number('x')];
        const past = parts.map(({ values, mode }, k): PastRelease => {
          const named = { digest: `d${k}`, at: `t${k}`, study: 's', site: 'north' };
          return { ...named, mode, columns, rows: values.length, tags: tagged(values) };
        });
        const tags = new Map(past.map(({ digest }) => [digest, tagged(now)]));
        const place = { study: 'new', site: 'north', mode: 'add' as const };
        const present = { ...place, columns, labels: [], tags };
        const expected: { at: string; rows: number }[] = [];
        let total: number[][] = [];
        parts.forEach(({ values, mode }, k) => {
          const apartFrom = (those: readonly number[][]) => {
            const { onlyA, onlyB } = symmetricDifference(tagged(now), joinTags(those.map(tagged)));
            return { at: `t${k}`, rows: onlyA + onlyB };
          };
          total = mode === 'replace' ? [values] : [...total, values];
          expected.push(apartFrom([values]));
          if (total.length > 1) expected.push(apartFrom(total));
        });
        expect(historyOf(present, past).differences).toEqual(expected);
      }),
    );
  });
});

describe('what private releases cost', () => {
  const central = (mu: number, more: Partial<Charge> = {}) =>
    costing(mu, { placement: 'central', ...more });

  it.each(['central', 'aggregators'] as const)('counts noise once a study: %s', (placement) => {
    const site = siteOf();
    const rows = rowsBetween(0, 60);
    const onTotal = (mu: number) => costing(mu, { placement });
    site.release(rows, { ...first, charge: onTotal(0.3) });
    site.release(rows, { ...again, charge: onTotal(0.3) });
    expect(site.judge(rows, { ...again, charge: onTotal(0.3) }).spentMu).toBe(0);
    expect(site.judge(rows, { ...other, charge: onTotal(0.4) }).spentMu).toBeCloseTo(0.3, 15);
  });

  it('counts local noise each time', () => {
    const rows = rowsBetween(0, 60);
    const local = siteOf();
    local.release(rows, { ...first, charge: costing(0.3) });
    local.release(rows, { ...again, charge: costing(0.4) });
    expect(local.judge(rows, { ...again, charge: costing(0.3) })).toMatchObject({
      spentMu: expect.closeTo(0.5, 15),
      contributions: 2,
    });
  });

  it('notices a round that another study has asked for', () => {
    const site = siteOf();
    const rows = rowsBetween(0, 60);
    site.release(rows, { ...first, charge: central(0.3, { round: 1 }) });
    const asked = (round: number, promise = 'p') =>
      site.judge(rows, { ...other, charge: central(0.3, { round, promise }) }).sameRound;
    expect([asked(1), asked(2), asked(1, 'q')]).toEqual([true, false, false]);
    expect(site.judge(rows, { ...again, charge: central(0.3, { round: 1 }) }).sameRound).toBe(
      false,
    );
    expect(
      site.judge(rowsBetween(60, 90), { ...other, charge: central(0.3, { round: 1 }) }),
    ).toMatchObject({ sameRound: false, spentMu: 0 });
  });

  it('notices the same study at another coordinator, or under another site’s name', () => {
    const site = siteOf();
    const rows = rowsBetween(0, 60);
    site.release(rows, { ...first, charge: central(0.3) });
    expect(site.judge(rows, { ...again, charge: central(0.3, { place: 'd' }) })).toMatchObject({
      sameRound: true,
      spentMu: 0.3,
    });
    const elsewhere = siteOf(site.past.map((release) => ({ ...release, site: 'south' })));
    const asked = { ...again, charge: central(0.3) };
    expect(elsewhere.judge(rows, asked)).toMatchObject({
      sameRound: false,
      otherSite: 'most',
      spentMu: 0.3,
    });
    expect(elsewhere.judge(rowsBetween(59, 120), asked).otherSite).toBe('some');
    expect(elsewhere.judge(rowsBetween(60, 120), asked).otherSite).toBe('none');
  });

  it('takes other rows to be of the same people, where people are hidden', () => {
    const site = siteOf();
    site.release(rowsBetween(0, 60), { ...first, charge: central(0.3, { unit: 'person' }) });
    const charge = central(0.3, { unit: 'person' });
    expect(site.judge(rowsBetween(60, 90), { ...other, charge }).spentMu).toBe(0.3);
    expect(site.judge(rowsBetween(60, 90), { ...first, charge })).toMatchObject({
      contributions: 1,
      adds: true,
    });
  });

  it('cannot compare releases whose weights differ', () => {
    const site = siteOf();
    site.release(rowsBetween(0, 60), first);
    expect(site.judge(rowsBetween(0, 60), { ...other, weights: 'w' }).incomparable).toBe(1);
    expect(site.judge(rowsBetween(0, 60), other).incomparable).toBe(0);
    expect(site.judge(rowsBetween(60, 90), { ...other, weights: 'w' }).incomparable).toBe(0);
  });
});

describe('what was spent by rows', () => {
  it('adds up where releases hang together, and nowhere else', () => {
    const mus = { a: 0.3, b: 0.4, c: 1, d: 1.2 };
    const release = (digest: keyof typeof mus, shared?: string[]) => ({
      digest,
      study: digest,
      site: 'north',
      mu: mus[digest],
      ...(shared === undefined ? {} : { shared }),
    });
    const spent = spentByRows([release('a', []), release('b', ['a']), release('c', [])]);
    expect(spent).toEqual([
      { releases: ['a', 'b'], mu: expect.closeTo(0.5, 15) },
      { releases: ['c'], mu: 1 },
    ]);
    // One that is not known to be apart from any of them joins them all.
    const joined = spentByRows([release('a', []), release('c', []), release('d')]);
    expect(joined).toEqual([
      { releases: ['a', 'c', 'd'], mu: expect.closeTo(Math.hypot(0.3, 1, 1.2), 15) },
    ]);
    expect(spentByRows([])).toEqual([]);
  });
});

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PastRelease } from '../src/disclosure/release.ts';
import { sortedTags } from '../src/disclosure/row-tags.ts';
import { agreement } from '../src/federate.ts';
import { createPool } from '../src/node/compute/pool.ts';
import { openSource } from '../src/rows/sources.ts';
import { taggedFile } from '../src/site/tagged-file.ts';
import type { Codebook, Column } from '../src/study/codebook.ts';
import { temporaryFolder } from './cli.ts';
import { cases } from './endurance.ts';
import { exactStudy, privateStudy, releasingSite } from './releasing-site.ts';
import { tagsOf, testTagKey } from './tags-of.ts';

const root = temporaryFolder();
const header = ['age', 'sex', 'ward', 'y', 'record'];
/** 60 patients, of whom one is in a ward that a study can call missing. */
const patients = Array.from({ length: 60 }, (_, r) => [
  ...[20.5 + ((r * 37) % 59), 1 + (r % 2), r === 16 ? 'x' : 'abc'[r % 3]],
  (10 + ((r * 23) % 71) / 4).toFixed(2),
  1000 + r,
]);
const numbers: Codebook = {
  age: { type: 'number', range: [0, 120] },
  y: { type: 'number', range: [0, 50] },
};
const sex: Column = { type: 'category', levels: ['1', '2'] };
const allButOne: Column = { type: 'category', levels: ['a', 'b', 'c'], missing: ['', 'x'] };

/** Entries for a column that the formula does not use. */
const unused: readonly (readonly [string, Codebook])[] = [
  ['no unused entry', {}],
  ['the same entry', { sex }],
  ['levels in another order', { sex: { type: 'category', levels: ['2', '1'] } }],
  ['fewer levels', { sex: { type: 'category', levels: ['2'], missing: ['', '1'] } }],
  ['more levels', { sex: { type: 'category', levels: ['0', '2', '3', '1'] } }],
  ['other levels', { sex: { type: 'category', levels: ['f', 'm'] } }],
  ['another type', { sex: { type: 'number', range: [0, 1] } }],
  ['another mark', { sex: { type: 'number', range: [0, 3], decimal: ',' } }],
  ['an id', { record: { type: 'id' } }],
];

describe.each(unused)('a codebook with %s that the formula does not use', (_, entries) => {
  it('does not hide that one row is left out', async () => {
    const site = releasingSite(root, header);
    const first = exactStudy('y ~ age + sex', { ...numbers, sex });
    expect((await site.release(first, patients)).code).toBe(0);
    const second = exactStudy('y ~ age + ward', { ...numbers, ward: allButOne, ...entries });
    const refused = await site.release(second, patients, '--acknowledge', 'R9,R11');
    expect([refused.code, refused.rule('R9').outcome]).toEqual([5, 'block']);
    expect([refused.written, site.lines().length]).toEqual([false, 1]);
    // The same rows again, for another question, are no difference.
    const same = await site.release(exactStudy('y ~ age', { ...numbers, ...entries }), patients);
    expect([same.code, same.rule('R9').outcome, same.written]).toEqual([0, 'pass', true]);
  });

  it('does not hide a budget that is spent', async () => {
    const site = releasingSite(root, header);
    const first = privateStudy('y ~ age + sex', { ...numbers, sex }, 8);
    expect((await site.release(first, patients)).code).toBe(0);
    const second = (epsilon: number) =>
      privateStudy('y ~ age', { ...numbers, ...entries }, epsilon);
    const refused = await site.release(second(8), patients, '--acknowledge', 'R9,R11');
    expect([refused.code, refused.rule('R11').outcome]).toEqual([5, 'block']);
    expect([refused.written, site.lines().length]).toEqual([false, 1]);
    const small = await site.release(second(1), patients);
    expect([small.code, small.written]).toEqual([0, true]);
    // Both are in one group of linked releases, so what they spend adds up.
    const [, { shared }] = site.lines();
    expect(shared).toEqual([site.lines()[0].digest]);
  });
});

/** A column as the first study asks for it and as the second one does, and the cell of row r. */
const askedTwice: readonly (readonly [string, Column, Column, (r: number) => string])[] = [
  [
    'shares as levels, then as numbers',
    { type: 'category', levels: ['5%', '10%', '15%'] },
    { type: 'number', unit: '%', range: [0, 100] },
    (r) => ['5%', '10%', '15%'][(r >> 1) % 3],
  ],
  [
    'dates as numbers, then as levels',
    { type: 'number', unit: 'days since 1970-01-01', range: [19000, 20000] },
    { type: 'category', levels: ['2024-01-31', '2024-02-29'] },
    (r) => ['2024-01-31', '2024-02-29'][(r >> 1) % 2],
  ],
];

describe.each(askedTwice)('a column of %s', (_, first, second, cell) => {
  it('does not hide that one row is left out', async () => {
    const site = releasingSite(root, [...header, 'part']);
    const rows = patients.map((row, r) => [...row, cell(r)]);
    const whole = exactStudy('y ~ age + part', { ...numbers, part: first });
    expect((await site.release(whole, rows, '--acknowledge', 'R6,R7')).code).toBe(0);
    const entries = { ...numbers, ward: allButOne, part: second };
    const less = exactStudy('y ~ age + ward + part', entries);
    const refused = await site.release(less, rows, '--acknowledge', 'R6');
    expect([refused.code, refused.rule('R9').outcome]).toEqual([5, 'block']);
    expect([refused.written, site.lines().length]).toEqual([false, 1]);
  });
});

describe('the words of a file', () => {
  it.each([
    ['a column of another name', ['--column', 'age=other']],
    ['a text that means missing', ['--read-as', 'ward:x=']],
    ['a marker of missing cells', ['--missing-marker', 'x']],
  ])('do not hide that one row is left out: %s', async (_, words) => {
    const site = releasingSite(root, [...header, 'other']);
    const rows = patients.map((row, r) => [...row, 30.5 + ((r * 29) % 59)]);
    expect((await site.release(exactStudy('y ~ age', numbers), rows)).code).toBe(0);
    const isRead = words[0] === '--column';
    const ward = isRead ? allButOne : ({ type: 'category', levels: ['a', 'b', 'c'] } as const);
    const less = exactStudy('y ~ age + ward', { ...numbers, ward });
    const refused = await site.release(less, rows, ...words);
    expect([refused.code, refused.rule('R9').outcome]).toEqual([5, 'block']);
    expect([refused.written, site.lines().length]).toEqual([false, 1]);
  });
});

describe('the tags of a row', () => {
  const texts = ['1', '2', '3'];
  const file = join(mkdtempSync(join(root, 'law-')), 'rows.csv');
  const rows = Array.from({ length: 40 }, (_, r) => [r * 1.5, texts[(r * 7) % 3], (r * 11) % 17]);
  writeFileSync(file, `${[['x', 'g', 'y'], ...rows].map((row) => row.join(',')).join('\n')}\n`);
  const range = [0, 100] as const;
  const base: Codebook = { x: { type: 'number', range }, y: { type: 'number', range } };

  const entry: fc.Arbitrary<Column | undefined> = fc.oneof(
    fc.constant(undefined),
    fc.constant<Column>({ type: 'number', range: [0, 9] }),
    fc.constant<Column>({ type: 'number', range: [0, 9], missing: ['', '2'] }),
    fc.shuffledSubarray([...texts, '0', 'none'], { minLength: 1 }).map(
      (levels): Column => ({
        type: 'category',
        levels,
        missing: ['', ...texts.filter((text) => !levels.includes(text))],
      }),
    ),
  );

  /** The tags of all rows of the file over the columns of earlier releases, as a study would have them. */
  async function tagsBy(
    column: Column | undefined,
    isUsed: boolean,
    past: PastRelease[],
    count = rows.length,
  ) {
    const uses = isUsed && column !== undefined && (column.levels?.length ?? 2) > 1;
    const codebook = { ...base, ...(column && { g: column }) };
    const agreed = agreement(exactStudy(uses ? 'y ~ x + g' : 'y ~ x', codebook));
    const pool = createPool(1);
    const source = await openSource(pool.host, { path: file }, ['x', 'g', 'y']);
    const everything = new Uint8Array(count).fill(1);
    const quiet = () => ({ update() {}, done() {} });
    return taggedFile(agreed, source, { used: everything }, past, testTagKey, pool, quiet);
  }
  const earlier = (
    digest: string,
    column: Column,
    more: Partial<PastRelease> = {},
  ): PastRelease => ({
    ...{ digest, study: digest, site: 'north', at: '2030-01-01', mode: 'add', rows: rows.length },
    columns: [
      { name: 'g', column },
      { name: 'x', column: { type: 'number', range } },
      { name: 'y', column: { type: 'number', range } },
    ],
    ...more,
  });

  it('do not depend on the codebook of the study, nor on that of the earlier release', async () => {
    const past = [
      earlier('abc', { type: 'category', levels: ['1', '2', '3'] }, { tagForm: 'cells' }),
      earlier('number', { type: 'number', range: [0, 9] }, { tagForm: 'cells' }),
    ];
    const known = await tagsBy(undefined, false, past);
    expect(known.tags.get('number')).toEqual(known.tags.get('abc'));
    expect(new Set(known.tags.get('abc')).size).toBe(rows.length);
    await fc.assert(
      fc.asyncProperty(entry, fc.boolean(), async (column, isUsed) => {
        const { tags, own } = await tagsBy(column, isUsed, past);
        expect(tags).toEqual(known.tags);
        const uses = own.length === rows.length && isUsed && column !== undefined;
        if (uses && (column.levels?.length ?? 2) > 1) {
          expect(own).toEqual(sortedTags([known.tags.get('abc')!], known.used));
        }
      }),
      { numRuns: cases(40) },
    );
  });

  it('are those that an older version kept, for whatever codebook asks now', async () => {
    const levels = ['3', '1', '2'];
    const codes = rows.map(([x, g, y]) => [levels.indexOf(String(g)), Number(x), Number(y)]);
    const past = [earlier('old', { type: 'category', levels })];
    await fc.assert(
      fc.asyncProperty(entry, fc.boolean(), async (column, isUsed) => {
        const { tags, used } = await tagsBy(column, isUsed, past);
        expect(sortedTags([tags.get('old')!], used)).toEqual(tagsOf(codes));
      }),
      { numRuns: cases(20) },
    );
  });

  it('are not made of a file that has other rows than a moment ago', async () => {
    await expect(tagsBy(undefined, false, [], rows.length - 1)).rejects.toMatchObject({
      problem: 'the file changed while it was read',
    });
  });

  it('of an older version are not guessed where two levels say the same', async () => {
    const past = [earlier('old', { type: 'category', levels: ['1', '1.0', '2', '3'] })];
    expect((await tagsBy(undefined, false, past)).tags.has('old')).toBe(false);
  });
});

describe('a folder of version 54a254b, with tags of level codes', () => {
  const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const [columns, ...penguins] = readFileSync(pathOf('../examples/penguins/torgersen.csv'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','));
  const site = () => releasingSite(root, columns, pathOf('vectors/landed/site'));
  const codebook = (levels: readonly string[]): Codebook => ({
    bill_length: { type: 'number', range: [20, 80] },
    body_mass: { type: 'number', range: [1000, 9000] },
    sex: { type: 'category', levels },
  });
  const orders = [
    ['female', 'male'],
    ['male', 'female'],
  ];

  it.each(orders)(
    'compares: the same rows pass with %s, %s, one row less does not',
    async (...levels) => {
      const study = exactStudy('body_mass ~ bill_length + sex', codebook(levels));
      const flags = ['--acknowledge', 'R11'];
      const whole = await site().release(study, penguins, ...flags);
      expect([whole.code, whole.rule('R9').outcome]).toEqual([0, 'pass']);
      const old = site();
      const less = await old.release(study, penguins.slice(1), ...flags);
      expect([less.code, less.rule('R9').outcome, less.written]).toEqual([5, 'block', false]);
      expect(old.lines().length).toBe(5);
      // A study that does not use sex, in whose codebook it has another order.
      const plain = exactStudy('body_mass ~ bill_length', codebook(levels));
      const unusedSex = await old.release(plain, penguins.slice(1), ...flags);
      expect([unusedSex.code, unusedSex.rule('R9').outcome]).toEqual([5, 'block']);
    },
  );

  it('compares within a study: replaced by one row less, or added to', async () => {
    const study = JSON.parse(readFileSync(pathOf('vectors/landed/files/ridge.study.json'), 'utf8'));
    const old = site();
    const send = (rows: readonly (readonly string[])[], mode: string, sequence: string) => {
      const flags = ['--mode', mode, '--sequence', sequence, '--acknowledge', 'R6,R7,R11'];
      return old.release(study, rows, '--site', 'torgersen', ...flags);
    };
    const less = await send(penguins.slice(1), 'replace', '2');
    expect([less.code, less.rule('R9').outcome, less.written]).toEqual([5, 'block', false]);
    const moved = (row: readonly string[]) =>
      row.map((cell, k) => (columns[k] === 'bill_length' ? String(Number(cell) + 0.05) : cell));
    const others = penguins.filter((row) => !row.includes('NA')).map(moved);
    const added = await send(others, 'add', '2');
    expect([added.code, added.rule('R9').outcome, added.written]).toEqual([0, 'pass', true]);
    // The study's total has rows in tags of both forms now, and that is said.
    const third = await send(others.map(moved), 'add', '3');
    expect([third.code, third.rule('R9').outcome, third.written]).toEqual([5, 'warn', false]);
    expect(third.rule('R9').verdicts[0].problem).toContain('cannot be compared');
    const fewer = await send(others.slice(1), 'replace', '3');
    expect([fewer.code, fewer.rule('R9').outcome, fewer.written]).toEqual([5, 'block', false]);
  });

  it('remembers its budget', async () => {
    const old = site();
    const study = privateStudy('body_mass ~ bill_length', codebook(['male', 'female']), 8);
    const again = await old.release(study, penguins, '--acknowledge', 'R11');
    expect([again.code, again.rule('R11').outcome]).toEqual([5, 'block']);
    expect(old.lines().length).toBe(5);
  });

  it('says so where a column is gone, and counts what may be spent', async () => {
    const gone = columns.indexOf('flipper_length');
    const without = (row: readonly string[]) => row.filter((_, k) => k !== gone);
    const home = pathOf('vectors/landed/site');
    const old = releasingSite(root, without(columns), home);
    const rows = penguins.map(without);
    const exact = await old.release(
      exactStudy('body_mass ~ bill_length', codebook(['x', 'y'])),
      rows,
    );
    expect([exact.code, exact.written]).toEqual([5, false]);
    expect(exact.rule('R9')).toMatchObject({
      outcome: 'warn',
      verdicts: [{ problem: expect.stringContaining('cannot be compared') }],
    });
    const spent = privateStudy('body_mass ~ bill_length', codebook(['x', 'y']), 8);
    const refused = await old.release(spent, rows, '--acknowledge', 'R11');
    expect([refused.code, refused.rule('R11').outcome]).toEqual([5, 'block']);
    const small = privateStudy('body_mass ~ bill_length', codebook(['x', 'y']), 1);
    const warned = await old.release(small, rows);
    expect([warned.code, warned.written]).toEqual([5, false]);
    expect(JSON.stringify(warned.rule('R11'))).toContain('cannot be compared with these');
    expect((await old.release(small, rows, '--acknowledge', 'R11')).code).toBe(0);
  });
});

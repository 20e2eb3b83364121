import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import {
  joinTags,
  sortedTags,
  tagBytes,
  tagger,
  tagsFromBytes,
  tagsInOrder,
  tagTwin,
} from '../src/disclosure/row-tags.ts';
import { sayings } from '../src/disclosure/sayings.ts';
import { readParquet } from '../src/table/parquet.ts';
import type { SaidColumn } from '../src/table/said-column.ts';
import { readText } from './csv-read.ts';
import { testTagKey as key, tagsOf } from './tags-of.ts';

const cell = fc.oneof(
  fc.double(),
  fc.constantFrom(0, -0, Number.NaN, 1, 2, Number.POSITIVE_INFINITY, 5e-324),
);
const table = fc
  .integer({ min: 1, max: 5 })
  .chain((width) =>
    fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 30 }),
  );
/** What tags should and should not tell apart. */
const same = (a: readonly number[], b: readonly number[]) =>
  a.every((x, k) => x === b[k] || (Number.isNaN(x) && Number.isNaN(b[k])));

describe('row tags', () => {
  it('are OpenSSL’s SipHash of the row’s float64 bits', () => {
    const vectors = JSON.parse(
      readFileSync(new URL('vectors/sip-hash.json', import.meta.url), 'utf8'),
    );
    const words = new Uint32Array(new Uint8Array(Buffer.from(vectors.key, 'hex')).buffer);
    for (const { values, tag } of vectors.rows) {
      expect(Buffer.from(tagBytes(tagsOf([values], words))).toString('hex')).toBe(tag);
    }
  });

  it('are those of the twin, of odd and even numbers of rows, in parts, with rows left out', () => {
    fc.assert(
      fc.property(table, fc.nat(30), (rows, cut) => {
        const columns = (rows[0] ?? []).map((_, k) => Float64Array.from(rows, (row) => row[k]));
        const tags = tagger(key);
        const first = Math.min(cut, rows.length);
        const odd = rows.filter((_, r) => r >= first && r % 2 === 1);
        const at = odd.map((row) => rows.indexOf(row));
        const missing = tags.add(first, columns) + tags.add(odd.length, columns, (r) => at[r]);
        const used = [...rows.slice(0, first), ...odd];
        expect([...tagsInOrder(tags.parts())]).toEqual(used.map((row) => tagTwin(key, row)));
        expect(missing).toBe(used.flat().filter(Number.isNaN).length);
      }),
    );
    const wide = Array.from({ length: 5 }, (_, r) =>
      Array.from({ length: 40_000 }, (_, k) => r - k),
    );
    expect([...tagsOf(wide)]).toEqual(
      wide.map((row) => tagTwin(key, row)).sort((a, b) => (a < b ? -1 : 1)),
    );
  });

  it('are sorted as numbers', () => {
    const tag = fc.oneof(
      fc.bigInt(0n, 2n ** 64n - 1n),
      fc.constantFrom(0n, 1n, 255n, 256n, 2n ** 63n),
    );
    fc.assert(
      fc.property(fc.array(tag, { maxLength: 40 }), (tags) => {
        const sorted = [...tags].sort((a, b) => Number(a > b) - Number(a < b));
        expect([...sortedTags([BigUint64Array.from(tags)])]).toEqual(sorted);
        const used = Uint8Array.from(tags, (one) => Number(one % 3n !== 0n));
        const some = sorted.filter((one) => one % 3n !== 0n);
        expect([...sortedTags([BigUint64Array.from(tags)], used)]).toEqual(some);
      }),
    );
  });

  it('stay in order over many blocks', () => {
    const values = Float64Array.from({ length: 150_001 }, (_, r) => r);
    const tags = tagger(key);
    tags.add(70_001, [values.subarray(0, 70_001)]);
    tags.add(80_000, [values.subarray(70_001)]);
    const all = tagsInOrder(tags.parts());
    expect(all.length).toBe(values.length);
    for (const r of [0, 65_535, 65_536, 70_001, 131_072, 150_000]) {
      expect(all[r]).toBe(tagTwin(key, [r]));
    }
  });

  it('are equal exactly for equal rows: −0 is 0, and missing is missing', () => {
    fc.assert(
      fc.property(table, (rows) => {
        const tags = rows.map((row) => tagsOf([row])[0]);
        const wrong = rows.flatMap((a, j) =>
          rows.filter((b, k) => (tags[j] === tags[k]) !== same(a, b)).map((b) => [a, b]),
        );
        expect(wrong).toEqual([]);
      }),
      { numRuns: 40 },
    );
    const strange = new Float64Array(new Uint32Array([1, 0x7ff00000, 7, 0xfff80000]).buffer);
    expect(tagsOf([[strange[0]]])).toEqual(tagsOf([[Number.NaN]]));
    expect(tagsOf([[strange[1]]])).toEqual(tagsOf([[Number.NaN]]));
  });

  it('do not depend on the order of rows, nor on blocks or threads', () => {
    fc.assert(
      fc.property(table, fc.nat(30), fc.integer(), (rows, cut, seed) => {
        const shuffled = rows
          .map((row, k) => ({ row, at: Math.sin(seed + 13 * k) }))
          .sort((a, b) => a.at - b.at)
          .map(({ row }) => row);
        const whole = tagsOf(rows);
        expect(tagsOf(shuffled)).toEqual(whole);
        const parts = [rows.slice(0, cut), rows.slice(cut)].map((part) => tagsOf(part));
        expect(joinTags(parts)).toEqual(whole);
        expect(structuredClone(whole)).toEqual(whole);
        expect(tagsFromBytes(tagBytes(whole))).toEqual(whole);
      }),
    );
  });

  it('are of the rows that count alone', () => {
    const columns = [Float64Array.of(1, 2, 3, 4), Float64Array.of(5, 6, 7, 8)];
    const tags = tagger(key);
    tags.add(2, columns, (r) => [3, 1][r]);
    tags.add(0, columns, (r) => r);
    expect(tags.finish()).toEqual(
      tagsOf([
        [2, 6],
        [4, 8],
      ]),
    );
  });

  it('are others under another key, and sensitive to the order of columns', () => {
    const rows = Array.from({ length: 200 }, (_, r) => [r, r + 0.5]);
    const other = Uint32Array.from(key, (word, k) => (k === 3 ? word ^ 1 : word));
    const all = [
      ...tagsOf(rows),
      ...tagsOf(rows, other),
      ...tagsOf(rows.map((row) => row.toReversed())),
    ];
    expect(new Set(all).size).toBe(600);
  });

  it('keep many rows, more than a first buffer', () => {
    const rows = Array.from({ length: 20_000 }, (_, r) => [r]);
    const tags = tagger(key);
    const column = Float64Array.from(rows, ([value]) => value);
    for (let from = 0; from < rows.length; from += 999) {
      tags.add(Math.min(999, rows.length - from), [column], (r) => from + r);
    }
    expect(tags.finish()).toEqual(tagsInOrder(tags.parts()).sort());
    expect(tags.finish()).toEqual(tagsOf(rows));
  });

  it('are read from bytes within a larger buffer, even if there are none', () => {
    const tags = tagsOf([[1], [2], [3]]);
    const around = Buffer.concat([Buffer.alloc(8, 0xff), tagBytes(tags), Buffer.alloc(8)]);
    expect(tagsFromBytes(around.subarray(8, 32))).toEqual(tags);
    expect(tagsFromBytes(around.subarray(8, 8))).toEqual(tagsOf([]));
  });

  it('are not read from bytes that are none', () => {
    const tags = tagsOf([[1], [2], [3]]);
    expect(tagsFromBytes(tagBytes(tags).subarray(0, 20))).toBeUndefined();
    expect(tagsFromBytes(tagBytes(tags.slice().reverse()))).toBeUndefined();
  });
});

describe('what a cell says', () => {
  const { cell, person } = sayings(key);
  const said = (numbers: boolean): SaidColumn => ({
    type: 'said',
    numbers: numbers ? 'plain' : 'none',
    says: numbers ? cell : person,
  });

  it('is the number, with either mark and blanks around it, and true or false', () => {
    const same = [
      ['1.5', ' 1.50', '1,5', '15e-1', '+1.5'],
      ['0', '-0', 'false', 'FALSE'],
      ['1', 'True'],
    ];
    for (const texts of same) expect(new Set(texts.map((text) => cell(text) + 0)).size).toBe(1);
    expect([cell('1,5'), cell('TRUE'), cell('007')]).toEqual([1.5, 1, 7]);
  });

  it('is nothing where the cell is empty, and no number where it is text', () => {
    expect([cell(''), cell('  '), person(' ')]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
    const texts = ['NA', 'female', 'male', 'Male', '1e200', '0x1', 'é', 'a'.repeat(100)];
    const values = texts.map(cell);
    expect(new Set(values).size).toBe(texts.length);
    for (const value of values) expect(Math.abs(value)).toBeGreaterThanOrEqual(2 ** 1023);
    expect(values.every(Number.isFinite)).toBe(true);
    // Another site has another key, and another saying.
    expect(sayings(Uint32Array.of(1, 2, 3, 4)).cell('female')).not.toBe(cell('female'));
  });

  it('of a person is exact, without zeros before a number and the ".0" of a whole one', () => {
    expect(person('007')).toBe(person('7'));
    expect([person('1017.0'), person('01017,0')]).toEqual([person('1017'), person('1017')]);
    expect(new Set(['10', '1.00', '1,000', '1.5', 'p1.0', '.0'].map(person)).size).toBe(6);
    expect(person('0')).not.toBe(person(''));
    expect(person('9007199254740993')).not.toBe(person('9007199254740992'));
    expect(person('p07')).not.toBe(person('p7'));
  });

  it.each([
    ['numbers', 'DOUBLE', [1, 2.5, -0, 1e100, null], true],
    ['whole numbers', 'INT64', [1n, 12n, -7n, 9007199254740993n, null], true],
    ['truth values', 'BOOLEAN', [true, false, true, null, false], true],
    ['texts', 'STRING', ['a', '1.5', 'é', '', null], true],
    ['ids', 'INT64', [7n, 9007199254740993n, 9007199254740992n, 0n, null], false],
    ['ids as texts', 'STRING', ['007', 'x', '', '12', null], false],
  ] as const)('is the same in CSV and in Parquet: %s', async (_, type, data, numbers) => {
    const bytes = parquetWriteBuffer({
      columnData: [{ name: 'x', data: [...data], type }],
    } as Parameters<typeof parquetWriteBuffer>[0]);
    const buffer = {
      byteLength: bytes.byteLength,
      slice: (start: number, end?: number) => bytes.slice(start, end),
    };
    const found: number[] = [];
    const plan = { file: 'x.parquet', columns: [{ name: 'x', column: said(numbers) }] };
    await readParquet(buffer, plan, (block) => found.push(...block.columns[0]));
    const text = `x,y\n${data.map((value) => `${value ?? ''},1`).join('\n')}\n`;
    const [read] = readText(text, { x: said(numbers), y: { type: 'number' } } as never);
    expect(found.map((value) => value + 0)).toEqual([...read].map((value) => value + 0));
    expect(found.length).toBe(data.length);
  });
});

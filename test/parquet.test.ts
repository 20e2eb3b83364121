import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { AsyncBuffer } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { DataError } from '../src/data-error.ts';
import type { Column } from '../src/study/codebook.ts';
import { MOST_TEXTS, mergeDrafts } from '../src/table/draft.ts';
import { draftCodebook } from '../src/table/draft-codebook.ts';
import { draftParquet } from '../src/table/draft-parquet.ts';
import { parquetHeader, readParquet } from '../src/table/parquet.ts';

type Write = Parameters<typeof parquetWriteBuffer>[0];

function written(options: Omit<Write, 'writer'>): AsyncBuffer {
  return held(parquetWriteBuffer(options as Write));
}

function held(bytes: ArrayBuffer): AsyncBuffer {
  return { byteLength: bytes.byteLength, slice: (start, end) => bytes.slice(start, end) };
}

const vector = (name: string) => readFileSync(new URL(`./vectors/${name}`, import.meta.url));

/** All cells of all columns, copied out of the blocks. */
async function cells(
  buffer: AsyncBuffer,
  columns: Record<string, Column>,
  range?: { fromGroup: number; toGroup: number },
): Promise<number[][]> {
  const plan = {
    file: 'site.parquet',
    columns: Object.entries(columns).map(([name, column]) => ({ name, column })),
  };
  const read: number[][] = plan.columns.map(() => []);
  await readParquet(
    buffer,
    plan,
    (block) => {
      for (const [i, column] of block.columns.entries()) {
        expect(column.length).toBe(block.rows);
        read[i]!.push(...column);
      }
    },
    range,
  );
  return read;
}

async function refusal(buffer: AsyncBuffer, columns: Record<string, Column>): Promise<DataError> {
  const error = await cells(buffer, columns).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DataError);
  return error as DataError;
}

const number: Column = { type: 'number' };
const { NaN: nan } = Number;

describe('a number column', () => {
  it.each([
    ['doubles', { type: 'DOUBLE', data: [1.5, -2, 0.1] }, [1.5, -2, 0.1]],
    ['floats', { type: 'FLOAT', data: [1.5, -2, 0.25] }, [1.5, -2, 0.25]],
    ['int32', { type: 'INT32', data: [1, -2, 2 ** 31 - 1] }, [1, -2, 2 ** 31 - 1]],
    ['int64', { type: 'INT64', data: [1n, -2n, 2n ** 40n] }, [1, -2, 2 ** 40]],
    [
      'int64 beyond 2⁵³, to the nearest double',
      { type: 'INT64', data: [2n ** 53n + 1n, -(2n ** 62n) - 513n, 2n ** 63n - 1n] },
      [2 ** 53, -(2 ** 62) - 1024, 2 ** 63],
    ],
    ['booleans', { type: 'BOOLEAN', data: [true, false, true] }, [1, 0, 1]],
    ['nulls', { type: 'DOUBLE', data: [1, null, 3], nullable: true }, [1, nan, 3]],
    ['null int64', { type: 'INT64', data: [null, 7n, null], nullable: true }, [nan, 7, nan]],
    ['all null', { type: 'DOUBLE', data: [null, null], nullable: true }, [nan, nan]],
    ['texts', { type: 'STRING', data: ['1.5', ' 2 ', 'NA', ''] }, [1.5, 2, nan, nan]],
    [
      'a dictionary',
      { type: 'DOUBLE', data: [1.5, 1.5, 2.5, 1.5], encoding: 'RLE_DICTIONARY' },
      [1.5, 1.5, 2.5, 1.5],
    ],
    [
      'byte stream split',
      { type: 'DOUBLE', data: [1.5, 0.1, 2.5], encoding: 'BYTE_STREAM_SPLIT' },
      [1.5, 0.1, 2.5],
    ],
    [
      'delta coding',
      { type: 'INT64', data: [5n, 7n, -9n], encoding: 'DELTA_BINARY_PACKED' },
      [5, 7, -9],
    ],
  ] as const)('holds %s', async (_, source, expected) => {
    const columnData = [{ name: 'x', ...source }] as unknown as Write['columnData'];
    expect(await cells(written({ columnData }), { x: number })).toEqual([expected]);
  });

  it('holds decimals, rounded as their digits would be', async () => {
    const whole = [123, 7, -1999, 29];
    const buffer = written({
      schema: [
        { name: 'root', num_children: 1 },
        {
          name: 'x',
          type: 'INT32',
          repetition_type: 'REQUIRED',
          converted_type: 'DECIMAL',
          scale: 2,
          precision: 6,
        },
      ],
      columnData: [{ name: 'x', data: whole.map((w) => w / 100) }],
    });
    expect(await cells(buffer, { x: number })).toEqual([[1.23, 0.07, -19.99, 0.29]]);
  });

  it('takes numbers listed as markers for missing', async () => {
    const buffer = written({ columnData: [{ name: 'x', data: [1, -99, 3], type: 'DOUBLE' }] });
    const column: Column = { type: 'number', missing: ['-99'] };
    expect(await cells(buffer, { x: column })).toEqual([[1, nan, 3]]);
    expect(await cells(buffer, { x: { ...column, range: [0, 5] } })).toEqual([[1, nan, 3]]);
  });

  it('takes NaN for missing only where the codebook lists it', async () => {
    const buffer = written({ columnData: [{ name: 'x', data: [1, nan], type: 'DOUBLE' }] });
    expect(await cells(buffer, { x: { type: 'number', missing: ['NaN'] } })).toEqual([[1, nan]]);
    expect((await refusal(buffer, { x: number })).message).toBe(
      'site.parquet, row 2, column "x": the value is not finite',
    );
  });

  it.each([
    [
      'infinity',
      { type: 'DOUBLE', data: [1, Number.POSITIVE_INFINITY] },
      'the value is not finite',
    ],
    ['what is outside the range', { type: 'DOUBLE', data: [1, 1234567] }, 'outside the range'],
    ['int64 outside the range', { type: 'INT64', data: [1n, 1234567n] }, 'outside the range'],
    [
      'a dictionary word outside the range',
      { type: 'INT32', data: [1, 1234567], encoding: 'RLE_DICTIONARY' },
      'outside the range',
    ],
    ['a text', { type: 'STRING', data: ['1', 'secret'] }, 'not a number'],
  ] as const)('refuses %s by row and column, without the value', async (_, source, problem) => {
    const columnData = [{ name: 'x', ...source }] as unknown as Write['columnData'];
    const error = await refusal(written({ columnData }), {
      x: { type: 'number', range: [0, 100] },
    });
    expect(error.message).toContain(problem);
    expect(error.place).toEqual({ file: 'site.parquet', row: 2, column: 'x' });
    expect(error.remedy).not.toBe('');
    expect(error.message + error.remedy).not.toMatch(/1234567|secret/);
  });

  it('refuses dates, with a remedy', async () => {
    const columnData = [{ name: 'x', data: [new Date(0)], type: 'TIMESTAMP' as const }];
    const error = await refusal(written({ columnData }), { x: number });
    expect(error.message).toContain('dates or times');
    expect(error.remedy).toContain('days since');
  });

  it('refuses what is neither a number nor a text', async () => {
    const columnData = [{ name: 'x', data: [{ a: 1 }], type: 'JSON' as const }];
    expect((await refusal(written({ columnData }), { x: number })).message).toContain('neither');
  });
});

describe('a category column', () => {
  const sex: Column = { type: 'category', levels: ['female', 'male'] };
  const coded: Column = { type: 'category', levels: ['1', '2'] };

  it.each([
    ['texts', { type: 'STRING', data: ['male', 'female', 'NA', ''] }, sex, [1, 0, nan, nan]],
    ['nulls', { type: 'STRING', data: ['male', null], nullable: true }, sex, [1, nan]],
    ['bytes', { type: 'BYTE_ARRAY', data: [new TextEncoder().encode('male')] }, sex, [1]],
    [
      'a dictionary',
      { type: 'STRING', data: ['male', 'male', 'female', 'male'], encoding: 'RLE_DICTIONARY' },
      sex,
      [1, 1, 0, 1],
    ],
    ['integers', { type: 'INT32', data: [2, 1] }, coded, [1, 0]],
    ['int64', { type: 'INT64', data: [2n, 1n] }, coded, [1, 0]],
    ['whole doubles', { type: 'DOUBLE', data: [2, 1] }, coded, [1, 0]],
    [
      'booleans',
      { type: 'BOOLEAN', data: [true, false] },
      { type: 'category', levels: ['false', 'true'] },
      [1, 0],
    ],
  ] as const)('holds %s', async (_, source, column, expected) => {
    const columnData = [{ name: 'x', ...source }] as unknown as Write['columnData'];
    expect(await cells(written({ columnData }), { x: column as Column })).toEqual([expected]);
  });

  it('refuses an unknown level without telling it', async () => {
    const columnData = [{ name: 'x', data: ['male', 'divers'], type: 'STRING' as const }];
    const error = await refusal(written({ columnData }), { x: sex });
    expect(error.message).toContain('site.parquet, row 2, column "x": not one of the 2 levels');
    expect(error.message).not.toContain('divers');
  });
});

describe('a file', () => {
  const rows = 10_000;
  const x = Float64Array.from({ length: rows }, (_, i) => Math.sin(i) * 100);
  const y = Array.from({ length: rows }, (_, i) => (i % 7 === 3 ? null : i / 8));
  const group = Array.from({ length: rows }, (_, i) => ['a', 'b', 'c'][i % 3]!);
  const columnData: Write['columnData'] = [
    { name: 'x', data: x, type: 'DOUBLE' },
    { name: 'y', data: y, type: 'DOUBLE', nullable: true },
    { name: 'group', data: group, type: 'STRING' },
  ];
  const codebook: Record<string, Column> = {
    group: { type: 'category', levels: ['a', 'b', 'c'] },
    y: { type: 'number', range: [0, 1250] },
    x: { type: 'number', range: [-100, 100] },
  };
  const expected = [group.map((g) => 'abc'.indexOf(g)), y.map((v) => v ?? nan), [...x]];

  it.each([
    ['uncompressed', { codec: 'UNCOMPRESSED' }],
    ['snappy', { codec: 'SNAPPY' }],
    [
      'gzip',
      { codec: 'GZIP', compressors: { GZIP: (b: Uint8Array) => new Uint8Array(gzipSync(b)) } },
    ],
    ['in row groups', { rowGroupSize: 3001 }],
    ['in small pages', { pageSize: 5000 }],
    ['in pages larger than the window', { pageSize: 2 ** 24, rowGroupSize: rows }],
  ] as const)('reads the same %s', async (_, options) => {
    const buffer = written({ columnData, ...options } as Omit<Write, 'writer'>);
    expect(await cells(buffer, codebook)).toEqual(expected);
  });

  it('is its row groups, one after the other', async () => {
    const buffer = written({ columnData, rowGroupSize: 3000 });
    const parts = [
      await cells(buffer, codebook, { fromGroup: 0, toGroup: 1 }),
      await cells(buffer, codebook, { fromGroup: 1, toGroup: 4 }),
    ];
    expect(parts[0]![0]!.length).toBe(3000);
    expect(expected.map((_, i) => parts.flatMap((part) => part[i]!))).toEqual(expected);
  });

  it('counts rows from the start of the file in every row group', async () => {
    const data = Float64Array.from({ length: 500 }, (_, i) => (i === 321 ? 2 : 1));
    const buffer = written({ columnData: [{ name: 'x', data }], rowGroupSize: 100 });
    const error = await refusal(buffer, { x: { type: 'number', range: [0, 1] } });
    expect(error.place.row).toBe(322);
  });

  it('tells of the earliest row when several columns are refused', async () => {
    const buffer = written({
      columnData: [
        { name: 'x', data: [1, 1, 9] },
        { name: 'y', data: [1, 9, 1] },
      ],
    });
    const small: Column = { type: 'number', range: [0, 5] };
    const { place } = await refusal(buffer, { x: small, y: small });
    expect(place).toEqual({ file: 'site.parquet', row: 2, column: 'y' });
  });

  it('tells its names, rows and row groups', async () => {
    expect(await parquetHeader(written({ columnData, rowGroupSize: 6000 }))).toEqual({
      header: ['x', 'y', 'group'],
      rows,
      rowGroups: [{ rows: 6000 }, { rows: 4000 }],
    });
  });

  it('lists what it has when a column is not there', async () => {
    const error = await refusal(written({ columnData }), { weight: number });
    expect(error.message).toBe('site.parquet, column "weight": no such column in the file');
    expect(error.remedy).toContain('"x", "y", "group"');
  });

  it('that is none, or is cut off, is refused', async () => {
    const whole = written({ columnData });
    const cut = { ...whole, byteLength: whole.byteLength - 100 };
    expect((await refusal(cut, codebook)).message).toContain('cannot be read');
    const bytes = new Uint8Array(await whole.slice(0, whole.byteLength));
    bytes.fill(255, 4, 3000);
    const damaged = { ...whole, slice: (a: number, b?: number) => bytes.slice(a, b).buffer };
    expect((await refusal(damaged, codebook)).name).toBe('DataError');
  });
});

describe.each(['parquet-v1-zstd', 'parquet-v2-lz4'])('%s.parquet', (name) => {
  const bytes = vector(`${name}.parquet`);
  const buffer = held(new Uint8Array(bytes).buffer);
  const table = JSON.parse(vector('parquet.json').toString()) as Record<string, unknown[]>;

  it.each(Object.keys(table))('holds the column %s', async (column) => {
    const isText = column === 'text' || column === 'category';
    const rule: Column = isText ? { type: 'category', levels: ['a', 'b', 'c'] } : number;
    const expected = table[column]!.map((value) =>
      value === null ? nan : isText ? 'abc'.indexOf(value as string) : Number(value),
    );
    expect(await cells(buffer, { [column]: rule })).toEqual([expected]);
  });

  it.each(['date', 'timestamp', 'time'])('is refused for its %s', async (column) => {
    expect((await refusal(buffer, { [column]: number })).message).toContain('dates or times');
  });

  it('drafts a codebook it can be read with', async () => {
    const wanted = Object.keys(table).filter((column) => column !== 'empty');
    const options = { texts: new Set(['int8']) };
    const draft = await draftParquet(buffer, wanted, 'a', options);
    const codebook = draftCodebook(draft, { factors: new Set(['int8']) });
    expect(codebook.double).toEqual({
      type: 'number',
      range: [-20, 299 / 7 - 20],
      missing: ['', 'NA'],
    });
    expect(codebook.category).toMatchObject({ type: 'category', levels: ['a', 'b', 'c'] });
    expect(codebook.int8).toMatchObject({ type: 'category' });
    expect(codebook.int8!.levels!.slice(0, 2)).toEqual(['-49', '-48']);
    expect((await cells(buffer, codebook))[0]!.length).toBe(300);

    const halves = [
      await draftParquet(buffer, wanted, 'a', options, { fromGroup: 0, toGroup: 1 }),
      await draftParquet(buffer, wanted, 'a', options, { fromGroup: 1, toGroup: 2 }),
    ] as const;
    const merged = mergeDrafts(...halves);
    expect(draftCodebook(merged, { factors: new Set(['int8']) })).toEqual(codebook);
  });
});

describe('a draft', () => {
  const draftOf = async (source: object, options?: Parameters<typeof draftParquet>[3]) => {
    const columnData = [{ name: 'x', ...source }] as unknown as Write['columnData'];
    const draft = await draftParquet(written({ columnData }), ['x'], 'site.parquet', options);
    return draft.columns.get('x')!;
  };

  it('counts null, NaN and markers as missing', async () => {
    const data = [1, null, nan, -99, 3];
    const source = { data, type: 'DOUBLE', nullable: true };
    const column = await draftOf(source, { missing: ['-99'] });
    expect(column).toMatchObject({ numbers: 2, min: 1, max: 3 });
    expect([...column.missing]).toEqual([
      ['', 1],
      ['NaN', 1],
      ['-99', 1],
    ]);
  });

  it('reads texts as a text file’s cells, unless every text is wanted', async () => {
    const source = { data: ['1', '02', 'NA', '2,5', 'x'], type: 'STRING' };
    const column = await draftOf(source);
    expect(column).toMatchObject({ numbers: 2, min: 1, max: 2, leadingZeros: 1, otherDecimals: 1 });
    expect([...column.texts!.keys()]).toEqual(['x']);
    expect([...column.doubts]).toEqual([['other mark', 1]]);
    expect(column.firstTexts).toEqual([{ file: 'site.parquet', at: 0, row: 4 }]);
    const every = await draftOf(source, { texts: new Set(['x']) });
    expect([...every.texts!.keys()]).toEqual(['1', '02', '2,5', 'x']);
    expect(every.numbers).toBe(0);
  });

  it('gives up on texts where there are too many', async () => {
    const data = Array.from({ length: MOST_TEXTS + 1 }, (_, i) => `text ${i}`);
    expect((await draftOf({ data, type: 'STRING' })).texts).toBeUndefined();
  });

  it('refuses infinity by row', async () => {
    const data = [1, Number.POSITIVE_INFINITY];
    await expect(draftOf({ data, type: 'DOUBLE' })).rejects.toThrow('row 2, column "x"');
  });
});

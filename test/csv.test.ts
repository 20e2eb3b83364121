import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ColumnToRead } from '../src/table/columns.ts';
import { csvReader } from '../src/table/csv.ts';
import { sniff } from '../src/table/dialect.ts';
import { chunkSizes, csvCases, csvMess } from './csv-arbitrary.ts';
import { readCase, readCaseTwin, readInRanges } from './csv-laws.ts';
import { pump, read, readText, utf8 } from './csv-read.ts';
import { cases } from './endurance.ts';

const runs = { numRuns: cases(600, 1 / 10) };

describe('a block', () => {
  it('says whether a cell of it is missing: by a text, a number, or an empty cell', () => {
    const text = 'x,s\n1,a\n2,b\n,a\n4,b\n5,NA\n6,a\n7,a\n8,b\n-9.0,a\n10,b\n11,a\n';
    const { dialect, header } = sniff(utf8(text), ['x', 's']);
    const columns: readonly ColumnToRead[] = [
      { name: 'x', column: { type: 'number', missing: ['', '-9'] } },
      { name: 's', column: { type: 'category', levels: ['a', 'b'] } },
    ];
    const complete: unknown[] = [];
    const plan = { file: 't.csv', dialect, header, columns };
    const reader = csvReader(plan, (block) => complete.push(block.complete), { blockRows: 2 });
    pump(reader, utf8(text), [3]);
    expect(complete).toEqual([true, false, false, true, false, true]);
  });
});

describe('the kernel reads what the twin reads', () => {
  it.each([
    ['files', csvCases],
    ['messes', csvMess],
  ] as const)('%s, in pieces of any size, in blocks of any length', (_, cases) => {
    fc.assert(
      fc.property(cases, chunkSizes, fc.integer({ min: 1, max: 5 }), (file, sizes, blockRows) => {
        expect(readCase(file, sizes, blockRows)).toEqual(readCaseTwin(file));
      }),
      runs,
    );
  });
});

describe('ranges of a file', () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 3 });

  it('that agree on their boundaries give the rows of the whole', () => {
    let agreed = 0;
    fc.assert(
      fc.property(csvCases, cuts, chunkSizes, (file, at, sizes) => {
        const columns = readInRanges(file, at, sizes);
        if (columns === undefined) return;
        agreed++;
        expect({ columns }).toEqual(readCaseTwin(file));
      }),
      runs,
    );
    expect(agreed).toBeGreaterThan(runs.numRuns / 4);
  });

  it('agree wherever nothing is quoted and nothing is refused', () => {
    fc.assert(
      fc.property(csvCases, cuts, chunkSizes, (file, at, sizes) => {
        const whole = readCaseTwin(file);
        fc.pre(!file.text.includes('"') && 'columns' in whole);
        expect(readInRanges(file, at, sizes)).toEqual('columns' in whole && whole.columns);
      }),
      runs,
    );
  });
});

describe('readText', () => {
  it('reads numbers, categories and missing cells in the order asked for', () => {
    const text = 'id,sex,"mass, g",x\n1,male,3750.5,a\n2,female,NA,"b\nc"\n3,,4e3,\n';
    expect(
      readText(text, {
        'mass, g': { type: 'number', unit: 'g', range: [2000, 8000] },
        sex: { type: 'category', levels: ['female', 'male'] },
      }),
    ).toEqual([
      [3750.5, Number.NaN, 4000],
      [1, 0, Number.NaN],
    ]);
  });

  it('a number that means missing does so in any spelling, inside or outside the range', () => {
    const missing = ['-999', '0'];
    expect(
      readText('x,y\n-999,1\n-999.0,0\n5,00\n-1,-2', {
        x: { type: 'number', range: [-2, 10], missing },
        y: { type: 'number', missing },
      }),
    ).toEqual([
      [Number.NaN, Number.NaN, 5, -1],
      [1, Number.NaN, Number.NaN, -2],
    ]);
  });

  it('a level listed in the codebook is not a default missing marker', () => {
    const country = { type: 'category', levels: ['NA', 'ZA'] } as const;
    expect(readText('country,x\nNA,1\nZA,1\n,1\n', { country })).toEqual([[0, 1, Number.NaN]]);
  });

  it('levels beyond 2⁵³ match by text alone', () => {
    const id = { type: 'category', levels: ['9007199254740992', '9007199254740993'] } as const;
    expect(readText('id\n9007199254740993\n9007199254740992\n', { id })).toEqual([[1, 0]]);
  });

  it('a decimal comma works bare between semicolons and quoted between commas', () => {
    const x = { type: 'number', decimal: ',' } as const;
    expect(readText('x;y\n1,5;a\n-2;b\n', { x })).toEqual([[1.5, -2]]);
    expect(readText('x,y\n"1,5",a\n-2,b\n', { x })).toEqual([[1.5, -2]]);
  });

  it('delivers one column twice where it is asked for twice', () => {
    const bytes = utf8('x\n1\n2\n');
    const x = { name: 'x', column: { type: 'number' } } as const;
    const plan = { file: 't.csv', ...sniff(bytes, ['x']), columns: [x, x] };
    expect(read(bytes, plan).columns).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });
});

describe('where a reader is', () => {
  const text = 'x\n1\n22\n333';
  const bytes = utf8(text);
  const columns = [{ name: 'x', column: { type: 'number' } }] as const;
  const plan = { file: 't.csv', ...sniff(bytes, ['x']), columns };

  it.each([
    [1, 2, 2, []],
    [2, 2, 2, []],
    [3, 2, 4, [1]],
    [4, 2, 4, [1]],
    [5, 2, 7, [1, 22]],
    [100, 2, 10, [1, 22, 333]],
  ])('up to %i it reads [%i, %i)', (stopAt, from, consumed, values) => {
    const expected = { columns: [values], rows: values.length, from, consumed };
    expect(read(bytes, plan, { stopAt })).toEqual(expected);
  });

  it.each([
    [2, 2, [1, 22, 333]],
    [3, 4, [22, 333]],
    [4, 4, [22, 333]],
    [5, 7, [333]],
    [8, 10, []],
  ])('from %i mid-file its first record is at %i', (start, from, values) => {
    const part = read(bytes.subarray(start - 1), plan, { startsMidFile: true });
    expect(part.from + start - 1).toBe(from);
    expect(part.consumed + start - 1).toBe(10);
    expect(part.columns).toEqual([values]);
  });

  it('refuses a commit of more bytes than there was space for', () => {
    const reader = csvReader(plan, () => {});
    expect(reader.space().length).toBeGreaterThanOrEqual(65536);
    expect(() => reader.commit(reader.space().length + 1)).toThrow(RangeError);
  });
});

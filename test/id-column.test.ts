import type { AsyncBuffer } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { createDesign } from '../src/features/design.ts';
import { judgeOffer } from '../src/protocol/judge-offer.ts';
import { offeredColumns } from '../src/site/offer.ts';
import type { Codebook, Column } from '../src/study/codebook.ts';
import { FormulaError, parseFormula } from '../src/study/formula.ts';
import { describer, joinDescriptions } from '../src/table/describe.ts';
import type { ColumnDraft } from '../src/table/draft.ts';
import { inMemoryBlock } from '../src/table/in-memory.ts';
import { readParquet } from '../src/table/parquet.ts';
import { readText } from './csv-read.ts';

const id: Column = { type: 'id' };
const { NaN: nan } = Number;

/** Ids as the order in which they were first met, which is all that their numbers may tell. */
function firstMet(ids: ArrayLike<number>): number[] {
  const order = new Map<number, number>();
  return Array.from(ids, (one) => {
    if (Number.isNaN(one)) return nan;
    if (!order.has(one)) order.set(one, order.size);
    return order.get(one)!;
  });
}

describe('equal texts of an id column are equal numbers, and no others are', () => {
  it('in a CSV file, blanks around them aside', () => {
    const text =
      'who,y\nann,1\n 007 ,2\n7,3\nann,4\nNA,5\n"an""n",6\n,7\n007,8\nANN,9\n"an""n",10\n';
    const [ids] = readText(text, { who: id, y: { type: 'number' } });
    expect(firstMet(ids)).toEqual([0, 1, 2, 0, nan, 3, nan, 1, 4, 3]);
  });

  it('where there are more people than spellings are kept of, in any cut of the file', () => {
    const people = 12_000;
    const names = Array.from({ length: 2 * people }, (_, r) => `p${(r * 7919) % people}`);
    const text = `who\n${names.join('\n')}\n`;
    const expected = firstMet(names.map((name) => Number(name.slice(1))));
    for (const sizes of [[65536], [1000, 7]]) {
      const [ids] = readText(text, { who: id }, {}, sizes);
      expect(firstMet(ids)).toEqual(expected);
    }
  });

  it('with missing markers of its own', () => {
    const [ids] = readText('who\nNA\nnobody\nx\n', { who: { type: 'id', missing: ['nobody'] } });
    expect(firstMet(ids)).toEqual([0, nan, 1]);
  });

  it.each([
    ['texts', ['b', 'a', 'b', null, '', 'NA', 'a'], [0, 1, 0, nan, nan, nan, 1]],
    [
      'whole numbers',
      [12n, 3n, 12n, null, 9007199254740993n, 9007199254740992n, 3n],
      [0, 1, 0, nan, 2, 3, 1],
    ],
  ])('in a Parquet file of %s', async (_, data, expected) => {
    const type = typeof data[0] === 'bigint' ? 'INT64' : 'STRING';
    const bytes = parquetWriteBuffer({
      columnData: [{ name: 'who', data, type }],
    } as Parameters<typeof parquetWriteBuffer>[0]);
    const buffer: AsyncBuffer = {
      byteLength: bytes.byteLength,
      slice: (start, end) => bytes.slice(start, end),
    };
    const ids: number[] = [];
    const plan = { file: 'site.parquet', columns: [{ name: 'who', column: id }] };
    await readParquet(buffer, plan, (block) => ids.push(...block.columns[0]));
    expect(firstMet(ids)).toEqual(expected);
  });

  it('in memory', () => {
    const cells = { who: ['a', 7, '7', null, undefined, '', 'a'] };
    const { columns } = inMemoryBlock([{ name: 'who', column: id }], cells);
    expect(firstMet(columns[0])).toEqual([0, 1, 1, nan, nan, nan, 0]);
  });
});

const codebook: Codebook = {
  y: { type: 'number', range: [0, 1] },
  x: { type: 'number', range: [0, 1] },
  who: id,
};

describe('a formula', () => {
  it.each([
    'y ~ who',
    'y ~ x + factor(who)',
    'who ~ x',
    'y ~ I(who == "ann")',
    'y ~ x + I(who * 2)',
    'y ~ . - who',
  ])('%s is refused by the name of the id column', (formula) => {
    try {
      createDesign(parseFormula(formula), codebook);
    } catch (failure) {
      expect(failure).toBeInstanceOf(FormulaError);
      expect(String(failure)).toContain('"who" is an id column; a formula cannot use it');
      expect(String((failure as FormulaError).remedy)).toContain('leave it out');
      return;
    }
    throw new Error('was not refused');
  });

  it('does not mean id columns by "."', () => {
    const { variables } = createDesign(parseFormula('y ~ .'), codebook);
    expect(variables).toEqual(['y', 'x']);
  });
});

describe('an offer', () => {
  const draftOf = (column: Partial<ColumnDraft>): ColumnDraft => ({
    everyText: false,
    numbers: 0,
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
    leadingZeros: 0,
    otherDecimals: 0,
    written: new Map(),
    doubts: new Map(),
    missing: new Map(),
    words: new Map(),
    texts: new Map(),
    firstTexts: [],
    ...column,
  });
  const wanted = [{ name: 'who', column: id }];
  const offered = (column: Partial<ColumnDraft>) =>
    offeredColumns(wanted, { segments: [], columns: new Map([['who', draftOf(column)]]) });

  it.each([
    ['any texts', { texts: new Map([['ann', 3]]) }],
    ['more texts than are kept', { texts: undefined }],
    ['numbers', { numbers: 4, min: 1, max: 4 }],
    ['a missing marker of another column', { missing: new Map([['-99', 2]]) }],
  ])('of %s is accepted, and tells none of them', (_, column) => {
    const offer = offered(column);
    expect(offer).toEqual([{ name: 'who', found: 'text', unknownTexts: 0, range: 'not-a-number' }]);
    expect(judgeOffer({ columns: wanted }, offer)).toEqual([]);
  });

  it('of nothing but missing cells is not, nor one without the column', () => {
    const empty = offered({ missing: new Map([['NA', 2]]) });
    expect(judgeOffer({ columns: wanted }, empty)).toMatchObject([
      { column: 'who', problem: 'every cell is missing' },
    ]);
    const absent = offeredColumns(wanted, { segments: [], columns: new Map() });
    expect(judgeOffer({ columns: wanted }, absent)).toMatchObject([
      { column: 'who', problem: 'the file has no such column' },
    ]);
  });
});

it('a description counts cells of an id column and tells nothing else', () => {
  const columns = [{ name: 'who', column: id }];
  const parts = [
    [0, nan, 5, 0],
    [nan, 1],
  ].map((ids) => {
    const one = describer(columns);
    one.add({ rows: ids.length, columns: [Float64Array.from(ids)] });
    return one.finish();
  });
  expect(joinDescriptions(parts)).toEqual({
    rows: 6,
    columns: { who: { kind: 'id', present: 4, missing: 2 } },
  });
});

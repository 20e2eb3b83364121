import fc from 'fast-check';
import type { Column } from '../src/study/codebook.ts';
import type { CsvPlan } from '../src/table/csv.ts';
import type { Dialect } from '../src/table/dialect.ts';

export interface CsvCase {
  readonly text: string;
  readonly plan: CsvPlan;
}

const columnKinds: readonly (Column | undefined)[] = [
  { type: 'number' },
  { type: 'number', range: [-100, 100], missing: ['', '-9', 'x'] },
  { type: 'number', missing: ['', 'NA', '0'], decimal: ',' },
  { type: 'category', levels: ['a', 'bb', 'a"b', 'line\nbreak', 'c,d', 'é'] },
  { type: 'category', levels: ['1', '2', '-3.5'] },
  undefined,
];

const goodCells: readonly (readonly string[])[] = [
  [
    '1',
    '-2.5',
    '3e2',
    '',
    'NA',
    ' 7 ',
    '"8"',
    '" 9 "',
    '0.1234567890123456789',
    '+4',
    '1e-320',
    '"\t5"',
    '  ',
    '" NA"',
  ],
  ['1', '-9', '-9.0', 'x', '', '"x"', '99.5', '-100'],
  ['"1,5"', '1,5', '0', '', '12', '-3', '"0,0"'],
  ['a', 'bb', '"a"', '"a""b"', '"line\nbreak"', '"c,d"', 'é', '', 'NA'],
  ['1', '1.0', '2', ' 2', '"-3.50"', '', '-35e-1'],
  ['', 'free text', '"quoted, text"', '"two\nlines"', '"say ""x"""', 'ü', 'a'.repeat(40)],
];

const badCells = [
  '1"2',
  '"a"b',
  '"open',
  'zz',
  '1,2',
  '1\r2',
  'Infinity',
  '1e200',
  '\u0000',
  '101',
];

const dialectOf = (delimiter: Dialect['delimiter'], newline: Dialect['newline']) => ({
  delimiter,
  newline,
});

/** Files of a few records under a random plan: mostly well formed, with a bad cell or a lost field now and then. */
export const csvCases: fc.Arbitrary<CsvCase> = fc
  .record({
    dialect: fc
      .tuple(fc.constantFrom(',', ';', '\t' as const), fc.constantFrom('lf', 'cr' as const))
      .map(([d, n]) => dialectOf(d as Dialect['delimiter'], n as Dialect['newline'])),
    kinds: fc.array(fc.nat(columnKinds.length - 1), { minLength: 1, maxLength: 5 }),
    picks: fc.array(fc.array(fc.nat(10_000), { minLength: 5, maxLength: 5 }), { maxLength: 12 }),
    mishaps: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 2, arbitrary: fc.array(fc.tuple(fc.nat(60), fc.nat(50)), { maxLength: 2 }) },
    ),
    lineEnds: fc.array(fc.nat(9), { minLength: 1, maxLength: 5 }),
    finalNewline: fc.boolean(),
  })
  .map(({ dialect, kinds, picks, mishaps, lineEnds, finalNewline }) => {
    const ends =
      dialect.newline === 'cr'
        ? ['\r', '\r', '\r\r']
        : ['\n', '\n', '\r\n', '\r\n', '\n\n', '\r\n\r\n', '\n\r\n'];
    const end = (i: number) => ends[lineEnds[i % lineEnds.length]! % ends.length]!;
    const names = kinds.map((_, i) => `c${i}`);
    const rows = picks.map((pick) =>
      kinds.map((kind, j) => {
        const cells = goodCells[kind]!;
        const cell = cells[pick[j]! % cells.length]!;
        return dialect.newline === 'cr' ? cell.replaceAll('\n', '\r') : cell;
      }),
    );
    for (const [where, what] of mishaps) {
      const row = rows[where % Math.max(1, rows.length)];
      if (row === undefined) continue;
      if (what < badCells.length) row[where % row.length] = badCells[what]!;
      else if (what < 20) row.push('1');
      else row.pop();
    }
    const header =
      names.join(dialect.delimiter) + end(0).slice(0, dialect.newline === 'cr' ? 1 : 2);
    const body = rows
      .map((row, i) => row.join(dialect.delimiter) + end(i + 1))
      .join('')
      .slice(0, finalNewline ? undefined : -1);
    const headerBytes = names.join('x').length + (header.endsWith('\r\n') ? 2 : 1);
    const columns = kinds.flatMap((kind, i) => {
      const column = columnKinds[kind];
      const fits =
        column?.type === 'category' && dialect.newline === 'cr'
          ? { ...column, levels: column.levels.map((l) => l.replaceAll('\n', '\r')) }
          : column;
      return fits === undefined ? [] : [{ name: names[i]!, column: fits }];
    });
    const plan: CsvPlan = {
      file: 't.csv',
      dialect: { ...dialect, headerBytes },
      header: names,
      columns,
    };
    return {
      text: names.join(dialect.delimiter) + header.slice(names.join('x').length) + body,
      plan,
    };
  });

/** Any mess over the characters that matter, read under a fixed plan. */
export const csvMess: fc.Arbitrary<CsvCase> = fc
  .tuple(
    fc.array(
      fc.constantFrom(
        'a',
        '1',
        '2',
        ',',
        ',',
        ';',
        '"',
        '"',
        '\n',
        '\r',
        '\r\n',
        ' ',
        '.',
        '-',
        'e',
        'NA',
        '\t',
        'é',
        '\0',
      ),
      { maxLength: 40 },
    ),
    fc.constantFrom('lf', 'cr' as const),
    fc.subarray([0, 1, 3, 4]),
  )
  .map(([pieces, newline, kinds]) => {
    const end = newline === 'cr' ? '\r' : '\n';
    const header = ['c0', 'c1'];
    return {
      text: `c0,c1${end}${pieces.join('')}`,
      plan: {
        file: 't.csv',
        dialect: { delimiter: ',', newline: newline as Dialect['newline'], headerBytes: 6 },
        header,
        columns: kinds
          .slice(0, 2)
          .map((kind, i) => ({ name: header[i]!, column: columnKinds[kind]! })),
      },
    };
  });

export const chunkSizes: fc.Arbitrary<number[]> = fc.array(fc.integer({ min: 1, max: 30 }), {
  minLength: 1,
  maxLength: 4,
});

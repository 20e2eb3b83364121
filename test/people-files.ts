import { parquetWriteBuffer } from 'hyparquet-writer';
import { type Name, names, rows } from './people-rows.ts';

type Cells = { readonly [name in Name]?: (plain: string, row: number) => string };

interface Layout {
  readonly delimiter?: string;
  readonly newline?: string;
  readonly before?: string;
  /** All numbers with this decimal mark. */
  readonly mark?: string;
  readonly missing?: string;
  readonly quote?: 'all' | 'texts';
  /** Further columns, which nobody asks for. */
  readonly more?: Readonly<Record<string, (row: number) => string>>;
}

const NUMBERS: readonly string[] = ['stay', 'age', 'cost', 'share', 'admitted'];

function written(cells: Cells, layout: Layout = {}): string {
  const { delimiter = ',', newline = '\n', before = '', mark = '.', missing = '' } = layout;
  const more = Object.entries(layout.more ?? {});
  const quoted = (text: string, isNumber: boolean) => {
    const must = text.includes(delimiter) || text.includes('"');
    const may = layout.quote === 'all' || (layout.quote === 'texts' && !isNumber);
    return must || (may && text !== 'NA') ? `"${text}"` : text;
  };
  const lines = rows.map((row, r) => [
    ...more.map(([, cell]) => quoted(cell(r), false)),
    ...names.map((name) => {
      const isNumber = NUMBERS.includes(name);
      const plain = isNumber ? row[name].replace('.', mark) : row[name];
      const cell = row[name] === '' ? missing : (cells[name]?.(plain, r) ?? plain);
      return quoted(cell, isNumber);
    }),
  ]);
  const header = [...more.map(([name]) => name), ...names].map((name) => quoted(name, false));
  return before + [header, ...lines].map((line) => line.join(delimiter) + newline).join('');
}

const BOM = '\ufeff';
const utf16 = (text: string) => Buffer.from(`${BOM}${text}`, 'utf16le');
const swapped = (text: string) => utf16(text).swap16();

const dayOf = (days: string) => new Date(Number(days) * 86_400_000).toISOString().slice(0, 10);
const dates = (order: (y: string, m: string, d: string) => string) => (days: string) => {
  const [y, m, d] = dayOf(days).split('-') as [string, string, string];
  return order(y, m, d);
};
const MONTHS = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ');
const sas = dates((y, m, d) => `${d}${MONTHS[Number(m) - 1]}${y}`);

/** Groups of three digits before a mark: 1234.50 as 1,234.50. */
const grouped = (between: string) => (plain: string) =>
  plain.replace(/^\d+/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, between));

const german = { delimiter: ';', newline: '\r\n', mark: ',' } as const;
const every = (n: number, text: string) => (plain: string, r: number) =>
  r % n === 0 ? text : plain;

/** A file as a program writes it: read as the plain one, or refused. */
export interface PeopleFile {
  readonly name: string;
  readonly content: string | Buffer;
  /** What a draft and a site say of it; absent where they read it right. */
  readonly draft?: string;
  readonly join?: string;
}

const plainCsv = written({});
export const plain: PeopleFile = { name: 'plain.csv', content: plainCsv };

function parquet(): Buffer {
  const texts = (name: Name) => ({
    name,
    type: 'STRING' as const,
    data: rows.map((row) => row[name]),
  });
  const numbers = (name: Name) => ({
    name,
    type: 'DOUBLE' as const,
    data: rows.map((row) => (row[name] === '' ? null : Number(row[name]))),
  });
  const diabetes = rows.map((row) => row.diabetes === 'TRUE');
  return Buffer.from(
    parquetWriteBuffer({
      columnData: [
        ...(['stay', 'age', 'cost', 'share', 'admitted'] as const).map(numbers),
        ...(['sex', 'grade'] as const).map(texts),
        { name: 'diabetes', type: 'BOOLEAN', data: diabetes },
      ],
    }),
  );
}

const read = (name: string, content: string | Buffer): PeopleFile => ({ name, content });
const refused = (
  name: string,
  content: string | Buffer,
  draft: string,
  join = draft,
): PeopleFile => ({
  name,
  content,
  draft,
  join,
});

export const peopleFiles: readonly PeopleFile[] = [
  // Excel
  read('excel-uk.csv', BOM + written({}, { newline: '\r\n' })),
  read('excel-de.csv', BOM + written({}, german)),
  read('excel-de-sep.csv', written({}, { ...german, before: 'sep=;\r\n' })),
  read('excel-de-thousands.csv', BOM + written({ cost: grouped('.') }, german)),
  read('excel-us-thousands.csv', written({ cost: grouped(',') }, { newline: '\r\n' })),
  read('excel-fr.csv', BOM + written({ cost: grouped('\u202f') }, german)),
  read('excel-fr-older.csv', written({ cost: grouped('\u00a0') }, german)),
  read('excel-ch.csv', written({ cost: grouped("'") }, { delimiter: ';' })),
  read(
    'excel-unicode-text.txt',
    utf16(written({}, { delimiter: '\t', newline: '\r\n', mark: ',' })),
  ),
  read('utf-16be.csv', swapped(written({}))),
  read('excel-error-cells.csv', written({}, { missing: '#N/A' })),
  read('excel-percent.csv', written({ share: (plain) => `${plain}%` })),
  read('excel-de-percent.csv', written({ share: (plain) => `${plain} %` }, german)),
  read('excel-euro.csv', written({ cost: (plain) => `€${grouped(',')(plain)}` })),
  read('excel-de-euro.csv', written({ cost: (plain) => `${grouped('.')(plain)} €` }, german)),
  read('excel-de-eur.csv', written({ cost: (plain) => `${plain} EUR` }, german)),
  read('excel-de-dates.csv', written({ admitted: dates((y, m, d) => `${d}.${m}.${y}`) }, german)),
  read('excel-uk-dates.csv', written({ admitted: dates((y, m, d) => `${d}/${m}/${y}`) })),
  read(
    'excel-us-dates.csv',
    written({ admitted: dates((y, m, d) => `${Number(m)}/${Number(d)}/${y}`) }),
  ),
  read('excel-jp-dates.csv', written({ admitted: dates((y, m, d) => `${y}/${m}/${d}`) })),
  read('mac-line-ends.csv', written({}, { newline: '\r' })),
  // R, pandas, SAS, Stata, databases
  read(
    'r-write-csv.csv',
    written({}, { quote: 'texts', missing: 'NA', more: { '': (r) => String(r + 1) } }),
  ),
  read(
    'r-write-csv2.csv',
    written({}, { delimiter: ';', mark: ',', quote: 'texts', missing: 'NA' }),
  ),
  read(
    'pandas.csv',
    written({ diabetes: (plain) => (plain === 'TRUE' ? 'True' : 'False') }, { missing: 'nan' }),
  ),
  read(
    'pandas-dates.csv',
    written({ admitted: (days) => `${dayOf(days)} 00:00:00` }, { missing: 'NaN' }),
  ),
  read(
    'json-booleans.csv',
    written({ diabetes: (plain) => plain.toLowerCase() }, { missing: 'null' }),
  ),
  read('bits.csv', written({ diabetes: (plain) => (plain === 'TRUE' ? '1' : '0') })),
  read('sas.csv', written({ admitted: sas }, { missing: '.' })),
  read(
    'sas-datetime.csv',
    written({ admitted: (days) => `${sas(days)}:13:45:00` }, { missing: '.' }),
  ),
  read('iso-datetime.csv', written({ admitted: (days) => `${dayOf(days)}T13:45:00Z` })),
  read('sql-server.csv', written({ admitted: dayOf }, { missing: 'NULL' })),
  read('python-none.csv', written({}, { missing: 'None' })),
  read('people.parquet', parquet()),
  // Hospital systems
  read('not-available.csv', written({}, { missing: 'n/a' })),
  read('not-available-capitals.csv', written({}, { missing: 'N/A' })),
  read('dashes.csv', written({}, { missing: '-', delimiter: ';', mark: ',' })),
  read('missing-in-words.csv', written({}, { missing: 'missing' })),
  read(
    'padded.csv',
    written({
      sex: (plain, r) => (r % 2 ? ` ${plain}` : `${plain}  `),
      age: (plain) => ` ${plain} `,
    }),
  ),
  read('all-quoted.csv', written({}, { quote: 'all' })),
  read(
    'ids-and-names.csv',
    written(
      {},
      {
        more: {
          id: (r) => String(r).padStart(6, '0'),
          name: (r) => `Anna Muster${r}`,
          remark: (r) => `came, ${r}`,
        },
      },
    ),
  ),
  read('blank-lines.csv', written({}).replaceAll('\n', '\n\n')),
  // What can be read in two ways, or not at all
  refused(
    'title-above.csv',
    `Export of ward 7\n${plainCsv}`,
    'the column names are in line 2, below other text',
  ),
  refused(
    'r-write-table.csv',
    plainCsv.replace(/\n(?=.)/g, '\n"7",'),
    'found 9 fields, the header has 8',
  ),
  refused(
    'latin1.csv',
    Buffer.from(written({}, { more: { größe: () => 'ä' } }), 'latin1'),
    'the header is not valid UTF-8',
  ),
  refused(
    'one-group.csv',
    written({
      stay: (p) => p.split('.')[0]!,
      age: (p) => p.split('.')[0]!,
      share: (p) => p.split('.')[0]!,
      cost: (_, r) => `${1 + (r % 4)},${100 + r}`,
    }),
    '130 of 130 cells look like 1,234, which is 1234 or 1.234',
  ),
  refused(
    'both-marks.csv',
    written({ age: (plain, r) => (r < 30 ? plain.replace('.', ',') : plain) }, { delimiter: ';' }),
    '29 of 127 cells have another decimal mark than the rest',
    'column "age"',
  ),
  refused(
    'slashes.csv',
    written({ admitted: (_, r) => `0${1 + (r % 9)}/0${1 + ((r * 5) % 9)}/2024` }),
    '115 of 130 cells look like 03/04/2024, which is in April or in March',
  ),
  refused(
    'short-years.csv',
    written({ admitted: dates((y, m, d) => `${d}.${m}.${y.slice(2)}`) }),
    '130 of 130 cells look like a date whose year has two digits',
  ),
  refused(
    'remarks-in-numbers.csv',
    written({ age: every(40, 'see letter') }),
    'text in a column of numbers: 4 of 127 cells',
    'column "age"',
  ),
  refused(
    'detection-limit.csv',
    written({ share: every(10, '<0.5') }),
    'text in a column of numbers: 13 of 130 cells',
    'column "share"',
  ),
  {
    name: 'mixed-percent.csv',
    content: written({ share: (plain, r) => (r % 2 ? `${plain}%` : plain) }),
    // With the unit in the study, a bare number is one too.
    draft: 'the numbers are not all written alike: 65 with %, 65 bare numbers',
  },
  {
    name: 'dollars.csv',
    content: written({ cost: (plain) => `$${plain}` }),
    join: 'column "cost"',
  },
  refused(
    'two-currencies.csv',
    written({ cost: (plain, r) => (r % 2 ? `$${plain}` : `€${plain}`) }),
    'the numbers are not all written alike: 65 with €, 65 with $',
    'column "cost"',
  ),
];

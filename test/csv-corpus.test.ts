import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withFlags } from '../src/cli/option-text.ts';
import type { Column } from '../src/study/codebook.ts';
import { csvReader } from '../src/table/csv.ts';
import { LONGEST_RECORD } from '../src/table/csv-stream.ts';
import { sniff } from '../src/table/dialect.ts';
import { detectEncoding, transcode } from '../src/table/encoding.ts';
import { readText, refusal, utf8 } from './csv-read.ts';

const corpus = new URL('corpus/', import.meta.url);

function load(name: string, declared?: string): Uint8Array {
  const bytes = new Uint8Array(readFileSync(new URL(name, corpus)));
  const { push, end } = transcode(detectEncoding(bytes, declared), name);
  return new Uint8Array([...push(bytes), ...end()]);
}

const codebook: Readonly<Record<string, Column>> = {
  x: { type: 'number', range: [-10, 1000] },
  group: { type: 'category', levels: ['a', 'b'] },
};

describe('files that say the same in other words', () => {
  it.each([
    'plain.csv',
    'bom.csv',
    'crlf-without-final-newline.csv',
    'cr-only.csv',
    'blank-lines.csv',
    'tabs.csv',
    'quoted-everything.csv',
    'quoted-newlines.csv',
    'padded-numbers.csv',
    'utf16le.csv',
    'utf16be.csv',
    'utf16le-without-bom.csv',
  ])('%s', (name) => {
    for (const sizes of [[65536], [1], [3, 7]]) {
      expect(readText(load(name), codebook, {}, sizes)).toEqual([
        [1.5, -2, Number.NaN],
        [0, 1, 0],
      ]);
    }
  });

  it('semicolons-decimal-comma.csv', () => {
    const x: Column = { type: 'number', decimal: ',' };
    expect(readText(load('semicolons-decimal-comma.csv'), { x })).toEqual([[1.5, -2, Number.NaN]]);
  });

  it.each([
    ['one-row.csv', [[1.5], [0]]],
    ['header-only.csv', [[], []]],
  ])('%s', (name, columns) => {
    expect(readText(load(name), codebook)).toEqual(columns);
  });

  it('all-f.csv is a category, never false', () => {
    const group: Column = { type: 'category', levels: ['F', 'M'] };
    expect(readText(load('all-f.csv'), { group })).toEqual([[0, 0, 0]]);
  });

  it('latin1.csv, once its encoding is declared', () => {
    const group: Column = { type: 'category', levels: ['a', 'é'] };
    expect(readText(load('latin1.csv', 'latin1'), { group })).toEqual([[0, 1]]);
  });

  it('nan.csv has a missing cell', () => {
    const [x] = readText(load('nan.csv'), { x: { type: 'number' } });
    expect(x![1]).toBeNaN();
  });

  it('big-ids.csv keeps ids beyond 2⁵³ apart', () => {
    const id: Column = { type: 'category', levels: ['9007199254740993', '9007199254740992'] };
    expect(readText(load('big-ids.csv'), { id })).toEqual([[1, 0]]);
  });
});

describe('files that are refused, with where, why and what to do', () => {
  const refused: readonly (readonly [string, string, RegExp, RegExp])[] = [
    ['empty.csv', 't.csv', /is empty/, /header line/],
    ['only-newlines.csv', 't.csv', /is empty/, /header line/],
    ['ragged-short.csv', 't.csv, row 2', /found 1 field, the header has 2/, /every column/],
    ['ragged-long.csv', 't.csv, row 2', /found 3 fields, the header has 2/, /delimiter/],
    ['latin1.csv', 't.csv, row 2, column "group"', /not valid UTF-8/, /--encoding latin1/],
    ['latin1-header.csv', 't.csv', /not valid UTF-8/, /--encoding latin1/],
    ['duplicate-header.csv', 't.csv', /names column "x" twice/, /Rename/],
    ['thousands-quoted.csv', 't.csv, row 2, column "x"', /5 characters.*thousands/, /Remove/],
    ['thousands-bare.csv', 't.csv, row 2', /found 3 fields/, /thousands/],
    ['decimal-comma-undeclared.csv', 't.csv, row 2, column "x"', /decimal comma/, /"decimal"/],
    ['percent.csv', 't.csv, row 2, column "x"', /with a unit/, /number alone/],
    ['currency.csv', 't.csv, row 1, column "x"', /with a unit/, /number alone/],
    ['unit.csv', 't.csv, row 1, column "x"', /with a unit/, /codebook/],
    ['date.csv', 't.csv, row 1, column "x"', /10 characters.*date/, /days/],
    ['infinity.csv', 't.csv, row 2, column "x"', /not finite/, /missing marker/],
    ['inf-by-overflow.csv', 't.csv, row 1, column "x"', /larger than 1e\+150/, /Rescale/],
    ['1e308.csv', 't.csv, row 1, column "x"', /larger than 1e\+150/, /Rescale/],
    ['hex.csv', 't.csv, row 1, column "x"', /not a number: text of 4/, /./],
    ['underscore.csv', 't.csv, row 1, column "x"', /not a number: text of 5/, /./],
    ['stray-quote.csv', 't.csv, row 2, column "group"', /quote inside a cell/, /twice/],
    ['text-after-quote.csv', 't.csv, row 1, column "x"', /after the closing quote/, /twice/],
    ['unterminated-quote.csv', 't.csv, row 2', /ends inside a quoted cell/, /cut off/],
    ['unclosed-header.csv', 't.csv', /never closed/, /Close/],
    ['nul-in-category.csv', 't.csv, row 1, column "group"', /not valid UTF-8 text/, /--encoding/],
    ['nul-in-number.csv', 't.csv, row 1, column "x"', /not valid UTF-8 text/, /--encoding/],
    ['unknown-level.csv', 't.csv, row 2, column "group"', /the 2 levels.*1 character/, /./],
    ['level-with-space.csv', 't.csv, row 1, column "group"', /the 2 levels/, /in case, in spaces/],
    ['missing-column.csv', 't.csv', /lacks columns "x", "group".*"X", "Group"/, /rename "X" to/],
    ['out-of-range.csv', 't.csv, row 2, column "x"', /outside the range \[-10, 1000\]/, /unit/],
  ];

  it.each(refused)('%s', (name, place, problem, remedy) => {
    for (const sizes of [[65536], [1]]) {
      const error = refusal(() => readText(load(name), codebook, {}, sizes));
      expect(error.message.startsWith(place)).toBe(true);
      expect(error.message).toMatch(problem);
      expect(withFlags(error.remedy, error.option)).toMatch(remedy);
    }
  });

  it('no message carries a cell', () => {
    const secrets = ['1,234', '12.5', '70kg', '2024', 'pipe', '1001', '0x10', '1_000', '€5'];
    for (const [name] of refused) {
      const { message, remedy } = refusal(() => readText(load(name), codebook));
      for (const secret of secrets) expect(message + remedy).not.toContain(secret);
    }
  });

  it('every file of the corpus is in some list above', () => {
    const source = readFileSync(new URL(import.meta.url), 'utf8');
    for (const name of readdirSync(corpus)) {
      if (name.endsWith('.csv')) expect(source).toContain(`'${name}'`);
    }
  });
});

describe('a record longer than 16 MiB is refused in flat memory', () => {
  it.each([
    ['one field without end', 'x', 'abcdefgh'],
    ['one quoted field without end', 'x', 'a\n'],
    ['many fields without a line end', 'x', '1,'],
  ])('%s', (_, name, unit) => {
    const head = utf8(`${name}\n${unit === 'a\n' ? '"' : ''}`);
    const { dialect, header } = sniff(utf8(`${name}\n`), [name]);
    const column: Column = { type: 'category', levels: ['1'] };
    const reader = csvReader(
      { file: 't.csv', dialect, header, columns: [{ name, column }] },
      () => {},
    );
    const piece = utf8(unit.repeat(2 ** 16 / unit.length));
    reader.space().set(head);
    reader.commit(head.length);
    let pushed = 0;
    const error = refusal(() => {
      for (; pushed < 2 * LONGEST_RECORD; pushed += piece.length) {
        reader.space().set(piece);
        reader.commit(piece.length);
      }
    });
    expect(error.message).toBe('t.csv, row 1: the record is longer than 16 MiB');
    expect(pushed).toBeLessThan(LONGEST_RECORD + 2 ** 20);
  });
});

describe('real files', () => {
  const wine = new URL('../../shared/data/wine-quality/raw/', import.meta.url);

  it.skipIf(!existsSync(wine))('wine-quality: files with CR alone read like files with LF', () => {
    const files = readdirSync(wine).filter((name) => !name.endsWith('.names'));
    const tables = files.flatMap((name) => {
      const bytes = new Uint8Array(readFileSync(new URL(name, wine)));
      if (bytes.length > 2 ** 20 || !/^[\d.;,\s]+$/.test(new TextDecoder().decode(bytes)))
        return [];
      // The raw files carry no header line: give them one of letters.
      const delimiter = bytes.includes(59) ? ';' : ',';
      const end = bytes.includes(10) ? '\n' : '\r';
      const names = Array.from('abcdefghijkl');
      const text = utf8(names.join(delimiter) + end);
      const columns = Object.fromEntries(names.map((n) => [n, { type: 'number' } as const]));
      return [{ name, end, table: readText(new Uint8Array([...text, ...bytes]), columns) }];
    });
    expect(tables.some(({ end }) => end === '\r')).toBe(true);
    for (const { table } of tables.filter(({ end }) => end === '\r')) {
      expect(tables.filter(({ end }) => end === '\n').map((t) => t.table)).toContainEqual(table);
    }
  });
});

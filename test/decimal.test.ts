import { describe, expect, it } from 'vitest';
import { parseDecimal, powersOfFive } from '../src/numeric/decimal.ts';
import { readText } from './csv-read.ts';
import { decimalStrings } from './decimal-strings.ts';
import { numberScanner } from './number-scanner.ts';

describe('scanNumber(text) = Number(text)', () => {
  const scan = numberScanner();

  it('for 200 000 literals of every kind', () => {
    const next = decimalStrings(20260101);
    const wrong: string[] = [];
    for (let i = 0; i < 200_000; i++) {
      const text = next();
      const { length, value } = scan(text);
      if (length !== text.length || !Object.is(value, Number(text))) wrong.push(text);
    }
    expect(wrong).toEqual([]);
  });

  // Around the ends of the range, halfway points, and literals no fast path may take.
  it.each([
    '5e-324',
    '2.4703282292062327208e-324',
    '2.2250738585072011e-308',
    '2.2250738585072014e-308',
    '1.7976931348623157e308',
    '1.7976931348623159e308',
    '9007199254740993',
    '9007199254740992.5',
    '7205759403792793200001e-5',
    '8.5e-45',
    '6.9294956446009195e15',
    '3.7455744005952583e15',
    '1090544144181609348671888949248',
    '0e999999999999',
    '0.0000000000000000000000000000000000000000000000001e50',
    '-0',
    '1.',
    '.5',
    '1.e5',
    '123456789012345678901234567890',
    `0.${'0'.repeat(2000)}1e2001`,
    `1${'0'.repeat(2000)}e-2000`,
  ])('%s', (text) => {
    expect(scan(text)).toEqual({ length: text.length, value: Number(text) });
  });

  it.each(['', '-', '+', '.', '-.', 'e5', '.e5', 'NaN', 'Infinity', ' 1', 'x', ',5'])(
    'no literal starts %j',
    (text) => {
      expect(scan(text).length).toBe(0);
    },
  );

  it.each([
    ['0x10', 1],
    ['1_000', 1],
    ['1,5', 1],
    ['1e', 1],
    ['1e+', 1],
    ['1.5.2', 3],
    ['12abc', 2],
    ['1e5e5', 3],
  ])('the literal in %j has %i characters', (text, length) => {
    expect(scan(text).length).toBe(length);
  });

  it('a decimal comma is read where it is the mark', () => {
    expect(scan('-12,25', ',')).toEqual({ length: 6, value: -12.25 });
    expect(scan('12.25', ',').length).toBe(2);
    expect(scan('0,123456789012345678901', ',').value).toBe(Number('0.123456789012345678901'));
  });
});

describe('a cell of a file is Number(text)', () => {
  const WIDTH = 7;
  // Larger numbers are refused in a file.
  const isCell = (text: string) => Math.abs(Number(text)) <= 1e150;

  function valuesOf(texts: readonly string[], lineEnd: string): readonly number[] {
    const names = Array.from({ length: WIDTH }, (_, j) => `x${j}`);
    const lines = [names.join(',')];
    for (let at = 0; at < texts.length; at += WIDTH) {
      lines.push(texts.slice(at, at + WIDTH).join(','));
    }
    const codebook = Object.fromEntries(names.map((name) => [name, { type: 'number' as const }]));
    const columns = readText(lines.join(lineEnd) + lineEnd, codebook);
    return texts.map((_, k) => columns[k % WIDTH]![Math.floor(k / WIDTH)]!);
  }

  /** Numbers as programs write them: digits, a point, up to 25 digits. */
  const plainStrings = (next: () => string) => () => {
    const digits = next().replace(/[^0-9]/g, '');
    const whole = Number(digits.at(-1)) * 3;
    const sign = Number(digits[0]) % 2 === 0 ? '-' : '';
    return `${sign}${digits.slice(0, whole)}.${digits.slice(whole, whole + 25)}`;
  };

  it.each(['\n', '\r\n'])('for 70 000 numbers and the line end %j', (lineEnd) => {
    const next = decimalStrings(7);
    const plain = plainStrings(next);
    const texts = Array.from({ length: 70_000 }, (_, k) => (k % 4 === 0 ? next() : plain())).map(
      (text) => (isCell(text) && /\d/.test(text) ? text : '0.5'),
    );
    const values = valuesOf(texts, lineEnd);
    expect(texts.filter((text, k) => !Object.is(values[k], Number(text)))).toEqual([]);
  });

  it.each([
    ...['0', '-0', '0.', '.5', '-.5', '7', '+7', '000', '00000000000000000000', '1e3', '-2.5E-3'],
    ...['9007199254740993', '9007199254740992.5', '9999999999999999999', '99999999999999999999'],
    ...['0.0000000000000000001', '0.00000000000000000001', '1.0000000000000000001'],
    ...['0.1234567890123456', '0.12345678901234567', '0.123456789012345678901234'],
    ...[`0.${'1'.repeat(31)}`, `0.${'1'.repeat(32)}`, `0.${'0'.repeat(40)}1`, '00001.5'],
    ...['6.9294956446009195e15', '3.7455744005952583', '18014398509481.985', '900719925474099.35'],
  ])('%s', (text) => {
    expect(valuesOf(Array(2 * WIDTH).fill(text), '\n')).toEqual(
      Array(2 * WIDTH).fill(Number(text)),
    );
  });
});

describe('parseDecimal', () => {
  it.each(['', ' 1', '0x1', 'Infinity', '-Infinity', 'NaN', '1_000', '1,5', '1e', '.', '1n'])(
    'refuses %j',
    (text) => {
      expect(parseDecimal(text)).toBeUndefined();
    },
  );

  it('takes one decimal comma where that is the mark', () => {
    expect(parseDecimal('1,5', ',')).toBe(1.5);
    expect(parseDecimal('1.5', ',')).toBeUndefined();
    expect(parseDecimal('1,5,2', ',')).toBeUndefined();
  });
});

it('the table of powers brackets 5^q to 128 bits', () => {
  const table = powersOfFive();
  const word = (q: number) => (table[2 * (q + 342)]! << 64n) | table[2 * (q + 342) + 1]!;
  const top = 1n << 127n;
  for (let q = -342; q <= 308; q++) expect(word(q) >= top).toBe(true);
  expect(word(0)).toBe(top);
  expect(word(1)).toBe(5n << 125n);
  expect(word(55)).toBe(5n ** 55n);
  // 5^−1 rounded up: 0.8 · 2^128.
  expect(word(-1) * 5n - (4n << 128n)).toBeLessThan(5n);
});

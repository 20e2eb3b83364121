import { describe, expect, it } from 'vitest';
import { sniff } from '../src/table/dialect.ts';
import { fileNotation } from '../src/table/file-notation.ts';
import { type Notation, notationOf } from '../src/table/notation.ts';
import { DAYS } from '../src/table/written-date.ts';
import { writtenNumber } from '../src/table/written-number.ts';
import { utf8 } from './csv-read.ts';

const notations = (text: string, decimal?: '.' | ',') => {
  const bytes = utf8(text);
  const { dialect, header } = sniff(bytes, []);
  return fileNotation(bytes, dialect, header, decimal);
};

describe('a text is a number in a notation, in doubt, or neither', () => {
  const point: Notation = { decimal: '.' };
  const comma: Notation = { decimal: ',' };
  const number = (value: number, unit = '') => ({ value, unit });
  it.each<[string, Notation, ReturnType<typeof writtenNumber>]>([
    ['61,1', comma, number(61.1)],
    ['61,1', point, 'other mark'],
    ['61.1', comma, 'other mark'],
    ['1,234', point, number(1234)],
    ['1,234', comma, number(1.234)],
    ['1,234', {}, 'either mark'],
    ['1.234', comma, number(1234)],
    ['1.234', {}, number(1.234)],
    ['0,234', point, 'other mark'],
    ['1,234.5', {}, number(1234.5)],
    ['-1,234,567', {}, number(-1_234_567)],
    ['1.234.567,5', comma, number(1_234_567.5)],
    ["1'234.5", point, number(1234.5)],
    ['1\u202f234,5', comma, number(1234.5)],
    ['1\u00a0234', {}, number(1234)],
    ['1,23,456', point, undefined],
    ['12 34', point, undefined],
    ['\u22123.5', point, number(-3.5)],
    ['78.6%', point, number(78.6, '%')],
    ['78,6 %', comma, number(78.6, '%')],
    ['$1,234.50', point, number(1234.5, '$')],
    ['-$12.5', point, number(-12.5, '$')],
    ['12,50 €', comma, number(12.5, '€')],
    ['CHF 12.50', point, number(12.5, 'CHF')],
    ['$12€', point, undefined],
    ['70kg', point, undefined],
    ['2024-02-29', {}, number(19_782, DAYS)],
    ['2023-02-29', {}, undefined],
    ['1969-12-31', {}, number(-1, DAYS)],
    ['29.02.2024', {}, number(19_782, DAYS)],
    ['29/02/2024', {}, number(19_782, DAYS)],
    ['02/29/2024', {}, number(19_782, DAYS)],
    ['03/03/2024', {}, number(19_785, DAYS)],
    ['03/04/2024', {}, 'either order'],
    ['03/04/2024', { dates: 'day first' }, number(19_816, DAYS)],
    ['03/04/2024', { dates: 'month first' }, number(19_786, DAYS)],
    ['29/02/2024', { dates: 'month first' }, 'other order'],
    ['29FEB2024:13:45:00', {}, number(19_782, DAYS)],
    ['2024-02-29T23:59:59+02:00', {}, number(19_782, DAYS)],
    ['29.02.24', {}, 'short year'],
    ['10-19', {}, undefined],
    ['A12', {}, undefined],
  ])('%s in %j', (text, notation, meaning) => {
    expect(writtenNumber(text, notation)).toEqual(meaning);
  });
});

describe('a column is written as its own cells show, else as was said, else as its file', () => {
  const of = (text: string, name: string, codebook?: '.' | ',', said?: '.' | ',') =>
    notationOf(notations(text, said), name, codebook);
  const german = 'x;y\n61,1;1.234\n4;2.345\n';
  it.each<[string, Notation, Notation]>([
    ['its own cells', of(german, 'x'), { decimal: ',' }],
    ['whatever the codebook says', of(german, 'x', '.'), { decimal: ',' }],
    ['whatever a person says', of(german, 'x', undefined, '.'), { decimal: ',' }],
    ['else a person', of(german, 'y', ',', '.'), { decimal: '.' }],
    ['else the codebook', of(german, 'y', '.'), { decimal: '.' }],
    ['else the other columns', of(german, 'y'), { decimal: ',' }],
    ['unless these disagree', of('x;y;z\n61,1;1.234;2.5\n', 'y'), {}],
    ['or have texts too', of('x;y\n61,1;1.234\nold;2.345\n', 'y'), {}],
    ['and nothing shows it', of('x;y\n61;1,234\n', 'y'), {}],
    ['or a column contradicts itself', of('x;y\n61.1;1\n2.5;1\n3,5;1\n', 'x'), {}],
    ['a list of codes between commas shows nothing', of('x,y\n"1,3",1.015\n', 'y'), {}],
    ['nor is it a number beside points', of('x,y\n"1,3",2.5\n', 'x'), { decimal: '.' }],
    ['unless a person says so', of('x,y\n"1,3",2.5\n', 'x', undefined, ','), { decimal: ',' }],
    ['dates too', of('x;y\n13/04/2024;03/04/2024\n', 'y'), { dates: 'day first' }],
  ])('%s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });
});

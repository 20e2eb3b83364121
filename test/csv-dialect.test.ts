import { describe, expect, it } from 'vitest';
import { HEAD_BYTES, sniff } from '../src/table/dialect.ts';
import { refusal, utf8 } from './csv-read.ts';

describe('sniff', () => {
  it.each([
    ['a,b;c,d\n', ['a', 'd'], ',', ['a', 'b;c', 'd']],
    ['a,b;c;d\n', ['d'], ';', ['a,b', 'c', 'd']],
    ['a,b;c;d;e\n', ['b;c;d;e'], ',', ['a', 'b;c;d;e']],
    ['a\tb c\n', [], '\t', ['a', 'b c']],
    ['a\n', ['a'], ',', ['a']],
    ['"a;x","b ""q""", c \n', [], ',', ['a;x', 'b "q"', 'c']],
    ['"two\nlines",b\n', ['b'], ',', ['two\nlines', 'b']],
    ['a,,\n', ['a'], ',', ['a', '', '']],
    ['größe,b\n', ['größe'], ',', ['größe', 'b']],
    ['sep=;\na;b,c\n', [], ';', ['a', 'b,c']],
  ])('%j for %j splits at %j', (text, wanted, delimiter, header) => {
    const found = sniff(utf8(text), wanted);
    expect(found.header).toEqual(header);
    expect(found.dialect).toEqual({ delimiter, newline: 'lf', headerBytes: utf8(text).length });
  });

  it.each([
    ['a,b\n1,2\n', 'lf', 4],
    ['a,b\r\n1,2\r\n', 'lf', 5],
    ['a,b\r1,2\r', 'cr', 4],
    ['"a\r",b\n1,2\n', 'lf', 7],
    ['\ufeffa,b\n', 'lf', 7],
    ['\r\n\r\na,b\r\n', 'lf', 9],
    ['a,b', 'lf', 3],
  ])('%j has line ends %s and %i bytes before the data', (text, newline, headerBytes) => {
    expect(sniff(utf8(text), []).dialect).toMatchObject({ newline, headerBytes });
  });

  it('refuses a header longer than its head', () => {
    const error = refusal(() => sniff(utf8('a,'.repeat(HEAD_BYTES / 2)), []));
    expect(error.message).toContain('no line end in the first MiB');
  });

  it('names what the file has, and what a lacking column may be called there', () => {
    const error = refusal(() => sniff(utf8('Body Mass,sex\n'), ['body_mass'], 'p.csv'));
    expect(error.message).toBe(
      'p.csv: the header lacks column "body_mass"; it has "Body Mass", "sex"',
    );
    expect(error.remedy).toContain('rename "Body Mass" to "body_mass"');
  });

  it('lists at most 20 names', () => {
    const names = Array.from({ length: 30 }, (_, i) => `c${i}`);
    const error = refusal(() => sniff(utf8(`${names.join(',')}\n`), ['zzz']));
    expect(error.message).toMatch(/"c19", and 10 more$/);
  });

  it('refuses a quote that fits no delimiter', () => {
    const error = refusal(() => sniff(utf8('a,b"c"\n'), []));
    expect(error.message).toContain('neither opens nor closes');
  });
});

import { describe, expect, it } from 'vitest';
import { detectEncoding, transcode } from '../src/table/encoding.ts';
import { refusal } from './csv-read.ts';

describe('detectEncoding', () => {
  it.each([
    [[0xff, 0xfe, 0x61, 0], undefined, 'utf-16le'],
    [[0xfe, 0xff, 0, 0x61], 'utf-8', 'utf-16be'],
    [[0xef, 0xbb, 0xbf, 0x61], 'latin1', 'utf-8'],
    [[0x61, 0, 0x2c, 0, 0x62, 0], undefined, 'utf-16le'],
    [[0, 0x61, 0, 0x2c], undefined, 'utf-16be'],
    [[0x61, 0xe9], undefined, 'utf-8'],
    [[0x61, 0xe9], 'latin1', 'windows-1252'],
    [[0x61, 0xe9], 'ISO-8859-1', 'windows-1252'],
    [[], undefined, 'utf-8'],
  ])('%j declared %s is %s', (head, declared, encoding) => {
    expect(detectEncoding(new Uint8Array(head), declared)).toBe(encoding);
  });

  it('refuses a name nobody knows', () => {
    expect(refusal(() => detectEncoding(new Uint8Array(), 'klingon')).message).toContain('klingon');
  });
});

describe('transcode', () => {
  const convert = (encoding: string, bytes: readonly number[], step: number) => {
    const { push, end } = transcode(encoding);
    const out: number[] = [];
    for (let i = 0; i < bytes.length; i += step) {
      out.push(...push(new Uint8Array(bytes.slice(i, i + step))));
    }
    return new TextDecoder().decode(new Uint8Array([...out, ...end()]));
  };

  it.each([1, 2, 3, 100])('gives UTF-8 from pieces of %i bytes', (step) => {
    expect(convert('utf-16le', [0xff, 0xfe, 0xe9, 0, 0x3d, 0xd8, 0, 0xde, 0x61, 0], step)).toBe(
      'é😀a',
    );
    expect(convert('utf-16be', [0xfe, 0xff, 0, 0xe9, 0xd8, 0x3d, 0xde, 0], step)).toBe('é😀');
    expect(convert('windows-1252', [0x80, 0x92, 0xe9, 0x41, 0x81], step)).toBe('€’éA\u0081');
    expect(convert('utf-8', [0xc3, 0xa9], step)).toBe('é');
  });

  it('refuses a file that ends inside a character', () => {
    expect(refusal(() => convert('utf-16le', [0x61, 0, 0x62], 100)).message).toBe(
      'the file is not valid utf-16le',
    );
  });
});

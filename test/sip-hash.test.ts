import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sipHash } from '../src/disclosure/sip-hash.ts';

const vectors: {
  official: string[];
  key: string;
  rows: { values: number[]; tag: string }[];
} = JSON.parse(readFileSync(new URL('vectors/sip-hash.json', import.meta.url), 'utf8'));

const words = (bytes: Uint8Array) => {
  const padded = new Uint8Array(Math.ceil(bytes.length / 8) * 8);
  padded.set(bytes);
  return new Uint32Array(padded.buffer);
};

function hashed(key: Uint8Array, message: Uint8Array): string {
  const out = new Uint32Array(4);
  sipHash(words(key))(words(message), message.length, out, 2);
  expect([out[0], out[1]]).toEqual([0, 0]);
  return Buffer.from(out.buffer, 8).toString('hex');
}

describe('SipHash-2-4', () => {
  it('is that of the reference implementation for messages of 0 to 63 bytes', () => {
    const key = Uint8Array.from({ length: 16 }, (_, k) => k);
    const found = vectors.official.map((_, length) =>
      hashed(
        key,
        Uint8Array.from({ length }, (_, k) => k),
      ),
    );
    expect(found).toEqual(vectors.official);
    expect(found[15]).toBe('e545be4961ca29a1'); // a129ca6149be45e5 in appendix A of the paper
  });

  it('is OpenSSL’s for rows of numbers', () => {
    const key = Buffer.from(vectors.key, 'hex');
    for (const { values, tag } of vectors.rows) {
      expect(hashed(key, new Uint8Array(Float64Array.from(values).buffer))).toBe(tag);
    }
  });

  it('has no use for what stands behind the message', () => {
    const hash = sipHash(Uint32Array.of(1, 2, 3, 4));
    const out = new Uint32Array(4);
    hash(Uint32Array.of(5, 6, 0, 0), 8, out, 0);
    hash(Uint32Array.of(5, 6, 7, 8), 8, out, 2);
    expect(out.slice(2)).toEqual(out.slice(0, 2));
  });

  it('needs all of its key', () => {
    expect(() => sipHash(new Uint32Array(2))).toThrow(RangeError);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromBase64url, toBase64url } from '../src/text/base64url.ts';

describe('base64url is that of Node', () => {
  it('in both directions, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const text = toBase64url(bytes);
        expect(text).toBe(Buffer.from(bytes).toString('base64url'));
        expect(fromBase64url(text)).toEqual(bytes);
      }),
    );
  });

  it('and no bytes have two spellings', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.base64String({ maxLength: 12 }), (any, near) => {
        for (const text of [any, near, near.replaceAll('=', '')]) {
          const bytes = fromBase64url(text);
          if (bytes !== undefined) expect(toBase64url(bytes)).toBe(text);
        }
      }),
    );
    for (const text of ['A', 'AB', 'AAB', 'AA==', 'A+', 'A/A', 'AÄ', 'AAAAA']) {
      expect(fromBase64url(text)).toBeUndefined();
    }
  });
});

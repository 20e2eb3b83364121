import { createHmac, hkdfSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newSecretText, parseSecret } from '../src/site/site-secret.ts';
import { anyCharacter } from './any-character.ts';

describe('the secret of a site', () => {
  it('derives what OpenSSL derives: the seals and tags of ledgers from before stay good', () => {
    const texts = fc.string({ unit: anyCharacter, maxLength: 200 });
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), texts, (bytes, text) => {
        const secret = Buffer.from(bytes).toString('base64url');
        const held = parseSecret(`{"schema":"suffice/site-secret@1","secret":"${secret}"}\n`);
        const derived = (purpose: string, length: number) =>
          Buffer.from(hkdfSync('sha256', bytes, '', purpose, length));
        const tagKey = derived('suffice row tags', 16);
        expect([...(held?.tagKey ?? [])]).toEqual([0, 4, 8, 12].map((k) => tagKey.readUInt32LE(k)));
        const seal = createHmac('sha256', derived('suffice ledger seal', 32)).update(text);
        expect(held?.seal(text)).toBe(seal.digest('hex'));
      }),
    );
  });

  it('is another one each time, and none where its text was changed', () => {
    const [a, b] = [newSecretText(), newSecretText()];
    expect(parseSecret(a)?.seal('')).not.toBe(parseSecret(b)?.seal(''));
    for (const text of [
      '',
      a.trim(),
      `${a}\n`,
      a.slice(5),
      a.replace('"secret":"', '"secret":"A'),
    ]) {
      expect(parseSecret(text)).toBeUndefined();
    }
  });
});

import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { useNativeCrypto } from '../src/node/compute/native-crypto.ts';
import { toBase64url } from '../src/protocol/base64url.ts';
import { isSigned, sign, signingKey, useEd25519 } from '../src/protocol/signature.ts';
import { digestBytes, useSha256 } from '../src/study/digest.ts';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const cases = fc.sample(
  fc.record({
    secret: bytes(32).map(toBase64url),
    text: fc.string({ unit: 'binary' }),
    parts: fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 4 }),
    noise: bytes(64).map(toBase64url),
    noPoint: bytes(32).map(toBase64url),
  }),
  60,
);

/** What is used where nobody says otherwise; a file before this one may have. */
function usePortableCrypto(): void {
  useEd25519(ed25519);
  useSha256((parts) => bytesToHex(sha256(concatBytes(...parts))));
}

const results = () =>
  cases.map(({ secret, text, parts, noise, noPoint }) => {
    const key = signingKey(secret);
    const seal = sign(text, key);
    return {
      digest: digestBytes(...parts),
      seal,
      signed: isSigned(text, seal),
      altered: isSigned(`${text}.`, seal),
      forged: isSigned(text, { ...seal, signature: noise }),
      foreign: isSigned(text, { ...seal, key: noPoint }),
    };
  });

describe('native hashes and signatures', () => {
  it('are those of the portable code, and refuse what it refuses', () => {
    usePortableCrypto();
    const portable = results();
    useNativeCrypto();
    expect(results()).toEqual(portable);
    for (const { signed, altered, forged, foreign } of portable) {
      expect([signed, altered, forged, foreign]).toEqual([true, false, false, false]);
    }
  });

  it('hash a long text as the portable code does, after short ones and before', () => {
    const texts = [10, 60_000, 10].map((length) => new Uint8Array(length).fill(length));
    usePortableCrypto();
    const portable = texts.map((text) => digestBytes(text));
    useNativeCrypto();
    expect(texts.map((text) => digestBytes(text))).toEqual(portable);
  });
});

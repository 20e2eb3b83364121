import { ed25519, x25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { useX25519, x25519PublicKey, x25519Secret } from '../src/cipher/x25519.ts';
import { useNativeCrypto } from '../src/node/compute/native-crypto.ts';
import { isSigned, sign, signingKey, useEd25519 } from '../src/protocol/signature.ts';
import { digestBytes, useSha256 } from '../src/study/digest.ts';
import { fromBase64url, toBase64url } from '../src/text/base64url.ts';
import { anyCharacter } from './any-character.ts';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const cases = fc.sample(
  fc.record({
    secret: bytes(32).map(toBase64url),
    text: fc.string({ unit: anyCharacter }),
    parts: fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 4 }),
    noise: bytes(64).map(toBase64url),
    noPoint: bytes(32).map(toBase64url),
  }),
  60,
);

/** What is used where nobody says otherwise; a file before this one may have. */
function usePortableCrypto(): void {
  useEd25519(ed25519);
  useX25519(x25519);
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

  it('share the secrets of the portable code, and none with a key of small order', () => {
    const smallOrder = [new Uint8Array(32), Uint8Array.from({ length: 32 }, (_, k) => +(k === 0))];
    const shared = () =>
      cases.slice(0, 10).flatMap(({ secret, noPoint }) => {
        const own = fromBase64url(secret)!;
        const others = [fromBase64url(noPoint)!, ...smallOrder];
        return [x25519PublicKey(own), ...others.map((key) => x25519Secret(own, key))];
      });
    usePortableCrypto();
    const portable = shared();
    useNativeCrypto();
    expect(shared()).toEqual(portable);
    expect(portable.slice(0, 4)).toEqual([
      expect.any(Uint8Array),
      expect.any(Uint8Array),
      undefined,
      undefined,
    ]);
  });

  it('hash a long text as the portable code does, after short ones and before', () => {
    const texts = [10, 60_000, 10].map((length) => new Uint8Array(length).fill(length));
    usePortableCrypto();
    const portable = texts.map((text) => digestBytes(text));
    useNativeCrypto();
    expect(texts.map((text) => digestBytes(text))).toEqual(portable);
  });
});

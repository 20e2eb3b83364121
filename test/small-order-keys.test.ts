import { ed25519 } from '@noble/curves/ed25519.js';
import { describe, expect, it } from 'vitest';
import { useNativeCrypto } from '../src/node/compute/native-crypto.ts';
import { linkText, parseLink } from '../src/protocol/link.ts';
import { createSigningKey, isPublicKey, isSigned, sign } from '../src/protocol/signature.ts';
import { encodeContribution } from '../src/statistic/envelope.ts';
import { toBase64url } from '../src/text/base64url.ts';
import { fittingOffer, operator, rows, runningStudy, table } from './coordinator-study.ts';
import { contribution } from './linear.ts';
import { oneStore } from './stores.ts';
import { summaryOf } from './tables.ts';

const { Point } = ed25519;
const P = 2n ** 255n - 19n;

function littleEndian(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, k) => Number((value >> BigInt(8 * k)) & 0xffn));
}

/** Every spelling of the eight points whose order divides 8, with y below 2²⁵⁵ and either sign. */
function smallOrderKeys(): string[] {
  // A point of order 8: any point times the prime order of the base point.
  let generator = Point.ZERO;
  for (let y = 2n; ; y++) {
    try {
      const point = Point.fromBytes(littleEndian(y));
      const torsion = point.multiplyUnsafe(Point.Fn.ORDER - 1n).add(point);
      if (!torsion.double().double().equals(Point.ZERO)) {
        generator = torsion;
        break;
      }
    } catch {
      // no point has this y
    }
  }
  const ys = new Set<bigint>();
  for (let k = 0, point = Point.ZERO; k < 8; k++, point = point.add(generator)) {
    const { y } = point.toAffine();
    ys.add(y);
    if (y + P < 2n ** 255n) ys.add(y + P);
  }
  return [...ys].flatMap((y) => [y, y + 2n ** 255n]).map((y) => toBase64url(littleEndian(y)));
}

const keys = smallOrderKeys();
/** The signature (identity, 0), which fits every text under the identity as key. */
const zero = toBase64url(Uint8Array.from({ length: 64 }, (_, k) => (k === 0 ? 1 : 0)));

describe('a key of small order', () => {
  it('is no key, in any of its 14 spellings; an honest key is one', () => {
    expect(keys.length).toBe(14);
    for (const key of keys) {
      expect(isPublicKey(key)).toBe(false);
      expect(isSigned('any text', { key, signature: zero })).toBe(false);
    }
    for (let k = 0; k < 20; k++) {
      const honest = createSigningKey();
      expect(isPublicKey(honest.key)).toBe(true);
      expect(isSigned('a text', sign('a text', honest))).toBe(true);
    }
    useNativeCrypto();
    for (const key of keys) expect(isSigned('any text', { key, signature: zero })).toBe(false);
  });

  it('is refused in a link', () => {
    const link = {
      coordinator: 'https://example.org',
      purpose: 'join',
      study: '0123456789abcdef',
      token: `sfi_${'a'.repeat(43)}`,
    } as const;
    const honest = linkText({ ...link, coordinatorKey: createSigningKey().key });
    expect(parseLink(honest)).toMatchObject({ study: link.study });
    for (const coordinatorKey of keys) {
      expect(parseLink(linkText({ ...link, coordinatorKey }))).toHaveProperty('problem');
    }
  });
});

oneStore('a site with a key of small order', (open) => {
  it('is refused with its offer and with its first contribution, and nothing is kept', async () => {
    const { coordinator, id, agreed, sites } = await runningStudy(await open(), ['a'], {
      offers: 'none',
    });
    const [site] = sites;
    for (const key of keys) {
      const offer = fittingOffer(agreed, { key, secret: '' });
      await expect(coordinator.offer(site.caller, id, offer)).rejects.toMatchObject({
        code: 'bad-request',
      });
      const sums = summaryOf(agreed, table, rows(0, 20));
      const sent = contribution(agreed, 'a', sums);
      const file = encodeContribution({ ...sent, seal: { key, signature: zero } });
      await expect(coordinator.contribute(site.caller, id, file)).rejects.toMatchObject({
        code: 'not-allowed',
      });
    }
    expect((await coordinator.view(operator, id)).sites).toMatchObject([{ state: 'invited' }]);
    expect((await site.send(rows(0, 20))).sequence).toBe(1);
  });
});

import { concatBytes, randomBytes } from '@noble/hashes/utils.js';
import type { Kem, KeyPair } from './kem.ts';
import { labelled } from './labelled-hkdf.ts';
import { x25519PublicKey, x25519Secret } from './x25519.ts';

const ID = 0x0020;
const { extract, expand } = labelled(Uint8Array.of(0x4b, 0x45, 0x4d, ID >> 8, ID & 0xff));

/** DHKEM(X25519, HKDF-SHA256) of RFC 9180 §4.1. */
export const x25519Kem: Kem = {
  id: ID,
  publicKeyBytes: 32,
  messageBytes: 32,
  keys: (seed) => ({ secretKey: seed.slice(), publicKey: x25519PublicKey(seed) }),
  encapsulate(publicKey) {
    const secretKey = randomBytes(32);
    const message = x25519PublicKey(secretKey);
    return { message, secret: shared(secretKey, publicKey, message, publicKey) };
  },
  decapsulate: (message, { secretKey, publicKey }: KeyPair) =>
    shared(secretKey, message, message, publicKey),
};

/** Throws for a point of small order, whose secret everybody knows. */
function shared(
  secretKey: Uint8Array,
  other: Uint8Array,
  message: Uint8Array,
  receiver: Uint8Array,
): Uint8Array {
  const point = x25519Secret(secretKey, other);
  if (point === undefined) throw new RangeError('no X25519 key: a point of small order');
  const secret = extract(new Uint8Array(), 'eae_prk', point);
  return expand(secret, 'shared_secret', concatBytes(message, receiver), 32);
}

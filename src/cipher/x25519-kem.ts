import { x25519 } from '@noble/curves/ed25519.js';
import { concatBytes } from '@noble/hashes/utils.js';
import type { Kem, KeyPair } from './kem.ts';
import { labelled } from './labelled-hkdf.ts';

const ID = 0x0020;
const { extract, expand } = labelled(Uint8Array.of(0x4b, 0x45, 0x4d, ID >> 8, ID & 0xff));

/** DHKEM(X25519, HKDF-SHA256) of RFC 9180 §4.1. */
export const x25519Kem: Kem = {
  id: ID,
  publicKeyBytes: 32,
  messageBytes: 32,
  keys: (seed) => ({ secretKey: seed.slice(), publicKey: x25519.getPublicKey(seed) }),
  encapsulate(publicKey) {
    const own = x25519.keygen();
    return {
      message: own.publicKey,
      secret: shared(own.secretKey, publicKey, own.publicKey, publicKey),
    };
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
  const point = x25519.getSharedSecret(secretKey, other);
  const secret = extract(new Uint8Array(), 'eae_prk', point);
  return expand(secret, 'shared_secret', concatBytes(message, receiver), 32);
}

import { ml_kem768_x25519 } from '@noble/post-quantum/hybrid.js';
import type { Kem } from './kem.ts';

/** X-Wing: ML-KEM-768 and X25519 together. It holds as long as one of the two does, so also against a quantum computer. */
export const xWingKem: Kem = {
  id: 0x647a,
  publicKeyBytes: 1216,
  messageBytes: 1120,
  keys: (seed) => ml_kem768_x25519.keygen(seed),
  encapsulate(publicKey) {
    const { cipherText, sharedSecret } = ml_kem768_x25519.encapsulate(publicKey);
    return { message: cipherText, secret: sharedSecret };
  },
  decapsulate: (message, { secretKey }) => ml_kem768_x25519.decapsulate(message, secretKey),
};

import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { x25519Secret } from './x25519.ts';

/**
 * A key of 32 bytes that the owners of two X25519 pairs share, for one use: HKDF-SHA256, where the label says the use and what it
 * belongs to. Undefined if the public key is none.
 */
export function pairKey(
  secret: Uint8Array,
  publicKey: Uint8Array,
  label: string,
): Uint8Array | undefined {
  const shared = x25519Secret(secret, publicKey);
  return shared && hkdf(sha256, shared, undefined, utf8ToBytes(label), 32);
}

/** Encrypts and authenticates (ChaCha20-Poly1305, RFC 8439). The nonce is 0: a key encrypts one text. */
export function encryptOnce(key: Uint8Array, plain: Uint8Array): Uint8Array {
  return chacha20poly1305(key, new Uint8Array(12)).encrypt(plain);
}

/** The text that was encrypted under the key; undefined if it was changed, or encrypted under another one. */
export function decryptOnce(key: Uint8Array, sealed: Uint8Array): Uint8Array | undefined {
  try {
    return chacha20poly1305(key, new Uint8Array(12)).decrypt(sealed);
  } catch {
    return undefined;
  }
}

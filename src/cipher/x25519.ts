import { x25519 } from '@noble/curves/ed25519.js';

/** X25519 (RFC 7748) on bytes. Every implementation gives the same bytes. */
export interface X25519 {
  getPublicKey(secret: Uint8Array): Uint8Array;
  /** The secret that two key pairs share. Throws for a key of small order, whose secret everybody knows. */
  getSharedSecret(secret: Uint8Array, publicKey: Uint8Array): Uint8Array;
}

let curve: X25519 = x25519;

/** Switches to the platform's own X25519, which is ten times faster. */
export function useX25519(native: X25519): void {
  curve = native;
}

/** The public key of a secret of 32 bytes. */
export function x25519PublicKey(secret: Uint8Array): Uint8Array {
  return curve.getPublicKey(secret);
}

/** The secret that the owners of two key pairs share; undefined if the public key is none. */
export function x25519Secret(secret: Uint8Array, publicKey: Uint8Array): Uint8Array | undefined {
  try {
    return curve.getSharedSecret(secret, publicKey);
  } catch {
    return undefined;
  }
}

/** A public key and its secret, as bytes. */
export interface KeyPair {
  readonly publicKey: Uint8Array;
  readonly secretKey: Uint8Array;
}

export interface KemSizes {
  readonly publicKeyBytes: number;
  /** Bytes of the message. */
  readonly messageBytes: number;
}

/** A way to agree on a secret with the holder of a public key, in one message. */
export interface Kem extends KemSizes {
  /** Its number in HPKE's registry. */
  readonly id: number;
  /** The key pair of a seed of 32 bytes. */
  keys(seed: Uint8Array): KeyPair;
  /** A new secret for the holder of the key, and the message that tells it. Throws if the key is not one. */
  encapsulate(publicKey: Uint8Array): { readonly message: Uint8Array; readonly secret: Uint8Array };
  /** The secret in a message. Throws if the message cannot be one. */
  decapsulate(message: Uint8Array, keys: KeyPair): Uint8Array;
}

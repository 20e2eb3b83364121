import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Kem, KemSizes, KeyPair } from './kem.ts';
import { labelled } from './labelled-hkdf.ts';

const TAG_BYTES = 16;
const NONE = new Uint8Array();

/** Bytes of a sealed text of this length. */
export function sealedBytes({ messageBytes }: KemSizes, plain: number): number {
  return messageBytes + plain + TAG_BYTES;
}

/**
 * Seals bytes so that only the holder of the key can open them, and only together with the same context: HPKE (RFC 9180), base mode,
 * HKDF-SHA256, ChaCha20-Poly1305, one text a key. The result is the KEM's message, then the ciphertext.
 */
export function sealTo(
  kem: Kem,
  publicKey: Uint8Array,
  plain: Uint8Array,
  { purpose, context }: SealContext,
): Uint8Array {
  const { message, secret } = kem.encapsulate(publicKey);
  return concatBytes(message, cipher(kem, secret, purpose, context).encrypt(plain));
}

/** What a seal is bound to. */
export interface SealContext {
  /** The use of the key: HPKE's `info`. */
  readonly purpose: string;
  /** What the text belongs to: HPKE's `aad`. */
  readonly context: Uint8Array;
}

/** The bytes in a seal; undefined unless it was sealed to this key, for this purpose and context. */
export function openSeal(
  kem: Kem,
  keys: KeyPair,
  sealed: Uint8Array,
  { purpose, context }: SealContext,
): Uint8Array | undefined {
  if (sealed.length < kem.messageBytes + TAG_BYTES) return undefined;
  try {
    const secret = kem.decapsulate(sealed.slice(0, kem.messageBytes), keys);
    return cipher(kem, secret, purpose, context).decrypt(sealed.slice(kem.messageBytes));
  } catch {
    return undefined; // the key is no point, or the tag differs
  }
}

const KDF = 0x0001;
const AEAD = 0x0003;

function cipher({ id }: Kem, shared: Uint8Array, purpose: string, context: Uint8Array) {
  const suite = concatBytes(
    utf8ToBytes('HPKE'),
    Uint8Array.of(id >> 8, id & 0xff, KDF >> 8, KDF & 0xff, AEAD >> 8, AEAD & 0xff),
  );
  const { extract, expand } = labelled(suite);
  const schedule = concatBytes(
    Uint8Array.of(0),
    extract(NONE, 'psk_id_hash', NONE),
    extract(NONE, 'info_hash', utf8ToBytes(purpose)),
  );
  const secret = extract(shared, 'secret', NONE);
  const key = expand(secret, 'key', schedule, 32);
  return chacha20poly1305(key, expand(secret, 'base_nonce', schedule, 12), context);
}

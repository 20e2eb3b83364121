import { expand, extract } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';

/** HKDF-SHA256 with the labels of RFC 9180 §4, for one suite. */
export interface LabelledHkdf {
  extract(salt: Uint8Array, label: string, input: Uint8Array): Uint8Array;
  expand(secret: Uint8Array, label: string, info: Uint8Array, length: number): Uint8Array;
}

const VERSION = utf8ToBytes('HPKE-v1');

export function labelled(suite: Uint8Array): LabelledHkdf {
  return {
    extract: (salt, label, input) =>
      extract(sha256, concatBytes(VERSION, suite, utf8ToBytes(label), input), salt),
    expand: (secret, label, info, length) =>
      expand(
        sha256,
        secret,
        concatBytes(
          Uint8Array.of(length >> 8, length & 0xff),
          VERSION,
          suite,
          utf8ToBytes(label),
          info,
        ),
        length,
      ),
  };
}

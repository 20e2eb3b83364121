import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { decryptOnce, encryptOnce, pairKey } from '../cipher/pair-key.ts';
import { fromBase64url } from '../text/base64url.ts';

/** What a text between two parties is for. A key encrypts one text, so every use has its own. */
export type PairUse =
  | { readonly use: 'secret' | 'tokens' | 'points' | 'doubled' | 'count'; readonly keys: string }
  | { readonly use: 'links' | 'columns' | 'pad'; readonly set: string };

/** Who writes to whom, in which study. */
export interface Between {
  readonly study: string;
  readonly from: string;
  readonly to: string;
}

/** The key of one text between two owners of X25519 pairs; undefined if the public key is none. */
export function keyBetween(
  secret: Uint8Array,
  publicKey: string,
  { study, from, to }: Between,
  use: PairUse,
): Uint8Array | undefined {
  const other = fromBase64url(publicKey);
  const about = 'keys' in use ? use.keys : use.set;
  const label = JSON.stringify(['suffice/vertical@1', use.use, study, from, to, about]);
  return other && pairKey(secret, other, label);
}

/** Encrypts and authenticates a text to the owner of a key. */
export function encryptTo(
  secret: Uint8Array,
  publicKey: string,
  between: Between,
  use: PairUse,
  plain: Uint8Array,
): Uint8Array | undefined {
  const key = keyBetween(secret, publicKey, between, use);
  return key && encryptOnce(key, plain);
}

/** The text that the owner of a key encrypted; undefined if anybody changed it, or it was made for another use. */
export function decryptFrom(
  secret: Uint8Array,
  publicKey: string,
  between: Between,
  use: PairUse,
  sealed: Uint8Array,
): Uint8Array | undefined {
  const key = keyBetween(secret, publicKey, between, use);
  return key && decryptOnce(key, sealed);
}

/** 32 bytes that follow from a secret and a text, and tell nothing about the secret. */
export function derivedBytes(secret: Uint8Array, text: string): Uint8Array {
  return hmac(sha256, secret, utf8ToBytes(text));
}

import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Seal } from '../statistic/envelope.ts';
import { canonicalJson, canonicalParts } from '../study/canonical-json.ts';
import { fromBase64url, toBase64url } from '../text/base64url.ts';

/** An Ed25519 key pair (RFC 8032), both halves as base64url of 32 bytes. */
export interface SigningKey {
  readonly secret: string;
  /** The public key. */
  readonly key: string;
}

/** Ed25519 on bytes. Every implementation gives the same signature (RFC 8032 §5.1.6). */
export interface Ed25519 {
  getPublicKey(secret: Uint8Array): Uint8Array;
  sign(message: Uint8Array, secret: Uint8Array): Uint8Array;
  verify(signature: Uint8Array, message: Uint8Array, key: Uint8Array): boolean;
}

let curve: Ed25519 = ed25519;

/** Switches to the platform's own Ed25519, which is ten times faster. */
export function useEd25519(native: Ed25519): void {
  curve = native;
}

/** A new Ed25519 key pair. */
export function createSigningKey(): SigningKey {
  return signingKey(toBase64url(ed25519.utils.randomSecretKey()));
}

/** The key pair of a secret. */
export function signingKey(secret: string): SigningKey {
  const bytes = fromBase64url(secret);
  if (bytes?.length !== 32) throw new RangeError('a signing secret is 32 bytes of base64url');
  return { secret, key: toBase64url(curve.getPublicKey(bytes)) };
}

/** Whether the text can be a public key: 32 bytes as base64url, and no point of small order. */
export function isPublicKey(text: string): boolean {
  const bytes = text.length === 43 ? fromBase64url(text) : undefined;
  return bytes?.length === 32 && !isSmallOrder(bytes);
}

/**
 * The y coordinates of the points of order 1, 2, 4 and 8, in both spellings where there are two. With such a key one signature
 * fits every text, so it binds nobody.
 */
const SMALL_ORDER: ReadonlySet<string> = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]);

/** The last bytes of those points, without the sign of x. */
const LAST_BYTES: ReadonlySet<number> = new Set(
  Array.from(SMALL_ORDER, (hex) => Number.parseInt(hex.slice(-2), 16)),
);

function isSmallOrder(key: Uint8Array): boolean {
  const last = key[31] & 0x7f;
  if (!LAST_BYTES.has(last)) return false;
  const y = key.slice();
  y[31] = last;
  return SMALL_ORDER.has(bytesToHex(y));
}

/** Signs the UTF-8 bytes of a text. Deterministic: one key and one text give one signature. */
export function sign(text: string, key: SigningKey): Seal {
  return signBytes(utf8ToBytes(text), key);
}

function signBytes(message: Uint8Array, { secret, key }: SigningKey): Seal {
  return { key, signature: toBase64url(curve.sign(message, fromBase64url(secret)!)) };
}

/** Whether the seal's key signed the text. */
export function isSigned(text: string, seal: Seal): boolean {
  const bytes = sealBytes(seal);
  if (bytes === undefined) return false;
  try {
    return curve.verify(bytes.signature, utf8ToBytes(text), bytes.key);
  } catch {
    return false; // the key is not a point of the curve
  }
}

/** Key and signature of a seal; undefined if they have the wrong form, or the key binds nobody. */
function sealBytes({
  key,
  signature,
}: Seal): { readonly key: Uint8Array; readonly signature: Uint8Array } | undefined {
  const publicKey = fromBase64url(key);
  const bytes = fromBase64url(signature);
  if (publicKey?.length !== 32 || bytes?.length !== 64 || isSmallOrder(publicKey)) return undefined;
  return { key: publicKey, signature: bytes };
}

/** A JSON document with a signature. */
export type Sealed<T> = T & { readonly seal: Seal };

/** Signs a document: the text is its canonical JSON without the seal. */
export function sealDocument<T extends object>(document: T, key: SigningKey): Sealed<T> {
  return { ...document, seal: signBytes(signedBytes(document), key) };
}

/** The bytes that the seal of a document signs: its canonical JSON in UTF-8. */
function signedBytes(document: object): Uint8Array {
  const parts: Uint8Array[] = [];
  canonicalParts(document, (part) => parts.push(utf8ToBytes(part)));
  return parts.length === 1 ? parts[0] : concatBytes(...parts);
}

/** Whether the signature of a document is valid. It does not say whose key it is. */
export function isSealed({ seal, ...document }: Sealed<object>): boolean {
  return isSigned(canonicalJson(document), seal);
}

import { hkdf } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, randomBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { fromBase64url, toBase64url } from '../text/base64url.ts';

/** The secret of a site, for tags of its rows and seals of its ledger. */
export interface SiteSecret {
  /** 128 bits for SipHash, as four words. */
  readonly tagKey: Uint32Array;
  /** HMAC-SHA256 of a text, as 64 hex digits. */
  seal(text: string): string;
}

/** A new secret as a text to store. It is not the signing key, which may be replaced; this secret never is. */
export function newSecretText(): string {
  const secret = toBase64url(randomBytes(32));
  return `${JSON.stringify({ schema: 'suffice/site-secret@1', secret })}\n`;
}

/** The secret in a stored text; undefined if there is none. */
export function parseSecret(text: string): SiteSecret | undefined {
  const match = /^\{"schema":"suffice\/site-secret@1","secret":"([\w-]{43})"\}\n$/.exec(text);
  const bytes = match === null ? undefined : fromBase64url(match[1]);
  return bytes && secretOf(bytes);
}

/** Derives one key for each purpose by HKDF-SHA256 (RFC 5869). */
function secretOf(bytes: Uint8Array): SiteSecret {
  const derived = (purpose: string, length: number) =>
    hkdf(sha256, bytes, new Uint8Array(), utf8ToBytes(purpose), length);
  const sealKey = derived('suffice ledger seal', 32);
  const { buffer, byteOffset } = derived('suffice row tags', 16);
  const tagBytes = new DataView(buffer, byteOffset, 16);
  return {
    tagKey: Uint32Array.from({ length: 4 }, (_, k) => tagBytes.getUint32(4 * k, true)),
    seal: (text) => bytesToHex(hmac(sha256, sealKey, utf8ToBytes(text))),
  };
}

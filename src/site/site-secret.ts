import { hkdf } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, randomBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { fromBase64url, toBase64url } from '../protocol/base64url.ts';

/** What a site alone can compute: tags of its rows, and seals of its ledger. */
export interface SiteSecret {
  /** 128 bits for SipHash, as four words. */
  readonly tagKey: Uint32Array;
  /** HMAC-SHA256 of a text, as 64 hex digits. */
  seal(text: string): string;
}

/** A text to keep that holds a new secret. It is not the signing key: that one may be replaced, this one never. */
export function newSecretText(): string {
  const secret = toBase64url(randomBytes(32));
  return `${JSON.stringify({ schema: 'suffice/site-secret@1', secret })}\n`;
}

/** The secret that a text holds, if it does. */
export function parseSecret(text: string): SiteSecret | undefined {
  const held = /^\{"schema":"suffice\/site-secret@1","secret":"([\w-]{43})"\}\n$/.exec(text);
  const bytes = held === null ? undefined : fromBase64url(held[1]);
  return bytes && secretOf(bytes);
}

/** Keys for the two purposes, by HKDF-SHA256 (RFC 5869). */
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

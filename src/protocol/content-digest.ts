import { hexToBytes } from '@noble/hashes/utils.js';
import { digestBytes } from '../study/digest.ts';
import { fromBase64, toBase64 } from '../text/base64.ts';

/** The header that has the SHA-256 of a body (RFC 9530 §2). */
export function contentDigest(body: Uint8Array): string {
  return `sha-256=:${toBase64(hexToBytes(digestBytes(body).slice('sha256:'.length)))}:`;
}

/** The digest in such a header, as `digestBytes` writes it; undefined if there is none. */
export function digestInHeader(header: string | null): string | undefined {
  const [, text] = /^sha-256=:([A-Za-z0-9+/]{43}=):$/.exec(header ?? '') ?? [];
  const bytes = text === undefined ? undefined : fromBase64(text);
  if (bytes?.length !== 32) return undefined;
  return `sha256:${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

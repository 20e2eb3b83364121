import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalJson } from './canonical-json.ts';

/** SHA-256 of the parts, in order, as 64 hex digits. */
export type Sha256 = (parts: readonly Uint8Array[]) => string;

export const portableSha256: Sha256 = (parts) => {
  const hash = sha256.create();
  for (const part of parts) hash.update(part);
  return bytesToHex(hash.digest());
};

let sha256Hex = portableSha256;

/** Uses the platform's SHA-256 from now on, which is several times faster. */
export function useSha256(native: Sha256): void {
  sha256Hex = native;
}

/** SHA-256 of the parts, in order, as `sha256:` and 64 hex digits. */
export function digestBytes(...parts: readonly Uint8Array[]): string {
  return `sha256:${sha256Hex(parts)}`;
}

/** The digest of a value's canonical JSON: the identity of a study, a codebook or a layout. */
export function digestJson(value: unknown): string {
  return digestBytes(utf8ToBytes(canonicalJson(value)));
}

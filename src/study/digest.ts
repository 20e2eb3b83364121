import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalJson } from './canonical-json.ts';

/** SHA-256 of the parts, in order, as `sha256:` and 64 hex digits. */
export function digestBytes(...parts: readonly Uint8Array[]): string {
  const hash = sha256.create();
  for (const part of parts) hash.update(part);
  return `sha256:${bytesToHex(hash.digest())}`;
}

/** The digest of a value's canonical JSON: what a study, a codebook or a layout is known by. */
export function digestJson(value: unknown): string {
  return digestBytes(utf8ToBytes(canonicalJson(value)));
}

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalParts } from './canonical-json.ts';

/** SHA-256 of the parts, in order, as 64 hex digits. */
export type Sha256 = (parts: readonly Uint8Array[]) => string;

export const portableSha256: Sha256 = (parts) => {
  const hash = sha256.create();
  for (const part of parts) hash.update(part);
  return bytesToHex(hash.digest());
};

/** A SHA-256 that gets its bytes one part after the other. */
export interface RunningSha256 {
  update(part: Uint8Array): void;
  /** 64 hex digits. */
  hex(): string;
}

export function portableRunningSha256(): RunningSha256 {
  const hash = sha256.create();
  return {
    update: (part) => {
      hash.update(part);
    },
    hex: () => bytesToHex(hash.digest()),
  };
}

let sha256Hex = portableSha256;
let runningSha256 = portableRunningSha256;

/** Uses the platform's SHA-256 from now on, which is several times faster. */
export function useSha256(
  native: Sha256,
  running: () => RunningSha256 = portableRunningSha256,
): void {
  sha256Hex = native;
  runningSha256 = running;
}

/** Begins a digest whose bytes come one part after the other; it reads as that of `digestBytes`. */
export function startDigest(): { update(part: Uint8Array): void; digest(): string } {
  const hash = runningSha256();
  return { update: hash.update, digest: () => `sha256:${hash.hex()}` };
}

/** SHA-256 of the parts, in order, as `sha256:` and 64 hex digits. */
export function digestBytes(...parts: readonly Uint8Array[]): string {
  return `sha256:${sha256Hex(parts)}`;
}

/** The digest of a value's canonical JSON: the identity of a study, a codebook or a layout. */
export function digestJson(value: unknown): string {
  const hash = startDigest();
  canonicalParts(value, (part) => hash.update(utf8ToBytes(part)));
  return hash.digest();
}

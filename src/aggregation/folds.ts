import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Sites in groups of almost one size, by the hash of their keys: nobody chooses who is with whom. Counted from 0. */
export function foldsOf(
  roster: Readonly<Record<string, string>>,
  folds: number,
): ReadonlyMap<string, number> {
  const hashed = Object.entries(roster).map(
    ([site, key]) => [site, bytesToHex(sha256(utf8ToBytes(key)))] as const,
  );
  hashed.sort(([, a], [, b]) => (a < b ? -1 : 1));
  return new Map(hashed.map(([site], place) => [site, place % folds]));
}

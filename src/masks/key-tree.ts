import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { SealedMaskKeys } from '../protocol/mask-messages.ts';
import { canonicalJson } from '../study/canonical-json.ts';
import { fromBase64url, toBase64url } from '../text/base64url.ts';

/** Hashes of leaves and of nodes begin with another byte, so that none can stand for the other (RFC 6962 §2.1). */
const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** The leaf of a site's keys. */
export function keyLeaf(keys: SealedMaskKeys): Uint8Array {
  return sha256(concatBytes(LEAF, utf8ToBytes(canonicalJson(keys))));
}

/** All levels of the Merkle tree, leaves first. A node without a partner goes up as it is. */
function levelsOf(leaves: readonly Uint8Array[]): (readonly Uint8Array[])[] {
  const levels = [leaves];
  for (let level = leaves; level.length > 1; levels.push(level)) {
    level = Array.from({ length: Math.ceil(level.length / 2) }, (_, k) => {
      const [left, right] = [level[2 * k], level[2 * k + 1]];
      return right === undefined ? left : sha256(concatBytes(NODE, left, right));
    });
  }
  return levels;
}

/** The root of the tree over the keys of all sites, in order of name: one hash that binds them all. */
export function keyRoot(leaves: readonly Uint8Array[]): string {
  return toBase64url(levelsOf(leaves).at(-1)![0]);
}

/** The hashes that lead from a leaf to the root. */
export function keyPath(leaves: readonly Uint8Array[], index: number): string[] {
  return levelsOf(leaves)
    .slice(0, -1)
    .flatMap((level, height) => {
      const partner = level[(index >> height) ^ 1];
      return partner === undefined ? [] : [toBase64url(partner)];
    });
}

/** The root that a leaf and its path lead to; undefined if the path has another length. */
export function rootOfPath(
  leaf: Uint8Array,
  index: number,
  count: number,
  path: readonly string[],
): string | undefined {
  const rest = [...path];
  let node = leaf;
  for (let [at, size] = [index, count]; size > 1; [at, size] = [at >> 1, Math.ceil(size / 2)]) {
    if ((at ^ 1) >= size) continue;
    const partner = fromBase64url(rest.shift() ?? '');
    if (partner?.length !== 32) return undefined;
    node = sha256(
      at % 2 === 0 ? concatBytes(NODE, node, partner) : concatBytes(NODE, partner, node),
    );
  }
  return rest.length === 0 ? toBase64url(node) : undefined;
}

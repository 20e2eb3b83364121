import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { keyStream } from '../cipher/key-stream.ts';
import { pairKey } from '../cipher/pair-key.ts';
import { entriesOf, type Layout, wordsOf } from '../statistic/layout.ts';
import { type RingVector, ringAddInto, ringSubtractFrom } from '../statistic/ring.ts';
import { toBase64url } from '../text/base64url.ts';

/** What keys and masks are bound to: the study and the digest of all keys. */
export interface MaskContext {
  readonly study: string;
  readonly graph: string;
}

const label = (use: string, { study, graph }: MaskContext, ...names: readonly string[]) =>
  JSON.stringify([`suffice/${use}@1`, study, graph, ...names]);

/** The key under which one site's shares travel to another. */
export function boxKey(
  context: MaskContext,
  secret: Uint8Array,
  publicKey: Uint8Array,
  [sender, receiver]: readonly [string, string],
): Uint8Array | undefined {
  return pairKey(secret, publicKey, label('mask-box', context, sender, receiver));
}

/** The seed of the mask of two sites. Both find the same. */
export function pairSeed(
  context: MaskContext,
  secret: Uint8Array,
  publicKey: Uint8Array,
  sites: readonly [string, string],
): Uint8Array | undefined {
  const [first, second] = sites[0] < sites[1] ? sites : [sites[1], sites[0]];
  return pairKey(secret, publicKey, label('mask-pair', context, first, second));
}

/** The seed of a site's own mask, from the secret that its neighbours have shares of. */
export function ownSeed(context: MaskContext, secret: Uint8Array, site: string): Uint8Array {
  return sha256(concatBytes(utf8ToBytes(label('mask-own', context, site)), secret));
}

/** The digest that a site sends of the secret of its own mask: it binds the site, and tells nothing about 32 random bytes. */
export function ownDigest(study: string, site: string, secret: Uint8Array): string {
  const text = JSON.stringify(['suffice/mask-own-digest@1', study, site]);
  return toBase64url(sha256(concatBytes(utf8ToBytes(text), secret)));
}

/** A mask that grows: seeds are added or taken off. */
export interface GrowingMask {
  readonly values: RingVector;
  add(seed: Uint8Array): void;
  /** The mask of a pair: the first of the two names adds it, the second takes it off. */
  addPair(seed: Uint8Array, own: string, other: string): void;
}

export function growingMask(layout: Layout): GrowingMask {
  const words = wordsOf(layout);
  const values = new Uint32Array(entriesOf(layout) * words);
  const add = (seed: Uint8Array) => ringAddInto(values, keyStream(seed, values.length), words);
  return {
    values,
    add,
    addPair(seed, own, other) {
      if (own < other) add(seed);
      else ringSubtractFrom(values, keyStream(seed, values.length), words);
    },
  };
}

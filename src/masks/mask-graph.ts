import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { graphDegree } from '../aggregation/graph-degree.ts';
import { keyStream } from '../cipher/key-stream.ts';
import { Refusal } from '../protocol/refusal.ts';

/** Who shares masks with whom. */
export interface MaskGraph {
  /** The sites with keys, in order of name. */
  readonly sites: readonly string[];
  /** Neighbours of a site that must come back. */
  readonly threshold: number;
  /** The neighbours of a site, in order of name; none of a site without keys. */
  neighbours(site: string): readonly string[];
}

/**
 * Sites on a circle, in an order that follows from the digest of all keys; each has the nearest k/2 on both sides as neighbours
 * (a Harary graph on a random order, Bell et al. 2020 §3.2). Few sites are all neighbours of each other.
 */
export function maskGraph(sites: readonly string[], share: number, graphDigest: string): MaskGraph {
  const degree = graphDegree(sites.length, share);
  if (degree === undefined) {
    throw new Refusal(
      'conflict',
      `masks for ${sites.length} sites need more than 255 neighbours each at this threshold`,
      'choose another threshold',
    );
  }
  const { neighbours: k, threshold } = degree;
  if (k === sites.length - 1) {
    const known = new Set(sites);
    const others = (site: string) => sites.filter((other) => other !== site);
    return { sites, threshold, neighbours: (site) => (known.has(site) ? others(site) : []) };
  }
  const circle = shuffled(sites, graphDigest);
  const places = new Map(circle.map((site, place) => [site, place]));
  return {
    sites,
    threshold,
    neighbours(site) {
      const place = places.get(site);
      if (place === undefined) return [];
      const near = new Set<string>();
      for (let step = 1; step <= k / 2; step++) {
        near.add(circle[(place + step) % circle.length]);
        near.add(circle[(place + circle.length - step) % circle.length]);
      }
      return sites.filter((other) => near.has(other));
    },
  };
}

function shuffled(sites: readonly string[], seed: string): string[] {
  const order = [...sites];
  const words = keyStream(sha256(utf8ToBytes(`suffice/mask-graph@1\n${seed}`)), 2 * order.length);
  for (let k = order.length - 1; k > 0; k--) {
    const uniform = (words[2 * k] * 2 ** 21 + (words[2 * k + 1] >>> 11)) / 2 ** 53;
    const other = Math.floor(uniform * (k + 1));
    [order[k], order[other]] = [order[other], order[k]];
  }
  return order;
}

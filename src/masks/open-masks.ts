import type { PartyAnswer } from '../aggregation/aggregation.ts';
import { x25519PublicKey } from '../cipher/x25519.ts';
import type { Failure } from '../failure.ts';
import type { SealedMaskKeys, SealedMaskReveals } from '../protocol/mask-messages.ts';
import type { Layout } from '../statistic/layout.ts';
import { fromBase64url, toBase64url } from '../text/base64url.ts';
import { growingMask, ownDigest, ownSeed, pairSeed } from './mask-seeds.ts';
import { type FixedStages, fixedGraph, type MaskStudy } from './mask-stages.ts';
import { recoverSecret } from './shamir.ts';
import { graphDigest } from './site-masks.ts';
import { siteSet } from './site-set.ts';

/** Messages of the sites. */
export interface ReceivedMasks {
  readonly keys: ReadonlyMap<string, SealedMaskKeys>;
  readonly reveals: ReadonlyMap<string, SealedMaskReveals>;
}

/** The masks that are left in the sum of the contributions, and the sites that gave wrong shares. */
export interface OpenedMasks extends PartyAnswer {
  readonly liars: readonly string[];
}

/**
 * The sum of the masks of the contributions: own masks of the sites in the total, and masks of pairs with a site that sent shares
 * and no contribution; the others cancel. Or who must come back.
 */
export async function openMasks(
  masks: MaskStudy,
  fixed: FixedStages,
  received: ReceivedMasks,
  layout: Layout,
): Promise<OpenedMasks | Failure> {
  const { roster } = masks.terms;
  const graph = fixedGraph(masks, fixed);
  const survivors = siteSet(roster, fixed.contributions!) ?? [];
  const present = new Set(survivors);
  const gone = (siteSet(roster, fixed.shares!) ?? []).filter((site) => !present.has(site));
  const context = { study: masks.study, graph: graphDigest(masks.study, fixed.keys!) };
  const sum = growingMask(layout);
  const liars = new Set<string>();
  const awaited = new Set<string>();
  const secretOf = async (site: string, kind: 'own' | 'pair') => {
    const near = graph.neighbours(site).filter((name) => present.has(name));
    const shares = new Map<string, Uint8Array>();
    for (const name of near) {
      const text = received.reveals.get(name)?.[kind][site];
      if (text !== undefined) shares.set(name, fromBase64url(text)!);
    }
    const keys = received.keys.get(site)!;
    const isRight = (secret: Uint8Array) =>
      kind === 'own'
        ? ownDigest(masks.study, site, secret) === keys.own
        : toBase64url(x25519PublicKey(secret)) === keys.pair;
    const found = await recoverSecret(shares, graph.threshold, isRight, liars);
    for (const liar of found?.liars ?? []) liars.add(liar);
    if (found !== undefined) return found.secret;
    const silent = near.filter((name) => !received.reveals.has(name));
    for (const name of silent) awaited.add(name);
    return silent.length === 0 ? wrongShares(site) : undefined;
  };
  for (const site of survivors) {
    const secret = await secretOf(site, 'own');
    if (secret === undefined) continue;
    if ('problem' in secret) return secret;
    sum.add(ownSeed(context, secret, site));
  }
  for (const site of gone) {
    const secret = await secretOf(site, 'pair');
    if (secret === undefined) continue;
    if ('problem' in secret) return secret;
    for (const name of graph.neighbours(site).filter((one) => present.has(one))) {
      const publicKey = fromBase64url(received.keys.get(name)!.pair)!;
      const seed = pairSeed(context, secret, publicKey, [site, name]);
      if (seed !== undefined) sum.addPair(seed, name, site);
    }
  }
  if (awaited.size > 0) return stillAwaited([...awaited]);
  return { values: sum.values, contributions: survivors.length, liars: [...liars] };
}

function stillAwaited(sites: readonly string[]): Failure {
  return {
    problem: `the total cannot be opened yet: too few of these sites have come back: ${sites.join(', ')}`,
    remedy: 'ask them to run the same join again',
  };
}

function wrongShares(site: string): Failure {
  return {
    problem: `the mask of ${site} cannot be taken off: it has sent wrong shares, or too many of its neighbours have`,
    remedy: 'make the study again without the doubtful site',
  };
}

import type * as zod from 'zod';
import type { KeyPair } from '../cipher/kem.ts';
import { type KemName, kemNames, kemSizes, loadedKem, loadKem } from '../cipher/kems.ts';
import { keyStream } from '../cipher/key-stream.ts';
import { openSeal, type SealContext, sealedBytes, sealTo } from '../cipher/sealed-box.ts';
import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { secureWords } from '../random/secure-words.ts';
import type { WordSource } from '../random/words.ts';
import { entriesOf, type Layout, wordsOf } from '../statistic/layout.ts';
import { type RingVector, ringSubtractFrom } from '../statistic/ring.ts';
import type { Statistic } from '../statistic/statistic.ts';
import type { Zod } from '../study/zod.ts';
import { fromBase64url } from '../text/base64url.ts';
import type { AggregationEntry, Share, ShareOrigin } from './aggregation.ts';
import { foldsOf } from './folds.ts';
import type { Grouping } from './grouping.ts';
import { maskedCollector } from './masked-collector.ts';
import { implausibleMasked } from './masked-share.ts';
import { fewestSites, mostSites, rosterSchema } from './roster.ts';

declare module '../study/study.ts' {
  interface Aggregations {
    readonly 'two-aggregators': TwoAggregators;
  }
}

/**
 * The coordinator gets x − m, where m is a mask, and a helper gets the seed of m, sealed. Neither alone learns anything about a
 * site; together they learn the sum. A site sends one message, and any sites may be missing.
 */
export interface TwoAggregators {
  readonly kind: 'two-aggregators';
  readonly helper: HelperTerms;
  /** The sites and the public keys that they sign with. Nobody else can take part. */
  readonly roster: Readonly<Record<string, string>>;
  /** Fewest sites that anything given out is about; 5 unless given, at least 3. */
  readonly minimumSites?: number;
  /** How seeds are sealed: `x25519` unless given, or `x-wing`, which holds against quantum computers too. */
  readonly kem?: KemName;
  /** Groups of sites whose sums are opened one by one, each of `minimumSites` or more, to choose a ridge by `k-fold`; none unless given. */
  readonly folds?: number;
}

/** The second aggregator: another organisation, which must not work together with the coordinator. */
export interface HelperTerms {
  /** Where the coordinator asks it. */
  readonly url: string;
  /** The public key that seeds are sealed to, as base64url. */
  readonly key: string;
  /** The public key that it signs its statements with, as base64url. */
  readonly signingKey: string;
}

/** The JSON schema of a helper. */
export function helperTermsSchema(z: Zod): zod.ZodObject {
  return z.strictObject({
    url: z
      .string()
      .max(2000)
      .regex(/^https?:\/\/[^\s?#]+$/, 'must be an http address'),
    key: z.string().regex(/^[\w-]{43,1700}$/, 'must be a public key in base64url'),
    signingKey: z.string().regex(/^[\w-]{43}$/, 'must be a public key in base64url'),
  });
}

const SEED_BYTES = 32;

/** What the seal of a seed is bound to: a seed cannot be used for another contribution, site, study or size. */
function sealContext(
  layout: Layout,
  { study, site, sequence, nonce = '' }: ShareOrigin,
  fold: number,
): SealContext {
  const bound = [
    study,
    site,
    sequence,
    nonce,
    layout.arithmetic,
    wordsOf(layout),
    entriesOf(layout),
    fold,
  ];
  return { purpose: 'suffice/mask@1', context: new TextEncoder().encode(JSON.stringify(bound)) };
}

function split(
  terms: TwoAggregators,
  { layout, values }: Statistic,
  origin: ShareOrigin,
  random: WordSource = secureWords(),
): readonly Share[] {
  const seed = new Uint8Array(Uint32Array.from({ length: SEED_BYTES / 4 }, random).buffer);
  const kem = loadedKem(terms.kem ?? 'x25519');
  const key = fromBase64url(terms.helper.key)!;
  const fold = groupingOf(terms)?.groupOf(origin.site) ?? 0;
  const sealed = sealTo(kem, key, seed, sealContext(layout, origin, fold));
  const left = values.slice();
  ringSubtractFrom(left, maskOf(layout, seed), wordsOf(layout));
  return [{ values: left }, { sealed }];
}

/** The groups of a study with folds. Refuses groups that cannot have enough sites. */
function groupingOf({ roster, folds, minimumSites = 5 }: TwoAggregators): Grouping | undefined {
  if (folds === undefined) return undefined;
  const sites = Object.keys(roster).length;
  if (Math.floor(sites / folds) < minimumSites) {
    throw new DataError(
      `${folds} groups of ${minimumSites} sites or more need ${folds * minimumSites} sites, and the roster has ${sites}`,
      {},
      'take fewer folds, or choose the ridge by gcv, which needs none',
    );
  }
  const known = foldsOf(roster, folds);
  return { groups: folds, groupOf: (site) => known.get(site) ?? 0 };
}

/** At the helper: the seed of a contribution's mask; undefined if it was not sealed for this contribution. */
export function seedIn(
  kem: KemName,
  keys: KeyPair,
  layout: Layout,
  origin: ShareOrigin,
  sealed: Uint8Array,
  fold = 0,
): Uint8Array | undefined {
  const seed = openSeal(loadedKem(kem), keys, sealed, sealContext(layout, origin, fold));
  return seed?.length === SEED_BYTES ? seed : undefined;
}

/** The mask of a seed. */
export function maskOf(layout: Layout, seed: Uint8Array): RingVector {
  return keyStream(seed, entriesOf(layout) * wordsOf(layout));
}

/** Two parties add: the coordinator and a helper. */
export const twoAggregators: AggregationEntry<TwoAggregators> = {
  schema: (z) =>
    z.strictObject({
      kind: z.literal('two-aggregators'),
      helper: helperTermsSchema(z),
      roster: rosterSchema(z),
      minimumSites: z.int().min(fewestSites).max(mostSites).optional(),
      kem: z.enum(kemNames).optional(),
      folds: z.int().min(2).max(20).optional(),
    }),
  aggregation: (terms) => {
    const { roster, minimumSites = 5, kem = 'x25519', helper } = terms;
    refuseUnopenable(terms, minimumSites, kem);
    const grouping = groupingOf(terms);
    return {
      sees: 'total',
      minimumSites,
      roster,
      helper: { ...helper, kem },
      parties: ['coordinator', 'helper'],
      mostShare: 1 / (2 * Object.keys(roster).length),
      load: async () => {
        await loadKem(kem);
      },
      split: (statistic, origin, random) => split(terms, statistic, origin, random),
      implausible: (share, layout, party) =>
        party === 'coordinator' ? implausibleMasked(share, layout) : implausibleSeal(share, kem),
      ...defined({ grouping }),
      collector: (layout, keep) => maskedCollector(layout, keep, grouping),
    };
  },
};

/** Refuses a study that could never give a total: it would take in contributions for nothing. */
function refuseUnopenable({ roster, helper }: TwoAggregators, fewest: number, kem: KemName): void {
  const sites = Object.keys(roster).length;
  if (sites < fewest) {
    throw new DataError(
      `the roster has ${sites} sites, and minimumSites is ${fewest}: no total could ever be opened`,
      {},
      'add sites to the roster, or lower minimumSites; the least is 3',
    );
  }
  if (fromBase64url(helper.key)?.length === kemSizes[kem].publicKeyBytes) return;
  throw new DataError(
    `the helper’s key is not one of ${kem}`,
    {},
    'make the study with the keys that the helper shows',
  );
}

function implausibleSeal(share: Share, kem: KemName): string | undefined {
  if (!('sealed' in share)) return 'the seed is not sealed';
  const expected = sealedBytes(kemSizes[kem], SEED_BYTES);
  return share.sealed.length === expected
    ? undefined
    : `the seal has another size: ${share.sealed.length} bytes, not ${expected}`;
}

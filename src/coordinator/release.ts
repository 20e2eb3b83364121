import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Kysely } from 'kysely';
import type { Failure } from '../failure.ts';
import type { Agreement } from '../federate.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { Counting } from './counting.ts';
import type { Desk } from './desk.ts';
import { newestResolution } from './resolution-records.ts';
import type { Tables } from './tables.ts';

/**
 * What the noise on a total is drawn from: known to the coordinator alone, and the same for the same contributions. However often
 * they are looked at, there is one noise, so that no average takes it away.
 */
export function noiseOf(
  { signing }: Desk,
  { method, digest }: Agreement,
  counting: Counting,
): { readonly noise?: string } {
  if (method.noise === undefined) return {};
  const purpose = utf8ToBytes(`suffice/noise@1 ${digest} ${counting.digest}`);
  return { noise: bytesToHex(hmac(sha256, utf8ToBytes(signing.secret), purpose)) };
}

/** Why a private study may not publish another total, if so; noise that sites have added stays the same whoever resolves. */
export function overspent(
  { method: { noise } }: Agreement,
  published: number,
): Failure | undefined {
  const releases = noise?.totals;
  if (releases === undefined || published < releases) return undefined;
  return {
    problem: `the study's privacy budget is spent: ${releases} of ${releases} ${releases === 1 ? 'resolution' : 'resolutions'} published`,
    remedy: 'keep the newest resolution; a study with "releases" shares its budget among several',
  };
}

/** Refuses what could only lead to a total that may not be published: exact sums would leave a site for nothing. */
export async function refuseSpent(
  db: Kysely<Tables>,
  agreed: Agreement,
  id: string,
): Promise<void> {
  if (agreed.method.noise === undefined) return;
  const spent = overspent(agreed, (await newestResolution(db, id))?.number ?? 0);
  if (spent === undefined) return;
  throw new Refusal(
    'gone',
    `${spent.problem}; no further model can be published`,
    'make a new study, with a budget of its own',
  );
}

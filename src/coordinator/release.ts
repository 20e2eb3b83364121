import type { Kysely } from 'kysely';
import type { Failure } from '../failure.ts';
import type { Agreement } from '../federate.ts';
import { noiseKey } from '../privacy/noise-key.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { olderThanReleases } from './release-witness.ts';
import { newestResolution } from './resolution-records.ts';
import type { ActiveSet } from './stored-contributions.ts';
import type { Tables } from './tables.ts';

/**
 * The key of the coordinator's noise on a total. Studies older than the secret of noise keep the key that they had, which was
 * made of the signing secret.
 */
export async function noiseOf(
  { store, signing, noiseSecret }: CoordinatorContext,
  { method, digest }: Agreement,
  id: string,
  active: ActiveSet,
): Promise<{ readonly noise?: string }> {
  if (method.noise === undefined) return {};
  const study = await store.db
    .selectFrom('studies')
    .select('created_at')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const { secret } = study.created_at < noiseSecret.since ? signing : noiseSecret;
  return { noise: noiseKey('coordinator', secret, digest, active.digest) };
}

/** Why a private study may not publish another total; undefined if it may, as when the sites add the noise. */
function overspent({ method: { noise } }: Agreement, published: number): Failure | undefined {
  const releases = noise?.totals;
  if (releases === undefined || published < releases) return undefined;
  return {
    problem: `the study's privacy budget is spent: ${releases} of ${releases} ${releases === 1 ? 'resolution' : 'resolutions'} published`,
    remedy: 'keep the newest resolution; a study with "releases" shares its budget among several',
  };
}

/** Why the contributions with this digest, or any others, may not be published now; undefined if they may. */
export async function unpublishable(
  context: CoordinatorContext,
  agreed: Agreement,
  published: number,
  contributions?: string,
): Promise<Failure | undefined> {
  const spent = overspent(agreed, published);
  return spent ?? olderThanReleases(context, agreed, published, contributions);
}

/** Refuses contributions once no further total may be published: a site would send exact sums for nothing. */
export async function refuseSpent(
  context: CoordinatorContext,
  db: Kysely<Tables>,
  agreed: Agreement,
  id: string,
): Promise<void> {
  if (agreed.method.noise === undefined) return;
  const published = (await newestResolution(db, id))?.number ?? 0;
  const spent = await unpublishable(context, agreed, published);
  if (spent === undefined) return;
  throw new Refusal(
    'gone',
    `${spent.problem}; no further model can be published`,
    'make a new study, with a budget of its own',
  );
}

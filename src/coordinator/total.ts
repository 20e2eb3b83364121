import { sql } from 'kysely';
import type { Collector } from '../aggregation/aggregation.ts';
import type { Agreement } from '../federate.ts';
import { contributionLimit } from '../statistic/envelope.ts';
import { bytesOf } from '../statistic/layout.ts';
import { wordsFromBytes } from '../statistic/statistic.ts';
import { digestBytes } from '../study/digest.ts';
import type { HeldPart } from './held-parts.ts';
import type { Store } from './store.ts';

/** Bytes of contributions in memory at once. */
const BATCH_BYTES = 2 ** 22;

/**
 * Adds these contributions, read a batch at a time; false where one of them has been erased meanwhile. Each body is checked
 * against its digest: what was acknowledged is what counts.
 */
export async function addParts(
  { db }: Store,
  id: string,
  { layout }: Agreement,
  parts: readonly HeldPart[],
  collector: Collector,
): Promise<boolean> {
  const bytes = bytesOf(layout);
  const size = Math.max(1, Math.min(500, Math.floor(BATCH_BYTES / contributionLimit(layout))));
  for (let from = 0; from < parts.length; from += size) {
    const batch = parts.slice(from, from + size);
    const places = batch.map(({ site, sequence }) => sql`(${site}, cast(${sequence} as bigint))`);
    const rows = await db
      .selectFrom('contributions')
      .select(['site', 'digest', 'body'])
      .where('study', '=', id)
      .where(sql<boolean>`(site, sequence) in (values ${sql.join(places)})`)
      .execute();
    const digests = new Set(batch.map(({ digest }) => digest));
    for (const { site, digest, body } of rows) {
      if (digest === null || body === null || !digests.has(digest)) return false;
      if (digestBytes(body) !== digest) {
        throw new Error(`a contribution to ${id} differs from its digest: the store is damaged`);
      }
      // The numbers are the end of the file, which was checked when it came in.
      collector.add(site, { values: wordsFromBytes(body.subarray(body.length - bytes)) });
    }
    if (rows.length < batch.length) return false;
    await new Promise((resolve) => setTimeout(resolve)); // others may go on meanwhile
  }
  return true;
}

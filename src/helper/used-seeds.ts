import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../coordinator/tables.ts';
import type { Agreement } from '../federate.ts';
import type { Unusable } from '../protocol/helper-messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { UsableSlip } from './usable-slips.ts';

/** Contributions whose seed another one has used, here or in an answer before. Two sums with one mask would show their difference. */
export async function reusedSeeds(
  db: Kysely<Tables>,
  { digest }: Agreement,
  usable: readonly UsableSlip[],
): Promise<Unusable[]> {
  const uses = usesOf(digest, usable);
  const known = new Map((await knownUses(db, uses)).map((use) => [use.hash, use]));
  const reused: Unusable[] = [];
  for (const use of uses) {
    const before = known.get(use.hash) ?? use;
    known.set(use.hash, before);
    const { site, sequence } = use;
    if (!isSame(before, use)) reused.push({ site, sequence, why: WHY });
  }
  return reused;
}

const WHY = 'the seed of its mask was used for another contribution';

/** Records the seeds of the contributions; refuses those that another request has used meanwhile. */
export async function useSeeds(
  db: Transaction<Tables>,
  study: string,
  usable: readonly UsableSlip[],
): Promise<void> {
  const uses = usesOf(study, usable);
  const known = new Map((await knownUses(db, uses)).map((use) => [use.hash, use]));
  for (const use of uses) {
    const before = known.get(use.hash);
    if (before === undefined) await db.insertInto('helper_seeds').values(use).execute();
    else if (!isSame(before, use)) {
      throw new Refusal('conflict', `${use.site}: ${WHY}`, 'ask again: the helper names it then');
    }
  }
}

/** The contribution that a seed was used for. The seed itself is not stored. */
type SeedUse = Tables['helper_seeds'];

function usesOf(study: string, usable: readonly UsableSlip[]): SeedUse[] {
  return usable.map(({ slip: { site, sequence }, seed }) => ({
    hash: bytesToHex(sha256(seed)),
    study,
    site,
    sequence,
  }));
}

function isSame(a: SeedUse, b: SeedUse): boolean {
  return a.study === b.study && a.site === b.site && a.sequence === b.sequence;
}

/** Seeds in one query. */
const AT_ONCE = 500;

async function knownUses(db: Kysely<Tables>, uses: readonly SeedUse[]): Promise<SeedUse[]> {
  const found: SeedUse[] = [];
  for (let from = 0; from < uses.length; from += AT_ONCE) {
    const hashes = uses.slice(from, from + AT_ONCE).map(({ hash }) => hash);
    found.push(
      ...(await db.selectFrom('helper_seeds').selectAll().where('hash', 'in', hashes).execute()),
    );
  }
  return found;
}

import { UsageError } from '../usage-error.ts';
import type { Store } from './store.ts';

/** A setting that each party makes in its own store when it starts. */
const marks = { coordinator: 'noise_secret', helper: 'helper_seal_x25519' } as const;

/** Refuses a store of the other party: with one store the two are one, and together they see every site. */
export async function requireOwnStore(
  { db }: Pick<Store, 'db'>,
  owner: keyof typeof marks,
): Promise<void> {
  const other = owner === 'coordinator' ? 'helper' : 'coordinator';
  const mark = await db
    .selectFrom('settings')
    .select('name')
    .where('name', '=', marks[other])
    .executeTakeFirst();
  if (mark === undefined) return;
  throw new UsageError(
    `this is the store of a ${other}: a ${owner} needs its own, or the two would see every site together`,
    'give another folder or another database; better, run the two in different organisations',
  );
}

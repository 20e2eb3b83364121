import type { StudyState } from '../protocol/messages.ts';
import type { Store } from './store.ts';

const states: readonly StudyState[] = ['draft', 'open', 'collecting', 'closed', 'resolved'];

/** Numbers for monitoring: studies by state, stored contributions, their bytes, resolutions. */
export async function readGauges({ db }: Store): Promise<Readonly<Record<string, number>>> {
  const studies = await db
    .selectFrom('studies')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute();
  const stored = await db
    .selectFrom('contributions')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.sum<number | null>('bytes').as('bytes'),
    ])
    .where('digest', 'is not', null)
    .executeTakeFirstOrThrow();
  const resolutions = await db
    .selectFrom('resolutions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const byState = states.map((state) => [
    `studies_${state}`,
    studies.find((row) => row.state === state)?.count ?? 0,
  ]);
  return {
    ...Object.fromEntries(byState),
    contributions: stored.count,
    contribution_bytes: stored.bytes ?? 0,
    resolutions: resolutions.count,
  };
}

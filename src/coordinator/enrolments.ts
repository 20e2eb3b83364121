import type { Kysely, Transaction } from 'kysely';
import type { DevicesView, OpenEnrolment } from '../protocol/enrolment.ts';
import type { EnrolmentsTable, Tables } from './tables.ts';

/** A new open enrolment of a study. */
export function enrolmentRow(study: string, { atMost, ends }: OpenEnrolment): EnrolmentsTable {
  return { study, at_most: atMost ?? null, ends_at: ends ?? null, ended_at: null, enrolled: 0 };
}

/** The open enrolment of a study, by its first round; undefined if it has none. */
export function enrolmentOf(
  db: Kysely<Tables>,
  first: string,
): Promise<EnrolmentsTable | undefined> {
  return db.selectFrom('enrolments').selectAll().where('study', '=', first).executeTakeFirst();
}

/** Whether one more device could enrol. */
export function isEnrolling(row: EnrolmentsTable | undefined, at: string): boolean {
  if (row === undefined || row.ended_at !== null) return false;
  if (row.ends_at !== null && row.ends_at <= at) return false;
  return row.at_most === null || row.enrolled < row.at_most;
}

/** Ends the enrolment for good; devices that have enrolled go on. */
export async function endEnrolling({
  db,
  first,
  at,
}: {
  readonly db: Transaction<Tables>;
  readonly first: string;
  readonly at: string;
}): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('enrolments')
    .set({ ended_at: at })
    .where('study', '=', first)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** How many devices take part in a round; undefined if the study is not open to devices. */
export async function devicesView(
  db: Kysely<Tables>,
  id: string,
  first: string,
  at: string,
): Promise<DevicesView | undefined> {
  const row = await enrolmentOf(db, first);
  if (row === undefined) return undefined;
  const states = await db
    .selectFrom('sites')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
    .where('study', '=', id)
    .where('device', '=', 1)
    .groupBy('state')
    .execute();
  const count = (state: string) => states.find((one) => one.state === state)?.count ?? 0;
  return {
    enrolled: row.enrolled,
    contributed: count('contributed'),
    withdrawn: count('withdrawn'),
    open: isEnrolling(row, at),
    ...(row.at_most === null ? {} : { atMost: row.at_most }),
    ...(row.ends_at === null ? {} : { ends: row.ends_at }),
  };
}

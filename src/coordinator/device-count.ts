import { Refusal } from '../protocol/refusal.ts';
import { enrolmentOf, isEnrolling } from './enrolments.ts';
import type { StudySession } from './study-session.ts';
import type { EnrolmentsTable } from './tables.ts';

/** The enrolment inside the writes that share a session. */
const inSession = new WeakMap<
  StudySession,
  { row: EnrolmentsTable | undefined; changed: boolean }
>();

/** Counts one more device; refuses if none may enrol. The count is saved with the session. */
export async function countDevice(session: StudySession): Promise<void> {
  const { db, first, at } = session;
  const known = inSession.get(session) ?? { row: await enrolmentOf(db, first), changed: false };
  inSession.set(session, known);
  const { row } = known;
  if (row === undefined || !isEnrolling(row, at)) throw enrolmentEnded(row, at);
  known.row = { ...row, enrolled: row.enrolled + 1 };
  if (known.changed) return;
  known.changed = true;
  session.beforeSave(async () => {
    known.changed = false;
    const { enrolled } = known.row as EnrolmentsTable;
    await db.updateTable('enrolments').set({ enrolled }).where('study', '=', first).execute();
  });
}

function enrolmentEnded(row: EnrolmentsTable | undefined, at: string): Refusal {
  const isFull = row !== undefined && row.ended_at === null && (row.ends_at ?? '~') > at;
  return new Refusal(
    'gone',
    isFull
      ? `${row.at_most} devices have enrolled, and no more may`
      : 'enrolling in this study has ended',
    'a device that has enrolled before can go on; ask the analyst for another link',
  );
}

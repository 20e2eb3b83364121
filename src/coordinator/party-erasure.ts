import type { StudySession } from './study-session.ts';

/**
 * Erases the messages between the parties of a study: of one that withdraws, what it sent, what was sent to it and the helper's
 * answer, which is about its people too; of all, when the time to keep contributions is over.
 */
export async function erasePartyMail({ db, id }: StudySession, party?: string): Promise<void> {
  const mail = db.deleteFrom('party_messages').where('study', '=', id);
  await (party === undefined
    ? mail
    : mail.where(({ or, eb }) =>
        or([eb('sender', '=', party), eb('receiver', '=', party), eb('step', '=', 'links')]),
      )
  ).execute();
}

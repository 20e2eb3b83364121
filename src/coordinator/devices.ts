import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { deviceName, type SealedEnrolment } from '../protocol/enrolment.ts';
import type { InvitationSecret, SealedReceipt } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { isPublicKey, isSealed } from '../protocol/signature.ts';
import { contributionLimit } from '../statistic/envelope.ts';
import { digestBytes } from '../study/digest.ts';
import { toBase64url } from '../text/base64url.ts';
import { accessRow, notAllowed, requireMember, requireRunner } from './access.ts';
import { readSigned, storeSigned } from './contributions.ts';
import type { Caller, UploadLimits } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { countDevice } from './device-count.ts';
import { endEnrolling } from './enrolments.ts';
import { siteRow } from './study-records.ts';
import { inStudy, inStudyTogether, isCollecting, type StudySession } from './study-session.ts';

/** Enrols a device, known by its key, and gives it a secret of its own; again it gets the same one. */
export async function enrolDevice(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  enrolment: SealedEnrolment,
): Promise<InvitationSecret> {
  requireOpenLink(caller, id);
  const { digest } = await context.agreed(id);
  const { key } = enrolment.seal;
  if (enrolment.study !== digest || !isPublicKey(key) || !isSealed(enrolment)) {
    throw notAllowed('the device has not signed that it enrols in this study');
  }
  const site = deviceName(digest, key);
  await inStudyTogether(context, id, site, (session) => putDevice(session, site, key));
  return { site, token: deviceToken(context, await context.firstRound(id), key) };
}

/** Enrols a device and stores its contribution, in one write: its signature says whose it is. */
export async function contributeAsDevice(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  file: Uint8Array,
): Promise<{ readonly receipt: SealedReceipt; readonly created: boolean }> {
  requireOpenLink(caller, id);
  // The time of a check counts for the study: anyone can hold the link.
  const { contribution, digest } = await readSigned(context, id, digestBytes(file), file);
  const { key } = contribution.seal;
  const site = deviceName((await context.agreed(id)).digest, key);
  if (contribution.site !== site) {
    throw notAllowed('the contribution does not have the name of the device that signed it');
  }
  return storeSigned(context, id, contribution, { file, digest, arrived: 'whole' }, (session) =>
    putDevice(session, site, key),
  );
}

/** How much a device may send; refuses if the study takes nothing now. */
export async function deviceLimits(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
): Promise<UploadLimits> {
  requireOpenLink(caller, id);
  const { layout } = await context.agreed(id);
  return { limit: contributionLimit(layout) };
}

/** Ends the enrolment: the open link stops working. */
export async function endEnrolment(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
): Promise<void> {
  requireRunner(caller, id);
  await inStudy(context, id, async (session) => {
    if (!(await endEnrolling(session))) return;
    session.record('enrolment-ended', {});
    await session.closeIfComplete();
  });
}

function requireOpenLink(caller: Caller, id: string): void {
  requireMember(caller, id);
  if (caller.role !== 'open') throw notAllowed('only the open link of a study may do this');
}

/** Makes a device a site of the study, once. */
async function putDevice(session: StudySession, site: string, key: string): Promise<void> {
  const { id, first, at, context } = session;
  const known = await session.sites.read(site);
  if (known !== undefined) {
    if (known.state !== 'revoked') return;
    throw new Refusal('not-allowed', 'this device was revoked', 'ask the analyst of the study');
  }
  await countDevice(session);
  if (!isCollecting(session.study.state)) {
    throw new Refusal('conflict', 'the study does not collect now', 'try again when it is open');
  }
  const token = deviceToken(context, first, key);
  session.sites.add(
    { ...siteRow(id, site, key), device: 1 },
    accessRow(token, { role: 'site', study: first, site }, at),
  );
  session.record('enrolled', { site, key });
}

/** The secret of a device: it follows from the coordinator's own secret, so a device that enrols again gets the same one. */
function deviceToken({ signing }: CoordinatorContext, first: string, key: string): string {
  const text = utf8ToBytes(`suffice/device-token@1\n${first}\n${key}`);
  return `sfi_${toBase64url(hmac(sha256, utf8ToBytes(signing.secret), text))}`;
}

import { agreement, totalDigest } from '../federate.ts';
import { type Statistic, statisticFromBytes } from '../statistic/statistic.ts';
import { canonicalJson } from '../study/canonical-json.ts';
import { studyDigest } from '../study/study.ts';
import { visibleText } from '../text/visible-text.ts';
import type { Link } from './link.ts';
import type {
  MessageName,
  Messages,
  Resolution,
  SealedAnalysis,
  SealedAuditLog,
  SealedErasure,
  SealedReceipt,
  SealedResolution,
  StudyView,
} from './messages.ts';
import { NetworkFailure } from './network-failure.ts';
import { isSealed, type Sealed } from './signature.ts';
import { studyId } from './study-part.ts';

type Verifiers = {
  readonly [Name in MessageName]?: (
    message: Messages[Name],
    link: Link,
  ) => Messages[Name] | Promise<Messages[Name]>;
};

/** Checks of messages against the link; the other messages have nothing to check. */
const verifiers: Verifiers = {
  StudyView: verifiedView,
  Receipt: verifiedReceipt,
  Receipts: (answer, link) => ({
    ...answer,
    receipts: answer.receipts.map((receipt) => verifiedReceipt(receipt, link)),
  }),
  Erasure: verifiedErasure,
  Resolution: verifiedResolution,
  Analysis: verifiedResolution,
  AuditLog: verifiedLog,
};

/** The message; throws if any part of it is not of its type, or if it contradicts the link. */
export async function verified<Name extends MessageName>(
  name: Name,
  message: Messages[Name],
  link: Link,
): Promise<Messages[Name]> {
  await checkWhole(name, message);
  const verify: Verifiers[Name] = verifiers[name];
  return verify === undefined ? message : verify(message, link);
}

/** Throws unless every part of a message is as its schema says; further keys are left alone and never used. */
async function checkWhole(name: MessageName, message: unknown): Promise<void> {
  const { messageSchemas } = await import('./answer-schemas.ts'); // zod takes a tenth of a second to load
  const { error } = messageSchemas[name].safeParse(message);
  if (error === undefined) return;
  const { path } = error.issues[0];
  const known = problems[String(path[0])];
  const part = path.length === 0 ? 'it' : `its part ${visibleText(path.join('.'))}`;
  throw mismatch(known ?? `${part} is not valid`);
}

const problems: Readonly<Record<string, string | undefined>> = {
  study: 'it did not send a valid study',
  seal: 'the signature is missing',
  layout: 'the layout does not follow from the study',
};

/** The view; throws if the study or the key is not that of the link. */
export async function verifiedView(
  view: StudyView,
  link: Pick<Link, 'study' | 'digest' | 'coordinatorKey'>,
): Promise<StudyView> {
  if (view.coordinatorKey !== link.coordinatorKey) {
    throw mismatch('it has another key than the one in the link');
  }
  const { parseStudy } = await import('../fusion/study-schema.ts');
  let study: StudyView['study'];
  try {
    study = parseStudy(view.study);
  } catch {
    throw mismatch('it did not send a valid study');
  }
  const digest = studyDigest(study);
  if (view.digest !== digest) throw mismatch('the digest is not that of the study');
  if (!names(link, digest) || view.id !== link.study) {
    throw mismatch('the study is not the one the link names');
  }
  if (canonicalJson(agreement(study).layout) !== canonicalJson(view.layout)) {
    throw mismatch('the layout does not follow from the study');
  }
  return view;
}

/** The document; throws unless the coordinator of the link signed it. */
function verifiedSeal<T extends Sealed<object>>(document: T, link: Link): T {
  const { seal } = document;
  if (typeof seal?.key !== 'string' || typeof seal.signature !== 'string') {
    throw mismatch('the signature is missing');
  }
  if (seal.key !== link.coordinatorKey) throw mismatch('it is signed with another key');
  if (!isSealed(document)) throw mismatch('the signature is not valid');
  return document;
}

function verifiedReceipt(receipt: SealedReceipt, link: Link): SealedReceipt {
  return ofStudy(verifiedSeal(receipt, link), receipt.study, link);
}

function verifiedErasure(erasure: SealedErasure, link: Link): SealedErasure {
  return ofStudy(verifiedSeal(erasure, link), erasure.study, link);
}

function verifiedLog(log: SealedAuditLog, link: Link): SealedAuditLog {
  return ofStudy(verifiedSeal(log, link), log.study, link);
}

function verifiedResolution<T extends SealedResolution | SealedAnalysis>(
  resolution: T,
  link: Link,
): T {
  verifiedSeal(resolution, link);
  if (studyDigest(resolution.study) !== resolution.studyDigest) {
    throw mismatch('the digest is not that of the study');
  }
  return ofStudy(resolution, resolution.studyDigest, link);
}

/** The total; throws unless the report was made from it. */
export function verifiedTotal(bytes: Uint8Array, { study, report }: Resolution): Statistic {
  const agreed = agreement(study);
  const total = statisticFromBytes(agreed.layout, bytes);
  if (total === undefined || totalDigest(agreed, total) !== report.digest) {
    throw mismatch('the report was not made from this total');
  }
  return total;
}

/** The document; throws if it belongs to another study. Documents name their study by digest or by id. */
function ofStudy<T>(document: T, study: string, link: Link): T {
  if (names(link, study)) return document;
  throw mismatch('it belongs to another study');
}

/** Whether a link names the study of a digest; a document of an earlier version may have the id in its place. */
function names(link: Pick<Link, 'study' | 'digest'>, digest: string): boolean {
  if (link.digest !== undefined) return digest === link.digest;
  return digest === link.study || studyId(digest) === link.study;
}

export function mismatch(problem: string): NetworkFailure {
  return new NetworkFailure(
    `the coordinator's answer cannot be trusted: ${problem}`,
    'ask the sender of the link for a new one, and whether the coordinator has a new address',
  );
}

import { digestJson } from '../study/digest.ts';
import type { AuditEntry, SealedAuditLog } from './messages.ts';
import { isSealed } from './signature.ts';

/** The digest of a log entry; `study` is the digest of the study. */
export function auditDigest(study: string, entry: Omit<AuditEntry, 'digest'>): string {
  const { position, at, event, detail, previous } = entry;
  return digestJson({ study, position, at, event, detail, previous });
}

/** What the reader knows about a log from elsewhere. */
export interface AuditExpectation {
  readonly studyDigest?: string;
  readonly coordinatorKey?: string;
}

/** Whether a log is intact, or the first problem in it. */
export type AuditVerdict =
  | {
      readonly ok: true;
      readonly entries: number;
      /** Positions of entries with a time before that of the entry before: a clock was wrong. Absent if there are none. */
      readonly timeGoesBackAt?: readonly number[];
    }
  | { readonly problem: string; readonly position?: number };

/** The first entry that breaks the chain of digests from the study on; undefined if none does. */
export function verifyChain(
  study: string,
  entries: readonly AuditEntry[],
): { readonly problem: string; readonly position: number } | undefined {
  let previous = study;
  for (const [index, entry] of entries.entries()) {
    const position = index + 1;
    if (entry.position !== position) {
      return { problem: `entry ${position} is missing`, position };
    }
    if (entry.previous !== previous) {
      return { problem: `entry ${position} does not follow the one before it`, position };
    }
    if (entry.digest !== auditDigest(study, entry)) {
      return { problem: `entry ${position} was changed`, position };
    }
    previous = entry.digest;
  }
  return undefined;
}

/**
 * Checks the chain of digests from the study to the last entry: a changed, missing, added or moved
 * entry breaks it. The signature proves where the log ends. Times that go back are reported: a
 * deadline may have been judged by a wrong clock.
 */
export function verifyAuditLog(log: SealedAuditLog, expected: AuditExpectation): AuditVerdict {
  if (log.schema !== 'suffice/audit-log@1') return { problem: 'this is not an audit log' };
  if (expected.studyDigest !== undefined && log.study !== expected.studyDigest) {
    return { problem: 'this is the log of another study' };
  }
  const broken = verifyChain(log.study, log.entries);
  if (broken !== undefined) return broken;
  if (expected.coordinatorKey !== undefined && log.seal.key !== expected.coordinatorKey) {
    return { problem: 'the log is signed with another key than the coordinator’s' };
  }
  if (!isSealed(log)) return { problem: 'the signature of the log is not valid' };
  const back = log.entries.flatMap(({ at, position }, k) =>
    k > 0 && Date.parse(at) < Date.parse(log.entries[k - 1].at) ? [position] : [],
  );
  return {
    ok: true,
    entries: log.entries.length,
    ...(back.length === 0 ? {} : { timeGoesBackAt: back }),
  };
}

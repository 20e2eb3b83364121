import { digestJson } from '../study/digest.ts';
import type { AuditEntry, SealedAuditLog } from './messages.ts';
import { isSealed } from './signature.ts';

/** The digest of an entry; `study` is the digest of the study whose log it stands in. */
export function auditDigest(study: string, entry: Omit<AuditEntry, 'digest'>): string {
  const { position, at, event, detail, previous } = entry;
  return digestJson({ study, position, at, event, detail, previous });
}

/** What a log must agree with, where the reader knows it. */
export interface AuditExpectation {
  readonly studyDigest?: string;
  readonly coordinatorKey?: string;
}

/** A log that holds together, or the first thing wrong with it. */
export type AuditVerdict =
  | { readonly ok: true; readonly entries: number }
  | { readonly problem: string; readonly position?: number };

/**
 * Follows the chain from the study's digest to the last entry: an entry that was changed, left
 * out, added or moved breaks it. The seal vouches for where the log ends.
 */
export function verifyAuditLog(log: SealedAuditLog, expected: AuditExpectation): AuditVerdict {
  if (log.schema !== 'suffice/audit-log@1') return { problem: 'it is not an audit log' };
  if (expected.studyDigest !== undefined && log.study !== expected.studyDigest) {
    return { problem: 'it is the log of another study' };
  }
  let previous = log.study;
  for (const [index, entry] of log.entries.entries()) {
    const position = index + 1;
    if (entry.position !== position) {
      return { problem: `entry ${position} is missing`, position };
    }
    if (entry.previous !== previous) {
      return { problem: `entry ${position} does not follow the one before it`, position };
    }
    if (entry.digest !== auditDigest(log.study, entry)) {
      return { problem: `entry ${position} was changed`, position };
    }
    previous = entry.digest;
  }
  if (expected.coordinatorKey !== undefined && log.seal.key !== expected.coordinatorKey) {
    return { problem: 'it is signed with another key than the coordinator’s' };
  }
  if (!isSealed(log)) return { problem: 'the signature does not fit the log' };
  return { ok: true, entries: log.entries.length };
}

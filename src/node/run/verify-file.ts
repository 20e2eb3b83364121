import { readFileSync } from 'node:fs';
import { DataError } from '../../data-error.ts';
import { defined } from '../../defined.ts';
import { type Agreement, agreement, readContribution } from '../../federate.ts';
import { messageSchemas } from '../../protocol/answer-schemas.ts';
import { verifyAuditLog } from '../../protocol/audit-chain.ts';
import type {
  MessageName,
  SealedAnalysis,
  SealedAuditLog,
  SealedResolution,
} from '../../protocol/messages.ts';
import { isSealed, type Sealed } from '../../protocol/signature.ts';
import { isSignedContribution } from '../../protocol/signed-contribution.ts';
import { verifyResolution } from '../../protocol/verify-resolution.ts';
import type { Contribution } from '../../statistic/envelope.ts';
import { type Study, studyDigest } from '../../study/study.ts';
import { boundedJson } from '../../text/bounded-json.ts';
import { isRecord } from '../files/json-file.ts';

/** The kind of a signed file, its key, and the problem with it, if any. */
export interface Verification {
  readonly kind:
    | 'resolution'
    | 'analysis'
    | 'receipt'
    | 'erasure receipt'
    | 'audit log'
    | 'contribution';
  readonly study: string;
  readonly key?: string;
  /** Facts that the signature covers, as text. */
  readonly facts: readonly string[];
  readonly problem?: string;
}

/** What the reader knows from elsewhere, to compare with the file. */
export interface Knowledge {
  readonly study?: Study;
  readonly coordinatorKey?: string;
}

/** Recognises a file of the protocol, and checks its signature and digests. */
export function verifyFile(path: string, known: Knowledge): Verification {
  const bytes = readFileSync(path);
  let json: unknown;
  try {
    json = boundedJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return verifyContribution(bytes, known, path);
  }
  if (!isRecord(json) || !isRecord(json.seal)) throw unknownFile(path);
  const { key, signature } = json.seal;
  if (typeof key !== 'string' || typeof signature !== 'string') throw unknownFile(path);
  const found = kinds.get(json.schema);
  if (found === undefined) throw unknownFile(path);
  const [kind, message] = found;
  const part = invalidPart(json, message);
  if (part !== undefined) {
    return { kind, study: 'unknown', key, facts: [], problem: `its part ${part} is not valid` };
  }
  const verdict = verifyDocument(json, key, known);
  if (verdict === undefined) throw unknownFile(path);
  if (verdict.problem !== undefined) return verdict;
  if (known.coordinatorKey !== undefined && key !== known.coordinatorKey) {
    return { ...verdict, problem: 'this is signed with another key than the coordinator’s' };
  }
  if (known.study !== undefined && verdict.study !== studyDigest(known.study)) {
    return { ...verdict, problem: 'this belongs to another study' };
  }
  return verdict;
}

/** Signed documents by the schema they name. */
const kinds: ReadonlyMap<unknown, readonly [Verification['kind'], MessageName]> = new Map([
  ['suffice/resolution@1', ['resolution', 'Resolution']],
  ['suffice/analysis@1', ['analysis', 'Analysis']],
  ['suffice/receipt@1', ['receipt', 'Receipt']],
  ['suffice/erasure@1', ['erasure receipt', 'Erasure']],
  ['suffice/audit-log@1', ['audit log', 'AuditLog']],
]);

/** The first part of a document that is not as its schema says. */
function invalidPart(json: unknown, message: MessageName): string | undefined {
  return messageSchemas[message].safeParse(json).error?.issues[0].path.join('.');
}

function unknownFile(path: string): DataError {
  return new DataError(
    'this is not a file that suffice signs',
    { file: path },
    'give a resolution, a receipt, an erasure receipt, an audit log or a contribution',
  );
}

function verifyDocument(
  json: Record<string, unknown>,
  key: string,
  known: Knowledge,
): Verification | undefined {
  const sealed = json as unknown as Sealed<Record<string, unknown>>;
  const validity = isSealed(sealed) ? {} : { problem: 'the signature is not valid' };
  switch (json.schema) {
    case 'suffice/resolution@1':
    case 'suffice/analysis@1': {
      const answer = json as unknown as SealedResolution | SealedAnalysis;
      const problem =
        'problem' in validity ? validity.problem : verifyResolution(answer, known.coordinatorKey);
      return {
        ...('number' in answer
          ? {
              kind: 'resolution',
              facts: [`number ${answer.number}, resolved at ${answer.resolvedAt}`],
            }
          : {
              kind: 'analysis',
              facts: [`of resolution ${answer.resolution}, asked at ${answer.askedAt}`],
            }),
        study: answer.studyDigest,
        key,
        ...defined({ problem }),
      };
    }
    case 'suffice/receipt@1':
      return {
        kind: 'receipt',
        study: String(json.study),
        key,
        facts: [
          `site ${json.site}, contribution ${json.sequence}, received ${json.receivedAt}`,
          `file ${json.digest}`,
        ],
        ...validity,
      };
    case 'suffice/erasure@1':
      return {
        kind: 'erasure receipt',
        study: String(json.study),
        key,
        facts: [
          `site ${json.site}, erased at ${json.erasedAt}`,
          ...[json.erased].flat().map((digest) => `file ${digest}`),
        ],
        ...validity,
      };
    case 'suffice/audit-log@1': {
      if (!Array.isArray(json.entries) || !json.entries.every(isRecord)) return undefined;
      const chain = verifyAuditLog(json as unknown as SealedAuditLog, {});
      return {
        kind: 'audit log',
        study: String(json.study),
        key,
        facts: [
          `${json.entries.length} entries`,
          ...('ok' in chain && chain.timeGoesBackAt !== undefined
            ? [`the time goes back at entry ${chain.timeGoesBackAt.join(', ')}`]
            : []),
        ],
        ...('problem' in chain ? { problem: chain.problem } : {}),
      };
    }
    default:
      return undefined;
  }
}

function verifyContribution(file: Uint8Array, { study }: Knowledge, path: string): Verification {
  if (study === undefined) {
    throw new DataError(
      'the file is not JSON; a contribution can be checked only with its study',
      { file: path },
      'give the study too',
      { name: 'study' },
    );
  }
  const agreed = agreement(study);
  const { digest } = agreed;
  const decoded = readContribution(agreed, file);
  if ('refused' in decoded) {
    return { kind: 'contribution', study: digest, facts: [], problem: decoded.refused };
  }
  const { contribution } = decoded;
  const { site, sequence, mode, dropped, seal } = contribution;
  const problem = signatureProblem(contribution) ?? rosterProblem(agreed, contribution);
  return {
    kind: 'contribution',
    study: digest,
    ...(seal === undefined ? {} : { key: seal.key }),
    facts: [
      `site ${site}, contribution ${sequence} (${mode})${
        agreed.aggregation.sees === 'sites' ? `, ${dropped} rows dropped` : ''
      }`,
    ],
    ...defined({ problem }),
  };
}

/** Where the roster of the study fixes the sites and their keys. */
function rosterProblem(
  { aggregation: { roster } }: Agreement,
  { site, seal }: Contribution,
): string | undefined {
  if (roster === undefined) return undefined;
  if (!Object.hasOwn(roster, site)) return `the roster of the study has no site ${site}`;
  return roster[site] === seal?.key
    ? undefined
    : `the roster of the study has another key of ${site}`;
}

function signatureProblem(contribution: Contribution): string | undefined {
  if (contribution.seal === undefined) return 'the contribution is not signed';
  return isSignedContribution(contribution) ? undefined : 'the signature is not valid';
}

import { type Kysely, sql } from 'kysely';
import { verifyChain } from '../protocol/audit-chain.ts';
import type { SealedResolution } from '../protocol/messages.ts';
import { isSealed } from '../protocol/signature.ts';
import { resolutionDigest } from '../protocol/verify-resolution.ts';
import { digestBytes, startDigest } from '../study/digest.ts';
import { auditEntries } from './audit-log.ts';
import { readBlocks } from './blocks.ts';
import { hasTable, tablesVersionOf } from './migrations.ts';
import type { Tables } from './tables.ts';

/** What a store holds. */
export interface StoreContents {
  /** Version of its tables. */
  readonly tables: number;
  /** Number of studies by state. */
  readonly studies: Readonly<Record<string, number>>;
  readonly sites: number;
  readonly contributions: number;
  /** Bytes of the contributions. */
  readonly bytes: number;
  readonly resolutions: number;
  readonly logEntries: number;
}

/** What a store holds, and what is wrong with it. */
export interface StoreInspection {
  readonly contents: StoreContents;
  /** Empty if every log, contribution and resolution is as it was written. */
  readonly problems: readonly string[];
}

/** Contributions read at once: none that is stored as a whole is larger than 1 MiB. */
const BATCH = 20;
/** Most problems that are listed. */
const MOST = 20;

/**
 * Checks everything that a store can prove: the chain of every log, the digest of every contribution, the seal of every
 * resolution. Changes nothing; reads tables of every version.
 */
export async function inspectStore(db: Kysely<Tables>): Promise<StoreInspection> {
  const problems: string[] = [];
  const studies = await db
    .selectFrom('studies')
    .select(['id', 'digest', 'state', 'audit_length', 'audit_head'])
    .orderBy('id')
    .execute();
  let logEntries = 0;
  let resolutions = 0;
  for (const study of studies) {
    logEntries += study.audit_length;
    const broken = await brokenLog(db, study);
    if (broken !== undefined) problems.push(`the log of study ${study.id}: ${broken}`);
    const found = await brokenResolutions(db, study.id);
    resolutions += found.resolutions;
    problems.push(...found.problems);
  }
  const { n: sites } = await db
    .selectFrom('sites')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  const stored = await brokenContributions(db);
  problems.push(...stored.problems);
  const byState: Record<string, number> = {};
  for (const { state } of studies) byState[state] = (byState[state] ?? 0) + 1;
  return {
    contents: {
      tables: await tablesVersionOf(db),
      studies: byState,
      sites: Number(sites),
      contributions: stored.contributions,
      bytes: stored.bytes,
      resolutions,
      logEntries,
    },
    problems: problems.slice(0, MOST),
  };
}

async function brokenLog(
  db: Kysely<Tables>,
  study: {
    readonly id: string;
    readonly digest: string;
    readonly audit_length: number;
    readonly audit_head: string;
  },
): Promise<string | undefined> {
  const entries = await auditEntries(db, study.id, 1);
  const broken = verifyChain(study.digest, entries);
  if (broken !== undefined) return broken.problem;
  const head = entries.at(-1)?.digest ?? study.digest;
  if (entries.length < study.audit_length) return `entry ${entries.length + 1} is missing`;
  return entries.length === study.audit_length && head === study.audit_head
    ? undefined
    : 'it ends elsewhere than the study says';
}

async function brokenResolutions(
  db: Kysely<Tables>,
  study: string,
): Promise<{ readonly resolutions: number; readonly problems: readonly string[] }> {
  const rows = await db
    .selectFrom('resolutions')
    .select(['number', 'digest', 'document'])
    .where('study', '=', study)
    .execute();
  const problems = rows.flatMap(({ number, digest, document }) =>
    isIntact(document, digest) ? [] : [`resolution ${number} of study ${study} was changed`],
  );
  return { resolutions: rows.length, problems };
}

function isIntact(document: string, digest: string): boolean {
  try {
    const resolution: SealedResolution = JSON.parse(document);
    return isSealed(resolution) && resolutionDigest(resolution) === digest;
  } catch {
    return false;
  }
}

interface StoredBody {
  readonly study: string;
  readonly site: string;
  readonly sequence: number;
  readonly digest: string | null;
  readonly bytes: number | null;
  readonly body: Uint8Array | null;
}

async function brokenContributions(db: Kysely<Tables>): Promise<{
  readonly contributions: number;
  readonly bytes: number;
  readonly problems: readonly string[];
}> {
  const inBlocks = await hasTable(db, 'blocks');
  const erased = await erasedStudies(db);
  const problems: string[] = [];
  let contributions = 0;
  let bytes = 0;
  let last: Pick<StoredBody, 'study' | 'site' | 'sequence'> | undefined;
  for (;;) {
    const after =
      last === undefined
        ? sql`true`
        : sql`(study, site, sequence) > (${last.study}, ${last.site}, cast(${last.sequence} as bigint))`;
    const { rows } = await sql<StoredBody>`select study, site, sequence, digest, bytes, body
      from contributions where ${after} order by study, site, sequence limit ${sql.lit(BATCH)}`.execute(
      db,
    );
    for (const row of rows) {
      if (row.digest === null) continue; // withdrawn, or replaced
      contributions++;
      bytes += row.bytes ?? 0;
      if (row.body === null && erased.has(row.study)) continue;
      const digest =
        row.body !== null
          ? digestBytes(row.body)
          : inBlocks
            ? await digestOfBlocks(db, row.study, row.site, row.digest)
            : undefined;
      if (digest !== row.digest) {
        const fate = digest === undefined ? 'is lost' : 'was changed';
        problems.push(
          `contribution ${row.sequence} of a site of study ${row.study} ${fate} (${row.digest.slice(0, 19)}…)`,
        );
      }
    }
    if (rows.length < BATCH) return { contributions, bytes, problems };
    last = rows.at(-1);
  }
}

async function digestOfBlocks(
  db: Kysely<Tables>,
  study: string,
  site: string,
  file: string,
): Promise<string | undefined> {
  const hash = startDigest();
  let blocks = 0;
  for await (const block of readBlocks(db, { study, site, file })) {
    hash.update(block);
    blocks++;
  }
  return blocks === 0 ? undefined : hash.digest();
}

/** Studies whose contributions were erased when their time was over; earlier tables do not know of any. */
async function erasedStudies(db: Kysely<Tables>): Promise<ReadonlySet<string>> {
  if (!(await hasTable(db, 'studies', 'erased_at'))) return new Set();
  const rows = await db
    .selectFrom('studies')
    .select('id')
    .where('erased_at', 'is not', null)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

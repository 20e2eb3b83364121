import type { Failure } from '../failure.ts';
import type { Agreement } from '../federate.ts';
import type { Ink } from '../model/text-table.ts';
import { printable } from '../protocol/printable.ts';
import type { Pool } from '../rows/pool.ts';
import type { Watch } from '../rows/watch.ts';
import { auditStory } from '../site/audit-story.ts';
import { MismatchedColumns } from '../site/mismatched-columns.ts';
import type { Prepared } from '../site/prepare-contribution.ts';
import { leavingStory, readStory } from '../site/release-story.ts';
import { createPool } from './pool.ts';

/** Who follows on a terminal what is done at a site. */
export interface Onlooker {
  readonly ink: Ink;
  readonly watch: Watch;
  show(text: string): void;
  /** Something worth knowing that is no result. */
  notice(text: string): void;
  /** One of several failures; what comes of them all is thrown. */
  failure(failure: Failure): void;
}

/** Prepares a contribution with threads of its own; where columns do not match, each is told. */
export async function preparing(
  threads: number | undefined,
  onlooker: Pick<Onlooker, 'failure'>,
  prepare: (pool: Pool) => Promise<Prepared>,
): Promise<Prepared> {
  const pool = createPool(threads);
  try {
    return await prepare(pool);
  } catch (failure) {
    if (failure instanceof MismatchedColumns) tellMismatches(failure, onlooker);
    throw failure;
  } finally {
    await pool.close();
  }
}

/** Shows what was read, what would leave, and what the audit says. */
export function showPrepared(
  agreed: Agreement,
  path: string,
  { summary, description, release, signedBy, audit }: Prepared,
  { show, ink }: Onlooker,
): void {
  const { bytes, digest } = release;
  show(readStory(agreed, path, summary, description, ink));
  const leaving = { bytes, digest, ...(signedBy === undefined ? {} : { signedBy }) };
  show(leavingStory(agreed, summary, leaving, ink));
  if (audit !== undefined) show(auditStory(audit, ink));
}

function tellMismatches(
  { mismatches, otherDecimals }: MismatchedColumns,
  { failure }: Pick<Onlooker, 'failure'>,
): void {
  for (const { column, problem, remedy } of mismatches) {
    const place = { column: printable(column) };
    failure({ problem: printable(problem), remedy: printable(remedy), place });
    if (otherDecimals.includes(column)) {
      failure({
        problem: 'its cells look like numbers with the other decimal mark',
        remedy: 'declare the decimal mark of the file',
        place,
        option: { name: 'decimal', value: ',' },
      });
    }
  }
}

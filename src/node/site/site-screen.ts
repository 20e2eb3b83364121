import { defined } from '../../defined.ts';
import type { Failure } from '../../failure.ts';
import type { Agreement } from '../../federate.ts';
import type { Pool } from '../../rows/pool.ts';
import type { Address } from '../../rows/source.ts';
import type { Watch } from '../../rows/watch.ts';
import { auditText } from '../../site/audit-text.ts';
import {
  explainedReading,
  explainFile,
  type FileExplanation,
} from '../../site/file-explanation.ts';
import { MismatchedColumns } from '../../site/mismatched-columns.ts';
import type { Prepared } from '../../site/prepare-contribution.ts';
import { outgoingText, readingText } from '../../site/release-text.ts';
import type { ReadingChoices } from '../../site/site-table.ts';
import type { Ink } from '../../text/text-table.ts';
import { visibleText } from '../../text/visible-text.ts';

/** The terminal at a site. */
export interface SiteScreen {
  readonly ink: Ink;
  readonly watch: Watch;
  show(text: string): void;
  /** Shows a message that is not a result. */
  notice(text: string): void;
  /** Shows one of several failures; one error for all of them is thrown afterwards. */
  failure(failure: Failure): void;
  /** Shows the cells of a refused file that do not fit. */
  explain(explanation: FileExplanation): void;
}

/** The file that a contribution is prepared from, and how it is read. */
export interface FileReading extends Omit<ReadingChoices, 'missing'> {
  readonly agreed: Agreement;
  readonly rows: Address;
}

/**
 * Prepares a contribution and ends the threads; shows each column that does not match, with the cells that do not.
 */
export async function preparing(
  { agreed, rows, ...choices }: FileReading,
  screen: Pick<SiteScreen, 'failure' | 'explain' | 'watch'>,
  pool: Pool,
  prepare: () => Promise<Prepared>,
): Promise<Prepared> {
  try {
    return await prepare();
  } catch (failure) {
    if (failure instanceof MismatchedColumns) {
      showMismatches(failure, screen);
      const refused = failure.mismatches.map(({ column }) => column);
      const reading = { ...explainedReading(agreed, choices), refused };
      const explanation = await explainFile(reading, rows, pool, screen.watch);
      if (explanation !== undefined) screen.explain(explanation);
    }
    throw failure;
  } finally {
    await pool.close();
  }
}

/** Shows what was read, the contribution, and the audit. */
export function showPrepared(
  agreed: Agreement,
  path: string,
  { summary, description, wording, release, signedBy, audit, mismatches }: Prepared,
  { show, ink, notice }: SiteScreen,
  acknowledged: readonly string[] = [],
): void {
  const { bytes, digest } = release;
  show(readingText(agreed, path, { summary, description, ...defined({ wording }) }, ink));
  for (const { column, problem, remedy } of mismatches) {
    notice(visibleText(`column ${column}: ${problem}; ${remedy}`));
  }
  const outgoing = { bytes, digest, ...defined({ signedBy }) };
  show(outgoingText(agreed, summary, outgoing, ink));
  if (audit !== undefined) show(auditText(audit, ink, acknowledged));
}

function showMismatches(
  { mismatches, otherDecimals }: MismatchedColumns,
  { failure }: Pick<SiteScreen, 'failure'>,
): void {
  for (const { column, problem, remedy } of mismatches) {
    const place = { column: visibleText(column) };
    failure({ problem: visibleText(problem), remedy: visibleText(remedy), place });
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

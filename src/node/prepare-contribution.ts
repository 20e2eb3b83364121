import { type Agreement, contribution } from '../federate.ts';
import type { Ink } from '../model/text-table.ts';
import type { Mismatch, OfferedColumn } from '../protocol/messages.ts';
import { printable } from '../protocol/printable.ts';
import type { SigningKey } from '../protocol/signature.ts';
import { signContribution } from '../protocol/signed-contribution.ts';
import { leavingStory, readStory } from '../site/release-story.ts';
import { type ContributionTurn, encodeContribution } from '../statistic/envelope.ts';
import { entriesOf } from '../statistic/layout.ts';
import { digestBytes } from '../study/digest.ts';
import { DataError } from '../table/data-error.ts';
import type { FitWatcher } from './fit.ts';
import { createPool } from './pool.ts';
import type { Release } from './site-home.ts';
import { type ReadingChoices, reduceSite, scanSite } from './site-table.ts';

/** A file, the study it answers, and for whom. */
export interface Preparation extends ReadingChoices {
  readonly agreed: Agreement;
  readonly site: string;
  readonly turn: ContributionTurn;
  readonly path: string;
  /** What to sign with; unsigned without. */
  readonly key?: SigningKey;
}

/** Who follows what is done at a site. */
export interface Onlooker {
  readonly ink: Ink;
  readonly watch: FitWatcher;
  show(text: string): void;
  /** Something worth knowing that is no result. */
  notice(text: string): void;
}

/** Says what of the columns found does not match the study. */
export type Judge = (columns: readonly OfferedColumn[]) => Promise<readonly Mismatch[]>;

/** A contribution that could leave. */
export interface Prepared {
  readonly release: Release;
  readonly dropped: number;
  readonly file: Uint8Array;
}

/** Reads, judges, reduces, signs and shows; nothing of the statistic leaves here. */
export async function prepareContribution(
  preparation: Preparation,
  judge: Judge,
  onlooker: Onlooker,
): Promise<Prepared> {
  const { agreed, site, turn, path, key } = preparation;
  const { ink, watch } = onlooker;
  const pool = createPool(preparation.threads);
  try {
    const table = await scanSite(agreed.study, path, preparation, pool, watch);
    refuseMismatches(await judge(table.columns), table.otherDecimals, path, onlooker);
    const reduced = await reduceSite(agreed, site, table, preparation, pool, watch);
    const { summary, description } = reduced;
    const unsigned = contribution(agreed, site, summary, turn);
    const file = encodeContribution(key === undefined ? unsigned : signContribution(unsigned, key));
    const digest = digestBytes(file);
    const signedBy = key === undefined ? {} : { signedBy: key.key };
    onlooker.show(readStory(agreed, path, summary, description, ink));
    const shown = { bytes: file.length, digest, ...signedBy };
    onlooker.show(leavingStory(agreed, summary, description, shown, ink));
    const { rows, dropped } = summary;
    const size = { rows, numbers: entriesOf(agreed.layout), bytes: file.length };
    return { release: { study: agreed.digest, site, ...turn, ...size, digest }, dropped, file };
  } finally {
    await pool.close();
  }
}

/** Says what does not match, column by column, and ends there. */
function refuseMismatches(
  mismatches: readonly Mismatch[],
  otherDecimals: readonly string[],
  path: string,
  { notice }: Onlooker,
): void {
  if (mismatches.length === 0) return;
  for (const { column, problem, remedy } of mismatches) {
    notice(`column "${printable(column)}": ${printable(problem)}\n  → ${printable(remedy)}`);
    if (otherDecimals.includes(column)) {
      notice('  → its cells look like numbers with the other decimal mark: try --decimal ,');
    }
  }
  const count = new Set(mismatches.map(({ column }) => column)).size;
  throw new DataError(
    `${count} ${count === 1 ? 'column does' : 'columns do'} not match the study; no statistic was made`,
    { file: path },
    'correct the file and run the command again',
  );
}

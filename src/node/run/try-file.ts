import { DataError } from '../../data-error.ts';
import { defined } from '../../defined.ts';
import type { Failure } from '../../failure.ts';
import { agreement, codebookIn, contribution, joinSummaries } from '../../federate.ts';
import type { ReduceJob, ReduceResult } from '../../rows/reduce-job.ts';
import { openSource } from '../../rows/sources.ts';
import type { Watch } from '../../rows/watch.ts';
import type { Adjustments } from '../../statistic/adjustments.ts';
import { SITE_COLUMN } from '../../study/codebook.ts';
import { imagesOf } from '../../study/image-study.ts';
import type { Study } from '../../study/study.ts';
import type { DecimalMark } from '../../table/notation.ts';
import { createPool } from '../compute/pool.ts';

/** The row counts of a file for a study, or why the study refuses it. */
export interface TriedFile {
  readonly path: string;
  /** Where parties have columns of their own: the one whose columns the file has. */
  readonly party?: string;
  readonly rows: number;
  readonly dropped: number;
  /** Missing cells by column, over the dropped rows. */
  readonly missing: Readonly<Record<string, number>>;
  /** In a private study: what would be done to rows in place of refusing them. */
  readonly adjusted?: Adjustments;
  readonly refused?: Omit<Failure, 'place'>;
}

/** What a person says about a text file. */
export interface TriedReading {
  readonly encoding?: string;
  readonly decimal?: DecimalMark;
}

/** Reduces a file as a site would, and keeps only the counts. */
export async function tryFile(
  study: Study,
  path: string,
  { encoding, decimal }: TriedReading,
  watch: Watch,
): Promise<TriedFile> {
  const agreed = agreement(study);
  const names = agreed.columns.map(({ name }) => name).filter((name) => name !== SITE_COLUMN);
  const site = codebookIn(agreed)[SITE_COLUMN];
  const name = site?.type === 'category' ? site.levels[0] : 'site';
  const join = (ranges: readonly ReduceResult[]): ReduceResult => {
    const summaries = ranges.flatMap(({ sites }) => sites.map(({ summary }) => summary));
    return { sites: [{ name, summary: joinSummaries(agreed.rowsLayout, summaries) }] };
  };
  const pool = createPool();
  try {
    const source = await openSource(pool.host, { path }, names, encoding, decimal, imagesOf(study));
    const job: ReduceJob = {
      kind: 'reduce',
      study,
      source,
      missing: 'drop',
      wholeFile: agreed.method.wholeFile,
      site: { name },
    };
    const bar = watch('reading', source.length);
    const results = await pool.run([job], join, bar.update).finally(bar.done);
    const { summary } = join(results).sites[0];
    contribution(agreed, name, summary); // throws if the site cannot fit its own regression
    const { rows, dropped, missing, adjusted } = summary;
    return { path, rows, dropped, missing, ...defined({ adjusted }) };
  } catch (failure) {
    return refusedFile(path, failure);
  } finally {
    await pool.close();
  }
}

/** A file that the study refuses; any other failure is thrown again. */
export function refusedFile(path: string, failure: unknown): TriedFile {
  if (!(failure instanceof DataError)) throw failure;
  const { message: problem, remedy, option } = failure;
  const refused = { problem, remedy, ...defined({ option }) };
  return { path, rows: 0, dropped: 0, missing: {}, refused };
}

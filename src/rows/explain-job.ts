import { type ColumnMisfits, type LookedAt, misfitFinder } from '../table/misfit-cells.ts';
import type { Host } from './host.ts';
import { readColumns } from './read-rows.ts';
import type { JobProgress, Source, SourceRange } from './source.ts';
import { wordedColumn } from './wording.ts';

/** Finds the cells of a source that do not fit its columns in the study, for the person at the site. */
export interface ExplainJob {
  readonly kind: 'explain';
  readonly source: Source;
  readonly range?: SourceRange;
  readonly columns: readonly LookedAt[];
}

export interface ExplainResult {
  readonly columns: readonly ColumnMisfits[];
  readonly edges?: SourceRange;
}

export async function explainRows(
  job: ExplainJob,
  host: Host,
  progress: JobProgress,
): Promise<ExplainResult> {
  const finders = job.columns.map((column) => misfitFinder(wordedColumn(job.source, column)));
  const wanted = job.columns.map(({ name }, k) => ({ name, column: finders[k].column }));
  const edges = await readColumns(
    host,
    job,
    wanted,
    ({ rows, columns }, firstRow) => {
      for (const [k, finder] of finders.entries()) finder.add(columns[k], rows, firstRow);
    },
    progress,
  );
  return { columns: finders.map(({ finish }) => finish()), edges };
}

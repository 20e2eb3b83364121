import { leverageCounter } from '../disclosure/leverage.ts';
import { agreement, codebookIn, reduction, regressionOf } from '../federate.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { Host } from './host.ts';
import { arrangement, columnsToRead, type RowSource, readTable } from './read-rows.ts';
import type { JobProgress, SourceRange } from './source.ts';

/** A second pass over a site's rows: the largest leverage of one row. */
export interface LeverageJob extends RowSource {
  readonly kind: 'leverage';
  readonly site: string;
  /** The statistic of all rows. */
  readonly values: LinearStatistic['values'];
}

export interface LeverageResult {
  readonly largest: number;
  readonly edges?: SourceRange;
}

export async function measureLeverage(
  job: LeverageJob,
  host: Host,
  progress: JobProgress,
): Promise<LeverageResult> {
  const agreed = agreement(job.study);
  const columns = columnsToRead(agreed);
  const arrange = arrangement(agreed, columns);
  const counter = leverageCounter({ layout: regressionOf(agreed).layout, values: job.values });
  const secondPass = reduction(agreed, {
    file: job.source.name,
    missing: 'drop',
    watchRows: (rows, seen) => counter.add(rows, seen),
  });
  const edges = await readTable(
    host,
    job,
    codebookIn(agreed),
    columns,
    (block, firstRow) => secondPass.add(arrange(block, job.site), (r) => firstRow + r),
    progress,
  );
  return { ...counter.finish(), edges };
}

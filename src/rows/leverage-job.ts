import { leverageMeter } from '../disclosure/leverage.ts';
import { agreement, reduction, regressionOf } from '../federate.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { Host } from './host.ts';
import { arrangement, columnsToRead, type RowSource, readTable } from './read-rows.ts';
import type { JobProgress, SourceRange } from './source.ts';

/** A second look at a site's rows: how much of the statistic hangs on one of them. */
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
  const meter = leverageMeter({ layout: regressionOf(agreed).layout, values: job.values });
  const again = reduction(agreed, {
    file: job.source.name,
    missing: 'drop',
    watchRows: (rows, seen) => meter.add(rows, seen),
  });
  const edges = await readTable(
    host,
    job,
    columns,
    (block, firstRow) => again.add(arrange(block, job.site), (r) => firstRow + r),
    progress,
  );
  return { ...meter.finish(), edges };
}

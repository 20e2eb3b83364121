import { plainStudy, type SendingCosts, sendingCosts } from '../../costs/sending-costs.ts';
import { DataError } from '../../data-error.ts';
import { agreement, codebookIn, joinSummaries } from '../../federate.ts';
import type { ReduceJob, ReduceResult } from '../../rows/reduce-job.ts';
import { openSource } from '../../rows/sources.ts';
import type { Watch } from '../../rows/watch.ts';
import { linearStatistic } from '../../statistic/statistic.ts';
import { SITE_COLUMN } from '../../study/codebook.ts';
import type { Study } from '../../study/study.ts';
import { createPool } from '../compute/pool.ts';
import type { TriedReading } from './try-file.ts';

/** Sites and rows that the analyst expects; as many rows as the sample has unless given. */
export interface CostsRequest extends TriedReading {
  readonly sites: number;
  readonly rows?: number;
}

/** Reads the analyst's sample as a site would, and says what each choice would cost. Nothing is sent. */
export async function adviseOn(
  study: Study,
  path: string,
  { sites, rows, encoding, decimal }: CostsRequest,
  watch: Watch,
): Promise<SendingCosts> {
  const plain = plainStudy(study);
  const agreed = agreement(plain);
  const names = agreed.columns.map(({ name }) => name).filter((name) => name !== SITE_COLUMN);
  const site = codebookIn(agreed)[SITE_COLUMN];
  const name = site?.type === 'category' ? site.levels[0] : 'sample';
  const join = (ranges: readonly ReduceResult[]): ReduceResult => {
    const summaries = ranges.flatMap((range) => range.sites.map(({ summary }) => summary));
    return { sites: [{ name, summary: joinSummaries(agreed.rowsLayout, summaries) }] };
  };
  const pool = createPool();
  try {
    const source = await openSource(pool.host, { path }, names, encoding, decimal);
    const job: ReduceJob = {
      ...{ kind: 'reduce', study: plain, source, missing: 'drop', site: { name } },
      wholeFile: agreed.method.wholeFile,
    };
    const bar = watch('reading', source.length);
    const results = await pool.run([job], join, bar.update).finally(bar.done);
    const { summary } = join(results).sites[0];
    if (summary.rows === 0) {
      throw new DataError('the sample has no complete row', { file: path }, 'give another file');
    }
    const total = linearStatistic(summary.statistic);
    return sendingCosts(plain, total, { sites, rows: rows ?? summary.rows });
  } finally {
    await pool.close();
  }
}

import { agreement } from '../federate.ts';
import { entriesOf } from '../statistic/layout.ts';
import type { Job } from './jobs.ts';

/** From this number of columns on, adding a cell's products takes longer than reading the cell. */
const MANY_COLUMNS = 100;

/**
 * The bytes that a thread reads and adds, of a table with few columns, in the time that it needs for this job. Only exact sums
 * and leverages count for more: they are the same wherever a file is cut.
 */
export function workOf(job: Job): number {
  const { length } = job.source;
  const isProduct =
    job.kind === 'leverage' || (job.kind === 'reduce' && job.study.arithmetic === 'exact');
  if (!isProduct) return length;
  const columns = Math.sqrt(2 * entriesOf(agreement(job.study).rowsLayout));
  return length * Math.max(1, columns / MANY_COLUMNS);
}

import { agreement } from '../federate.ts';
import { columnsIn } from '../statistic/layout.ts';
import type { Job } from './jobs.ts';

/** From this number of columns on, adding a cell's products takes longer than reading the cell. */
const MANY_COLUMNS = 100;

/** Multiplications of a training in the time of reading one byte. */
const TRAINED = 20;

/**
 * The bytes that a thread reads and adds, of a table with few columns, in the time that it needs for this job. Only exact sums
 * and leverages count for more, which are the same wherever a file is cut; and trainings, which are not cut.
 */
export function workOf(job: Job): number {
  const { length } = job.source;
  if (job.kind === 'reduce') {
    const { network } = agreement(job.study).method;
    // An input is about a byte: a pixel, or a short cell.
    if (network !== undefined) return length * Math.max(1, network.multiplications / TRAINED);
  }
  const isProduct =
    job.kind === 'leverage' || (job.kind === 'reduce' && job.study.arithmetic === 'exact');
  if (!isProduct) return length;
  const columns = columnsIn(agreement(job.study).rowsLayout);
  return length * Math.max(1, columns / MANY_COLUMNS);
}

import { type DraftJob, type DraftResult, scanDraft } from './draft-job.ts';
import { type JobProgress, type ReduceJob, type ReduceResult, reduce } from './reduce-job.ts';

/** Work on one file or a part of it, as plain data that can be sent to a worker. */
export type Job = ReduceJob | DraftJob;

export type ResultOf<J extends Job> = J extends ReduceJob ? ReduceResult : DraftResult;

export async function runJob<J extends Job>(job: J, progress: JobProgress): Promise<ResultOf<J>> {
  const result = job.kind === 'reduce' ? reduce(job, progress) : scanDraft(job, progress);
  return (await result) as ResultOf<J>;
}

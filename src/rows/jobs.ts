import { type DraftJob, type DraftResult, scanDraft } from './draft-job.ts';
import { type ExplainJob, type ExplainResult, explainRows } from './explain-job.ts';
import type { Host } from './host.ts';
import { type LeverageJob, type LeverageResult, measureLeverage } from './leverage-job.ts';
import { loadStudyFiles } from './load-pinned.ts';
import { type ReduceJob, type ReduceResult, reduceRows } from './reduce-job.ts';
import type { JobProgress } from './source.ts';
import { type TagJob, type TagResult, tagRows } from './tag-job.ts';

/** Work on one source or a range of it, as plain data that can be sent to a worker. */
export type Job = ReduceJob | DraftJob | LeverageJob | TagJob | ExplainJob;

interface JobResults {
  readonly reduce: ReduceResult;
  readonly leverage: LeverageResult;
  readonly tag: TagResult;
  readonly draft: DraftResult;
  readonly explain: ExplainResult;
}

/** The result of a job. */
export type ResultOf<J extends Job> = JobResults[J['kind']];

/** Runs a job, after loading the public files that its study needs. */
export async function runJob<J extends Job>(
  job: J,
  host: Host,
  progress: JobProgress,
): Promise<ResultOf<J>> {
  if ('study' in job) await loadStudyFiles(job.study, host);
  return (await start(job, host, progress)) as ResultOf<J>;
}

function start(job: Job, host: Host, progress: JobProgress): Promise<ResultOf<Job>> {
  switch (job.kind) {
    case 'reduce':
      return reduceRows(job, host, progress);
    case 'leverage':
      return measureLeverage(job, host, progress);
    case 'tag':
      return tagRows(job, host, progress);
    case 'draft':
      return scanDraft(job, host, progress);
    case 'explain':
      return explainRows(job, host, progress);
  }
}

import { DataError } from '../data-error.ts';
import { type Failure, failureOf } from '../failure.ts';
import type { Host } from './host.ts';
import { type Job, type ResultOf, runJob } from './jobs.ts';
import type { JobProgress } from './source.ts';

/** A message from a thread that serves jobs. */
export type FromThread =
  | { readonly progress: Parameters<JobProgress> }
  | { readonly result: unknown }
  | { readonly refusal: Failure }
  | { readonly crash: string };

const REPORT_BYTES = 2 ** 23;

/**
 * Runs a job and sends messages: a refusal as data, any other error as a crash. The buffers in `moved` may leave this
 * thread with a message, instead of being copied.
 */
export async function serveJob(
  job: Job,
  host: Host,
  send: (message: FromThread, moved: ArrayBuffer[]) => void,
): Promise<void> {
  let reported = 0;
  try {
    const result = await runJob(job, host, (bytes, rows, training) => {
      if (training === undefined && bytes - reported < REPORT_BYTES) return;
      reported = bytes;
      send({ progress: [bytes, rows, training] }, []);
    });
    send(
      { result },
      tagsIn(result).map(({ buffer }) => buffer as ArrayBuffer),
    );
  } catch (failure) {
    if (failure instanceof DataError) {
      send({ refusal: failureOf(failure) }, []);
    } else {
      const error = failure instanceof Error ? failure : new Error(String(failure));
      send({ crash: error.stack ?? error.message }, []);
    }
  }
}

/** The tags in a result: eight bytes for each row. */
function tagsIn(result: ResultOf<Job>): readonly BigUint64Array[] {
  if ('tags' in result) return result.tags;
  return 'sites' in result ? result.sites.flatMap(({ inspection }) => inspection?.tags ?? []) : [];
}

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type Pool, poolOf, type Thread } from '../../rows/pool.ts';
import type { FromThread } from '../../rows/serve-jobs.ts';
import { threadScript } from '../files/package-files.ts';
import { nodeHost } from './host.ts';
import { threadHere } from './thread-here.ts';

/** Rows are in kernel memory, so a small young heap is enough and saves memory. */
const SMALL_YOUNG_HEAP = { maxYoungGenerationSizeMb: 4 };
/** For fewer bytes in all, starting threads (a tenth of a second) costs more than it saves. */
const WORTH_THREADS = 6e7;
/** What one thread reads while another one starts. */
const HEAD_START = 4e7;

/**
 * A pool with one thread for each core, or with exactly `wanted` threads, also for small files. The calling thread is one
 * of them, the last to be given a job.
 */
export function createPool(
  wanted?: number,
  script: URL = threadScript('worker', import.meta.url),
): Pool {
  const threads = wanted ?? availableParallelism();
  let here: Thread | undefined;
  let others = 0;
  return poolOf({
    threads,
    ...(wanted === undefined ? { leastBytes: WORTH_THREADS, headStart: HEAD_START } : {}),
    host: nodeHost,
    startThread() {
      if (others < threads - 1 || here !== undefined) {
        others++;
        return threadOf(new Worker(script, { resourceLimits: SMALL_YOUNG_HEAP }));
      }
      here = threadHere();
      return here;
    },
  });
}

function threadOf(worker: Worker): Thread {
  return {
    post: (job) => worker.postMessage(job),
    listen(receive: (message: FromThread) => void, die) {
      const fail = (error: Error) => die(error.message);
      const exit = (code: number) => die(`exit ${code}`);
      worker.on('message', receive);
      worker.on('error', fail);
      worker.on('exit', exit);
      return () => {
        worker.off('message', receive);
        worker.off('error', fail);
        worker.off('exit', exit);
      };
    },
    terminate: () => worker.terminate(),
  };
}

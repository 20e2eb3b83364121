import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type Pool, createPool as poolOf, type Thread } from '../rows/pool.ts';
import type { FromThread } from '../rows/serve-jobs.ts';
import { nodeHost } from './host.ts';
import { threadScript } from './package-files.ts';

/** Rows live in kernel memory; a small nursery keeps the process small. */
const SMALL_YOUNG_HEAP = { maxYoungGenerationSizeMb: 4 };
/** Below this many bytes in all, starting threads (a tenth of a second) costs more than it saves. */
const WORTH_THREADS = 6e7;

/** A pool of as many threads as the machine has cores, or of just so many, whatever there is to read. */
export function createPool(wanted?: number, script: URL = threadScript('worker')): Pool {
  return poolOf({
    threads: wanted ?? availableParallelism(),
    ...(wanted === undefined ? { leastBytes: WORTH_THREADS } : {}),
    host: nodeHost,
    startThread: () => threadOf(new Worker(script, { resourceLimits: SMALL_YOUNG_HEAP })),
  });
}

function threadOf(worker: Worker): Thread {
  return {
    post: (job) => worker.postMessage(job),
    listen(hear: (message: FromThread) => void, die) {
      const fail = (error: Error) => die(error.message);
      const exit = (code: number) => die(`exit ${code}`);
      worker.on('message', hear);
      worker.on('error', fail);
      worker.on('exit', exit);
      return () => {
        worker.off('message', hear);
        worker.off('error', fail);
        worker.off('exit', exit);
      };
    },
    terminate: () => worker.terminate(),
  };
}

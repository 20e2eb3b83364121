import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type Pool, poolOf, type Thread, type ThreadPool } from '../../rows/pool.ts';
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
): ThreadPool {
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

/** Runs work with a pool whose threads start at once, if the file is worth them: they start while its study is read. */
export async function withPool<T>(
  path: string,
  threads: number | undefined,
  work: (pool: Pool) => Promise<T>,
): Promise<T> {
  const pool = createPool(threads);
  try {
    pool.start(bytesOf(path));
    return await work(pool);
  } finally {
    await pool.close();
  }
}

/** The size of a file; 0 if there is none to read: the reader says why. */
function bytesOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

function threadOf(worker: Worker): Thread {
  let ended: string | undefined;
  const end = (reason: string) => {
    ended ??= reason;
  };
  // It may end before anyone listens.
  worker.on('error', (error) => end(error.message));
  worker.on('exit', (code) => end(`exit ${code}`));
  return {
    post: (job) => worker.postMessage(job),
    listen(receive: (message: FromThread) => void, die) {
      const over = ended;
      if (over !== undefined) queueMicrotask(() => die(over));
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

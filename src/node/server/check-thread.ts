import { Worker } from 'node:worker_threads';
import { checksHere } from '../../coordinator/contribution-checks.ts';
import { fromSource, threadScript } from '../files/package-files.ts';
import { type CheckThread, checksElsewhere, type StartThread } from './checks-elsewhere.ts';

/** Memory for what lives shortly: the thread makes little else, and Node would take four times as much. */
const YOUNG_MEGABYTES = 8;

/** Checks in a thread of Node. */
export function createCheckThread(): CheckThread {
  // From the TypeScript sources there is no script that a thread could load.
  if (fromSource) return { checks: checksHere, close: async () => {} };
  return checksElsewhere(startWorker);
}

const startWorker: StartThread = (answered, died) => {
  const worker = new Worker(threadScript('check-worker', import.meta.url), {
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
  });
  worker.unref();
  worker.on('message', answered);
  worker.once('error', () => {}); // an exit follows
  worker.once('exit', died);
  return { post: (tasks) => worker.postMessage(tasks), stop: () => worker.terminate() };
};

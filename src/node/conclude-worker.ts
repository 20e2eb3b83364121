import { parentPort } from 'node:worker_threads';
import { concludeHere } from '../coordinator/conclude-here.ts';
import type { Conclusion, ConclusionWork } from './conclude-thread.ts';

/** Resolves totals one after the other, away from the thread that answers requests. */
const port = parentPort;
if (port === null) throw new Error('conclude-worker.ts runs only as a worker');

port.on('message', async ({ id, study, total, sites }: ConclusionWork) => {
  const send = (message: Conclusion) => port.postMessage(message);
  try {
    send({ id, result: await concludeHere(study, total, sites) });
  } catch (failure) {
    send({ id, crash: failure instanceof Error ? failure.message : String(failure) });
  }
});

import { parentPort } from 'node:worker_threads';
import { DataError } from '../table/data-error.ts';
import { type Job, runJob } from './jobs.ts';
import type { FromWorker } from './pool.ts';

/** Runs jobs one after the other and reports; a refusal travels as data, everything else as a crash. */
const port = parentPort;
if (port === null) throw new Error('worker.ts runs only as a worker');

const REPORT_BYTES = 2 ** 23;

port.on('message', async (job: Job) => {
  const send = (message: FromWorker) => port.postMessage(message);
  let reported = 0;
  try {
    const result = await runJob(job, (bytes, rows) => {
      if (bytes - reported < REPORT_BYTES) return;
      reported = bytes;
      send({ progress: { bytes, rows } });
    });
    send({ result });
  } catch (failure) {
    if (failure instanceof DataError) {
      const { problem, place, remedy } = failure;
      send({ refusal: { problem, place, remedy } });
    } else {
      const error = failure instanceof Error ? failure : new Error(String(failure));
      send({ crash: error.stack ?? error.message });
    }
  }
});

import { parentPort } from 'node:worker_threads';
import { serveJob } from '../../rows/serve-jobs.ts';
import { nodeHost } from './host.ts';

/** Runs the jobs of a pool. */
const port = parentPort;
if (port === null) throw new Error('worker.ts runs only as a worker');
port.on('message', (job) =>
  serveJob(job, nodeHost, (message, moved) => port.postMessage(message, moved)),
);

import { serveJob } from '../../src/rows/serve-jobs.ts';
import { loadSources } from '../../src/rows/sources.ts';
import { blobHost } from './blob-host.ts';

/** Runs the jobs of a pool. Posts "ready" after everything it needs is loaded. */
self.onmessage = ({ data: job }) => serveJob(job, blobHost, (message) => self.postMessage(message));

loadSources(blobHost).then(
  () => self.postMessage('ready'),
  // A rejected promise does not reach the page that started the worker; a reported error does.
  (failure) => setTimeout(() => reportError(failure)),
);

import { serveJob } from '../../src/rows/serve-jobs.ts';
import { loadSources } from '../../src/rows/sources.ts';
import { blobHost } from './blob-host.ts';

/** Runs the jobs of a pool. Says that it is ready once it needs nothing more of the network. */
self.onmessage = ({ data: job }) => serveJob(job, blobHost, (message) => self.postMessage(message));

loadSources(blobHost).then(
  () => self.postMessage('ready'),
  // Only an error of its own, no rejection, tells whoever started a worker that it has failed.
  (failure) => setTimeout(() => reportError(failure)),
);

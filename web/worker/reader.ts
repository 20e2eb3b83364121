import { keepPinned, type PinnedFile } from '../../src/features/pinned-file.ts';
import type { Job } from '../../src/rows/jobs.ts';
import { serveJob } from '../../src/rows/serve-jobs.ts';
import { loadSources } from '../../src/rows/sources.ts';
import { blobHost } from './blob-host.ts';

/** A public file that a thread gets before any job. */
export interface KeptFile {
  readonly keep: PinnedFile;
  readonly bytes: Uint8Array;
}

/** Runs the jobs of a pool. Posts "ready" after everything it needs is loaded. */
self.onmessage = ({ data }: MessageEvent<KeptFile | Job>) => {
  if ('keep' in data) keepPinned(data.keep, data.bytes);
  else void serveJob(data, blobHost, (message) => self.postMessage(message));
};

loadSources(blobHost).then(
  () => self.postMessage('ready'),
  // A rejected promise does not reach the page that started the worker; a reported error does.
  (failure) => setTimeout(() => reportError(failure)),
);

import { type PinnedFile, pinnedBytes } from '../../src/features/pinned-file.ts';
import { loadPinned } from '../../src/rows/load-pinned.ts';
import { type Pool, poolOf, type Thread } from '../../src/rows/pool.ts';
import type { FromThread } from '../../src/rows/serve-jobs.ts';
import { loadSources } from '../../src/rows/sources.ts';
import { PageFailureError, unloaded } from '../page-failure.ts';
import { blobHost } from './blob-host.ts';
import type { KeptFile } from './reader.ts';

/** Bytes from which several threads read faster than one; the threads are already running. */
const WORTH_THREADS = 8e6;

interface WarmThread extends Thread {
  /** Gives it a public file, so that it makes no request for it. */
  keep(file: KeptFile): void;
  /** Resolves when its code is loaded, or could not be loaded. */
  readonly ready: Promise<'ready' | 'dead'>;
}

const idle: WarmThread[] = [];

/** Public files that every thread gets. */
const shared: KeptFile[] = [];

/** Two at least: a training must leave the worker free to hear that it is stopped. */
function threadCount(): number {
  return Math.max(2, navigator.hardwareConcurrency || 2);
}

/** Loads public files that reading needs, for all threads. */
export async function shareFiles(files: readonly PinnedFile[]): Promise<void> {
  await loadPinned(files, blobHost);
  for (const file of files) {
    if (shared.some(({ keep }) => keep.sha256 === file.sha256)) continue;
    const kept = { keep: file, bytes: pinnedBytes(file) };
    shared.push(kept);
    for (const thread of idle) thread.keep(kept);
  }
}

/** Starts the reading threads, so that reading makes no request. Throws if one of them does not load. */
export async function warm(): Promise<void> {
  while (idle.length < threadCount()) idle.push(startThread());
  const own = loadSources(blobHost).then(
    () => 'ready' as const,
    () => 'dead' as const,
  );
  const states = await Promise.all([own, ...idle.map(({ ready }) => ready)]);
  if (states.includes('dead')) throw new PageFailureError(unloaded);
}

/** A pool over the running threads. Closing it ends threads that are busy; new ones replace them. */
export function workerPool(): Pool {
  return poolOf({
    threads: threadCount(),
    leastBytes: WORTH_THREADS,
    host: blobHost,
    startThread: () => idle.pop() ?? startThread(),
  });
}

function startThread(): WarmThread {
  const worker = new Worker(new URL('./reader.ts', import.meta.url), { type: 'module' });
  let working = false;
  let death: string | undefined;
  const ready = new Promise<'ready' | 'dead'>((resolve) => {
    worker.addEventListener('message', () => resolve('ready'), { once: true });
    worker.addEventListener('error', (event) => {
      event.preventDefault(); // the pool reports it; the worker goes on
      death = event.message || 'its script could not be loaded';
      const place = idle.findIndex((one) => one.ready === ready);
      if (place >= 0) idle.splice(place, 1);
      resolve('dead');
    });
  });
  const thread: WarmThread = {
    ready,
    keep: (file) => worker.postMessage(file),
    post(job) {
      working = true;
      worker.postMessage(job);
    },
    listen(hear, die) {
      const take = ({ data }: MessageEvent<FromThread | 'ready'>) => {
        if (data === 'ready') return;
        if (!('progress' in data)) working = false;
        hear(data);
      };
      const fail = () => die(death ?? 'unknown');
      worker.addEventListener('message', take);
      worker.addEventListener('error', fail);
      if (death !== undefined) queueMicrotask(fail);
      return () => {
        worker.removeEventListener('message', take);
        worker.removeEventListener('error', fail);
      };
    },
    terminate() {
      if (!working && death === undefined) {
        idle.push(thread);
        return;
      }
      worker.terminate();
      // Later, when the pool's other threads are idle again. A thread that fails is started again for the next file.
      queueMicrotask(() => void warm().catch(() => {}));
    },
  };
  shared.forEach(thread.keep);
  return thread;
}

import { createPool, type Pool, type Thread } from '../../src/rows/pool.ts';
import type { FromThread } from '../../src/rows/serve-jobs.ts';
import { loadSources } from '../../src/rows/sources.ts';
import { blobHost } from './blob-host.ts';
import { DeskTrouble, unloaded } from './trouble.ts';

/** Threads are warm: from this many bytes on several of them read faster than one. */
const WORTH_THREADS = 8e6;

interface WarmThread extends Thread {
  /** Once it needs nothing more of the network, or could not be loaded. */
  readonly ready: Promise<'ready' | 'dead'>;
}

const idle: WarmThread[] = [];

function threadCount(): number {
  return navigator.hardwareConcurrency || 2;
}

/** Starts the reading threads, so that nothing is fetched while a file is read; refuses where not all of them are there. */
export async function warm(): Promise<void> {
  while (idle.length < threadCount()) idle.push(startThread());
  const loading = Promise.allSettled([loadSources(blobHost)]);
  const ends = await Promise.all(idle.map(({ ready }) => ready));
  const [loaded] = await loading;
  if (ends.includes('dead') || loaded.status === 'rejected') {
    throw new DeskTrouble(unloaded);
  }
}

/** A pool over the warm threads; closing it ends those that are at work, and others take their places. */
export function workerPool(): Pool {
  return createPool({
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
      event.preventDefault(); // the pool tells of it, and the desk lives on
      death = event.message || 'its script could not be loaded';
      const place = idle.findIndex((one) => one.ready === ready);
      if (place >= 0) idle.splice(place, 1);
      resolve('dead');
    });
  });
  const thread: WarmThread = {
    ready,
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
      // After the others of its pool have come back; one that fails is started again for the next file.
      queueMicrotask(() => void warm().catch(() => {}));
    },
  };
  return thread;
}

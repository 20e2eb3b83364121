import { Worker } from 'node:worker_threads';
import type { Findings } from '../conclude.ts';
import { concludeLater } from '../coordinator/conclude-later.ts';
import type { Conclude, ConclusionWork } from '../coordinator/desk.ts';
import type { Failure } from '../failure.ts';
import { fromSource, threadScript } from './package-files.ts';

/** What the thread is asked. */
export interface ThreadWork {
  readonly id: number;
  readonly work: ConclusionWork;
}

/** What the thread says. */
export type ThreadAnswer =
  | { readonly id: number; readonly result: Findings | Failure }
  | { readonly id: number; readonly crash: string };

/** Resolves in a thread of its own, so that requests are answered while a wide study is solved. */
export interface ConcludeThread {
  readonly conclude: Conclude;
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (result: Findings | Failure) => void;
  readonly reject: (failure: Error) => void;
}

/** The thread starts with the first study to resolve, and again should it die. */
export function createConcludeThread(): ConcludeThread {
  // Run from its sources there is no script that a thread could load.
  if (fromSource) return { conclude: concludeLater, close: async () => {} };
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let next = 1;

  const start = (): Worker => {
    const started = new Worker(threadScript('conclude-worker'));
    started.unref();
    const die = (reason: unknown): void => {
      worker = undefined;
      const text = reason instanceof Error ? reason.message : `exit ${reason}`;
      for (const { reject } of waiting.values()) {
        reject(new Error(`the resolving thread died: ${text}`));
      }
      waiting.clear();
    };
    started.on('message', (message: ThreadAnswer) => {
      const asked = waiting.get(message.id);
      waiting.delete(message.id);
      if ('result' in message) asked?.resolve(message.result);
      else asked?.reject(new Error(message.crash));
    });
    started.once('error', die);
    started.once('exit', die);
    return started;
  };

  return {
    conclude(work) {
      worker ??= start();
      const id = next++;
      const message: ThreadWork = { id, work };
      worker.postMessage(message, buffersOf(work));
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    },
    async close() {
      await worker?.terminate();
    },
  };
}

/** The sites' statistics move to the thread; a copy of them could be large. */
function buffersOf({ parts = [] }: ConclusionWork): ArrayBuffer[] {
  return [...new Set(parts.map(({ statistic }) => statistic.values.buffer as ArrayBuffer))];
}

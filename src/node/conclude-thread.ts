import { Worker } from 'node:worker_threads';
import { concludeHere } from '../coordinator/conclude-here.ts';
import type { Conclude } from '../coordinator/desk.ts';
import type { Report, SiteLine } from '../model/report.ts';
import type { Unsolved } from '../solve/solution.ts';
import type { Statistic } from '../statistic/statistic.ts';
import type { Study } from '../study/study.ts';

/** What the thread is asked. */
export interface ConclusionWork {
  readonly id: number;
  readonly study: Study;
  readonly total: Statistic;
  readonly sites: readonly SiteLine[];
}

/** What the thread says. */
export type Conclusion =
  | { readonly id: number; readonly result: Report | Unsolved }
  | { readonly id: number; readonly crash: string };

/** Resolves in a thread of its own, so that requests are answered while a wide study is solved. */
export interface ConcludeThread {
  readonly conclude: Conclude;
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (result: Report | Unsolved) => void;
  readonly reject: (failure: Error) => void;
}

/** The thread starts with the first study to resolve, and again should it die. */
export function createConcludeThread(): ConcludeThread {
  // Run from its sources there is no script that a thread could load.
  if (import.meta.url.endsWith('.ts')) return { conclude: concludeHere, close: async () => {} };
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let next = 1;

  const start = (): Worker => {
    const started = new Worker(new URL('./conclude-worker.js', import.meta.url));
    started.unref();
    const die = (reason: unknown): void => {
      worker = undefined;
      const text = reason instanceof Error ? reason.message : `exit ${reason}`;
      for (const { reject } of waiting.values()) {
        reject(new Error(`the resolving thread died: ${text}`));
      }
      waiting.clear();
    };
    started.on('message', (message: Conclusion) => {
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
    conclude(study, total, sites) {
      worker ??= start();
      const work: ConclusionWork = { id: next++, study, total, sites };
      worker.postMessage(work);
      return new Promise((resolve, reject) => waiting.set(work.id, { resolve, reject }));
    },
    async close() {
      await worker?.terminate();
    },
  };
}

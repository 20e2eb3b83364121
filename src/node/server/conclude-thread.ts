import { Worker } from 'node:worker_threads';
import type { Result } from '../../conclude.ts';
import { concludeHere } from '../../coordinator/conclude-here.ts';
import type { Conclude, ConclusionWork } from '../../coordinator/coordinator-context.ts';
import type { Failure } from '../../failure.ts';
import { fromSource, threadScript } from '../files/package-files.ts';
import { concludeInOrder } from './conclude-queue.ts';

/** A message to the thread. */
export interface ThreadWork {
  readonly id: number;
  readonly work: ConclusionWork;
}

/** A message from the thread. */
export type ThreadAnswer =
  | { readonly id: number; readonly result: Result | Failure }
  | { readonly id: number; readonly crash: string };

/** Resolves in a separate thread, so that requests are answered while a wide study is solved. */
export interface ConcludeThread {
  readonly conclude: Conclude;
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (result: Result | Failure) => void;
  readonly reject: (failure: Error) => void;
}

/** The thread starts with the first study to resolve, and starts again if it dies. */
export function createConcludeThread(): ConcludeThread {
  // From the TypeScript sources there is no script that a thread could load.
  if (fromSource) return { conclude: concludeHere, close: async () => {} };
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let next = 1;
  let closed = false;

  const start = (): Worker => {
    const started = new Worker(threadScript('conclude-worker', import.meta.url));
    started.unref();
    const die = (reason: unknown): void => {
      if (worker !== started) return; // it was given up
      worker = undefined;
      const text = reason instanceof Error ? reason.message : `exit ${reason}`;
      for (const { reject } of waiting.values()) {
        reject(new Error(`the resolving thread died: ${text}`));
      }
      waiting.clear();
    };
    started.on('message', (message: ThreadAnswer) => {
      const caller = waiting.get(message.id);
      waiting.delete(message.id);
      if ('result' in message) caller?.resolve(message.result);
      else caller?.reject(new Error(message.crash));
    });
    started.once('error', die);
    started.once('exit', die);
    return started;
  };

  const conclude: Conclude = async (work) => {
    if (closed) throw new Error('the resolving thread is closed');
    worker ??= start();
    const id = next++;
    const message: ThreadWork = { id, work };
    worker.postMessage(message, buffersOf(work));
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  };
  const giveUp = (): void => {
    // The thread is busy and would not hear: the next work starts another one.
    worker?.terminate();
    worker = undefined;
    waiting.clear();
  };
  return {
    conclude: concludeInOrder({ conclude, giveUp }),
    async close() {
      closed = true;
      await worker?.terminate();
    },
  };
}

/** Buffers to move to the thread instead of copying them: statistics can be large. */
function buffersOf({ total, parts = [] }: ConclusionWork): ArrayBuffer[] {
  const statistics = [total, ...parts.map(({ statistic }) => statistic)];
  return [...new Set(statistics.map(({ values }) => values.buffer as ArrayBuffer))];
}

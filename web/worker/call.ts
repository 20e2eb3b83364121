import { type PageFailure, PageFailureError, unloaded } from '../page-failure.ts';
import type { WorkerApi } from './worker.ts';
import type { Call, FromWorker, ToWorker } from './worker-messages.ts';

type ApiName = keyof WorkerApi;
// biome-ignore lint/suspicious/noExplicitAny: the shape of every function in the API
type Given<N extends ApiName> = WorkerApi[N] extends (call: any, ...given: infer G) => any
  ? G
  : never;
type UpdateOf<N extends ApiName> = WorkerApi[N] extends (
  call: Call<infer U>,
  ...rest: never[]
) => unknown
  ? U
  : never;
type ResultOf<N extends ApiName> = Awaited<ReturnType<WorkerApi[N]>>;

/** Receives the updates of a call, and can cancel it. */
export interface CallOptions<Update> {
  readonly onUpdate?: (update: Update) => void;
  readonly signal?: AbortSignal;
}

interface Waiting {
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
  readonly onUpdate?: ((update: never) => void) | undefined;
}

let worker: Worker | undefined;
let last = 0;
const waiting = new Map<number, Waiting>();

/** Calls a function of the worker by name; rejects with `PageFailureError`. */
export function call<N extends ApiName>(
  name: N,
  given: Given<N>,
  { onUpdate, signal }: CallOptions<UpdateOf<N>> = {},
): Promise<ResultOf<N>> {
  const id = ++last;
  const running = startWorker();
  return new Promise<ResultOf<N>>((resolve, reject) => {
    waiting.set(id, { resolve, reject, onUpdate });
    signal?.addEventListener('abort', () => say(running, { id, cancel: true }), { once: true });
    say(running, { id, name, given });
    if (signal?.aborted) say(running, { id, cancel: true });
  });
}

/** Starts the worker unless it runs. Starting takes a moment, so pages do it before the first call. */
export function startWorker(): Worker {
  if (worker !== undefined) return worker;
  const started = new Worker(new URL('./worker.ts', import.meta.url), {
    type: 'module',
    name: 'worker',
  });
  started.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => hear(data));
  started.addEventListener('error', ({ message }) => {
    // The next call starts another worker.
    started.terminate();
    worker = undefined;
    const failure = message ? stoppedBy(message) : unloaded;
    for (const { reject } of waiting.values()) reject(new PageFailureError(failure));
    waiting.clear();
  });
  worker = started;
  return started;
}

function stoppedBy(message: string): PageFailure {
  return {
    kind: 'unexpected',
    problem: `the part of the page that reads files has stopped: ${message}`,
    remedy: 'reload the page; a tab with less to do may help',
  };
}

function say(to: Worker, message: ToWorker): void {
  to.postMessage(message);
}

function hear(message: FromWorker): void {
  const call = waiting.get(message.id);
  if (call === undefined) return;
  if ('update' in message) {
    call.onUpdate?.(message.update as never);
    return;
  }
  waiting.delete(message.id);
  if ('result' in message) call.resolve(message.result as never);
  else call.reject(new PageFailureError(message.failure));
}

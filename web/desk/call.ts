import type { Call, FromDesk, ToDesk } from './conversation.ts';
import type { Duties } from './desk.ts';
import { DeskTrouble, type Trouble, unloaded } from './trouble.ts';

type Duty = keyof Duties;
// biome-ignore lint/suspicious/noExplicitAny: the shape every duty has
type Given<D extends Duty> = Duties[D] extends (call: any, ...given: infer G) => any ? G : never;
type NewsOf<D extends Duty> = Duties[D] extends (call: Call<infer N>, ...rest: never[]) => unknown
  ? N
  : never;
type ResultOf<D extends Duty> = Awaited<ReturnType<Duties[D]>>;

/** How a caller follows a call, and ends it. */
export interface Following<News> {
  readonly onNews?: (news: News) => void;
  readonly signal?: AbortSignal;
}

interface Waiting {
  readonly resolve: (result: never) => void;
  readonly reject: (failure: unknown) => void;
  readonly onNews?: ((news: never) => void) | undefined;
}

let worker: Worker | undefined;
let last = 0;
const waiting = new Map<number, Waiting>();

/** Asks the desk to do something; rejects with `DeskTrouble`. */
export function ask<D extends Duty>(
  duty: D,
  given: Given<D>,
  { onNews, signal }: Following<NewsOf<D>> = {},
): Promise<ResultOf<D>> {
  const id = ++last;
  const desk = startDesk();
  return new Promise<ResultOf<D>>((resolve, reject) => {
    waiting.set(id, { resolve, reject, onNews });
    signal?.addEventListener('abort', () => say(desk, { id, cancel: true }), { once: true });
    say(desk, { id, duty, given });
    if (signal?.aborted) say(desk, { id, cancel: true });
  });
}

/** Starts the desk where it does not run yet: it costs a moment, which is best spent before anyone asks. */
export function startDesk(): Worker {
  if (worker !== undefined) return worker;
  const desk = new Worker(new URL('./desk.ts', import.meta.url), { type: 'module', name: 'desk' });
  desk.addEventListener('message', ({ data }: MessageEvent<FromDesk>) => hear(data));
  desk.addEventListener('error', ({ message }) => {
    // Whoever asks again is answered by another one.
    desk.terminate();
    worker = undefined;
    const trouble = message ? stoppedBy(message) : unloaded;
    for (const { reject } of waiting.values()) reject(new DeskTrouble(trouble));
    waiting.clear();
  });
  worker = desk;
  return desk;
}

function stoppedBy(message: string): Trouble {
  return {
    kind: 'unexpected',
    problem: `the part of the page that reads files has stopped: ${message}`,
    remedy: 'reload the page; a tab with less to do may help',
  };
}

function say(desk: Worker, message: ToDesk): void {
  desk.postMessage(message);
}

function hear(message: FromDesk): void {
  const call = waiting.get(message.id);
  if (call === undefined) return;
  if ('news' in message) {
    call.onNews?.(message.news as never);
    return;
  }
  waiting.delete(message.id);
  if ('result' in message) call.resolve(message.result as never);
  else call.reject(new DeskTrouble(message.trouble));
}

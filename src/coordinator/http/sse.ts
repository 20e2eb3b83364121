import type { AuditEntry } from '../../protocol/messages.ts';

export interface EventStreamOptions {
  /** Ends the stream: the client has gone, or the process stops. */
  readonly signal: AbortSignal;
  /** A comment every so often keeps proxies from taking the silence for death. */
  readonly heartbeatMs: number;
  /** Asked at every heartbeat; the stream ends where the answer is no. */
  readonly stillAllowed: () => Promise<boolean>;
  /** Called once, when it is over. */
  readonly ended: () => void;
}

/** Audit entries as server-sent events, each under its position; written as fast as they are read. */
export function eventStream(
  watch: (signal: AbortSignal) => AsyncIterable<AuditEntry>,
  { signal, heartbeatMs, stillAllowed, ended }: EventStreamOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const own = new AbortController();
  const both = AbortSignal.any([signal, own.signal]);
  const entries = watch(both)[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<AuditEntry>> | undefined;
  let over = false;
  const finish = (): void => {
    if (over) return;
    over = true;
    own.abort();
    ended();
    next?.catch(() => {});
    entries.return?.().catch(() => {});
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode('retry: 2000\n\n'));
    },
    async pull(controller) {
      try {
        next ??= entries.next();
        const heard = await firstOf(next, heartbeatMs, both);
        if (heard === 'heartbeat' && (await stillAllowed())) {
          controller.enqueue(encoder.encode(': still here\n\n'));
          return;
        }
        if (heard === 'aborted' || heard === 'heartbeat' || heard.done === true) {
          finish();
          controller.close();
          return;
        }
        next = undefined;
        controller.enqueue(encoder.encode(eventText(heard.value)));
      } catch {
        // The client comes back by itself with Last-Event-ID, or learns then why not.
        finish();
        controller.close();
      }
    },
    cancel: finish,
  });
}

function eventText(entry: AuditEntry): string {
  return `id: ${entry.position}\nevent: ${entry.event}\ndata: ${JSON.stringify(entry)}\n\n`;
}

async function firstOf<T>(
  answer: Promise<T>,
  milliseconds: number,
  signal: AbortSignal,
): Promise<T | 'heartbeat' | 'aborted'> {
  if (signal.aborted) return 'aborted';
  let stop = (): void => {};
  const other = new Promise<'heartbeat' | 'aborted'>((resolve) => {
    const timer = setTimeout(() => resolve('heartbeat'), milliseconds);
    const abort = () => resolve('aborted');
    signal.addEventListener('abort', abort);
    stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
  });
  return Promise.race([answer, other]).finally(stop);
}

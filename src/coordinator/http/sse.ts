import type { AuditEvent } from '../../protocol/audit-event.ts';
import type { AuditEntry } from '../../protocol/messages.ts';

export interface EventStreamOptions {
  /** Ends the stream: the client has disconnected, or the process stops. */
  readonly signal: AbortSignal;
  /** Interval of comments that keep proxies from closing a quiet connection. */
  readonly heartbeatMs: number;
  /** Asked at every heartbeat and after every entry that may end a secret; the stream ends if the answer is false. */
  readonly stillAllowed: () => Promise<boolean>;
  /** Called once, when the stream has ended. */
  readonly ended: () => void;
}

/** Audit entries as server-sent events with their position as id; written only as fast as the client reads. */
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
        const first = await firstOf(next, heartbeatMs, both);
        if (first === 'heartbeat' && (await stillAllowed())) {
          controller.enqueue(encoder.encode(': still here\n\n'));
          return;
        }
        const ended = await isOver(first, stillAllowed);
        if (ended || first === 'aborted' || first === 'heartbeat' || first.done === true) {
          finish();
          controller.close();
          return;
        }
        next = undefined;
        controller.enqueue(encoder.encode(eventText(first.value)));
      } catch {
        // The client connects again with Last-Event-ID, and then gets a refusal if there is one.
        finish();
        controller.close();
      }
    },
    cancel: finish,
  });
}

/** Entries after which a secret may no longer work. */
const ENDING: ReadonlySet<string> = new Set<AuditEvent>([
  'admin-renewed',
  'admin-revoked',
  'invited',
  'revoked',
]);

async function isOver(
  first: IteratorResult<AuditEntry> | 'heartbeat' | 'aborted',
  stillAllowed: () => Promise<boolean>,
): Promise<boolean> {
  if (typeof first === 'string' || first.done === true) return true;
  return ENDING.has(first.value.event) && !(await stillAllowed());
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

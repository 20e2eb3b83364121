import type { AuditEntry } from '../protocol/messages.ts';
import { requireMember } from './access.ts';
import { auditEntries } from './audit-log.ts';
import type { Caller } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { everyStudy } from './store.ts';

const ENTRIES_AT_ONCE = 256;
/** Poll interval, in case a notification was lost. */
const POLL_MILLISECONDS = 5000;

/**
 * Entries of a study's log from a position onwards, each once and in order, then each new one after
 * its commit by any process, until the signal.
 */
export function watchStudy(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  from: number,
  signal: AbortSignal,
): AsyncIterable<AuditEntry> {
  requireMember(caller, id);
  return follow(context, id, Math.max(1, from), signal);
}

async function* follow(
  context: CoordinatorContext,
  id: string,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<AuditEntry> {
  await context.agreed(id);
  const alarm = createAlarm();
  const stopListening = context.store.listen(({ study }) => {
    if (study === id || study === everyStudy) alarm.wake();
  });
  signal.addEventListener('abort', alarm.wake);
  try {
    for (let next = from; !signal.aborted; ) {
      const woken = alarm.next(POLL_MILLISECONDS); // before the query, so that no entry is missed
      const entries = await auditEntries(context.store.db, id, next, ENTRIES_AT_ONCE);
      if (entries.length > 0) await context.store.durable();
      for (const entry of entries) {
        if (signal.aborted) return;
        yield entry;
        next = entry.position + 1;
      }
      if (entries.length === 0) await woken;
    }
  } finally {
    signal.removeEventListener('abort', alarm.wake);
    stopListening();
    alarm.wake();
  }
}

/** Lets one task wait until it is woken, or until the time is over. */
interface Alarm {
  readonly wake: () => void;
  next(milliseconds: number): Promise<void>;
}

function createAlarm(): Alarm {
  let wake = () => {};
  return {
    wake: () => wake(),
    next(milliseconds) {
      wake(); // ends the wait before this one
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}

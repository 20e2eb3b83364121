import type { AuditEntry } from '../protocol/messages.ts';
import { requirePart } from './access.ts';
import { auditEntries } from './audit-log.ts';
import type { Caller } from './coordinator.ts';
import type { Desk } from './desk.ts';
import { everyStudy } from './store.ts';

const ENTRIES_AT_ONCE = 256;
/** Looks without being told this often, in case an announcement was lost. */
const POLL_MILLISECONDS = 5000;

/**
 * Entries of a study's log from a position on, each once and in order, then each new one as it is
 * committed by any process, until the signal ends it.
 */
export function watchStudy(
  desk: Desk,
  caller: Caller,
  id: string,
  from: number,
  signal: AbortSignal,
): AsyncIterable<AuditEntry> {
  requirePart(caller, id);
  return follow(desk, id, Math.max(1, from), signal);
}

async function* follow(
  desk: Desk,
  id: string,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<AuditEntry> {
  await desk.agreed(id);
  const bell = createBell();
  const unhear = desk.store.hear(({ study }) => {
    if (study === id || study === everyStudy) bell.ring();
  });
  signal.addEventListener('abort', bell.ring);
  try {
    for (let next = from; !signal.aborted; ) {
      const rung = bell.next(POLL_MILLISECONDS); // set before looking: nothing slips between
      const entries = await auditEntries(desk.store.db, id, next, ENTRIES_AT_ONCE);
      for (const entry of entries) {
        if (signal.aborted) return;
        yield entry;
        next = entry.position + 1;
      }
      if (entries.length === 0) await rung;
    }
  } finally {
    signal.removeEventListener('abort', bell.ring);
    unhear();
    bell.ring();
  }
}

/** Wakes whoever waits: at the next ring, or when the time is over. */
interface Bell {
  readonly ring: () => void;
  next(milliseconds: number): Promise<void>;
}

function createBell(): Bell {
  let wake = () => {};
  return {
    ring: () => wake(),
    next(milliseconds) {
      wake(); // whoever waited before
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

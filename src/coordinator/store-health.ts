import { Refusal } from '../protocol/refusal.ts';
import type { Store } from './store.ts';

/** How long the store may take to answer a health check, in milliseconds. */
const PATIENCE = 2_000;
/** A store that has taken a write this many milliseconds ago is not asked to write again. */
const WRITE_EVERY = 10_000;

/** A row that is written and removed again. */
const PROBE = 'can this store be written';
/** Its length, and that after a write has failed: room for a few bytes is no room for a contribution. */
const PROBE_LENGTH = { usual: 1, failed: 2 ** 18 };

/** A store that remembers whether it can still be written, and the check that asks. */
export interface WatchedStore {
  readonly store: Store;
  /** Throws if the store does not answer in time, or cannot write. */
  check(): Promise<void>;
}

export function watchHealth(store: Store): WatchedStore {
  let written = Number.NEGATIVE_INFINITY;
  let failed = false;
  let running: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    await store.db.selectFrom('settings').select('name').limit(1).execute();
    if (performance.now() - written < WRITE_EVERY) return;
    const length = failed ? PROBE_LENGTH.failed : PROBE_LENGTH.usual;
    const value = '-'.repeat(length);
    // Leaves nothing behind, but must reach the disk.
    await store.write('', async (db) => {
      await db.insertInto('settings').values({ name: PROBE, value }).execute();
      await db.deleteFrom('settings').where('name', '=', PROBE).execute();
    });
    written = performance.now();
    failed = false;
  };
  return {
    store: {
      ...store,
      scrub: () => store.scrub(),
      write: (study, work, subject) =>
        store.write(study, work, subject).catch((failure) => {
          if (isUnavailable(failure)) {
            written = Number.NEGATIVE_INFINITY;
            failed = true;
          }
          throw failure;
        }),
    },
    check() {
      running ??= ask().finally(() => {
        running = undefined;
      });
      return inTime(running);
    },
  };
}

/** The refusal of a request because of the store. */
export function storeUnavailable(failure?: unknown): Refusal {
  if (isUnavailable(failure)) return failure;
  return new Refusal('store-unavailable', 'the store does not answer', 'try again later');
}

function isUnavailable(failure: unknown): failure is Refusal {
  return failure instanceof Refusal && failure.code === 'store-unavailable';
}

async function inTime(work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(storeUnavailable()), PATIENCE);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

import type { Pool } from '../../src/rows/pool.ts';
import type { Call } from './worker-messages.ts';
import { warm, workerPool } from './worker-pool.ts';

/** Reads with threads that stop when the call is cancelled. */
export async function readingWithPool<T>(
  call: Pick<Call, 'signal'>,
  read: (pool: Pool) => Promise<T>,
): Promise<T> {
  const pool = workerPool();
  const stop = () => void pool.close();
  call.signal.addEventListener('abort', stop);
  try {
    call.signal.throwIfAborted();
    return await read(pool);
  } finally {
    call.signal.removeEventListener('abort', stop);
    await pool.close();
    // Stopped threads are replaced before another file can be chosen, so that reading it makes no request.
    await warm().catch(() => {});
  }
}

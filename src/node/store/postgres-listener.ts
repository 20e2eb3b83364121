import pg from 'pg';
import { everyStudy, type Growth } from '../../coordinator/store.ts';
import { growthIn } from './growth-payload.ts';

/** The PostgreSQL channel of the notifications. */
export const GROWTH_CHANNEL = 'suffice_growth';

const RECONNECT_MILLISECONDS = 500;

/** Receives notifications from all processes on one connection, opened for the first listener. */
export interface PostgresListener {
  listen(listener: (growth: Growth) => void): () => void;
  close(): Promise<void>;
}

export function createPostgresListener(settings: pg.ClientConfig): PostgresListener {
  const listeners = new Set<(growth: Growth) => void>();
  let client: pg.Client | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  const notify = (growth: Growth) => {
    for (const listener of listeners) listener(growth);
  };
  const reconnect = (lost: pg.Client) => {
    if (client !== lost) return;
    client = undefined;
    lost.end().catch(() => {});
    if (closed) return;
    timer = setTimeout(connect, RECONNECT_MILLISECONDS);
    timer.unref();
  };
  const connect = () => {
    timer = undefined;
    const fresh = new pg.Client(settings);
    client = fresh;
    fresh.on('error', () => reconnect(fresh));
    fresh.on('end', () => reconnect(fresh));
    fresh.on('notification', ({ payload }) => notify(growthIn(payload)));
    fresh
      .connect()
      .then(() => fresh.query(`listen ${GROWTH_CHANNEL}`))
      // Earlier notifications were not received.
      .then(() => notify({ study: everyStudy, position: 0 }))
      .catch(() => reconnect(fresh));
  };

  return {
    listen(listener) {
      listeners.add(listener);
      if (client === undefined && timer === undefined && !closed) connect();
      return () => listeners.delete(listener);
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}

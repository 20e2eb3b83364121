import pg from 'pg';
import { everyStudy, type Growth } from '../coordinator/store.ts';

/** The channel announcements travel on. */
export const GROWTH_CHANNEL = 'suffice_growth';

const RECONNECT_MILLISECONDS = 500;

/** Hears announcements of all processes on one connection, opened when somebody listens. */
export interface PostgresEar {
  hear(listener: (growth: Growth) => void): () => void;
  close(): Promise<void>;
}

export function createPostgresEar(settings: pg.ClientConfig): PostgresEar {
  const listeners = new Set<(growth: Growth) => void>();
  let client: pg.Client | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  const tell = (growth: Growth) => {
    for (const listener of listeners) listener(growth);
  };
  const later = (lost: pg.Client) => {
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
    fresh.on('error', () => later(fresh));
    fresh.on('end', () => later(fresh));
    fresh.on('notification', ({ payload }) => tell(JSON.parse(payload ?? '{}')));
    fresh
      .connect()
      .then(() => fresh.query(`listen ${GROWTH_CHANNEL}`))
      // What was announced before this moment was not heard.
      .then(() => tell({ study: everyStudy, position: 0 }))
      .catch(() => later(fresh));
  };

  return {
    hear(listener) {
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

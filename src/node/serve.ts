import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { hasOperator, newToken } from '../coordinator/access.ts';
import type { Coordinator } from '../coordinator/coordinator.ts';
import { createCoordinator } from '../coordinator/create-coordinator.ts';
import { createApp } from '../coordinator/http/app.ts';
import type { RateLimits } from '../coordinator/http/rate-limit.ts';
import type { Store } from '../coordinator/store.ts';
import { NetworkFailure } from '../protocol/network-failure.ts';
import { createConcludeThread } from './conclude-thread.ts';
import type { Way } from './http-bridge.ts';
import { listen, stopListening } from './http-server.ts';
import { useNativeCrypto } from './native-crypto.ts';
import { findOperatorToken, type OperatorToken } from './operator-token.ts';
import { readPages } from './pages.ts';
import { repeat } from './repeated-task.ts';
import { createRequestLog, failureFields, type LogForm } from './request-log.ts';

export interface ServeOptions {
  /** Folder of the embedded store and the operator's token; `./suffice-data` unless given. */
  readonly data?: string;
  /** Address of a PostgreSQL database to use instead of the embedded store. */
  readonly database?: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** 127.0.0.1 unless given. */
  readonly host?: string;
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Address under which clients know the coordinator, where a proxy stands before it. */
  readonly publicUrl?: string;
  /** Who names a client's address for rate limits; the socket unless a proxy stands before it. */
  readonly addressFrom?: Way['addressFrom'];
  readonly operatorToken?: string;
  /** Where the operator's token is, or is written to; `admin-token` in the data folder unless given. */
  readonly operatorTokenFile?: string;
  readonly log: LogForm;
  readonly rateLimits?: RateLimits | 'off';
}

/** A coordinator that listens. */
export interface Served {
  readonly address: string;
  readonly coordinator: Coordinator;
  readonly operatorTokenFile?: string;
  /** Finishes what is in flight, ends the event streams, writes the meters, closes the store. */
  stop(): Promise<void>;
}

const DATA = 'suffice-data';
const SECOND = 1000;
const STOP_MS = 10_000;

/** Starts a coordinator on its store. */
export async function serve(options: ServeOptions): Promise<Served> {
  useNativeCrypto();
  const store = await openStore(options);
  try {
    return await serveFrom(store, options);
  } catch (failure) {
    await store.close();
    throw failure;
  }
}

async function serveFrom(store: Store, options: ServeOptions): Promise<Served> {
  const { publicUrl, tls, rateLimits } = options;
  const log = createRequestLog(options.log);
  const operator = await operatorTokenOf(store, options);
  const thread = createConcludeThread();
  const coordinator = await createCoordinator({
    store,
    conclude: thread.conclude,
    ...(operator.appoint && operator.token !== undefined ? { operatorToken: operator.token } : {}),
  });
  const stopping = new AbortController();
  const failed = (failure: unknown) => log.event('error', 'failure', failureFields(failure));
  const tending = repeat(() => coordinator.tend(), SECOND, failed);
  const app = createApp(coordinator, {
    pages: readPages(),
    stopping: stopping.signal,
    observe: log.exchange,
    attend: tending.soon,
    ...(rateLimits === undefined ? {} : { rateLimits }),
  });
  const endTasks = async (): Promise<void> => {
    // The last turn writes the meters.
    await within(
      STOP_MS,
      tending.stop().then(() => coordinator.tend().catch(failed)),
    );
    await thread.close();
  };
  const { server, address } = await listen(app, {
    host: options.host ?? '127.0.0.1',
    port: options.port,
    secure: tls !== undefined || publicUrl?.startsWith('https:') === true,
    addressFrom: options.addressFrom ?? 'socket',
    stopping: stopping.signal,
    ...(tls === undefined ? {} : { tls }),
  }).catch(async (failure) => {
    await endTasks();
    throw failure;
  });
  log.event('info', 'listening', { address, store: store.kind });

  const holder =
    operator.token === undefined ? undefined : await coordinator.identify(operator.token);
  const file = holder?.role === 'operator' ? operator.file : undefined;
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    log.event('info', 'stopping');
    stopping.abort();
    await stopListening(server, STOP_MS);
    await endTasks();
    await store.close();
    log.event('info', 'stopped');
  };
  return {
    address,
    coordinator,
    ...(file === undefined ? {} : { operatorTokenFile: file }),
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

async function openStore({ data = DATA, database }: ServeOptions): Promise<Store> {
  if (database === undefined) {
    mkdirSync(data, { recursive: true, mode: 0o700 });
    const { openSqliteStore } = await import('./sqlite-store.ts');
    return openSqliteStore(join(data, 'suffice.db'));
  }
  const { openPostgresStore } = await import('./postgres-store.ts');
  try {
    return await openPostgresStore(database);
  } catch (failure) {
    // The failure's own text may quote the address, and with it the password.
    const code = failure instanceof Error && 'code' in failure ? ` (${failure.code})` : '';
    throw new NetworkFailure(
      `the database cannot be used${code}`,
      'check the address, that it runs, and that the user may create tables',
    );
  }
}

async function operatorTokenOf(store: Store, options: ServeOptions): Promise<OperatorToken> {
  const { data = DATA, operatorToken, operatorTokenFile } = options;
  return findOperatorToken({
    ...(operatorToken === undefined ? {} : { given: operatorToken }),
    ...(operatorTokenFile === undefined ? {} : { file: operatorTokenFile }),
    usualFile: join(data, 'admin-token'),
    hasOperator: () => hasOperator(store),
    make: () => newToken('operator'),
  });
}

/** Waits, but not longer than so many milliseconds. */
async function within(milliseconds: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

import { join, resolve } from 'node:path';
import { hasOperator, newToken } from '../../coordinator/access.ts';
import type { Coordinator } from '../../coordinator/coordinator.ts';
import { createCoordinator } from '../../coordinator/create-coordinator.ts';
import { createApp } from '../../coordinator/http/app.ts';
import type { RateLimits } from '../../coordinator/http/rate-limit.ts';
import type { Store } from '../../coordinator/store.ts';
import { defined } from '../../defined.ts';
import { useNativeCrypto } from '../compute/native-crypto.ts';
import type { Upgrade } from '../store/upgrade-copy.ts';
import { createCheckThread } from './check-thread.ts';
import { createConcludeThread } from './conclude-thread.ts';
import type { RequestRoute } from './http-bridge.ts';
import { listen, requireFreePort } from './http-server.ts';
import type { LogSink } from './log-writer.ts';
import { openStore } from './open-store.ts';
import { findOperatorToken, type OperatorToken } from './operator-token.ts';
import { readStaticPages } from './pages.ts';
import { releaseFile } from './release-file.ts';
import { repeat } from './repeated-task.ts';
import { createRequestLog, failureFields, type LogForm, type RequestLog } from './request-log.ts';
import { within } from './within.ts';

/** Where a coordinator stores its studies, and how it is reached. */
export interface ServeOptions {
  /** Folder of the embedded store and the operator's token; `./suffice-data` unless given. */
  readonly data?: string;
  /** Address of a PostgreSQL database to use instead of the embedded store. */
  readonly database?: string;
  /** 0 for any free port. */
  readonly port: number;
  /** 127.0.0.1 unless given. */
  readonly host?: string;
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Address of the coordinator for clients, if there is a proxy in front of it. */
  readonly publicUrl?: string;
  /** Source of a client's address for rate limits; `socket` unless given. */
  readonly addressFrom?: RequestRoute['addressFrom'];
  readonly operatorToken?: string;
  /** File of the operator's token, created if absent; `admin-token` in the data folder unless given. */
  readonly operatorTokenFile?: string;
  /** File that remembers, outside the store, what private studies have published; beside the data folder unless given. */
  readonly releases?: string;
  /** Days after which the contributions to a study that has ended are erased; never unless given. */
  readonly keepDays?: number;
  /** Whether an SQLite store of an earlier version is copied before its tables are upgraded; `make` unless given. */
  readonly upgradeCopy?: 'make' | 'skip';
  /** Called after the tables of an SQLite store were upgraded. */
  readonly onUpgrade?: (upgrade: Upgrade) => void;
  readonly log: LogForm;
  /** Takes the lines of the log; stderr unless given. A stream may fail: its lost lines are counted. */
  readonly writeLog?: LogSink | ((line: string) => void);
  readonly rateLimits?: RateLimits | 'off';
}

/** A running coordinator. */
export interface Served {
  readonly address: string;
  readonly coordinator: Coordinator;
  readonly operatorTokenFile?: string;
  /** Whether the folder had no store, so that no earlier link works. */
  readonly storeIsNew: boolean;
  /** Finishes running requests, ends the event streams, saves the traffic, closes the store. */
  stop(): Promise<void>;
}

const DATA = 'suffice-data';
const HOST = '127.0.0.1';
const SECOND = 1000;
/** Longest time for running requests, due work and the store to end, in milliseconds. */
const STOP_MS = { requests: 10_000, work: 5_000, store: 3_000 };
/** A difference to the database's clock above this is worth a warning, in milliseconds. */
const CLOCK_MS = 5_000;

/** Starts a coordinator on its store. */
export async function serve(options: ServeOptions): Promise<Served> {
  useNativeCrypto();
  const log = createRequestLog(options.log, options.writeLog);
  const { upgradeCopy = 'make', host = HOST, port } = options;
  // Another coordinator may be running on this store: its tables must not be upgraded under it.
  await requireFreePort({ host, port });
  let storeIsNew = false;
  const store = await openStore({
    data: options.data ?? DATA,
    database: options.database,
    onNew: () => {
      storeIsNew = true;
    },
    upgrade: {
      upgradeCopy,
      onUpgrade: ({ from, to, copy }) => {
        log.event('info', 'upgraded', { from, to, ...defined({ copy }) });
        options.onUpgrade?.({ from, to, ...defined({ copy }) });
      },
    },
  });
  try {
    return { ...(await serveFrom(store, options, log)), storeIsNew };
  } catch (failure) {
    await store.close();
    throw failure;
  }
}

async function serveFrom(
  store: Store,
  options: ServeOptions,
  log: RequestLog,
): Promise<Omit<Served, 'storeIsNew'>> {
  const { publicUrl, tls, rateLimits } = options;
  const ahead = Date.now() - (await store.now()).getTime();
  if (Math.abs(ahead) > CLOCK_MS) {
    // Deadlines go by the database; the times of this log do not.
    log.event('warn', 'clock', { secondsAhead: Math.round(ahead / SECOND) });
  }
  const operator = await operatorTokenOf(store, options);
  const concludeThread = createConcludeThread();
  const checkThread = createCheckThread();
  const coordinator = await createCoordinator({
    store,
    conclude: concludeThread.conclude,
    checks: checkThread.checks,
    witness: (key) => releaseFile(releasePlaces(options), key),
    onRestored: (studies) => log.event('warn', 'restored', { studies: studies.join(' ') }),
    ...defined({ keepDays: options.keepDays }),
    ...(operator.appoint && operator.token !== undefined ? { operatorToken: operator.token } : {}),
  });
  const stopping = new AbortController();
  const failed = (failure: unknown) => log.event('error', 'failure', failureFields(failure));
  const dueWork = repeat(() => coordinator.runDueWork(), SECOND, failed);
  const sums = repeat(() => coordinator.sendDueSums(), SECOND, failed);
  const app = createApp(coordinator, {
    pages: readStaticPages(),
    stopping: stopping.signal,
    observe: log.exchange,
    checkDue: () => {
      dueWork.soon();
      sums.soon();
    },
    ...defined({ rateLimits }),
  });
  const endTasks = async (): Promise<void> => {
    // The last run saves the traffic.
    await within(
      STOP_MS.work,
      Promise.all([sums.stop(), dueWork.stop()]).then(() => coordinator.runDueWork().catch(failed)),
    );
    await Promise.all([concludeThread.close(), checkThread.close()]);
  };
  const listening = await listen(app, {
    host: options.host ?? HOST,
    port: options.port,
    secure: tls !== undefined || publicUrl?.startsWith('https:') === true,
    addressFrom: options.addressFrom ?? 'socket',
    stopping: stopping.signal,
    ...defined({ tls }),
  }).catch(async (failure) => {
    await endTasks();
    throw failure;
  });
  const { address } = listening;
  log.event('info', 'listening', { address, store: store.kind });

  const holder =
    operator.token === undefined ? undefined : await coordinator.identify(operator.token);
  const file = holder?.role === 'operator' ? operator.file : undefined;
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    log.event('info', 'stopping');
    stopping.abort();
    await listening.stop(STOP_MS.requests);
    await endTasks();
    await within(STOP_MS.store, store.close());
    log.event('info', 'stopped');
    await log.flush();
  };
  return {
    address,
    coordinator,
    ...defined({ operatorTokenFile: file }),
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** Beside the data folder, where a restored copy of the folder does not reach; inside it if that cannot be written. */
function releasePlaces({ data = DATA, releases }: ServeOptions): string[] {
  if (releases !== undefined) return [releases];
  const folder = resolve(data);
  return [`${folder}.releases`, join(folder, 'releases')];
}

async function operatorTokenOf(store: Store, options: ServeOptions): Promise<OperatorToken> {
  const { data = DATA, operatorToken, operatorTokenFile } = options;
  return findOperatorToken({
    ...defined({ given: operatorToken, file: operatorTokenFile }),
    usualFile: join(data, 'admin-token'),
    hasOperator: () => hasOperator(store),
    make: () => newToken('operator'),
  });
}

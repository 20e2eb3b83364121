import { readFileSync } from 'node:fs';
import { defined } from '../../defined.ts';
import { createHelper, type Helper } from '../../helper/helper.ts';
import { createHelperApp } from '../../helper/http/helper-app.ts';
import { UsageError } from '../../usage-error.ts';
import { useNativeCrypto } from '../compute/native-crypto.ts';
import { listen } from './http-server.ts';
import { openStore } from './open-store.ts';
import { createRequestLog } from './request-log.ts';
import type { ServeOptions } from './serve.ts';
import { within } from './within.ts';

/** Where a helper keeps its keys and answers, and how it is reached. */
export interface ServeHelperOptions
  extends Pick<
    ServeOptions,
    'database' | 'port' | 'host' | 'tls' | 'publicUrl' | 'addressFrom' | 'log' | 'writeLog'
  > {
  /** Folder of the embedded store; `./suffice-helper` unless given. */
  readonly data?: string;
  /** File with the keys of the sites that may take part, one at the end of each line; all sites unless given. */
  readonly sites?: string;
}

/** A running helper. */
export interface ServedHelper {
  readonly address: string;
  readonly helper: Helper;
  stop(): Promise<void>;
}

const DATA = 'suffice-helper';
const STOP_MS = 10_000;

/** Starts a helper on its own store. */
export async function serveHelper(options: ServeHelperOptions): Promise<ServedHelper> {
  useNativeCrypto();
  const { data = DATA, database, tls, publicUrl } = options;
  const knownKeys = options.sites === undefined ? undefined : keysIn(options.sites);
  const log = createRequestLog(options.log, options.writeLog);
  const store = await openStore({
    data,
    database,
    upgrade: {
      upgradeCopy: 'make',
      onUpgrade: ({ from, to, copy }) =>
        log.event('info', 'upgraded', { from, to, ...defined({ copy }) }),
    },
  });
  try {
    const helper = await createHelper({ store, ...defined({ knownKeys }) });
    const stopping = new AbortController();
    const listening = await listen(createHelperApp(helper, { observe: log.exchange }), {
      host: options.host ?? '127.0.0.1',
      port: options.port,
      secure: tls !== undefined || publicUrl?.startsWith('https:') === true,
      addressFrom: options.addressFrom ?? 'socket',
      stopping: stopping.signal,
      ...defined({ tls }),
    });
    const { address } = listening;
    log.event('info', 'listening', { address, store: store.kind });
    let stopped: Promise<void> | undefined;
    const stop = async (): Promise<void> => {
      stopping.abort();
      await listening.stop(STOP_MS);
      await within(STOP_MS, store.close());
      log.event('info', 'stopped');
      await log.flush();
    };
    return {
      address,
      helper,
      stop: () => {
        stopped ??= stop();
        return stopped;
      },
    };
  } catch (failure) {
    await store.close();
    throw failure;
  }
}

/** The last word of each line is a key; what stands before it is for people. */
function keysIn(path: string): ReadonlySet<string> {
  const lines = readFileSync(path, 'utf8').split(/\r?\n/);
  const keys = lines
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  return new Set(
    keys.map((line, k) => {
      const key = line.split(/\s+/).at(-1)!;
      if (/^[\w-]{43}$/.test(key)) return key;
      throw new UsageError(
        `${path}: line ${k + 1} does not end with the key of a site`,
        'write the name of the site and its key, 43 characters, on each line',
      );
    }),
  );
}

import type { Traffic } from '../protocol/messages.ts';
import type { Store } from './store.ts';
import { type RowChange, updateRows } from './write-rows.ts';

/**
 * Counts bytes by site in memory and adds them to the store when flushed, so no request waits for
 * a write. A crash loses the bytes since the last flush.
 */
export interface TrafficCounter {
  add(study: string, site: string, traffic: Traffic): void;
  /** Ends when everything added before the call is in the store. */
  flush(): Promise<void>;
}

const SITES_A_STATEMENT = 500;

const trafficChange: RowChange = {
  table: 'sites',
  key: 'name',
  set: { bytes_up: 'bigint', bytes_down: 'bigint' },
  how: 'add',
  where: 'study = ?',
};

export function createTrafficCounter(store: Store): TrafficCounter {
  let counted = new Map<string, Map<string, { up: number; down: number }>>();
  const add: TrafficCounter['add'] = (study, site, { up, down }) => {
    const sites = counted.get(study) ?? new Map<string, { up: number; down: number }>();
    counted.set(study, sites);
    const sum = sites.get(site) ?? { up: 0, down: 0 };
    sites.set(site, { up: sum.up + up, down: sum.down + down });
  };
  const save = async () => {
    const taken = counted;
    counted = new Map();
    for (const [study, sites] of taken) {
      try {
        await addTraffic(store, study, [...sites]);
      } catch (error) {
        for (const [site, traffic] of sites) add(study, site, traffic);
        throw error;
      }
    }
  };
  let saving = Promise.resolve();
  const flush = () => {
    const saved = saving.then(save);
    saving = saved.catch(() => {});
    return saved;
  };
  return { add, flush };
}

async function addTraffic(
  store: Store,
  study: string,
  sites: readonly (readonly [string, Traffic])[],
): Promise<void> {
  await store.write(study, async (db) => {
    for (let from = 0; from < sites.length; from += SITES_A_STATEMENT) {
      const rows = sites
        .slice(from, from + SITES_A_STATEMENT)
        .map(([name, { up, down }]) => ({ name, bytes_up: up, bytes_down: down }));
      await updateRows(db, store.kind, trafficChange, [study], rows);
    }
  });
}

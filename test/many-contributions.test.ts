import { expect, it } from 'vitest';
import { activeContributions } from '../src/coordinator/active-contributions.ts';
import type { Store } from '../src/coordinator/store.ts';
import {
  activeNow,
  contributionsOf,
  isStillActive,
  type StoredContribution,
  storedContributions,
} from '../src/coordinator/stored-contributions.ts';
import { insertRows } from '../src/coordinator/write-rows.ts';
import { canonicalJson } from '../src/study/canonical-json.ts';
import { digestBytes } from '../src/study/digest.ts';
import { runningStudy } from './coordinator-study.ts';
import { eachStore } from './stores.ts';

const SITES = 1700;
const onTime = { includeLate: false };

/** Contributions of more sites than one page has, three of each: some are late, some replace, and pages end within a site. */
function manyContributions(): StoredContribution[] {
  return Array.from({ length: 3 * SITES }, (_, k) => {
    const site = `${['device', 'Ünit', '😀', '\uff5e'][k % 4]}-${(k * 7919) % SITES}`;
    const sequence = k + 1;
    const mode = k % 11 === 0 ? 'replace' : 'add';
    const digest = digestBytes(new TextEncoder().encode(`file ${k}`));
    return {
      site,
      sequence,
      mode,
      late: k % 13 === 0 ? 1 : 0,
      digest,
      rows: k,
      dropped: 0,
      bytes: 9,
    };
  });
}

async function storeMany(store: Store, study: string, all: readonly StoredContribution[]) {
  await store.write(study, async (db) => {
    const sites = Array.from(new Set(all.map(({ site }) => site)), (name) => ({
      ...{ study, name, state: 'contributed' as const, key: null, next_sequence: 9 },
      ...{ bytes_up: 0, bytes_down: 0, device: 1 },
    }));
    await insertRows(db, store.kind, 'sites', sites);
    const received_at = '2027-01-01T00:00:00.000Z';
    const rows = all.map((one) => ({ study, ...one, received_at, audit_position: 1, body: null }));
    await insertRows(db, store.kind, 'contributions', rows);
  });
}

eachStore('contributions read in pages', (open) => {
  it('are those of one list, and the active ones have its digest', async () => {
    const store = await open();
    const { id } = await runningStudy(store, ['a']);
    const all = manyContributions();
    await storeMany(store, id, all);
    const bySequence = (a: StoredContribution, b: StoredContribution) => a.sequence - b.sequence;
    expect((await storedContributions(store.db, id)).sort(bySequence)).toEqual(all);
    for (const includeLate of [false, true]) {
      const { digest } = await activeNow(store.db, id, { includeLate });
      const listed = contributionsOf(activeContributions(all, { includeLate }));
      expect(digest).toBe(digestBytes(new TextEncoder().encode(canonicalJson(listed))));
    }
  });

  it('are still active until one is erased, changed, accepted or new', async () => {
    const store = await open();
    const { id } = await runningStudy(store, ['a']);
    const all = manyContributions();
    await storeMany(store, id, all);
    const changes: readonly Partial<StoredContribution>[] = [
      { digest: null },
      { digest: digestBytes(new Uint8Array(1)) },
      { mode: 'replace' },
      { late: 1 },
    ];
    for (const includeLate of [false, true]) {
      const active = await activeNow(store.db, id, { includeLate });
      expect(await isStillActive(store.db, id, { includeLate }, active)).toBe(true);
    }
    const active = await activeNow(store.db, id, onTime);
    for (const [k, change] of changes.entries()) {
      // The last of several active ones: to replace, to erase or to delay it changes the set.
      const several = [...active.bySite.values()].filter(({ length }) => length > 1);
      const one = several[Math.floor((k * several.length) / changes.length)].at(-1)!;
      const set = async (to: Partial<StoredContribution>) => {
        await store.write(id, async (db) => {
          const row = db.updateTable('contributions').set(to).where('study', '=', id);
          await row.where('sequence', '=', one.sequence).execute();
        });
      };
      await set(change);
      expect((await activeNow(store.db, id, onTime)).digest).not.toBe(active.digest);
      expect(await isStillActive(store.db, id, onTime, active)).toBe(false);
      await set({ digest: one.digest, mode: one.mode, late: one.late });
      expect(await isStillActive(store.db, id, onTime, active)).toBe(true);
    }
    await storeMany(store, id, [{ ...all[0], site: 'new', sequence: 1, late: 0 }]);
    expect(await isStillActive(store.db, id, onTime, active)).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { pastReleases } from '../src/site/past-releases.ts';
import { browserLedger } from '../web/worker/browser-ledger.ts';
import type { BrowserStore, Change, Shelf } from '../web/worker/browser-store.ts';
import { lineOf, tagsOfRelease } from './ledger-folder.ts';

/** A store in memory, in place of the browser's. */
function memoryStore(): BrowserStore & { readonly rows: ReadonlyMap<string | number, unknown> } {
  const shelves = new Map<Shelf, Map<string | number, unknown>>();
  const shelfOf = (shelf: Shelf) => {
    const found = shelves.get(shelf) ?? new Map<string | number, unknown>();
    shelves.set(shelf, found);
    return found;
  };
  return {
    rows: shelfOf('rows'),
    get: async <T>(shelf: Shelf, name: string | number) =>
      shelfOf(shelf).get(name) as T | undefined,
    all: async <T>(shelf: Shelf) => [...shelfOf(shelf)] as [string | number, T][],
    async change(changes: readonly Change[]) {
      for (const { shelf, name, value } of changes) {
        if (value === undefined) shelfOf(shelf).delete(name);
        else shelfOf(shelf).set(name, value);
      }
    },
  };
}

describe('the ledger of a browser', () => {
  const first = lineOf(1, { tagForm: 'cells', fileRows: 30, person: 'pid' });
  const others = { people: tagsOfRelease(2), over: { [lineOf(2).digest]: tagsOfRelease(3) } };

  async function recorded() {
    const store = memoryStore();
    const ledger = browserLedger(store);
    await store.change(await ledger.recording(first, tagsOfRelease(1), others));
    return { store, ledger };
  }

  it('keeps the tags of rows, of persons, and over the columns of earlier releases', async () => {
    const { store, ledger } = await recorded();
    expect(store.rows.size).toBe(3);
    expect(await ledger.doubt([])).toBeUndefined();
    const [past] = await pastReleases(await ledger.lines(), [], ledger.tags);
    expect(past).toMatchObject({ tagForm: 'cells', fileRows: 30, person: 'pid' });
    expect([past.tags, past.people, past.over]).toEqual([
      tagsOfRelease(1),
      others.people,
      others.over,
    ]);
  });

  it('drops none of them, and notices each that is gone', async () => {
    const { store, ledger } = await recorded();
    await store.change(await ledger.dropping([]));
    expect(store.rows.size).toBe(3);
    for (const [name, value] of [...store.rows]) {
      await store.change([{ shelf: 'rows', name }]);
      expect(await ledger.doubt([])).toMatchObject({
        problem: expect.stringContaining('row tags'),
      });
      await store.change([{ shelf: 'rows', name, value }]);
    }
    expect(await ledger.doubt([])).toBeUndefined();
  });
});

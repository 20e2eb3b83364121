import { Refusal } from '../../src/protocol/refusal.ts';

/** The object stores of the database; they match the files and folders of a site on disk. */
export const shelves = ['own', 'lines', 'rows', 'outbox', 'receipts'] as const;
export type Shelf = (typeof shelves)[number];

/** Stores a value under a name; deletes it if no value is given. */
export interface Change {
  readonly shelf: Shelf;
  readonly name: string | number;
  readonly value?: unknown;
}

/** A small key-value store that outlives the tab. */
export interface BrowserStore {
  get<T>(shelf: Shelf, name: string | number): Promise<T | undefined>;
  /** Sorted by name. */
  all<T>(shelf: Shelf): Promise<readonly (readonly [name: string | number, value: T])[]>;
  /** All of them or none; on disk once it returns. */
  change(changes: readonly Change[]): Promise<void>;
}

/** Name of the database, as the browser's developer tools show it. */
const DATABASE = 'suffice';

/** Opens the store of this browser. Throws if the browser stores nothing for this page. */
export async function openBrowserStore(): Promise<BrowserStore> {
  const db = await openDatabase();
  const begin = (...given: Parameters<IDBDatabase['transaction']>): IDBTransaction => {
    try {
      return db.transaction(...given);
    } catch {
      throw lost();
    }
  };
  const ask = async <T>(request: (shelf: IDBObjectStore) => IDBRequest<T>, name: Shelf) =>
    completed(request(begin(name).objectStore(name)));
  return {
    get: (shelf, name) => ask((store) => store.get(name), shelf),
    async all<T>(shelf: Shelf) {
      const store = begin(shelf).objectStore(shelf);
      const [names, values] = await Promise.all([
        completed(store.getAllKeys()),
        completed(store.getAll()),
      ]);
      return names.map((name, k) => [name as string | number, values[k] as T] as const);
    },
    change: (changes) =>
      new Promise((resolve, reject) => {
        const touched = [...new Set(changes.map(({ shelf }) => shelf))];
        const transaction = begin(touched, 'readwrite', { durability: 'strict' });
        for (const { shelf, name, value } of changes) {
          const store = transaction.objectStore(shelf);
          if (value === undefined) store.delete(name);
          else store.put(value, name);
        }
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(full(transaction.error));
      }),
  };
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    try {
      if (navigator.locks === undefined) throw noStore();
      const request = indexedDB.open(DATABASE, 1);
      request.onupgradeneeded = () => {
        for (const shelf of shelves) request.result.createObjectStore(shelf);
      };
      request.onsuccess = () => {
        const db = request.result;
        // A later version of the page, in another tab, can then upgrade the database.
        db.onversionchange = () => db.close();
        resolve(db);
      };
      request.onerror = () => reject(noStore());
      request.onblocked = () => reject(noStore());
    } catch {
      reject(noStore());
    }
  });
}

function noStore(): Refusal {
  return new Refusal(
    'not-allowed',
    'this browser stores nothing for this page, so the page cannot keep its key or its ledger',
    'allow this page to store data, or leave the private window; or take part with the command line: npx suffice join',
  );
}

function lost(): Refusal {
  return new Refusal(
    'store-unavailable',
    'this page has lost its storage: it was cleared, or a newer version of the page is open in another tab',
    'reload the page',
  );
}

function full(failure: DOMException | null): Refusal {
  return new Refusal(
    'store-unavailable',
    `this browser could not store the contribution${failure?.name === 'QuotaExceededError' ? ': its space is used up' : ''}`,
    'free some space on this device and try again, or take part with the command line: npx suffice join',
  );
}

function completed<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

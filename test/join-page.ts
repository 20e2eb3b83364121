import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { postStudy, studyClient } from '../src/protocol/client.ts';
import { linkText } from '../src/protocol/link.ts';
import type { Study, TableStudy } from '../src/study/study.ts';
import type { Received } from './local-server.ts';
import type { ServedStudy } from './served-study.ts';
import { type Fate, watchingProxy } from './watching-proxy.ts';

/** A study whose files pass, warn or are refused by how many rows they have. */
export const recovery: TableStudy = {
  schema: 'suffice/study@1',
  name: 'Recovery',
  formula: 'days ~ age + treatment',
  codebook: {
    days: { type: 'number', unit: 'days', range: [0, 120] },
    age: { type: 'number', unit: 'years', range: [18, 100] },
    treatment: { type: 'category', levels: ['control', 'new'] },
  },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
};

/** So many people, one in `rare` with the new treatment. */
export function people(count: number, rare = 3): string {
  const lines = Array.from({ length: count }, (_, r) => {
    const age = 18.5 + ((r * 37) % 80);
    const treatment = r === 7 ? 'NA' : r % rare === 0 ? 'new' : 'control';
    return `${age},${treatment},${(age / 4 + ((r * 5) % 11)).toFixed(2)}`;
  });
  return `${['age,treatment,days', ...lines].join('\n')}\n`;
}

/** A site's visit in a browser of its own, seen from both ends of the wire. */
export interface PageVisit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Where the browser finds the coordinator. */
  readonly address: string;
  /** What the browser has asked for since `mark`, by method and path. */
  readonly asked: readonly string[];
  /** Errors of the page, and what its policy has stopped; there must be none. */
  readonly complaints: readonly string[];
  /** What came in on the other side since `mark`. */
  received(): readonly Received[];
  /** Counts requests from here on. */
  mark(): void;
  /** Comes to the page and waits for the study; for another one of the coordinator, where it is given. */
  come(study?: Pick<ServedStudy, 'link'>): Promise<void>;
  /** Waits until a file may be given. */
  ready(): Promise<void>;
  give(name: string, content: string | Buffer): Promise<void>;
  /** Waits for what came of the last file that was given: the heading of its trouble or its findings. */
  outcome(): Promise<void>;
  /** Ticks what must be acknowledged, and approves. */
  approve(): Promise<void>;
  heading(name: string | RegExp): Promise<void>;
  /** All that the page says. */
  text(): Promise<string | null>;
}

/** Opens a browser of its own for a site; everything goes through a proxy that keeps it. */
export async function pageVisit(
  browser: Browser,
  running: ServedStudy,
  site: string,
  fateOf: (request: Received) => Fate = () => 'pass',
): Promise<PageVisit> {
  const { address, received } = await watchingProxy(running.served.address, fateOf);
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) complaints.push(message.text());
  });
  let from = 0;
  context.on('request', (request) => {
    asked.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  const heading = (name: string | RegExp) => page.getByRole('heading', { name }).waitFor();
  return {
    page,
    context,
    address,
    asked,
    complaints,
    heading,
    received: () => received.slice(from),
    mark() {
      asked.length = 0;
      from = received.length;
    },
    async come(study = running) {
      await leave(page, address);
      await page.goto(linkText(study.link(site, address)));
      await heading('What is asked').catch(async (cause) => {
        const seen = await page.locator('body').textContent();
        throw new Error(`the page says: ${seen}; it asked: ${asked.join(', ')}`, { cause });
      });
    },
    ready: () => page.locator('.tag', { hasText: 'Ready for your file' }).waitFor(),
    async give(name, content) {
      await page.evaluate(() => {
        for (const old of document.querySelectorAll('.join-place h2')) old.classList.add('old');
      });
      await page
        .locator('input[type=file]')
        .first()
        .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });
    },
    outcome: () =>
      page
        .locator('.join-place h2:not(.old)', { hasText: /^(The file|It did not|What was read)/ })
        .waitFor(),
    async approve() {
      for (const box of await page.getByRole('checkbox').all()) await box.check();
      await page.getByRole('button', { name: /^Send / }).click();
    },
    text: () => page.locator('main').textContent(),
  };
}

/** Leaves a page, as a new fragment alone would not load it again; at one address a browser keeps its process. */
export async function leave(page: Page, address: string): Promise<void> {
  if (page.url() !== 'about:blank') await page.goto(`${address}/healthz`);
}

/** Another study at the same coordinator, so that a browser has one home for both. */
export async function studyBeside(
  { served }: ServedStudy,
  study: Study,
  sites: readonly string[],
): Promise<Pick<ServedStudy, 'admin' | 'created' | 'link'>> {
  const operator = readFileSync(served.operatorTokenFile!, 'utf8').trim();
  const created = await postStudy(served.address, operator, { study, sites });
  const { id, coordinatorKey, adminToken, invitations } = created;
  const place = { coordinator: served.address, study: id, coordinatorKey };
  return {
    created,
    admin: studyClient({ ...place, purpose: 'study', token: adminToken }),
    link(site, address = served.address) {
      const { token } = invitations.find((one) => one.site === site)!;
      return { ...place, coordinator: address, purpose: 'join', token };
    },
  };
}

/** That nothing has left since `mark`: not over the wire, not into the ledger, not to the coordinator's store. */
export async function nothingLeft(
  visit: PageVisit,
  { admin }: Pick<ServedStudy, 'admin'>,
): Promise<void> {
  expect(visit.complaints).toEqual([]);
  // A thread that was stopped is started anew, which asks for nothing but the page's own files.
  const told = visit.asked.filter((path) => !path.includes('/assets/'));
  expect(told).toEqual([]);
  expect(visit.received().filter(({ path }) => !path.includes('/assets/'))).toEqual([]);
  expect(await visit.page.getByRole('button', { name: /^Send / }).count()).toBe(0);
  const shelves = ['lines', 'outbox', 'receipts', 'rows'];
  const kept = await Promise.all(shelves.map((shelf) => shelfOf(visit.page, shelf)));
  expect(kept).toEqual(shelves.map(() => ({})));
  const { entries } = await admin.auditLog();
  expect(entries.filter(isContribution)).toEqual([]);
}

export const isContribution = ({ event }: { readonly event: string }) => event === 'contributed';

/** What a browser keeps on a shelf of its home, by name. */
export function shelfOf(page: Page, shelf: string): Promise<Readonly<Record<string, unknown>>> {
  return page.evaluate(
    (name) =>
      new Promise((resolve, reject) => {
        const opening = indexedDB.open('suffice');
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const db = opening.result;
          const store = db.transaction(name).objectStore(name);
          const names = store.getAllKeys();
          const values = store.getAll();
          store.transaction.oncomplete = () => {
            db.close();
            resolve(Object.fromEntries(names.result.map((key, k) => [key, values.result[k]])));
          };
        };
      }),
    shelf,
  ) as Promise<Readonly<Record<string, unknown>>>;
}

/** Puts something else on a shelf of a browser's home, as someone with its developer tools would. */
export function tamper(page: Page, shelf: string, name: string | number, value: unknown) {
  return page.evaluate(
    ([where, key, thing]) =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open('suffice');
        opening.onsuccess = () => {
          const db = opening.result;
          const transaction = db.transaction(where, 'readwrite');
          const store = transaction.objectStore(where);
          if (thing === null) store.delete(key);
          else store.put(thing, key);
          transaction.oncomplete = () => {
            db.close();
            resolve();
          };
          transaction.onerror = () => reject(transaction.error);
        };
      }),
    [shelf, name, value] as [string, string | number, unknown],
  );
}

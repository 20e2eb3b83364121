import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { openSiteFolder } from '../src/node/site/site-folder.ts';
import type { LedgerLine } from '../src/site/ledger-chain.ts';
import type { SiteStore } from '../src/site/site-store.ts';
import { temporaryFolder } from './cli.ts';
import { receiptOf, releaseOf } from './recording-site.ts';
import { tagsOf } from './tags-of.ts';

/** A value of the rows. */
export const SECRET_VALUE = 86420.975318642;

const rowsOf = (k: number) =>
  Array.from({ length: 30 }, (_, r) => [SECRET_VALUE + (r === k ? 0 : r * k), r]);

/** Tags of the 30 rows of release k. */
export const tagsOfRelease = (k: number) => tagsOf(rowsOf(k));

export function lineOf(k: number, more: Partial<LedgerLine> = {}): LedgerLine {
  const release = releaseOf(`site ${k}`, Buffer.from(`contribution ${k}`), 30);
  const place = { at: `2030-01-0${k}T12:00:00.000Z`, to: 'https://coordinator.example' };
  return { ...place, outcome: 'acknowledged', ...release, ...more };
}

async function fill(home: SiteStore): Promise<void> {
  for (const k of [1, 2, 3, 4]) {
    await home.record(lineOf(k, k === 4 ? { charge: { mu: 0.25 } } : {}), tagsOfRelease(k));
    if (k < 3) await home.keepReceipt(receiptOf(lineOf(k)), 'receipt');
  }
  const file = Buffer.from('contribution 5');
  const release = releaseOf('site 5', file, 30);
  const source = { path: '/rows.csv', bytes: 1, modified: 2 };
  const approvedAt = '2030-01-05T12:00:00.000Z';
  await home.queue({ release, source, approvedAt, file, tags: tagsOfRelease(5) });
}

/** Folders of a site for the tests of a file: empty ones, and copies of one with a past. */
export interface LedgerFolders {
  readonly root: string;
  empty(): string;
  /** Four releases, the last of them private, receipts of the first two, and a fifth that waits. */
  filled(): string;
}

export function ledgerFolders(): LedgerFolders {
  const root = temporaryFolder();
  const empty = () => mkdtempSync(join(root, 'home-'));
  const model = join(root, 'model');
  beforeAll(async () => fill(await openSiteFolder(model)));
  return {
    root,
    empty,
    filled() {
      const folder = empty();
      cpSync(model, folder, { recursive: true });
      return folder;
    },
  };
}

export const ledgerLines = (folder: string) =>
  readFileSync(join(folder, 'ledger.jsonl'), 'utf8').trimEnd().split('\n');
export const writeLedger = (folder: string, texts: readonly string[]) =>
  writeFileSync(join(folder, 'ledger.jsonl'), texts.map((text) => `${text}\n`).join(''));

/** Where the tags of the line at this place are. */
export const tagsFile = (folder: string, k: number) =>
  join(folder, 'rows', `${JSON.parse(ledgerLines(folder)[k]).tags.slice('sha256:'.length)}.tags`);

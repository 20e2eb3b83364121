import {
  appendFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSiteFolder } from '../src/node/site/site-folder.ts';
import {
  ledgerFolders,
  ledgerLines,
  lineOf,
  SECRET_VALUE,
  tagsFile,
  tagsOfRelease,
  writeLedger,
} from './ledger-folder.ts';
import { receiptOf } from './recording-site.ts';

const folders = ledgerFolders();
const problemOf = async (folder: string) =>
  (await (await openSiteFolder(folder)).verify())?.problem;

describe('a ledger that nobody touched', () => {
  it('verifies, after restarts too, and tells of what has left and what may have', async () => {
    const home = await openSiteFolder(folders.filled());
    expect(await home.verify()).toBeUndefined();
    const past = await home.past();
    expect(past.map(({ site, outcome, charge }) => [site, outcome, charge?.mu])).toEqual([
      ['site 1', 'acknowledged', undefined],
      ['site 2', 'acknowledged', undefined],
      ['site 3', 'acknowledged', undefined],
      ['site 4', 'acknowledged', 0.25],
      ['site 5', undefined, undefined],
    ]);
    expect(past.map(({ tags }) => tags)).toEqual([1, 2, 3, 4, 5].map(tagsOfRelease));
    expect(past[0].columns).toEqual([{ name: 'age', column: { type: 'number' } }]);
    const { study, site } = past[4];
    expect((await home.pending(study, site))?.tags).toEqual(tagsOfRelease(5));
  });

  it('keeps its keys for itself, and one pair of them', async () => {
    const folder = folders.empty();
    const keys = await Promise.all(
      Array.from({ length: 8 }, async () => (await openSiteFolder(folder)).tagKey()),
    );
    expect(new Set(keys.map(String)).size).toBe(1);
    expect(keys[0]).toHaveLength(4);
    expect(await (await openSiteFolder(folders.empty())).tagKey()).not.toEqual(keys[0]);
    const filled = folders.filled();
    for (const name of ['ledger.jsonl', 'ledger.head', 'ledger.secret']) {
      expect(statSync(join(filled, name)).mode & 0o777).toBe(0o600);
    }
    expect(statSync(tagsFile(filled, 0)).mode & 0o777).toBe(0o600);
    expect(statSync(tagsFile(filled, 0)).size).toBe(8 * 30);
    expect(statSync(join(filled, 'rows')).mode & 0o777).toBe(0o700);
  });

  it('holds no value of a row', async () => {
    const folder = folders.filled();
    const bits = Buffer.from(Float64Array.of(SECRET_VALUE).buffer);
    const spellings = [bits, Buffer.from(bits).reverse(), Buffer.from('86420.9')];
    const leaks = () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((path) => spellings.some((spelling) => readFileSync(path).includes(spelling)));
    expect(leaks()).toEqual([]);
    writeFileSync(join(folder, 'rows', 'planted'), Float64Array.of(1, SECRET_VALUE));
    expect(leaks()).toHaveLength(1);
  });

  it('has a release once, unless it was refused first', async () => {
    const home = await openSiteFolder(folders.empty());
    const refused = lineOf(1, { outcome: 'refused' });
    for (const line of [refused, lineOf(2), lineOf(1), refused, lineOf(1)]) {
      await home.record(line, tagsOfRelease(1));
    }
    expect((await home.ledger()).map(({ outcome }) => outcome)).toEqual([
      'refused',
      'acknowledged',
      'acknowledged',
    ]);
    expect((await home.past()).map(({ site, outcome }) => [site, outcome])).toEqual([
      ['site 1', 'acknowledged'],
      ['site 2', 'acknowledged'],
    ]);
    expect(await home.verify()).toBeUndefined();
  });

  it('forgets the tags of what never left, and no others', async () => {
    const folder = folders.filled();
    const home = await openSiteFolder(folder);
    expect(readdirSync(join(folder, 'rows'))).toHaveLength(5);
    const { study, site } = (await home.past())[4];
    await home.discard(study, site);
    expect(readdirSync(join(folder, 'rows'))).toHaveLength(4);
    expect(await home.verify()).toBeUndefined();
    await home.record(lineOf(6), tagsOfRelease(1));
    await home.discard(study, site);
    expect(readdirSync(join(folder, 'rows'))).toHaveLength(4);
    expect(await home.verify()).toBeUndefined();
  });
});

describe('a ledger after a crash', () => {
  it('may be one line ahead of its head, and no more', async () => {
    const folder = folders.filled();
    const home = await openSiteFolder(folder);
    const heads = [readFileSync(join(folder, 'ledger.head'))];
    for (const k of [6, 7]) {
      await home.record(lineOf(k), tagsOfRelease(k));
      heads.push(readFileSync(join(folder, 'ledger.head')));
    }
    writeFileSync(join(folder, 'ledger.head'), heads[0]);
    expect(await home.verify()).toMatchObject({ problem: expect.stringContaining('other lines') });
    writeFileSync(join(folder, 'ledger.head'), heads[1]);
    expect(await home.verify()).toBeUndefined();
    await home.record(lineOf(7));
    expect(readFileSync(join(folder, 'ledger.head'))).toEqual(heads[2]);
    writeFileSync(join(folder, 'ledger.head'), heads[1]);
    await home.record(lineOf(8));
    expect(await home.verify()).toBeUndefined();
    expect(ledgerLines(folder)).toHaveLength(7);
  });

  it('drops a line that was never finished', async () => {
    const folder = folders.filled();
    const home = await openSiteFolder(folder);
    appendFileSync(join(folder, 'ledger.jsonl'), ledgerLines(folder)[0].slice(0, 100));
    expect(await home.verify()).toBeUndefined();
    expect(await home.ledger()).toHaveLength(4);
    await home.record(lineOf(6));
    expect(await home.verify()).toBeUndefined();
    expect(ledgerLines(folder)).toHaveLength(5);
  });

  it('may have a receipt that the ledger is still to tell of, while its contribution waits', async () => {
    const folder = folders.filled();
    const home = await openSiteFolder(folder);
    const [waiting] = await home.waiting();
    await home.keepReceipt(receiptOf(waiting.release), 'receipt');
    expect(await home.verify()).toBeUndefined();
    await home.discard(waiting.release.study, waiting.release.site);
    expect(await home.verify()).toMatchObject({ problem: expect.stringContaining('receipts/') });
    await home.record({ at: '2030-01-06T00:00:00.000Z', to: 'https://x', ...waiting.release });
    expect(await home.verify()).toBeUndefined();
  });

  it('is sealed at its first use, whatever moment that was broken off at', async () => {
    const folder = folders.empty();
    const home = await openSiteFolder(folder);
    await home.tagKey();
    rmSync(join(folder, 'ledger.secret')); // the head is written before the secret
    expect(await home.verify()).toBeUndefined();
    await home.record(lineOf(1), tagsOfRelease(1));
    expect(await home.verify()).toBeUndefined();
  });
});

describe('a ledger from before there were seals', () => {
  const old = (folder: string) =>
    writeLedger(folder, [JSON.stringify(lineOf(1)), '{"half', JSON.stringify(lineOf(2))]);

  it('is taken as it is, and sealed with the first line after it', async () => {
    const folder = folders.empty();
    old(folder);
    const home = await openSiteFolder(folder);
    expect(await home.verify()).toBeUndefined();
    expect((await home.past()).map(({ site, tags }) => [site, tags])).toEqual([
      ['site 1', undefined],
      ['site 2', undefined],
    ]);
    await home.record(lineOf(3), tagsOfRelease(3));
    expect(await problemOf(folder)).toBeUndefined();
    const texts = ledgerLines(folder);
    writeLedger(folder, texts.slice(1));
    expect(await problemOf(folder)).toMatch(/line 3 .* does not follow/);
    writeLedger(folder, texts.with(0, texts[0].replace('"rows":30', '"rows":3')));
    expect(await problemOf(folder)).toMatch(/line 4 .* does not follow/);
  });

  it('cannot be put in place of one that has a head', async () => {
    const folder = folders.empty();
    await (await openSiteFolder(folder)).tagKey();
    old(folder);
    expect(await problemOf(folder)).toMatch(/other lines than ledger.head/);
  });
});

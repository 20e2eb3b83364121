import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createCoordinator } from '../src/coordinator/create-coordinator.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import { createSigningKey, isSealed, sealDocument } from '../src/protocol/signature.ts';
import { digestBytes } from '../src/study/digest.ts';
import { anyStudy, operator, rows, runningStudy, testSite } from './coordinator-study.ts';
import { eachStore } from './stores.ts';

eachStore('a withdrawal', (open, place) => {
  it('erases every number of the site and says so under seal, the same when asked again', async () => {
    const store = await open();
    const { coordinator, id, agreed, sites } = await runningStudy(store, ['a', 'b']);
    await sites[0].send(rows(0, 10));
    await sites[0].send(rows(10, 20), { sequence: 2, mode: 'add' });
    const erasure = await sites[0].withdraw(3);
    expect(erasure).toMatchObject({
      schema: 'suffice/erasure@1',
      study: agreed.digest,
      site: 'a',
      erased: [
        digestBytes(sites[0].file(rows(0, 10))),
        digestBytes(sites[0].file(rows(10, 20), { sequence: 2, mode: 'add' })),
      ],
    });
    expect(isSealed(erasure)).toBe(true);
    const left = await store.db
      .selectFrom('contributions')
      .select(['body', 'digest', 'rows', 'dropped', 'bytes'])
      .execute();
    const nothing = { body: null, digest: null, rows: null, dropped: null, bytes: null };
    expect(left).toEqual([nothing, nothing]);
    expect((await coordinator.receipts(sites[0].caller, id)).receipts).toEqual([]);
    const view = await coordinator.view(operator, id);
    expect(view.state).toBe('open');
    expect(view.sites[0]).toMatchObject({ name: 'a', state: 'withdrawn' });
    expect(view.sites[0].n).toBeUndefined();
    expect(await sites[0].withdraw(3)).toEqual(erasure);
    expect(await coordinator.withdraw(operator, id, { site: 'a' })).toEqual(erasure);
    const { entries } = await coordinator.auditLog(operator, id);
    expect(entries.filter(({ event }) => event === 'withdrawn').length).toBe(1);
  });

  it('is the site’s own to sign, or asked by whoever runs the study', async () => {
    const store = await open();
    const { coordinator, id, agreed, sites } = await runningStudy(store, ['a', 'b']);
    await sites[0].send(rows(0, 10));
    const held = () => store.db.selectFrom('contributions').selectAll().execute();
    const before = await held();
    const forged = testSite(coordinator, id, agreed, 'a', createSigningKey());
    await expect(forged.withdraw(2)).rejects.toMatchObject({ code: 'not-allowed' });
    await expect(sites[0].withdraw(1)).rejects.toMatchObject({ code: 'conflict' });
    await expect(coordinator.withdraw(sites[1].caller, id, { site: 'a' })).rejects.toMatchObject({
      code: 'not-allowed',
    });
    const withdrawal = sealDocument(
      { schema: 'suffice/withdrawal@1', study: agreed.digest, site: 'a', sequence: 2 } as const,
      sites[0].key,
    );
    await expect(coordinator.withdraw(sites[1].caller, id, { withdrawal })).rejects.toMatchObject({
      code: 'not-allowed',
    });
    await expect(
      coordinator.withdraw(sites[0].caller, id, { withdrawal: { ...withdrawal, sequence: 3 } }),
    ).rejects.toMatchObject({ code: 'not-allowed' });
    const elsewhere = sealDocument({ ...withdrawal, study: digestBytes() }, sites[0].key);
    await expect(
      coordinator.withdraw(sites[0].caller, id, { withdrawal: elsewhere }),
    ).rejects.toMatchObject({ code: 'not-allowed' });
    expect(await held()).toEqual(before);
    await coordinator.withdraw({ role: 'study', study: id }, id, { site: 'a' });
    expect((await held())[0].body).toBeNull();
  });

  it('closes a study that now waits for nobody, and undoes an answer the quorum no longer carries', async () => {
    const study = anyStudy({ sites: 2 });
    const { coordinator, id, sites } = await runningStudy(await open(), ['a', 'b', 'c'], { study });
    await sites[0].send(rows(0, 20));
    await sites[1].send(rows(20, 40));
    await sites[2].withdraw(1);
    await coordinator.runDueWork();
    expect((await coordinator.view(operator, id)).state).toBe('resolved');
    expect((await coordinator.resolution(operator, id, 1)).missing).toEqual([]);
    await sites[0].withdraw(2);
    await coordinator.runDueWork();
    expect(await coordinator.view(operator, id)).toMatchObject({
      state: 'closed',
      problem: 'sites that contributed: 1, needed for the quorum: 2',
      resolution: { number: 1 },
    });
  });

  it('leaves no byte of the body in the files of an SQLite store', async ({ skip }) => {
    const at = await place();
    if (at.kind !== 'sqlite') return skip();
    const { sites } = await runningStudy(await at.open(), ['a', 'b']);
    const file = Buffer.from(sites[0].file(rows(0, 30)));
    const mark = file.subarray(file.length - 160, file.length - 100);
    const found = () =>
      [at.address, `${at.address}-wal`]
        .filter((path) => existsSync(path))
        .some((path) => readFileSync(path).includes(mark));
    await sites[0].send(rows(0, 30));
    expect(found()).toBe(true);
    await sites[0].withdraw(2);
    expect(found()).toBe(false);
  });

  it('and a replacement leave no byte of what they replace', async ({ skip }) => {
    const at = await place();
    if (at.kind !== 'sqlite') return skip();
    const { sites } = await runningStudy(await at.open(), ['a', 'b']);
    const file = Buffer.from(sites[0].file(rows(0, 30)));
    const mark = file.subarray(file.length - 160, file.length - 100);
    await sites[0].send(rows(0, 30));
    await sites[0].send(rows(30, 50), { sequence: 2, mode: 'replace' });
    const files = [at.address, `${at.address}-wal`].filter((path) => existsSync(path));
    expect(files.some((path) => readFileSync(path).includes(mark))).toBe(false);
  });

  it('leaves no byte in the files even if a crash keeps it from scrubbing', async ({ skip }) => {
    const at = await place();
    if (at.kind !== 'sqlite') return skip();
    const store = await at.open();
    const { sites } = await runningStudy(store, ['a', 'b']);
    const file = Buffer.from(sites[0].file(rows(0, 30)));
    const mark = file.subarray(file.length - 160, file.length - 100);
    await sites[0].send(rows(0, 30));
    await store.scrub(); // now it is in the file itself, not only in the journal
    Object.assign(store, { scrub: () => Promise.reject(new Error('killed')) });
    await expect(sites[0].withdraw(2)).rejects.toThrow('killed');
    const afterCrash = `${at.address}.crashed`;
    for (const end of ['', '-wal']) copyFileSync(`${at.address}${end}`, `${afterCrash}${end}`);
    expect(readFileSync(afterCrash).includes(mark)).toBe(true);

    const again = await openSqliteStore(afterCrash);
    await createCoordinator({ store: again });
    const files = [afterCrash, `${afterCrash}-wal`].filter((path) => existsSync(path));
    expect(files.some((path) => readFileSync(path).includes(mark))).toBe(false);
    await again.close();
  });
});

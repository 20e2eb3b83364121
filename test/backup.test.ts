import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCoordinator } from '../src/coordinator/create-coordinator.ts';
import { activeNow } from '../src/coordinator/stored-contributions.ts';
import { releaseFile } from '../src/node/server/release-file.ts';
import { type Served, serve } from '../src/node/server/serve.ts';
import { openSiteFolder } from '../src/node/site/site-folder.ts';
import { auditDigest, verifyAuditLog } from '../src/protocol/audit-chain.ts';
import type { SealedAuditLog, SealedReceipt } from '../src/protocol/messages.ts';
import { createSigningKey, sealDocument } from '../src/protocol/signature.ts';
import { forgottenBy, type SiteMembership } from '../src/site/join.ts';
import type { PrivacyTerms, Study, TableStudy } from '../src/study/study.ts';
import { linkOf } from './busy-site.ts';
import { temporaryFolder } from './cli.ts';
import { anyStudy, operator, rows, type TestSite, testSite } from './coordinator-study.ts';
import { enduring } from './endurance.ts';
import { eventually } from './eventually.ts';
import { joinHere } from './join-here.ts';
import { agreement } from './linear.ts';
import { eachStore } from './stores.ts';
import { tableOf } from './tables.ts';

const COUNT = 600;
const from = tableOf({
  y: Array.from({ length: COUNT }, (_, r) => ((r * 7919) % 101) / 10),
  x: Array.from({ length: COUNT }, (_, r) => ((r * 104729) % 97) / 8),
});

let studies = 0;

function privateStudy(more: Partial<PrivacyTerms> = {}): TableStudy {
  return {
    schema: 'suffice/study@1',
    name: `kept ${++studies}`,
    formula: 'y ~ x',
    codebook: {
      y: { type: 'number', range: [0, 11] },
      x: { type: 'number', range: [0, 13], sd: 3.5 },
    },
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
    privacy: { epsilon: 8, delta: 1e-6, unit: 'row', ...more },
  };
}

async function started(data: string): Promise<Served> {
  const served = await serve({ data, port: 0, log: 'none' });
  onTestFinished(() => served.stop());
  return served;
}

/** Sites of a study that is at a coordinator already, each with its key of before. */
function sitesAt(
  { coordinator }: Pick<Served, 'coordinator'>,
  id: string,
  study: Study,
  keys: Readonly<Record<string, TestSite['key']>>,
  table = from,
): TestSite[] {
  const agreed = agreement(study);
  return Object.entries(keys).map(([name, key]) =>
    testSite(coordinator, id, agreed, name, key, table),
  );
}

/** A private study at a coordinator in which two of three sites have contributed. */
async function collecting(served: Pick<Served, 'coordinator'>, study: Study) {
  const { id } = await served.coordinator.create(operator, { study, sites: ['A', 'B', 'C'] });
  const agreed = agreement(study);
  const sites = ['A', 'B', 'C'].map((name) =>
    testSite(served.coordinator, id, agreed, name, undefined, from),
  );
  for (const site of sites) await site.offer();
  await sites[0].send(rows(0, 250));
  await sites[1].send(rows(250, 500));
  const keys = Object.fromEntries(sites.map(({ name, key }) => [name, key]));
  return { id, agreed, sites, keys };
}

const resolveNow = async ({ coordinator }: Pick<Served, 'coordinator'>, id: string) => {
  await coordinator.close(operator, id);
  return coordinator.resolve(operator, id, { includeLate: false });
};

describe('a data folder that was restored from a copy', () => {
  it('does not publish a second resolution 1 of a private study, and says what to do', async () => {
    const root = temporaryFolder();
    const data = join(root, 'data');
    const copy = join(root, 'copy');
    let served = await started(data);
    const study = privateStudy();
    const { id, keys } = await collecting(served, study);
    await served.stop();
    cpSync(data, copy, { recursive: true });
    served = await started(data);
    await sitesAt(served, id, study, keys)[2].send(rows(500, COUNT));
    const first = await served.coordinator.resolve(operator, id, { includeLate: false });
    expect([first.number, first.contributions.length]).toEqual([1, 3]);
    await served.stop();
    rmSync(data, { recursive: true });
    renameSync(copy, data);

    served = await started(data);
    const { coordinator } = served;
    expect(coordinator.key).toBe(first.seal.key);
    const view = await coordinator.view(operator, id);
    expect(view.state).toBe('closed');
    expect(view.problem).toMatch(/resolution 1 .* was published, .* restored from an older copy/);
    const [, , late] = sitesAt(served, id, study, keys);
    await expect(late.send(rows(500, COUNT))).rejects.toMatchObject({
      code: 'gone',
      message: expect.stringContaining('restored from an older copy'),
    });
    await expect(coordinator.uploadLimits(late.caller, id)).rejects.toMatchObject({ code: 'gone' });
    await expect(coordinator.reopen(operator, id)).rejects.toMatchObject({ code: 'gone' });
    // Another set of contributions does not help.
    await coordinator.withdraw(operator, id, { site: 'B' });
    await coordinator.runDueWork();
    for (const includeLate of [false, true]) {
      await expect(coordinator.resolve(operator, id, { includeLate })).rejects.toMatchObject({
        code: 'conflict',
        remedy: expect.stringContaining('make a new study'),
      });
    }
    expect((await coordinator.resolutions(operator, id)).resolutions).toEqual([]);
    expect(verifyAuditLog(await coordinator.auditLog(operator, id), {})).toMatchObject({
      ok: true,
    });
    // The way on: a study of its own.
    const next = await collecting(served, privateStudy());
    expect((await resolveNow(served, next.id)).number).toBe(1);
  });

  it('or lost its write-ahead log, publishes no second resolution 1 either', async () => {
    const root = temporaryFolder();
    const data = join(root, 'data');
    let served = await started(data);
    const study = privateStudy();
    const { id, keys } = await collecting(served, study);
    await served.stop(); // moves the log into the database
    served = await started(data);
    await sitesAt(served, id, study, keys)[2].send(rows(500, COUNT));
    await served.coordinator.resolve(operator, id, { includeLate: false });
    cpSync(data, join(root, 'crashed'), { recursive: true });
    await served.stop();
    rmSync(data, { recursive: true });
    renameSync(join(root, 'crashed'), data);
    expect(statSync(join(data, 'suffice.db-wal')).size).toBeGreaterThan(0);
    truncateSync(join(data, 'suffice.db-wal'), 0);
    rmSync(join(data, 'suffice.db-shm'), { force: true });

    served = await started(data);
    expect((await served.coordinator.view(operator, id)).problem).toContain('older copy');
    const resolve = served.coordinator.resolve(operator, id, { includeLate: true });
    await expect(resolve).rejects.toMatchObject({ code: 'conflict' });
    expect((await served.coordinator.resolutions(operator, id)).resolutions).toEqual([]);
  });

  it('gives the same answer again where the copy has the same contributions, and takes no others', async () => {
    const root = temporaryFolder();
    const data = join(root, 'data');
    let served = await started(data);
    const study = privateStudy();
    const { id, keys } = await collecting(served, study);
    await served.stop();
    cpSync(data, join(root, 'copy'), { recursive: true });
    served = await started(data);
    const first = await resolveNow(served, id);
    await served.stop();
    rmSync(data, { recursive: true });
    renameSync(join(root, 'copy'), data);

    served = await started(data);
    const [, , late] = sitesAt(served, id, study, keys);
    await expect(late.send(rows(500, COUNT))).rejects.toMatchObject({ code: 'gone' });
    await served.coordinator.runDueWork();
    const again = await served.coordinator.resolution(operator, id, 'latest');
    expect({ ...again, resolvedAt: '', seal: '' }).toEqual({ ...first, resolvedAt: '', seal: '' });
  });

  it('goes on where the copy is the newest, also with a private study, and with plain ones from any', async () => {
    const root = temporaryFolder();
    const data = join(root, 'data');
    let served = await started(data);
    const study = privateStudy({ releases: 2 });
    const { id, keys } = await collecting(served, study);
    await served.coordinator.close(operator, id);
    const first = await served.coordinator.resolve(operator, id, { includeLate: false });
    const plain = anyStudy();
    const { id: plainId } = await served.coordinator.create(operator, {
      study: plain,
      sites: ['P', 'Q'],
    });
    // A backup of the running store.
    const backup = join(root, 'backup.db');
    const client = createClient({ url: `file:${join(data, 'suffice.db')}` });
    await client.execute(`vacuum into '${backup}'`);
    client.close();
    const agreedPlain = agreement(plain);
    const site = testSite(served.coordinator, plainId, agreedPlain, 'P');
    await site.send(rows(0, 30));
    await served.stop();
    for (const name of ['suffice.db', 'suffice.db-wal', 'suffice.db-shm']) {
      rmSync(join(data, name), { force: true });
    }
    cpSync(backup, join(data, 'suffice.db'));

    served = await started(data);
    const { coordinator } = served;
    expect(await coordinator.resolution(operator, id, 1)).toEqual(first);
    await coordinator.reopen(operator, id);
    const [, , third] = sitesAt(served, id, study, keys);
    await third.send(rows(500, COUNT));
    await coordinator.runDueWork();
    if ((await coordinator.view(operator, id)).state !== 'resolved') await resolveNow(served, id);
    expect((await coordinator.resolution(operator, id, 'latest')).number).toBe(2);
    // The plain study has lost what came after the copy; the site sends it again.
    const again = testSite(coordinator, plainId, agreedPlain, 'P', site.key);
    expect((await again.send(rows(0, 30))).sequence).toBe(1);
  });
});

eachStore('the record of releases outside the store', (open, place) => {
  it.runIf(enduring)(
    'lets the same contributions be released after a crash before the commit, and no others',
    async () => {
      const path = join(temporaryFolder(), 'releases');
      const store = await open();
      const witness = (key: string) => releaseFile([path], key);
      const coordinator = await createCoordinator({ store, witness });
      const study = privateStudy();
      const { id, agreed, sites } = await collecting({ coordinator }, study);
      const { digest: contributions } = await activeNow(store.db, id, { includeLate: false });
      // As if it had crashed after the record.
      await witness(coordinator.key).record(agreed.digest, { number: 1, contributions });
      const after = await createCoordinator({ store, witness });
      expect((await after.view(operator, id)).state).toBe('closed');
      await after.runDueWork();
      expect((await after.resolution(operator, id, 'latest')).number).toBe(1);
      const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
      expect(lines.map((line) => JSON.parse(line).number)).toEqual([1, 1]);

      const other = await collecting({ coordinator }, privateStudy());
      const known = await activeNow(store.db, other.id, { includeLate: false });
      await witness(coordinator.key).record(other.agreed.digest, {
        number: 1,
        contributions: known.digest,
      });
      await other.sites[1].withdraw(2);
      await coordinator.close(operator, other.id);
      await expect(
        coordinator.resolve(operator, other.id, { includeLate: false }),
      ).rejects.toMatchObject({ code: 'conflict' });
      expect((await coordinator.resolutions(operator, other.id)).resolutions).toEqual([]);
      expect(sites).toHaveLength(3);
    },
  );

  it.runIf(enduring)(
    'survives a line that was cut, keeps coordinators apart, and notes what others published',
    async () => {
      const path = join(temporaryFolder(), 'releases');
      writeFileSync(path, '{"schema":"suffice/release@1","coordin');
      const one = releaseFile([path], 'one');
      await one.record('s', { number: 1, contributions: 'a' });
      await one.record('s', { number: 2, contributions: 'b' });
      expect(await one.newest('s')).toMatchObject({ number: 2, contributions: 'b' });
      expect(await one.studies()).toEqual(['s']);
      expect(await releaseFile([path], 'two').newest('s')).toBeUndefined();

      const store = await open();
      const coordinator = await createCoordinator({ store }); // another process, with a file of its own
      const { id, agreed } = await collecting({ coordinator }, privateStudy());
      await resolveNow({ coordinator }, id);
      await createCoordinator({ store, witness: (key) => releaseFile([path], key) });
      expect(await releaseFile([path], coordinator.key).newest(agreed.digest)).toMatchObject({
        number: 1,
      });
    },
  );

  it.runIf(enduring)('learns what another coordinator publishes', async ({ skip }) => {
    const at = await place();
    if (at.kind !== 'postgres') return skip(); // an SQLite file has one coordinator
    const folder = temporaryFolder();
    const files = ['one', 'two'].map((name) => join(folder, name));
    const [one, two] = await Promise.all(
      files.map(async (path) =>
        createCoordinator({
          store: await at.open(),
          witness: (key) => releaseFile([path], key),
        }),
      ),
    );
    const { id, agreed } = await collecting({ coordinator: one }, privateStudy());
    await two.invite(operator, id, { site: 'D' });
    await resolveNow({ coordinator: one }, id);
    for (const path of files) {
      await eventually(async () => {
        expect(await releaseFile([path], one.key).newest(agreed.digest)).toMatchObject({
          number: 1,
        });
      });
    }
  });

  it('must be written before a private total is signed', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'absent', 'releases');
    const store = await open();
    const witness = (key: string) => releaseFile([path], key);
    const coordinator = await createCoordinator({ store, witness });
    const { id } = await collecting({ coordinator }, privateStudy());
    await coordinator.close(operator, id);
    const resolve = () => coordinator.resolve(operator, id, { includeLate: false });
    await expect(resolve()).rejects.toMatchObject({
      code: 'store-unavailable',
      message: expect.stringContaining('record of releases cannot be used (ENOENT)'),
    });
    expect((await coordinator.resolutions(operator, id)).resolutions).toEqual([]);
    mkdirSync(join(folder, 'absent'));
    expect((await resolve()).number).toBe(1);
  });

  it.runIf(enduring)('is not made for plain studies', async () => {
    const path = join(temporaryFolder(), 'releases');
    const store = await open();
    const coordinator = await createCoordinator({
      store,
      witness: (key) => releaseFile([path], key),
    });
    const study = anyStudy();
    const { id } = await coordinator.create(operator, { study, sites: ['P'] });
    await testSite(coordinator, id, agreement(study), 'P').send(rows(0, 30));
    await coordinator.runDueWork();
    expect((await coordinator.resolutions(operator, id)).resolutions).toHaveLength(1);
    expect(existsSync(path)).toBe(false);
  });
});

describe('a site whose coordinator was restored from a copy', () => {
  it('hears that its contribution is lost before anything is sent, and may send again', async () => {
    const root = temporaryFolder();
    const data = join(root, 'data');
    let served = await started(data);
    const study = anyStudy();
    const created = await served.coordinator.create(operator, { study, sites: ['A', 'B'] });
    await served.stop();
    cpSync(data, join(root, 'copy'), { recursive: true });
    const path = join(root, 'a.csv');
    const lines = rows(20, 50).map((r) => ['y', 'x', 'z'].map((name) => cell(name, r)).join(','));
    writeFileSync(path, `y,x,z\n${lines.join('\n')}\n`);
    const [home, other] = [join(root, 'home'), join(root, 'other')];
    await (await openSiteFolder(home)).key();
    cpSync(home, other, { recursive: true });
    const link = () => linkOf(created, served.address, 'A');

    served = await started(data);
    const { receipt } = await joinHere({ link: link(), path }, home);
    await joinHere({ link: link(), path, again: 'replace' }, home); // nothing is lost yet
    await served.stop();
    rmSync(data, { recursive: true });
    renameSync(join(root, 'copy'), data);
    served = await started(data);
    await expect(joinHere({ link: link(), path }, home)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(
        `has lost a contribution of this site that it acknowledged: number 1, received ${receipt.receivedAt}; nothing was sent`,
      ),
    });
    const events = async () =>
      (await served.coordinator.auditLog(operator, created.id)).entries.map(({ event }) => event);
    expect(await events()).toEqual(['created', 'opened']);
    // Another folder with the same key has sent in between: the numbers fit, the log does not.
    await joinHere({ link: link(), path }, other);
    await joinHere({ link: link(), path, again: 'replace' }, other);
    await expect(joinHere({ link: link(), path }, home)).rejects.toMatchObject({
      message: expect.stringContaining('number 1'),
    });
    expect((await joinHere({ link: link(), path, again: 'replace' }, home)).receipt.sequence).toBe(
      3,
    );
  });
});

it('a receipt of a number that a restored coordinator gave again is kept apart, and no longer asked for', async () => {
  const home = join(temporaryFolder(), 'home');
  const store = await openSiteFolder(home);
  const receiptOf = (digest: string) =>
    ({
      ...{ schema: 'suffice/receipt@1', study: `sha256:${'a'.repeat(64)}`, site: 'A' },
      ...{ sequence: 1, digest },
    }) as SealedReceipt;
  const first = await store.keepReceipt(receiptOf('sha256:1'), 'first');
  const before = readFileSync(first, 'utf8');
  for (const digest of ['sha256:2', 'sha256:2']) {
    expect(await store.keepReceipt(receiptOf(digest), 'second')).toBe(first);
  }
  const lost = readdirSync(join(home, 'receipts', 'lost'));
  expect(lost).toHaveLength(1);
  expect(readFileSync(join(home, 'receipts', 'lost', lost[0]), 'utf8')).toBe(before);
  const kept = await store.acknowledged(receiptOf('').study, 'A');
  expect(kept.map(({ digest }) => digest)).toEqual(['sha256:2']);
});

describe('times of a log that go back', () => {
  it('are reported, and the log is otherwise what it was', () => {
    const key = createSigningKey();
    const study = 'sha256:00';
    const logOf = (times: readonly string[]): SealedAuditLog => {
      let previous = study;
      const entries = times.map((at, k) => {
        const entry = { position: k + 1, at, event: 'invited' as const, detail: {}, previous };
        previous = auditDigest(study, entry);
        return { ...entry, digest: previous };
      });
      return sealDocument({ schema: 'suffice/audit-log@1', study, entries }, key);
    };
    const day = (k: number) => `2027-01-0${k}T00:00:00.000Z`;
    expect(verifyAuditLog(logOf([day(1), day(1), day(3)]), {})).toEqual({ ok: true, entries: 3 });
    expect(verifyAuditLog(logOf([day(1), day(4), day(3), day(5), day(2)]), {})).toEqual({
      ok: true,
      entries: 5,
      timeGoesBackAt: [3, 5],
    });
  });
});

describe('a coordinator that says a site has contributed a million million times', () => {
  it('does not fill the site’s memory', async () => {
    const store = await openSiteFolder(join(temporaryFolder(), 'home'));
    const membership = { agreed: agreement(anyStudy()), site: 'A', nextSequence: 1e12 };
    const forgotten = await forgottenBy(store, membership as unknown as SiteMembership);
    expect(forgotten.length).toBe(1000 - 1);
    const few = { ...membership, nextSequence: 4 } as unknown as SiteMembership;
    expect(await forgottenBy(store, few)).toEqual([1, 2, 3]);
  });
});

function cell(name: string, row: number): string {
  const values = { y: ((row * 7919) % 101) / 4, x: ((row * 104729) % 97) / 8, z: (row % 9) / 2 };
  return String(values[name as keyof typeof values]);
}

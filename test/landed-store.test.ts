import { chmodSync, cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@libsql/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Report } from '../src/model/report.ts';
import { serve } from '../src/node/server/serve.ts';
import { verifyAuditLog } from '../src/protocol/audit-chain.ts';
import { requestStudies, type StudyClient, studyClient } from '../src/protocol/client.ts';
import { followRounds } from '../src/protocol/follow-rounds.ts';
import { type Link, linkText, parseLink } from '../src/protocol/link.ts';
import type { SealedResolution } from '../src/protocol/messages.ts';
import { verifyResolution } from '../src/protocol/verify-resolution.ts';
import { runSuffice, suffice, temporaryFolder } from './cli.ts';
import { eventually } from './eventually.ts';
import { lasting } from './landed-report.ts';
import { tenDigits } from './ten-digits.ts';

// What commit 54a254b left on disks; see vectors/landed/README.md.
const landed = fileURLToPath(new URL('vectors/landed', import.meta.url));
const penguins = fileURLToPath(new URL('../examples/penguins', import.meta.url));
const root = temporaryFolder();
const folderOf = () => mkdtempSync(join(root, 'landed-'));
const json = <T>(...path: readonly string[]): T =>
  JSON.parse(readFileSync(join(landed, ...path), 'utf8'));

const resolvedKinds = ['ridge', 'fisher', 'private', 'fesc'] as const;
const kept = (kind: string) => json<SealedResolution>('reports', `${kind}.json`);

/** A coordinator on a copy of the store, with a change made to it first, until the test ends. */
async function reopened(change?: string) {
  const folder = folderOf();
  const data = join(folder, 'store');
  cpSync(join(landed, 'store'), data, { recursive: true });
  chmodSync(join(data, 'admin-token'), 0o600);
  if (change !== undefined) {
    const store = createClient({ url: `file:${join(data, 'suffice.db')}` });
    await store.executeMultiple(change);
    store.close();
  }
  const served = await serve({ data, port: 0, log: 'none' });
  onTestFinished(() => served.stop());
  const link = (name: string): Link => {
    const parsed = parseLink(readFileSync(join(landed, 'links', name), 'utf8'));
    if ('problem' in parsed) throw new Error(parsed.problem);
    return { ...parsed, coordinator: served.address };
  };
  return {
    folder,
    served,
    operator: readFileSync(join(data, 'admin-token'), 'utf8').trim(),
    link,
    admin: (kind: string): StudyClient => studyClient(link(`${kind}.admin.link`)),
    /** Joins with rows of an island; gives the exit code and what was complained about. */
    async join(invitation: Link, island: string, home: string, ...flags: readonly string[]) {
      const path = join(mkdtempSync(join(folder, 'invited-')), 'site.invitation');
      writeFileSync(path, `${linkText(invitation)}\n`, { mode: 0o600 });
      const rows = join(penguins, `${island}.csv`);
      const told = ['--yes', '--quiet', '--acknowledge', 'R5,R6,R7,R9,R11'];
      return runSuffice(['join', path, rows, '--home', home, ...told, ...flags]);
    },
  };
}

/** A copy of the site's folder. */
function siteHome(): string {
  const home = join(folderOf(), 'site');
  cpSync(join(landed, 'site'), home, { recursive: true });
  return home;
}

const coefficients = ({ terms = [] }: Report) =>
  tenDigits(terms.map(({ term, estimate }) => [term, estimate]));

describe('a store of the version before', () => {
  it('lists its studies', async () => {
    const { served, operator } = await reopened();
    const views = await requestStudies(served.address, operator);
    expect(views.map(({ study, state }) => [study.name, state]).toSorted()).toEqual([
      ['average', 'collecting'],
      ['fesc', 'resolved'],
      ['fisher', 'resolved'],
      ['private', 'resolved'],
      ['ridge', 'resolved'],
    ]);
  });

  it.each(resolvedKinds)('keeps the resolution and the log of %s', async (kind) => {
    const { link, admin } = await reopened();
    const { coordinatorKey } = link(`${kind}.admin.link`);
    const found = await admin(kind).resolution('latest');
    expect(found).toEqual(kept(kind));
    expect(verifyResolution(found, coordinatorKey)).toBeUndefined();
    const log = await admin(kind).auditLog();
    const { studyDigest } = found;
    expect(verifyAuditLog(log, { studyDigest, coordinatorKey })).not.toHaveProperty('problem');
  });

  it.each(resolvedKinds)('finds the report of %s again in what it holds', async (kind) => {
    const { admin } = await reopened();
    const { report } = await admin(kind).analyse({ questions: [] });
    expect(report.digest).toBe(kept(kind).report.digest);
    expect(lasting(report)).toEqual(lasting(kept(kind).report));
  });

  it('answers what else is asked of the exact study, and refuses it of the others', async () => {
    const { admin } = await reopened();
    const { answers, report } = await admin('ridge').analyse({
      method: { kind: 'ridge', ridge: 'leave-one-site-out' },
      questions: [{ about: 'heterogeneity' }, { about: 'influence' }, { about: 'description' }],
    });
    expect(answers.filter((answer) => 'problem' in answer)).toEqual([]);
    expect(report.ridge?.rule).toBe('leave-one-site-out');
    for (const kind of ['private', 'fesc']) {
      const asked = admin(kind).analyse({ questions: [{ about: 'heterogeneity' }] });
      await expect(asked).rejects.toMatchObject({ code: 'conflict' });
    }
  });

  it('resolves a study that was waiting for a site when the version changed', async () => {
    const { admin, link, join: joins, folder } = await reopened();
    const dream = link('average.dream.invitation');
    expect(await joins(dream, 'dream', join(folder, 'dream'))).toMatchObject({ code: 0 });
    await eventually(async () => {
      const { report } = await admin('average').resolution(1);
      const old = json<Report>('files', 'average.report.json');
      expect(report.digest).toBe(old.digest);
      expect(coefficients(report)).toEqual(coefficients(old));
    });
  });

  it('takes one more site and resolves anew', async () => {
    const { admin, link, join: joins, folder } = await reopened();
    await admin('ridge').reopen();
    const { token } = await admin('ridge').invite('islet');
    const invitation: Link = { ...link('ridge.admin.link'), purpose: 'join', token };
    const sent = await joins(invitation, 'torgersen', join(folder, 'islet'));
    expect([sent.code, sent.stderr]).toEqual([0, '']);
    await eventually(async () => {
      const { report } = await admin('ridge').resolution(2);
      expect(report.sites.map(({ name }) => name).toSorted()).toEqual([
        'biscoe',
        'dream',
        'islet',
        'torgersen',
      ]);
      expect(report.n).toBe(kept('ridge').report.n + 47);
    });
  });

  it('asks the sites of a logistic study for one more round, with the links they had', async () => {
    const { admin, link } = await reopened();
    const { next } = await admin('fisher').openRound();
    const [, second] = await followRounds(link('fisher.torgersen.invitation'));
    expect(second.view).toMatchObject({ digest: next?.digest, state: 'open', round: 2 });
    expect(second.view.sites.map(({ name }) => name)).toEqual(['biscoe', 'dream', 'torgersen']);
  });

  it('publishes no second total of the private study, and the same one again', async () => {
    const { admin } = await reopened();
    await expect(admin('private').reopen()).rejects.toMatchObject({ code: 'gone' });
    const again = await admin('private').resolve({ includeLate: false });
    expect(again).toEqual(kept('private'));
  });

  it('draws for the same contributions the noise it drew, had the answer been lost', async () => {
    const { admin } = await reopened(`
      delete from resolutions;
      update studies set state = 'closed', due = 1 where state = 'resolved';
    `);
    await eventually(async () => {
      const { report } = await admin('private').resolution(1);
      expect(report.digest).toBe(kept('private').report.digest);
      expect(tenDigits(report)).toEqual(tenDigits(kept('private').report));
    });
  });
});

describe('a site’s folder of the version before', () => {
  it('has its ledger whole, and tells what has left', async () => {
    const home = siteHome();
    const { code, stdout } = await suffice('ledger', '--home', home, '--json');
    expect(code).toBe(0);
    const old = json<object>('files', 'ledger.json');
    expect(tenDigits(JSON.parse(stdout))).toEqual({ ...(tenDigits(old) as object), folder: home });
  });

  it('knows what it has sent, and can send in its place with the key it had', async () => {
    const { admin, link, join: joins } = await reopened();
    const home = siteHome();
    const own = link('average.torgersen.invitation');
    const again = await joins(own, 'torgersen', home);
    expect([again.code, again.stderr]).toEqual([5, expect.stringContaining('--replace')]);
    expect((await joins(own, 'torgersen', home, '--replace')).code).toBe(0);
    const { sites } = await admin('average').view();
    expect(sites.find(({ name }) => name === 'torgersen')).toMatchObject({ state: 'contributed' });
    const { stdout } = await suffice('ledger', '--home', home, '--json');
    const releases = JSON.parse(stdout).releases as readonly object[];
    expect(releases).toHaveLength(6);
    expect(releases.at(-1)).toMatchObject({ sequence: 2, mode: 'replace', rows: 47 });
  });

  it('verifies the receipts it was given', async () => {
    const home = siteHome();
    const { studyDigest } = kept('ridge');
    const id = studyDigest.slice('sha256:'.length, 'sha256:'.length + 16);
    const receipt = join(home, 'receipts', `${id}-torgersen-1.json`);
    const { code, stdout } = await suffice('verify', receipt, '--json');
    expect(code).toBe(0);
    expect(stdout).toContain(studyDigest);
  });
});

describe('files of the version before', () => {
  it.each([...resolvedKinds, 'average', 'local'])('combine to what they did: %s', async (kind) => {
    const files = ['biscoe', 'dream', 'torgersen'].map((site) =>
      join(landed, 'files', `${kind}.${site}.suffice`),
    );
    const study = join(landed, 'files', `${kind}.study.json`);
    const flags = ['--require-signatures', '--home', siteHome(), '--json'];
    const { code, stdout, stderr } = await suffice('combine', study, ...files, ...flags);
    expect([code, stderr]).toEqual([0, '']);
    const old = json<Report>('files', `${kind}.report.json`);
    expect(JSON.parse(stdout).digest).toBe(old.digest);
    expect(lasting(JSON.parse(stdout))).toEqual(lasting(old));
  });

  it('predict what they did', async () => {
    const rows = join(penguins, 'torgersen.csv');
    const predicted = async (model: string, ...flags: readonly string[]) => {
      const { code, stdout } = await suffice('predict', join(landed, model), rows, ...flags);
      expect(code).toBe(0);
      return stdout;
    };
    const old = readFileSync(join(landed, 'files', 'ridge.predictions.csv'), 'utf8');
    expect(await predicted('files/ridge.model.json', '--interval', 'confidence')).toBe(old);
    // A resolution holds no covariance, and so no intervals.
    const first = old.replaceAll(/,.*/g, '');
    expect(await predicted('reports/ridge.json')).toBe(first);
  });
});

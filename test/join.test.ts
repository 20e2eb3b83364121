import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fitStudy } from '../src/node/run/fit.ts';
import { silentProgress } from '../src/node/run/progress.ts';
import { joinStudy } from '../src/node/site/join-files.ts';
import { openSiteFolder } from '../src/node/site/site-folder.ts';
import { linkText } from '../src/protocol/link.ts';
import type { SealedReceipt, SealedResolution } from '../src/protocol/messages.ts';
import { createSigningKey, isSealed } from '../src/protocol/signature.ts';
import type { TableStudy } from '../src/study/study.ts';
import { plainInk } from '../src/text/text-table.ts';
import { runSuffice, temporaryFolder } from './cli.ts';
import type { Received } from './local-server.ts';
import { PATIENCE_MS } from './patience.ts';
import { type ServedStudy, servedStudy } from './served-study.ts';
import { startSuffice } from './site-process.ts';
import { watchingProxy } from './watching-proxy.ts';

/** The study of these tests has no disclosure rules. */
const rulesOff = ['--acknowledge', 'none'];
const root = temporaryFolder();
const folderOf = () => mkdtempSync(join(root, 'test-'));

const study: TableStudy = {
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
  disclosure: { profile: 'none' },
};

const header = 'age,treatment,days';
const rowsOf = (site: number, count = 40) =>
  Array.from({ length: count }, (_, r) => {
    const age = 18 + ((r * 7 + site * 13) % 80);
    const treatment = (r + site) % 3 === 0 ? 'new' : 'control';
    return `${age},${r === 5 ? 'NA' : treatment},${(age / 4 + ((r * 5 + site) % 11)).toFixed(2)}`;
  });

function table(folder: string, name: string, rows: readonly string[]): string {
  const path = join(folder, `${name}.csv`);
  writeFileSync(path, `${[header, ...rows].join('\n')}\n`);
  return path;
}

const releases = (home: string) => {
  const path = join(home, 'ledger.jsonl');
  return existsSync(path)
    ? readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];
};
const waiting = (home: string) =>
  existsSync(join(home, 'outbox')) ? readdirSync(join(home, 'outbox')) : [];
const kept = (home: string) =>
  existsSync(join(home, 'receipts')) ? readdirSync(join(home, 'receipts')) : [];
const spoken = (received: readonly Received[]) =>
  received.map(({ method, path }) => `${method} ${path.split('/').slice(3).join('/')}`.trim());

/** The resolution that comes by itself. */
async function resolution({ admin }: ServedStudy, number: number): Promise<SealedResolution> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; ) {
    const lines = await admin.resolutions();
    if (lines.some((line) => line.number === number)) return admin.resolution(number);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no resolution ${number}`);
}

describe('suffice join', () => {
  it('makes of three sites the model of the pooled rows, and keeps what proves it', async () => {
    const folder = folderOf();
    const sites = ['north', 'south', 'wést end'];
    const running = await servedStudy(folder, study, sites);
    const paths = sites.map((site, k) => table(folder, site, rowsOf(k)));
    const homes = sites.map((_, k) => join(folder, `home-${k}`));
    const outcomes = await Promise.all(
      sites.map((site, k) =>
        runSuffice([
          'join',
          running.invitation(site),
          paths[k],
          '--yes',
          ...rulesOff,
          '--home',
          homes[k],
        ]),
      ),
    );
    for (const { code, stderr } of outcomes) expect([code, stderr]).toEqual([0, '']);
    const pooled = table(
      folder,
      'pooled',
      sites.flatMap((_, k) => rowsOf(k)),
    );
    const { report } = await fitStudy(study, [pooled], () => silentProgress);
    const answer = await resolution(running, 1);
    expect(answer.report.digest).toBe(report.digest);
    expect(answer.missing).toEqual([]);
    for (const [k, home] of homes.entries()) {
      expect(waiting(home)).toEqual([]);
      expect(statSync(home).mode & 0o777).toBe(0o700);
      expect(statSync(join(home, 'key.json')).mode & 0o777).toBe(0o600);
      const [json, text] = kept(home).toSorted();
      const receipt: SealedReceipt = JSON.parse(readFileSync(join(home, 'receipts', json), 'utf8'));
      expect(isSealed(receipt)).toBe(true);
      expect(receipt.seal.key).toBe(running.created.coordinatorKey);
      expect(readFileSync(join(home, 'receipts', text), 'utf8')).toContain(receipt.digest);
      expect(releases(home)).toMatchObject([
        {
          site: sites[k],
          sequence: 1,
          mode: 'add',
          rows: 39,
          digest: receipt.digest,
          bytes: receipt.bytes,
        },
      ]);
      const { stdout } = outcomes[k];
      for (const words of [
        'days ~ age + treatment',
        'What I read',
        'What would be sent',
        receipt.digest,
      ]) {
        expect(stdout).toContain(words);
      }
      expect(stdout).not.toContain(running.link(sites[k]).token);
    }
  });

  it('prints JSON and nothing else when quiet', async () => {
    const folder = folderOf();
    const running = await servedStudy(folder, study, ['north', 'south']);
    const path = table(folder, 'north', rowsOf(0));
    const flags = ['--yes', ...rulesOff, '--quiet', '--json', '--home', join(folder, 'home')];
    const { code, stdout, stderr } = await runSuffice([
      'join',
      running.invitation('north'),
      path,
      ...flags,
    ]);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({
      schema: 'suffice/joined@1',
      site: 'north',
      sequence: 1,
      rows: 39,
      late: false,
    });
  });

  it('adds and replaces, and the total stays that of the rows that count', async () => {
    const folder = folderOf();
    const running = await servedStudy(folder, study, ['north', 'south']);
    const home = join(folder, 'home');
    const send = (path: string, ...flags: string[]) =>
      runSuffice([
        'join',
        running.invitation('north'),
        path,
        '--yes',
        ...rulesOff,
        '--quiet',
        '--home',
        home,
        ...flags,
      ]);
    const first = table(folder, 'first', rowsOf(0));
    expect((await send(first)).code).toBe(0);
    const again = await send(first);
    expect(again.code).toBe(5);
    expect(again.stderr).toContain('--replace');
    expect((await send(first, '--add', '--replace')).code).toBe(2);
    expect((await send(table(folder, 'new', rowsOf(1)), '--replace')).code).toBe(0);
    expect((await send(table(folder, 'newer', rowsOf(2)), '--add')).code).toBe(0);
    expect(releases(home).map(({ sequence, mode }) => [sequence, mode])).toEqual([
      [1, 'add'],
      [2, 'replace'],
      [3, 'add'],
    ]);
    const south = table(folder, 'south', rowsOf(3));
    await runSuffice([
      'join',
      running.invitation('south'),
      south,
      '--yes',
      ...rulesOff,
      '--home',
      join(folder, 'south'),
    ]);
    const pooled = table(
      folder,
      'pooled',
      [1, 2, 3].flatMap((site) => rowsOf(site)),
    );
    const { report } = await fitStudy(study, [pooled], () => silentProgress);
    expect((await resolution(running, 1)).report.digest).toBe(report.digest);
  });
});

describe('nothing leaves', () => {
  async function behindProxy() {
    const folder = folderOf();
    const running = await servedStudy(folder, study, ['north', 'south']);
    const proxy = await watchingProxy(running.served.address);
    const before = (await running.admin.auditLog()).entries.length;
    return { folder, home: join(folder, 'home'), running, proxy, before };
  }

  it('before a person has approved; then one request does it all', async () => {
    const { folder, home, running, proxy, before } = await behindProxy();
    const siteHome = await openSiteFolder(home);
    const request = {
      link: running.link('north', proxy.address),
      path: table(folder, 'north', rowsOf(0)),
      missing: 'drop' as const,
    };
    const party = (answer: boolean) => ({
      ink: plainInk,
      watch: () => silentProgress,
      show: () => {},
      notice: () => {},
      failure: () => {},
      explain: () => {},
      refuseUnattended: () => {},
      approve: async () => answer,
    });
    await expect(joinStudy(request, siteHome, party(false))).rejects.toMatchObject({
      code: 'not-allowed',
    });
    expect(spoken(proxy.received)).toEqual(['GET']);
    expect((await running.admin.auditLog()).entries).toHaveLength(before);
    expect([...waiting(home), ...releases(home), ...kept(home)]).toEqual([]);
    await joinStudy(request, siteHome, party(true));
    expect(spoken(proxy.received)).toEqual(['GET', 'GET', 'POST contributions']);
  });

  it('in a dry run', async () => {
    const { folder, home, running, proxy, before } = await behindProxy();
    const path = table(folder, 'north', rowsOf(0));
    const flags = ['--dry-run', '--home', home];
    const invitation = running.invitation('north', proxy.address);
    const { code, stdout } = await runSuffice(['join', invitation, path, ...flags]);
    expect(code).toBe(0);
    expect(stdout).toContain('What would be sent');
    expect(spoken(proxy.received)).toEqual(['GET']);
    const json = await runSuffice([
      'join',
      invitation,
      path,
      ...flags,
      '--json',
      '--quiet',
      '--yes',
      ...rulesOff,
    ]);
    expect(JSON.parse(json.stdout)).toMatchObject({ schema: 'suffice/join-dry-run@1', rows: 39 });
    expect(stdout).toContain(JSON.parse(json.stdout).digest);
    const bad = await runSuffice([
      'join',
      invitation,
      table(folder, 'bad', ['17,old,x']),
      ...flags,
    ]);
    expect(bad.code).toBe(3);
    expect(spoken(proxy.received)).toEqual(['GET', 'GET', 'GET']);
    expect([waiting(home), releases(home), kept(home)]).toEqual([[], [], []]);
    expect((await running.admin.auditLog()).entries).toHaveLength(before);
  });

  it('where nobody can be asked', async () => {
    const { folder, home, running, proxy, before } = await behindProxy();
    const path = table(folder, 'north', rowsOf(0));
    const args = ['join', running.invitation('north', proxy.address), path, '--home', home];
    const { code, stderr } = await runSuffice(args);
    expect(code).toBe(2);
    expect(stderr).toContain('--yes');
    expect(spoken(proxy.received)).toEqual(['GET']);
    expect([waiting(home), releases(home), kept(home)]).toEqual([[], [], []]);
    expect((await running.admin.auditLog()).entries).toHaveLength(before);
  });

  it('of columns that do not match', async () => {
    const { folder, home, running, proxy } = await behindProxy();
    const secrets = ['98765.25', 'Zaphod', 'whenever'];
    const path = table(folder, 'north', [
      `${secrets[0]},${secrets[1]},12`,
      `44,control,${secrets[2]}`,
    ]);
    const args = [
      'join',
      running.invitation('north', proxy.address),
      path,
      '--yes',
      ...rulesOff,
      '--home',
      home,
    ];
    const { code, stdout, stderr } = await runSuffice(args);
    expect(code).toBe(3);
    for (const column of ['age', 'treatment', 'days'])
      expect(stderr).toContain(`column "${column}"`);
    expect(spoken(proxy.received)).toEqual(['GET']);
    const sent = proxy.received.map(({ body }) => body.toString()).join();
    const [before] = stdout.split('What does not fit'); // the view of the cells, on this terminal only
    for (const secret of secrets) expect(`${sent}${before}${stderr}`).not.toContain(secret);
    expect([waiting(home), releases(home), kept(home)]).toEqual([[], [], []]);
    expect((await running.admin.view()).sites[0]).toMatchObject({
      name: 'north',
      state: 'invited',
    });
  });

  it('of a file that breaks a rule only reducing can see', async () => {
    const { folder, home, running, proxy } = await behindProxy();
    const path = table(folder, 'north', [...rowsOf(0), '44,NA,12']);
    const flags = ['--yes', ...rulesOff, '--missing', 'refuse', '--home', home];
    const invitation = running.invitation('north', proxy.address);
    expect((await runSuffice(['join', invitation, path, ...flags])).code).toBe(3);
    expect(spoken(proxy.received)).toEqual(['GET']);
    expect([waiting(home), releases(home)]).toEqual([[], []]);
  });

  it('to a coordinator that is not the one of the invitation', async () => {
    const { folder, home, running, proxy } = await behindProxy();
    const link = {
      ...running.link('north', proxy.address),
      coordinatorKey: createSigningKey().key,
    };
    const invitation = join(folder, 'false.invitation');
    writeFileSync(invitation, linkText(link));
    const path = table(folder, 'north', rowsOf(0));
    const { code, stderr } = await runSuffice([
      'join',
      invitation,
      path,
      '--yes',
      ...rulesOff,
      '--home',
      home,
    ]);
    expect(code).toBe(4);
    expect(stderr).toContain('another key');
    expect(spoken(proxy.received)).toEqual(['GET']);
    expect([waiting(home), releases(home)]).toEqual([[], []]);
  });

  it('over a network where the secret could be read', async () => {
    const folder = folderOf();
    const running = await servedStudy(folder, study, ['north']);
    const invitation = running.invitation('north', 'http://192.0.2.1:7700');
    const path = table(folder, 'north', rowsOf(0));
    const { code, stderr } = await runSuffice([
      'join',
      invitation,
      path,
      '--yes',
      ...rulesOff,
      '--home',
      join(folder, 'home'),
    ]);
    expect(code).toBe(5);
    expect(stderr).toContain('https://');
  });
});

describe('an invitation', () => {
  it('is refused on the command line, and never repeated', async () => {
    const folder = folderOf();
    const running = await servedStudy(folder, study, ['north']);
    const proxy = await watchingProxy(running.served.address);
    const text = linkText(running.link('north', proxy.address));
    const path = table(folder, 'north', rowsOf(0));
    for (const args of [
      ['join', text, path],
      ['join', text],
      ['report', text],
    ]) {
      const { code, stdout, stderr } = await runSuffice(args, { env: { SUFFICE_HOME: folder } });
      expect(code).toBe(2);
      expect(stdout + stderr).not.toContain(running.link('north').token);
      expect(stderr).toContain('file');
    }
    const broken = join(folder, 'broken.invitation');
    writeFileSync(broken, text.slice(0, -5));
    const { code, stderr } = await runSuffice(['join', broken, path]);
    expect(code).toBe(2);
    expect(stderr).not.toContain(running.link('north').token);
    expect(proxy.received).toEqual([]);
  });

  it('may be pasted, or come from the environment', async () => {
    const folder = folderOf();
    const running = await servedStudy(folder, study, ['north', 'south', 'west']);
    const path = table(folder, 'rows', rowsOf(0));
    const pasted = await runSuffice(
      ['join', '-', path, '--yes', ...rulesOff, '--home', join(folder, 'north')],
      {
        input: `${linkText(running.link('north'))}\n`,
      },
    );
    expect([pasted.code, pasted.stderr]).toEqual([0, '']);
    const inherited = await runSuffice(['join', path, '--yes', ...rulesOff], {
      env: {
        SUFFICE_INVITATION: linkText(running.link('south')),
        SUFFICE_HOME: join(folder, 'south'),
      },
    });
    expect([inherited.code, inherited.stderr]).toEqual([0, '']);
    expect((await running.admin.view()).sites.map(({ state }) => state)).toEqual([
      'contributed',
      'contributed',
      'invited',
    ]);
  });
});

describe('an interrupted join', () => {
  const isContribution = ({ method, path }: Received) =>
    method === 'POST' && path.endsWith('/contributions');

  async function interrupted(fate: 'cut-before' | 'cut-after') {
    const folder = folderOf();
    const running = await servedStudy(folder, study, ['north', 'south']);
    const home = join(folder, 'home');
    const path = table(folder, 'north', rowsOf(0));
    let calm = false;
    const proxy = await watchingProxy(running.served.address, (request) =>
      !calm && isContribution(request) ? fate : 'pass',
    );
    const invitation = running.invitation('north', proxy.address);
    const flags = ['--yes', ...rulesOff, '--retry-for', '0s', '--home', home];
    const first = await runSuffice(['join', invitation, path, ...flags]);
    expect(first.code).toBe(4);
    expect(waiting(home)).toHaveLength(1);
    expect(releases(home)).toEqual([]);
    calm = true;
    return { folder, running, home, path, proxy, invitation };
  }

  it.each(['cut-before', 'cut-after'] as const)(
    'goes on without asking again, and counts once (%s)',
    async (fate) => {
      const { running, home, path, proxy, invitation } = await interrupted(fate);
      const again = await runSuffice(['join', invitation, path, '--home', home]);
      expect(again.code).toBe(0);
      expect(waiting(home)).toEqual([]);
      expect(releases(home)).toHaveLength(1);
      expect(kept(home)).toHaveLength(2);
      const bodies = proxy.received.filter(isContribution).map(({ body }) => body.toString('hex'));
      expect(bodies).toHaveLength(fate === 'cut-before' ? 2 : 1);
      expect(new Set(bodies).size).toBe(1);
      const log = await running.admin.auditLog();
      expect(log.entries.filter(({ event }) => event === 'contributed')).toHaveLength(1);
    },
  );

  it('is discarded when the file has changed since, and asks again', async () => {
    const { home, path, invitation, running } = await interrupted('cut-before');
    writeFileSync(path, `${[header, ...rowsOf(4)].join('\n')}\n`);
    const unattended = await runSuffice(['join', invitation, path, '--home', home]);
    expect(unattended.code).toBe(2);
    expect(unattended.stderr).toContain('discarded');
    expect(waiting(home)).toEqual([]);
    const approved = await runSuffice([
      'join',
      invitation,
      path,
      '--yes',
      ...rulesOff,
      '--home',
      home,
    ]);
    expect(approved.code).toBe(0);
    expect(releases(home)).toMatchObject([
      { sequence: 1, outcome: 'refused' }, // it may have left all the same
      { sequence: 1, outcome: 'acknowledged' },
    ]);
    expect((await running.admin.view()).sites[0]).toMatchObject({ state: 'contributed' });
  });

  it('is discarded when its number is used up', async () => {
    const { home, path, invitation, running, folder } = await interrupted('cut-before');
    const other = join(folder, 'other-home');
    // The same site from another folder, with the same key.
    await openSiteFolder(other);
    writeFileSync(join(other, 'key.json'), readFileSync(join(home, 'key.json')));
    const rows = table(folder, 'other', rowsOf(2));
    const sent = await runSuffice([
      'join',
      running.invitation('north'),
      rows,
      '--yes',
      ...rulesOff,
      '--home',
      other,
    ]);
    expect(sent.code).toBe(0);
    const { code, stderr } = await runSuffice(['join', invitation, path, '--home', home]);
    expect(code).toBe(5);
    expect(stderr).toContain('discarded');
    expect(waiting(home)).toEqual([]);
    expect(releases(home)).toMatchObject([{ sequence: 1, outcome: 'refused' }]);
  });

  it('by Ctrl-C keeps what was approved', async () => {
    const folder = folderOf();
    const running = await servedStudy(folder, study, ['north', 'south']);
    const home = join(folder, 'home');
    const path = table(folder, 'north', rowsOf(0));
    let calm = false;
    let arrived = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const proxy = await watchingProxy(running.served.address, (request) => {
      if (calm || !isContribution(request)) return 'pass';
      arrived();
      return 'hang';
    });
    const invitation = running.invitation('north', proxy.address);
    const { child, outcome } = startSuffice([
      'join',
      invitation,
      path,
      '--yes',
      ...rulesOff,
      '--home',
      home,
    ]);
    await arrival;
    child.kill('SIGINT');
    expect((await outcome).code).toBe(130);
    expect(waiting(home)).toHaveLength(1);
    calm = true;
    expect((await runSuffice(['join', invitation, path, '--home', home])).code).toBe(0);
    expect([waiting(home), releases(home).length]).toEqual([[], 1]);
  });
});

describe('a site’s folder', () => {
  it('holds one key, however many ask for it first', async () => {
    const folder = join(folderOf(), 'home');
    const keys = await Promise.all(
      Array.from({ length: 20 }, async () => (await openSiteFolder(folder)).key()),
    );
    expect(new Set(keys.map(({ key }) => key)).size).toBe(1);
    expect(readdirSync(folder).toSorted()).toEqual(['key.json', 'outbox', 'receipts']);
  });

  it('reads a ledger that a power cut left half-written', async () => {
    const folder = join(folderOf(), 'home');
    const home = await openSiteFolder(folder);
    const line = {
      at: '2030-01-01T00:00:00.000Z',
      to: 'https://coordinator.example',
      study: `sha256:${'0'.repeat(64)}`,
      site: 'north',
      sequence: 1,
      mode: 'add',
      rows: 1,
      numbers: 6,
      bytes: 100,
      digest: 'sha256:a',
    } as const;
    await home.record(line);
    writeFileSync(join(folder, 'ledger.jsonl'), '{"at":', { flag: 'a' });
    await home.record({ ...line, sequence: 2, digest: 'sha256:b' });
    await home.record(line);
    expect((await home.ledger()).map(({ sequence }) => sequence)).toEqual([1, 2]);
  });
});

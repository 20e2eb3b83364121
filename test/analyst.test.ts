import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@libsql/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditLog, Resolution } from '../src/protocol/messages.ts';
import { fitReport, suffice, temporaryFolder } from './cli.ts';

const main = fileURLToPath(new URL('../dist/command/main.js', import.meta.url));
const folder = temporaryFolder();
const data = join(folder, 'data');
const islands = ['biscoe', 'dream', 'torgersen'];
const fileOf = (island: string) => `examples/penguins/${island}.csv`;
const token = join(data, 'admin-token');
const running: ChildProcess[] = [];
let address = '';

/** Starts `suffice` and collects what it prints. */
function start(...args: readonly string[]) {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  running.push(child);
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const says = (what: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = () => {
        if (printed.includes(what)) resolve(printed);
      };
      child.stdout.on('data', look);
      child.on('exit', () => reject(new Error(`ended without saying ${what}: ${printed}`)));
      look();
    });
  return { says, ended, printed: () => printed };
}

beforeAll(async () => {
  const serving = start('serve', '--data', data, '--port', '0', '--json', '--log', 'none');
  address = JSON.parse(await serving.says('\n')).address;
});

afterAll(async () => {
  const ends = running
    .filter((child) => child.exitCode === null && child.signalCode === null)
    .map((child) => new Promise((resolve) => child.on('exit', resolve) && child.kill('SIGTERM')));
  await Promise.all(ends);
});

let made = 0;

/** A study of its own (the name makes the digest differ), and the links of all in it. */
async function create(quorum = 2, ...flags: readonly string[]) {
  const name = `penguins ${++made}`;
  const study = JSON.parse(readFileSync('examples/penguins/study.json', 'utf8'));
  const path = join(folder, `study-${made}.json`);
  const disclosure = { profile: 'none' };
  writeFileSync(path, JSON.stringify({ ...study, name, disclosure, quorum: { sites: quorum } }));
  const out = join(folder, `links-${made}`);
  const sites = islands.flatMap((island) => ['--site', island]);
  const created = await suffice(
    'study',
    'create',
    path,
    '--coordinator',
    address,
    ...sites,
    '--token-file',
    token,
    '--out',
    out,
    ...flags,
  );
  const links = readdirSync(out).map((file) => readFileSync(join(out, file), 'utf8').trim());
  const secrets = links.map((link) => link.split('.').at(-2)!);
  return {
    created,
    out,
    path,
    secrets,
    admin: join(out, 'admin.link'),
    invitation: (island: string) => join(out, `${island}.invitation`),
    home: (island: string) => join(folder, `home-${made}-${island}`),
  };
}

type Made = Awaited<ReturnType<typeof create>>;

async function joinAs({ invitation, home }: Made, island: string) {
  const outcome = await suffice(
    'join',
    invitation(island),
    fileOf(island),
    '--yes',
    ...['--acknowledge', 'none'],
    '--home',
    home(island),
  );
  expect(outcome.code, outcome.stderr).toBe(0);
}

function receiptOf({ home }: Made, island: string): string {
  const receipts = join(home(island), 'receipts');
  const file = readdirSync(receipts).find((name) => /-1\.json$/.test(name))!;
  return join(receipts, file);
}

async function reportOf(link: string, ...flags: readonly string[]) {
  const { code, stdout, stderr } = await suffice('report', link, '--json', ...flags);
  expect(code, stderr).toBe(0);
  return { report: JSON.parse(stdout), stderr };
}

// Some thirty processes one after the other.
describe('an analyst and three sites', () => {
  it('creates, watches, closes, reports, includes the late one and lets one go', async () => {
    const study = await create();
    expect(study.created.code).toBe(0);
    for (const secret of study.secrets) {
      expect(study.created.stdout + study.created.stderr).not.toContain(secret);
    }
    for (const file of readdirSync(study.out)) {
      expect(statSync(join(study.out, file)).mode & 0o777).toBe(0o600);
    }
    const watch = start('status', study.admin, '--watch');
    await watch.says('created');
    await joinAs(study, 'biscoe');
    await joinAs(study, 'dream');
    const status = async () => JSON.parse((await suffice('status', study.admin, '--json')).stdout);
    const before = await status();
    expect(before).toMatchObject({ schema: 'suffice/status@1', state: 'collecting', quorum: 2 });
    // Bytes are counted in memory and written down every second.
    const sentByFirst = async () => (await status()).communication.sites[0].up;
    await expect.poll(sentByFirst).toBeGreaterThan(448);
    expect(before.communication.fedAvg[0]).toEqual({ rounds: 100, up: 4800, down: 4800 });
    expect((await suffice('status', study.admin)).stdout).toMatch(/missing +torgersen/);

    const closed = await suffice('close', study.admin);
    expect(closed.code).toBe(0);
    expect(closed.stdout).toMatch(/resolution 1, sha256:[0-9a-f]{64}\nmissing: torgersen/);
    expect(await watch.ended).toBe(0);
    expect(watch.printed()).toMatch(/resolved/);

    const first = await reportOf(study.invitation('dream'));
    expect(first.stderr).toContain('the signature and the study’s digest fit');
    expect(first.stderr).toContain('without torgersen');

    await joinAs(study, 'torgersen');
    expect((await suffice('status', study.admin)).stdout).toMatch(/late +torgersen/);
    // Whether the sites agree is for the analyst: it tells about single sites.
    expect(first.report).not.toHaveProperty('disagreement');
    const { disagreement, ...signed } = (await reportOf(study.admin)).report;
    expect(disagreement).toMatchObject({ test: 'Chow' });
    expect(signed).toEqual(first.report);
    const late = JSON.parse(
      (await suffice('close', study.admin, '--include-late', '--json')).stdout,
    );
    expect(late).toMatchObject({ state: 'resolved', resolution: { number: 2 }, missing: [] });
    const all = (await reportOf(study.admin)).report;
    const pooled = await fitReport(all.formula, islands.map(fileOf));
    expect(all.n).toBe(pooled.n);
    expect(all.sites).toHaveLength(3);
    expect((await reportOf(study.admin, '--resolution', '1')).report).toEqual(first.report);

    const left = await suffice(
      'withdraw',
      study.invitation('torgersen'),
      '--yes',
      '--home',
      study.home('torgersen'),
      '--json',
    );
    expect(left.code).toBe(0);
    expect(JSON.parse(left.stdout)).toMatchObject({
      schema: 'suffice/erasure@1',
      site: 'torgersen',
    });
    const erasure = readdirSync(join(study.home('torgersen'), 'receipts')).find((name) =>
      name.includes('erasure'),
    )!;
    const kept = join(study.home('torgersen'), 'receipts', erasure);
    expect((await suffice('verify', kept, '--link', study.admin)).code).toBe(0);
    // As if torgersen had never been there: the very same total.
    const third = (await reportOf(study.admin, '--wait')).report;
    expect(third.digest).toBe(first.report.digest);
    expect(third.terms).toEqual(first.report.terms);
  });

  it('predicts with the resolution it keeps, and notices when that was changed', async () => {
    const study = await create();
    for (const island of islands) await joinAs(study, island);
    const model = join(folder, 'model.json');
    expect((await suffice('report', study.admin, '--wait', '--out', model)).code).toBe(0);
    expect(
      (await suffice('verify', model, '--link', study.admin, '--study', study.path)).code,
    ).toBe(0);
    const predicted = await suffice('predict', model, fileOf('dream'));
    expect(predicted.stdout.split('\n')).toHaveLength(124 + 2);
    const sealed: Resolution = JSON.parse(readFileSync(model, 'utf8'));
    const forged = { ...sealed, report: { ...sealed.report, n: sealed.report.n + 1 } };
    writeFileSync(model, JSON.stringify(forged));
    expect((await suffice('verify', model)).code).toBe(5);
    expect(await suffice('predict', model, fileOf('dream'))).toMatchObject({ code: 3, stdout: '' });
  });

  it('says who is missing when the quorum is not met, and resolves nothing', async () => {
    const study = await create(3);
    await joinAs(study, 'dream');
    const { code, stderr } = await suffice('close', study.admin);
    expect(code).toBe(5);
    expect(stderr).toMatch(/^study \S+ is closed, and has no model yet\n/);
    expect(stderr).toContain('sites that contributed: 1, needed for the quorum: 3');
    expect(stderr).toContain('missing: biscoe, torgersen');
    expect((await suffice('report', study.admin)).code).toBe(5);
    expect((await suffice('report', study.admin, '--wait')).stderr).toContain(
      'missing: biscoe, torgersen',
    );
    expect((await suffice('study', 'reopen', study.admin, '--deadline', '2d')).stdout).toContain(
      'in 2 days',
    );
    await joinAs(study, 'biscoe');
    await joinAs(study, 'torgersen');
    expect((await reportOf(study.admin, '--wait')).report.sites).toHaveLength(3);
  });

  it('keeps a draft shut, invites anew and revokes', async () => {
    const study = await create(1, '--draft', '--json');
    expect(JSON.parse(study.created.stdout)).toMatchObject({
      schema: 'suffice/study-created@1',
      state: 'draft',
    });
    const early = await suffice(
      'join',
      study.invitation('dream'),
      fileOf('dream'),
      '--yes',
      '--home',
      study.home('dream'),
    );
    expect(early.code).not.toBe(0);
    expect((await suffice('status', study.admin)).stdout).toContain('0 of 3 sites');
    expect((await suffice('study', 'open', study.admin)).stdout).toContain('is open');
    expect((await suffice('study', 'extend', study.admin, '--deadline', '30d')).stdout).toContain(
      'in 30 days',
    );
    const again = join(folder, 'again.invitation');
    expect((await suffice('study', 'invite', study.admin, 'dream', '--out', again)).code).toBe(0);
    expect((await suffice('status', study.invitation('dream'))).code).toBe(5);
    expect((await suffice('status', again)).code).toBe(0);
    expect((await suffice('study', 'invite', study.admin, 'dream', '--out', again)).code).toBe(2);
    expect((await suffice('study', 'revoke', study.admin, 'dream')).code).toBe(0);
    expect((await suffice('status', again)).code).toBe(5);
    expect((await suffice('study', 'open', study.invitation('biscoe'))).code).toBe(2);
  });
});

describe('refusals of the analyst’s commands leave nothing behind', () => {
  it('a second study like the first: no folder, no study', async () => {
    const study = await create();
    const out = join(folder, 'second');
    const flags = ['--coordinator', address, '--site', 'a', '--token-file', token, '--out', out];
    const { code } = await suffice('study', 'create', study.path, ...flags);
    expect(code).toBe(5);
    expect(existsSync(out)).toBe(false);
  });

  it('a token that is none, or a wrong one', async () => {
    const path = join(folder, 'token');
    const out = join(folder, 'tokenless');
    const { path: study } = await create();
    for (const text of ['nonsense', `sfo_${'a'.repeat(43)}`]) {
      writeFileSync(path, text);
      const flags = ['--coordinator', address, '--site', 'a', '--token-file', path, '--out', out];
      const { code, stderr } = await suffice('study', 'create', study, ...flags);
      expect(code).toBe(5);
      expect(stderr).not.toContain(text);
      expect(existsSync(out)).toBe(false);
    }
  });

  it('links that are there already are not overwritten, and no study is made', async () => {
    const study = await create();
    const before = readFileSync(study.admin, 'utf8');
    const other = join(folder, 'other.json');
    writeFileSync(other, readFileSync(study.path, 'utf8').replace(/penguins \d+/, 'another'));
    const flags = ['--coordinator', address, '--site', 'a', '--token-file', token];
    expect((await suffice('study', 'create', other, ...flags, '--out', study.out)).code).toBe(2);
    expect(readFileSync(study.admin, 'utf8')).toBe(before);
    expect(
      (await suffice('study', 'create', other, ...flags, '--out', join(folder, 'another'))).code,
    ).toBe(0);
  });

  it('withdrawing asks, and an admin must name the site', async () => {
    const study = await create();
    await joinAs(study, 'dream');
    expect(
      (await suffice('withdraw', study.invitation('dream'), '--home', study.home('dream'))).code,
    ).toBe(2);
    expect((await suffice('withdraw', study.admin, '--yes')).code).toBe(2);
    const stranger = join(folder, 'stranger');
    expect(
      (await suffice('withdraw', study.invitation('dream'), '--yes', '--home', stranger)).code,
    ).toBe(5);
    expect((await suffice('status', study.admin)).stdout).toContain('1 of 3 sites');
    expect((await suffice('withdraw', study.admin, '--site', 'dream', '--yes')).code).toBe(0);
    expect((await suffice('status', study.admin)).stdout).toContain('0 of 2 sites');
  });

  it('a link on the command line is not taken', async () => {
    const study = await create();
    const link = readFileSync(study.admin, 'utf8').trim();
    const { code, stderr } = await suffice('status', link);
    expect(code).toBe(2);
    expect(stderr).not.toContain(link);
  });
});

describe('the audit log', () => {
  const tamper = async (work: (db: ReturnType<typeof createClient>) => Promise<unknown>) => {
    const db = createClient({ url: `file:${join(data, 'suffice.db')}` });
    await db.execute('PRAGMA busy_timeout = 5000');
    await work(db);
    db.close();
  };

  it('shows where someone changed, removed or cut entries in the store', async () => {
    const study = await create();
    await joinAs(study, 'dream');
    await joinAs(study, 'biscoe');
    const receipt = receiptOf(study, 'biscoe');
    const exported = join(folder, 'log.json');
    expect((await suffice('audit-log', 'export', study.admin, '--out', exported)).code).toBe(0);
    const log: AuditLog = JSON.parse(readFileSync(exported, 'utf8'));
    const verify = (...flags: readonly string[]) =>
      suffice('audit-log', 'verify', study.admin, ...flags);
    expect(await verify('--receipt', receipt)).toMatchObject({ code: 0 });
    expect((await suffice('audit-log', 'verify', exported, '--receipt', receipt)).code).toBe(0);
    expect(
      (await suffice('audit-log', 'show', study.invitation('dream'))).stdout.split('\n'),
    ).toHaveLength(log.entries.length + 1);

    const id = JSON.parse((await suffice('status', study.admin, '--json')).stdout).id;
    const { position, detail } = log.entries.find(({ event }) => event === 'contributed')!;
    await tamper((db) =>
      db.execute({
        sql: 'UPDATE audit SET detail = ? WHERE study = ? AND position = ?',
        args: [JSON.stringify({ ...detail, site: 'elba' }), id, position],
      }),
    );
    const changed = await verify('--json');
    expect(changed.code).toBe(5);
    expect(JSON.parse(changed.stdout)).toMatchObject({ ok: false, position });
    expect((await verify()).stderr).toContain(`entry ${position} was changed`);

    await tamper((db) =>
      db.execute({
        sql: 'DELETE FROM audit WHERE study = ? AND position = ?',
        args: [id, position],
      }),
    );
    expect(await verify()).toMatchObject({ code: 5 });

    // Cut so that what is left is a chain again: only a receipt can tell.
    const last = log.entries[position - 2];
    await tamper(async (db) => {
      await db.execute({
        sql: 'DELETE FROM audit WHERE study = ? AND position > ?',
        args: [id, last.position],
      });
      await db.execute({
        sql: 'UPDATE studies SET audit_length = ?, audit_head = ? WHERE id = ?',
        args: [last.position, last.digest, id],
      });
    });
    expect((await verify()).code).toBe(0);
    const cut = await verify('--receipt', receipt);
    expect(cut.code).toBe(5);
    expect(cut.stderr).toContain('the log ends before');
  });

  it('a changed copy does not verify', async () => {
    const study = await create();
    const exported = join(folder, 'copy.json');
    await suffice('audit-log', 'export', study.admin, '--out', exported);
    writeFileSync(exported, readFileSync(exported, 'utf8').replaceAll('biscoe', 'elba'));
    expect((await suffice('audit-log', 'verify', exported)).code).toBe(5);
    expect((await suffice('verify', exported)).code).toBe(5);
    expect((await suffice('audit-log', 'verify', study.path)).code).toBe(3);
  });
});

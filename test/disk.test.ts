import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { exitCode } from '../src/cli/io.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import { postStudy, studyClient } from '../src/protocol/client.ts';
import type { Problem } from '../src/protocol/messages.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import { linkOf } from './busy-site.ts';
import { runSuffice, suffice, temporaryFolder } from './cli.ts';
import { eventually } from './eventually.ts';
import { fileOf, offerOf, study } from './http-study.ts';
import { failingDisk, noMounts, smallDisk } from './real-disk.ts';
import { type Serving, startServing } from './serving.ts';

const main = fileURLToPath(new URL('../dist/command/main.js', import.meta.url));

/** A site of a running coordinator that sends one contribution after another, and counts the receipts. */
async function siteAt(serving: Serving) {
  const created = await postStudy(serving.address, serving.operator, { study, sites: ['a', 'b'] });
  const key = createSigningKey();
  const client = studyClient(linkOf(created, serving.address, 'a'));
  await client.offer(offerOf(key));
  const { token } = created.invitations[0];
  const acknowledged: string[] = [];
  return {
    acknowledged,
    at: (address: string) => studyClient(linkOf(created, address, 'a')),
    admin: (address: string) => studyClient(linkOf(created, address)),
    async send(address = serving.address): Promise<{ status: number; problem?: Problem }> {
      const turn = { sequence: acknowledged.length + 1, mode: 'add' } as const;
      const response = await fetch(`${address}/studies/${created.id}/contributions`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/octet-stream' },
        body: fileOf('a', key, { seed: acknowledged.length, turn }) as BodyInit,
      });
      const answer = await response.json();
      if (response.status !== 201) return { status: response.status, problem: answer };
      acknowledged.push(answer.digest);
      return { status: 201 };
    },
  };
}

/** Sends until something is refused. */
async function untilRefused({ send }: Awaited<ReturnType<typeof siteAt>>): Promise<Problem> {
  for (let k = 0; k < 2000; k++) {
    const { status, problem } = await send();
    if (status === 201) continue;
    expect(status).toBe(503);
    return problem!;
  }
  throw new Error('nothing was refused');
}

const health = async (address: string) => {
  const response = await fetch(`${address}/healthz`);
  const { problem } = await response.json();
  return [response.status, problem];
};

describe.skipIf(noMounts !== undefined)('a disk that is full', () => {
  it('loses nothing that was acknowledged, is named, and with room the coordinator goes on', async () => {
    const data = join(temporaryFolder(), 'data');
    const disk = smallDisk(data, '1m');
    const serving = await startServing(['--data', data, '--log', 'none']);
    const site = await siteAt(serving);
    expect(await untilRefused(site)).toMatchObject({
      code: 'store-unavailable',
      problem: 'the disk of the coordinator’s store is full',
      remedy: expect.stringContaining('make room on that disk'),
    });
    expect(site.acknowledged.length).toBeGreaterThan(5);
    expect(await health(serving.address)).toEqual([
      503,
      'the disk of the coordinator’s store is full',
    ]);
    // Reading goes on.
    const stored = async (address: string) =>
      (await site.at(address).receipts()).map(({ digest }) => digest);
    expect(await stored(serving.address)).toEqual(site.acknowledged);
    const ill = JSON.parse((await suffice('doctor', '--data', data, '--json')).stdout);
    expect(ill.problems).toBeGreaterThan(0);
    disk.remount('size=64m');
    await eventually(async () => expect(await health(serving.address)).toEqual([200, undefined]));
    for (let k = 0; k < 5; k++) expect((await site.send()).status).toBe(201);
    // As after a power cut: what was acknowledged is there.
    await serving.stop('SIGKILL');
    const again = await startServing(['--data', data, '--log', 'none']);
    expect(await stored(again.address)).toEqual(site.acknowledged);
    await site.admin(again.address).close();
    await eventually(async () => {
      const { report } = await site.admin(again.address).resolution('latest');
      expect(report.n).toBe(8 * site.acknowledged.length);
    });
    expect(await again.stop()).toBe(0);
    const health2 = await suffice('doctor', '--data', data, '--json');
    const states: { check: string; state: string }[] = JSON.parse(health2.stdout).results;
    expect(states.find(({ check }) => check === 'store')?.state).toBe('ok');
  });

  it('at the start is named, and so is one that is too full for a backup', async () => {
    const data = join(temporaryFolder(), 'data');
    smallDisk(data, '40k');
    const start = await runSuffice(['serve', '--port', '0', '--data', data, '--log', 'none']);
    expect([start.code, start.stderr]).toEqual([
      exitCode.invalidData,
      expect.stringMatching(/disk of the store is full.*\n {2}→ make room on the disk/),
    ]);
    const whole = join(temporaryFolder(), 'whole');
    await (await openSqliteStore(join(whole, 'suffice.db'))).close();
    const out = join(data, 'copy.db');
    const made = await suffice('backup', '--data', whole, '--out', out);
    expect([made.code, made.stderr]).toEqual([
      exitCode.invalidData,
      expect.stringContaining(`${out}: there is no room for the copy`),
    ]);
  });

  it('without room for the copy of a store it is not upgraded; with --no-upgrade-copy it is', async () => {
    const landed = fileURLToPath(new URL('vectors/landed/store', import.meta.url));
    const data = join(temporaryFolder(), 'data');
    const bytes = statSync(join(landed, 'suffice.db')).size;
    const disk = smallDisk(data, `${Math.ceil(bytes / 1024) + 60}k`);
    for (const name of ['suffice.db', 'admin-token']) {
      copyFileSync(join(landed, name), join(data, name));
      chmodSync(join(data, name), 0o600);
    }
    const start = await runSuffice(['serve', '--port', '0', '--data', data, '--log', 'none']);
    expect([start.code, start.stderr]).toEqual([
      exitCode.invalidData,
      expect.stringContaining('there is no room for the copy'),
    ]);
    expect(readFileSync(join(data, 'suffice.db'))).toEqual(
      readFileSync(join(landed, 'suffice.db')),
    );
    const copies = () => readdirSync(data).filter((name) => name.startsWith('suffice-version'));
    expect(copies()).toEqual([]);
    disk.remount('size=64m');
    const flags = ['--data', data, '--log', 'none', '--no-upgrade-copy'];
    const serving = await startServing(flags);
    expect(serving.stderr()).toMatch(/upgraded from version 1 to \d+; no copy was made/);
    expect(await serving.stop()).toBe(0);
    expect(copies()).toEqual([]);
  });
});

describe.skipIf(noMounts !== undefined)('a folder that can only be read', () => {
  it('stops the start, by name', async () => {
    const data = join(temporaryFolder(), 'data');
    const disk = smallDisk(data, '8m');
    const made = join(temporaryFolder(), 'suffice.db');
    await (await openSqliteStore(made)).close();
    copyFileSync(made, join(data, 'suffice.db')); // this process may keep the one that it made open
    disk.remount('ro');
    const before = readFileSync(join(data, 'suffice.db'));
    const { code, stderr } = await runSuffice(['serve', '--port', '0', '--data', data]);
    expect([code, stderr]).toEqual([
      exitCode.invalidData,
      expect.stringMatching(
        /suffice\.db: the store cannot be written \(EROFS\)\n {2}→ make the file and its folder/,
      ),
    ]);
    expect(readFileSync(join(data, 'suffice.db'))).toEqual(before);
    const { stdout } = await suffice('doctor', '--data', data, '--json');
    const { results }: { results: { check: string; text: string }[] } = JSON.parse(stdout);
    expect(results.find(({ check }) => check === 'folder')?.text).toBe(
      `${data} cannot be written (EROFS)`,
    );
  });

  it('while it runs: 503 with the cause, nothing acknowledged is lost, and it goes on when it is mended', async () => {
    const folder = temporaryFolder();
    const data = join(folder, 'mounted');
    const disk = failingDisk(join(folder, 'disk.img'), data);
    const serving = await startServing(['--data', join(data, 'data'), '--log', 'none']);
    const site = await siteAt(serving);
    for (let k = 0; k < 6; k++) expect((await site.send()).status).toBe(201);
    disk.fail();
    const { status, problem } = await site.send();
    expect([status, problem]).toEqual([
      503,
      expect.objectContaining({
        code: 'store-unavailable',
        problem: expect.stringMatching(/store (cannot be written|does not read or write)$/),
      }),
    ]);
    expect((await health(serving.address))[0]).toBe(503);
    await serving.stop('SIGKILL');
    disk.mend();
    const again = await startServing(['--data', join(data, 'data'), '--log', 'none']);
    const receipts = await site.at(again.address).receipts();
    expect(receipts.map(({ digest }) => digest)).toEqual(site.acknowledged);
    expect((await site.send(again.address)).status).toBe(201);
    await again.stop('SIGKILL');
  });

  it('belongs to another user: the start and the doctor say so', async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const data = join(folder, 'data');
    mkdirSync(data, { mode: 0o755 });
    writeFileSync(join(data, 'notes'), '');
    const asNobody = async (...args: readonly string[]) => {
      const child = spawn(process.execPath, [main, ...args], {
        uid: 65_534,
        gid: 65_534,
        cwd: '/',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      afterAll(() => void child.kill('SIGKILL'));
      let said = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text) => {
          said += text;
        });
      }
      const [code] = await once(child, 'close');
      return [code, said];
    };
    expect(await asNobody('serve', '--port', '0', '--data', data)).toEqual([
      3,
      `suffice: ${data}/suffice.db: the store cannot be written (EACCES)\n  → make the file and its folder writable for this user\n`,
    ]);
    expect(await asNobody('doctor', '--data', data)).toEqual([
      3,
      expect.stringContaining(`${data} cannot be written (EACCES)`),
    ]);
    chmodSync(data, 0o700); // of another user
    expect(await asNobody('doctor', '--data', data)).toEqual([
      3,
      expect.stringMatching(
        /problem {2}folder .* cannot be read by this user\n +→ run the command/,
      ),
    ]);
    chownSync(data, 65_534, 65_534);
    const made = join(temporaryFolder(), 'suffice.db');
    await (await openSqliteStore(made)).close();
    copyFileSync(made, join(data, 'suffice.db')); // of another user, as after one start as root
    chmodSync(join(data, 'suffice.db'), 0o600);
    expect(await asNobody('doctor', '--data', data)).toEqual([
      3,
      expect.stringMatching(/problem {2}files +this user cannot use suffice\.db.*\n +→ run the/),
    ]);
    for (const name of readdirSync(data)) chownSync(join(data, name), 65_534, 65_534);
    chmodSync(data, 0o500); // the store is this user's, and its folder takes no journal
    expect(await asNobody('serve', '--port', '0', '--data', data)).toEqual([
      3,
      `suffice: ${data}/suffice.db: the store cannot be written (EACCES)\n  → make the file and its folder writable for this user\n`,
    ]);
  });
});

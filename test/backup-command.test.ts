import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { expect, it, onTestFinished } from 'vitest';
import { exitCode } from '../src/cli/io.ts';
import { serve } from '../src/node/server/serve.ts';
import { postStudy, studyClient } from '../src/protocol/client.ts';
import { type BusySite, busySite, linkOf, undisturbedReport } from './busy-site.ts';
import { chance, chanceOfTest } from './chance.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { anyStudy } from './coordinator-study.ts';
import { enduring } from './endurance.ts';
import { eventually } from './eventually.ts';
import { agreement } from './linear.ts';
import { startServing } from './serving.ts';
import { runBuiltSuffice, startSuffice } from './site-process.ts';

const SITES = enduring ? 12 : 6;

it('a backup made under load has all that was acknowledged before, and resolves to the same digest', async () => {
  const luck = chanceOfTest();
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  const serving = await startServing(['--data', data, '--log', 'none']);
  const study = anyStudy();
  const agreed = agreement(study);
  const names = Array.from({ length: SITES }, (_, k) => `site ${k + 10}`);
  const created = await postStudy(serving.address, serving.operator, {
    study,
    sites: ['keeper', ...names],
  });
  const sites = names.map((name) =>
    busySite(name, agreed, linkOf(created, serving.address, name), chance(luck.below(2 ** 30))),
  );
  let over = false;
  const load = Promise.all(
    sites.map(async (site) => {
      await site.shakeHands();
      while (!over) await site.send('add');
    }),
  );
  const acknowledged = () => sites.flatMap((site) => site.acknowledged);
  await eventually(async () => expect(acknowledged().length).toBeGreaterThan(SITES * 2));

  const before = acknowledged().map(({ digest }) => digest);
  const copy = join(folder, 'copy.db');
  const made = await runBuiltSuffice(['backup', '--data', data, '--out', copy, '--json']);
  const meanwhile = acknowledged().length - before.length;
  over = true;
  await load;
  expect([made.code, made.stderr]).toEqual([0, '']);
  const backup = JSON.parse(made.stdout);
  expect(backup).toMatchObject({
    schema: 'suffice/backup@1',
    contents: { studies: { collecting: 1 }, sites: SITES + 1 },
    hasToken: true,
  });
  expect(backup.contents.contributions).toBeGreaterThanOrEqual(before.length);
  expect(meanwhile).toBeGreaterThan(0);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  await serving.stop();

  const other = join(folder, 'other');
  chmodSync(copy, 0o644); // as a backup is that came over a network
  const restored = await suffice('restore', copy, '--data', other);
  expect(restored.code, restored.stderr).toBe(0);
  expect(statSync(join(other, 'suffice.db')).mode & 0o777).toBe(0o600);
  expect(restored.stdout).toContain('every chain holds');
  expect(readFileSync(join(other, 'admin-token'), 'utf8').trim()).toBe(serving.operator);
  const served = await serve({ data: other, port: 0, log: 'none' });
  onTestFinished(() => served.stop());
  const admin = studyClient(linkOf(created, served.address));
  const stored = new Set<string>();
  for (const { name } of sites) {
    const { receipts } = studyClient(linkOf(created, served.address, name));
    for (const { digest } of await receipts()) stored.add(digest);
  }
  expect(before.filter((digest) => !stored.has(digest))).toEqual([]);
  expect(stored.size).toBe(backup.contents.contributions);
  // The store has what these sites sent up to the moment of the copy, and nothing else.
  const then: BusySite[] = sites.map((site) => ({
    ...site,
    counting: site.counting.filter(({ receipt }) => stored.has(receipt.digest)),
  }));
  const counted = then.filter(({ counting }) => counting.length > 0);
  await admin.close();
  await eventually(async () => {
    const { report } = await admin.resolution('latest');
    expect(report).toEqual(undisturbedReport(agreed, counted));
  });
});

/** A store of one coordinator, stopped, with a backup of it. */
async function backedUp() {
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  const served = await serve({ data, port: 0, log: 'none' });
  const token = readFileSync(served.operatorTokenFile!, 'utf8').trim();
  await postStudy(served.address, token, { study: anyStudy(), sites: ['a', 'b'] });
  await served.stop();
  const copy = join(folder, 'copy.db');
  expect((await suffice('backup', '--data', data, '--out', copy)).code).toBe(0);
  return { folder, data, copy, token };
}

async function changed(file: string, statement: string): Promise<void> {
  const client = createClient({ url: `file:${file}` });
  await client.executeMultiple(statement);
  client.close();
}

it('overwrites nothing: neither a file with a backup nor a store with a restored one', async () => {
  const { folder, data, copy } = await backedUp();
  const old = readFileSync(copy);
  const again = await suffice('backup', '--data', data, '--out', copy);
  expect([again.code, again.stderr]).toEqual([
    exitCode.invalidData,
    expect.stringMatching(/the file is there already, and nothing is overwritten\n {2}→ /),
  ]);
  expect(readFileSync(copy)).toEqual(old);
  const store = readFileSync(join(data, 'suffice.db'));
  const over = await suffice('restore', copy, '--data', data);
  expect([over.code, over.stderr]).toEqual([
    exitCode.invalidData,
    expect.stringMatching(/the folder has a store\n {2}→ stop its coordinator, move the folder/),
  ]);
  expect(readFileSync(join(data, 'suffice.db'))).toEqual(store);
  const nothing = await suffice('backup', '--data', join(folder, 'none'), '--out', `${copy}2`);
  expect([nothing.code, nothing.stderr]).toEqual([
    exitCode.invalidData,
    expect.stringContaining('there is no store'),
  ]);
  expect([existsSync(`${copy}2`), existsSync(join(folder, 'none'))]).toEqual([false, false]);
});

it('restore names the file that is no backup, and makes no folder', async () => {
  const { folder, copy } = await backedUp();
  const whole = readFileSync(copy);
  const cut = join(folder, 'cut.db');
  writeFileSync(cut, whole.subarray(0, whole.length / 2));
  const text = join(folder, 'text.db');
  writeFileSync(text, 'not a store\n'.repeat(1000));
  const empty = join(folder, 'empty.db');
  writeFileSync(empty, '');
  const other = join(folder, 'other');
  for (const [file, problem] of [
    [cut, 'the store is damaged'],
    [text, 'the store is damaged'],
    [empty, 'the file is empty'],
    [folder, 'this is a folder, not a file'],
    [join(folder, 'none.db'), 'there is no such file'],
  ]) {
    const { code, stdout, stderr } = await suffice('restore', file, '--data', other);
    expect([code, stdout]).toEqual([exitCode.invalidData, '']);
    expect(stderr).toMatch(`suffice: ${file}: ${problem}`);
    expect(existsSync(other)).toBe(false);
  }
  mkdirSync(other, { mode: 0o700 });
  expect((await suffice('restore', cut, '--data', other)).code).toBe(exitCode.invalidData);
  expect(readdirSync(other)).toEqual([]); // a folder that was there stays
  expect((await suffice('restore', copy, '--data', other)).code).toBe(0);
});

it('no backup is made without the token that its folder has', async () => {
  const { folder, data } = await backedUp();
  rmSync(join(data, 'admin-token'));
  mkdirSync(join(data, 'admin-token')); // not readable as a file, for any user
  const copy = join(folder, 'second.db');
  const { code, stderr } = await suffice('backup', '--data', data, '--out', copy);
  expect([code, stderr]).toEqual([
    exitCode.invalidData,
    `suffice: ${join(data, 'admin-token')}: the operator’s token cannot be read (EISDIR)\n  → run the command as the user of the coordinator\n`,
  ]);
  expect(existsSync(copy)).toBe(false);
  rmSync(join(data, 'admin-token'), { recursive: true });
  const without = await suffice('backup', '--data', data, '--out', copy);
  expect([without.code, without.stderr]).toEqual([0, '']);
});

it('a backup whose folder is not there says so, and names the file that was asked for', async () => {
  const { folder, data } = await backedUp();
  const copy = join(folder, 'none', 'copy.db');
  expect(await suffice('backup', '--data', data, '--out', copy)).toEqual({
    code: exitCode.invalidData,
    stdout: '',
    stderr: `suffice: ${copy}: the folder of the copy is not there\n  → make its folder, and make it writable for this user; or write the copy elsewhere\n`,
  });
  expect(existsSync(join(folder, 'none'))).toBe(false);
});

it.each([
  ['a changed log', `update audit set detail = '{}' where position = 1`, /entry 1 was changed/],
  ['a shortened log', 'delete from audit where position = 2', /entry 2 is missing/],
  ['a forgotten end', `update studies set audit_length = 1, audit_head = 'x'`, /ends elsewhere/],
  ['tables of a newer program', `update settings set value = '99' where name = 'tables'`, /99/],
])('a copy with %s is not restored, and such a store gives no backup', async (_, change, says) => {
  const { folder, data, copy } = await backedUp();
  await changed(copy, change);
  const other = join(folder, 'other');
  const { code, stderr } = await suffice('restore', copy, '--data', other);
  expect([code, stderr]).toEqual([exitCode.invalidData, expect.stringMatching(says)]);
  expect(existsSync(join(other, 'suffice.db'))).toBe(false);
  expect(existsSync(join(other, 'admin-token'))).toBe(false);
  await changed(join(data, 'suffice.db'), change);
  const out = join(folder, 'second.db');
  const made = await suffice('backup', '--data', data, '--out', out);
  expect([made.code, made.stderr]).toEqual([exitCode.invalidData, expect.stringMatching(says)]);
  expect(existsSync(out)).toBe(false);
});

it.each([
  [
    'a trigger that makes an operator',
    `create trigger t after delete on settings begin
      insert into access (hash, role, created_at) values ('h', 'operator', ''); end`,
    /has a trigger, a view or a virtual table/,
  ],
  [
    'a view without end in place of a table',
    `alter table sites rename to rows; create view sites as with recursive c (n) as (select 1 union all select n + 1 from c)
      select study, name, state, key, next_sequence from rows, c`,
    /has a trigger, a view or a virtual table/,
  ],
  [
    'a virtual table',
    'create virtual table v using fts5 (x)',
    /has a trigger, a view or a virtual/,
  ],
  [
    'a note that is none',
    `update settings set value = '{' where name = 'backup'`,
    /the note of the backup is none/,
  ],
  [
    'a token that is no text',
    `update settings set value = '{"madeAt":"","adminToken":{}}' where name = 'backup'`,
    /the note of the backup is none/,
  ],
])('a copy with %s is not restored, and runs nothing', async (_, change, says) => {
  const { folder, copy } = await backedUp();
  await changed(copy, change);
  const other = join(folder, 'other');
  const { code, stderr } = await suffice('restore', copy, '--data', other);
  expect([code, stderr]).toEqual([exitCode.invalidData, expect.stringMatching(says)]);
  expect(existsSync(other)).toBe(false);
});

it('a copy with bytes of a page changed is not restored', async () => {
  const { folder, copy } = await backedUp();
  const bytes = readFileSync(copy);
  bytes.fill(0xff, 4096 * 2, 4096 * 6);
  writeFileSync(copy, bytes);
  const other = join(folder, 'other');
  const { code, stderr } = await suffice('restore', copy, '--data', other);
  expect([code, stderr]).toEqual([exitCode.invalidData, expect.stringContaining('is damaged')]);
  expect(existsSync(join(other, 'suffice.db'))).toBe(false);
});

it('leaves the record of releases as it is, and says where it must be', async () => {
  const { folder, copy } = await backedUp();
  const other = join(folder, 'other');
  const first = await suffice('restore', copy, '--data', other);
  expect(first.stdout).toContain(`There is no record of releases at ${other}.releases`);
  const third = join(folder, 'third');
  writeFileSync(`${third}.releases`, '{"line":1}\n');
  const second = await suffice('restore', copy, '--data', third);
  expect(second.stdout).toContain(`${third}.releases, 1 line.`);
  expect(readFileSync(`${third}.releases`, 'utf8')).toBe('{"line":1}\n');
  expect(readFileSync(join(third, 'suffice.db')).includes('backup-note')).toBe(false);
});

it('a restore that is killed leaves no store, or a whole one; the next one succeeds', async () => {
  const { folder, copy, token } = await backedUp();
  const luck = chanceOfTest();
  for (let k = 0; k < (enduring ? 30 : 2); k++) {
    const data = join(folder, `killed ${k}`);
    const { child, outcome } = startSuffice(['restore', copy, '--data', data]);
    // It works on the folder from the moment when it is there.
    await Promise.race([outcome, eventually(async () => expect(existsSync(data)).toBe(true))]);
    await luck.pause(15);
    child.kill('SIGKILL');
    await outcome;
    const store = join(data, 'suffice.db');
    if (!existsSync(store)) {
      expect((await suffice('restore', copy, '--data', data)).code).toBe(0);
    }
    expect((await suffice('doctor', '--data', data)).code).toBe(0);
    expect(readFileSync(join(data, 'admin-token'), 'utf8').trim()).toBe(token);
  }
});

it('PostgreSQL: names the command, without the address', async () => {
  const { code, stderr } = await suffice(
    'backup',
    '--database',
    'postgres://u:secret@h/d',
    '--out',
    'x.dump',
  );
  expect([code, stderr]).toEqual([
    exitCode.usage,
    expect.stringContaining(
      '(umask 077; pg_dump --format=custom --file=x.dump "$SUFFICE_DATABASE"); to put it back into an empty database: pg_restore --no-owner --single-transaction',
    ),
  ]);
  expect(stderr).not.toContain('secret');
});

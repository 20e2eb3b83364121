import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runSuffice, temporaryFolder } from './cli.ts';
import { startServing } from './serving.ts';
import { runBuiltSuffice } from './site-process.ts';

const serveIn = (data: string) => ['serve', '--data', data, '--port', '0', '--log', 'none'];

it('a folder has one coordinator: the second changes nothing, and one comes after a kill', async () => {
  const data = join(temporaryFolder(), 'data');
  const first = await startServing(['--data', data, '--log', 'none']);
  expect(first.ready).toMatchObject({ newStore: true });
  const before = readFileSync(join(data, 'suffice.db'));
  for (const command of [serveIn(data), ['helper', ...serveIn(data)]]) {
    const { code, stdout, stderr } = await runBuiltSuffice(command);
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      `suffice: another process serves the store in ${data}\n  → stop it first, or give another folder; several coordinators can share a PostgreSQL database\n`,
    ]);
  }
  expect(readFileSync(join(data, 'suffice.db'))).toEqual(before);
  expect((await fetch(`${first.address}/healthz`)).status).toBe(200);
  // What only reads, or copies, works beside it.
  const out = join(data, '..', 'copy.db');
  expect((await runSuffice(['backup', '--data', data, '--out', out])).code).toBe(0);
  await first.stop('SIGKILL');
  const second = await startServing(['--data', data, '--log', 'none']);
  expect(second.ready).not.toHaveProperty('newStore');
  expect(await second.stop()).toBe(0);
});

it('a store whose file is empty beside its log is left as it is', async () => {
  const data = join(temporaryFolder(), 'data');
  const serving = await startServing(['--data', data, '--log', 'none']);
  await serving.stop('SIGKILL');
  const file = join(data, 'suffice.db');
  const log = join(data, 'suffice.db-wal');
  truncateSync(file);
  writeFileSync(log, 'a log');
  const { code, stderr } = await runSuffice(serveIn(data));
  expect([code, stderr]).toEqual([
    3,
    expect.stringContaining('the file of the store is empty, and the log beside it is not'),
  ]);
  expect([readFileSync(log, 'utf8'), readFileSync(file)]).toEqual(['a log', Buffer.alloc(0)]);
});

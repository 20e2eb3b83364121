import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { chanceOfTest } from './chance.ts';
import { suffice, temporaryFolder } from './cli.ts';
import {
  type CoordinatorProcess,
  coordinatorHome,
  stablePort,
  startCoordinator,
} from './coordinator-process.ts';
import { enduring } from './endurance.ts';
import { eventually } from './eventually.ts';

const penguins = (name: string) =>
  fileURLToPath(new URL(`../examples/penguins/${name}`, import.meta.url));
const KILLS = enduring ? 30 : 2;

/** Runs a command that must succeed; what it printed. */
async function said(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await suffice(...args);
  if (code !== 0) throw new Error(`suffice ${args[0]} ${args[1]}: ${stderr}`);
  return stdout;
}

it('a region and its parent are killed at random moments, and the total is that of one fit', async () => {
  const luck = chanceOfTest();
  const folder = temporaryFolder();
  const file = (name: string) => join(folder, name);
  const homes = ['top', 'north'].map((name) =>
    coordinatorHome({ kind: 'sqlite', address: file(name) }),
  );
  const ports = [await stablePort(), await stablePort()];
  const servers: CoordinatorProcess[] = homes.map((home, k) => startCoordinator(home, ports[k]));
  await Promise.all(servers.map(({ ready }) => ready));
  const tokens = await Promise.all(
    homes.map(async ({ operatorToken }, k) => {
      const { writeFile } = await import('node:fs/promises');
      await writeFile(file(`token ${k}`), operatorToken);
      return ['--coordinator', servers[k].address, '--token-file', file(`token ${k}`)];
    }),
  );
  const sites = (...names: string[]) => names.flatMap((name) => ['--site', name]);
  await said(
    ...['study', 'create', penguins('study.json'), ...tokens[0]],
    ...[...sites('north', 'dream'), '--out', file('above')],
  );
  const invitation = join(file('above'), 'north.invitation');
  await said('study', 'region', invitation, '--out', file('region.json'));
  await said(
    ...['study', 'create', file('region.json'), '--parent', invitation, ...tokens[1]],
    ...[...sites('biscoe', 'torgersen'), '--out', file('below')],
  );
  const joined = (where: string, site: string) =>
    said(
      ...['join', join(file(where), `${site}.invitation`), penguins(`${site}.csv`)],
      ...['--yes', '--acknowledge', 'R6,R7', '--home', file(`home of ${site}`)],
    );
  await joined('below', 'biscoe');
  const sending = [joined('above', 'dream'), joined('below', 'torgersen')];
  for (let k = 0; k < KILLS; k++) {
    await luck.pause(400);
    const which = luck.below(2);
    await servers[which].kill();
    await luck.pause(100);
    servers[which] = startCoordinator(homes[which], ports[which]);
  }
  await Promise.all([...sending, ...servers.map(({ ready }) => ready)]);

  const resolution = async () =>
    JSON.parse(await said('report', join(file('above'), 'admin.link'), '--json'));
  await eventually(async () => {
    expect((await resolution()).sites).toHaveLength(2);
  });
  const fit = ['biscoe', 'dream', 'torgersen'].map((name) => penguins(`${name}.csv`));
  const flat = JSON.parse(await said('fit', penguins('study.json'), ...fit, '--json'));
  expect((await resolution()).digest).toBe(flat.digest);
  const store = await homes[0].open();
  const stored = await store.db.selectFrom('contributions').selectAll().execute();
  expect(stored.map(({ site, sequence }) => [site, sequence]).sort()).toEqual([
    ['dream', 1],
    ['north', 1],
  ]);
  const status = await said('status', join(file('below'), 'admin.link'));
  expect(status).toMatch(/region {6}as north of study \S+ at 127\.0\.0\.1/);
  expect(status).toMatch(/the sum over 2 sites was received at .*, as number 1/);

  // The region leaves: the parent has nothing of it.
  expect(await said('study', 'leave', join(file('below'), 'admin.link'))).toMatch(/has left/);
  await eventually(async () => {
    expect(await said('status', join(file('below'), 'admin.link'))).toMatch(
      /nothing of it is there/,
    );
  });
  const left = await store.db.selectFrom('contributions').selectAll().execute();
  expect(left.find(({ site }) => site === 'north')).toMatchObject({ body: null, digest: null });
  const study = JSON.parse(readFileSync(file('region.json'), 'utf8'));
  expect(study.parents).toHaveLength(1);
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { maskStateText, newMaskState } from '../src/masks/mask-state.ts';
import { keysMessage } from '../src/masks/site-masks.ts';
import { openSiteFolder } from '../src/node/site/site-folder.ts';
import { studyClient } from '../src/protocol/client.ts';
import { type Link, parseLink } from '../src/protocol/link.ts';
import { runSuffice, suffice, temporaryFolder } from './cli.ts';
import { coordinatorHome, stablePort, startCoordinator } from './coordinator-process.ts';
import { enduring } from './endurance.ts';
import { eventually } from './eventually.ts';
import { penguins } from './secure-setting.ts';
import { type SiteProcess, startSuffice } from './site-process.ts';

const folder = temporaryFolder();
const names = ['a', 'b', 'c', 'd', 'e'];
const home = (site: string) => join(folder, `home-${site}`);
const rowsOf = (site: string) => join(folder, `${site}.csv`);

/** Cuts the rows of the penguins into five files. */
function cutFiles(): void {
  const files = ['biscoe', 'dream', 'torgersen'].map((island) =>
    readFileSync(penguins(`${island}.csv`), 'utf8')
      .trimEnd()
      .split('\n'),
  );
  const [[header]] = files;
  const lines = files.flatMap(([, ...rest]) => rest);
  for (const [k, site] of names.entries()) {
    const own = lines.filter((_, row) => row % names.length === k);
    writeFileSync(rowsOf(site), `${[header, ...own].join('\n')}\n`);
  }
}

it.runIf(enduring)(
  'five processes, one killed for good after its shares, three killed and run again: the plain total',
  async () => {
    cutFiles();
    const store = coordinatorHome({ kind: 'sqlite', address: join(folder, 'coordinator') });
    const served = startCoordinator(store, await stablePort());
    const keys = await Promise.all(
      names.map(async (site) => (await suffice('key', '--home', home(site))).stdout.trim()),
    );
    const roster = Object.fromEntries(names.map((site, k) => [site, keys[k]]));
    const plain = JSON.parse(readFileSync(penguins('study.json'), 'utf8'));
    const aggregation = { kind: 'pairwise-masks', roster, minimumSites: 3 };
    const path = join(folder, 'study.json');
    writeFileSync(path, JSON.stringify({ ...plain, aggregation, disclosure: { profile: 'none' } }));
    await served.ready;
    const links = join(folder, 'links');
    const env = { SUFFICE_ADMIN_TOKEN: store.operatorToken };
    const made = await runSuffice(
      ['study', 'create', path, '--coordinator', served.address, '--out', links],
      { env },
    );
    expect(made.code).toBe(0);
    const joining = (site: string): SiteProcess =>
      startSuffice([
        ...['join', join(links, `${site}.invitation`), rowsOf(site), '--yes'],
        ...['--acknowledge', 'none', '--home', home(site)],
      ]);
    const { db } = await store.open();
    const four = (found: () => Promise<readonly unknown[]>) =>
      eventually(async () => expect(await found()).toHaveLength(4));
    const shares = db.selectFrom('mask_messages').select('site').where('stage', '=', 'shares');
    const killed = async ({ child, outcome }: SiteProcess) => {
      child.kill('SIGKILL');
      await outcome;
    };
    // A process that ended after its keys: the others send shares, and wait for it.
    await keysOnly('d', join(links, 'd.invitation'));
    const [a, b, c, e] = ['a', 'b', 'c', 'e'].map(joining);
    await four(() => shares.execute());
    await killed(e);
    await killed(a);
    const [again, late] = ['a', 'd'].map(joining);
    await four(() => db.selectFrom('contributions').select('site').execute());
    await killed(b);
    const helping = joining('b');
    const closed = await suffice('close', join(links, 'admin.link'), '--wait');
    expect(closed.stdout).toMatch(/is resolved: resolution 1/);
    for (const { outcome } of [again, helping, c, late]) {
      expect(await outcome).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/masks: done/),
      });
    }
    const { stdout } = await suffice('report', join(links, 'admin.link'), '--json', '--wait');
    const fit = await suffice('fit', path, ...names.slice(0, 4).map(rowsOf), '--json');
    const [found, pooled] = [stdout, fit.stdout].map((text) => JSON.parse(text));
    expect([found.digest, found.terms]).toEqual([pooled.digest, pooled.terms]);
  },
);

/** Sends the keys of a site and stores its state, as a process does that is killed then. */
async function keysOnly(site: string, invitation: string): Promise<void> {
  const store = await openSiteFolder(home(site));
  const client = studyClient(parseLink(readFileSync(invitation, 'utf8').trim()) as Link);
  const { digest } = await client.view();
  const state = newMaskState(digest, site);
  await store.keepMasks!(digest, site, maskStateText(state));
  await client.sendMasks(keysMessage(state, await store.key()));
}

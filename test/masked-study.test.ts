import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { serve } from '../src/node/server/serve.ts';
import { studyClient } from '../src/protocol/client.ts';
import { type Link, parseLink } from '../src/protocol/link.ts';
import { membershipAt, prepareJoin } from '../src/site/join.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { eventually } from './eventually.ts';
import { penguins } from './secure-setting.ts';

const folder = temporaryFolder();
const served = await serve({ data: join(folder, 'coordinator'), port: 0, log: 'none' });
afterAll(() => served.stop());

const rosterFile = join(folder, 'roster.json');
const islands = ['biscoe', 'dream', 'torgersen'];
const home = (site: string) => join(folder, `home-${site}`);

const roster = Object.fromEntries(
  await Promise.all(
    islands.map(async (site) => [site, (await suffice('key', '--home', home(site))).stdout.trim()]),
  ),
);

/** Puts a study whose sites agree on masks on the coordinator; returns the folder of its links. */
async function created(name: string): Promise<string> {
  const study = JSON.parse(readFileSync(penguins('study.json'), 'utf8'));
  const [path, plain] = [`${name}.json`, `${name}-plain.json`].map((file) => join(folder, file));
  writeFileSync(plain, JSON.stringify({ ...study, name }));
  writeFileSync(rosterFile, JSON.stringify(roster));
  const terms = ['--roster', rosterFile, '--minimum-sites', '3'];
  const secured = await suffice('study', 'secure', plain, ...terms, '--out', path);
  expect(secured).toMatchObject({ code: 0, stdout: expect.stringMatching(/agree on masks/) });
  const links = join(folder, name);
  const { code, stderr } = await suffice(
    ...['study', 'create', path, '--coordinator', served.address, '--out', links],
    ...['--token-file', served.operatorTokenFile!],
  );
  expect([code, stderr]).toEqual([0, expect.anything()]);
  return links;
}

const joining = (links: string, site: string, ...flags: string[]) =>
  suffice(
    ...['join', join(links, `${site}.invitation`), penguins(`${site}.csv`)],
    ...['--yes', '--acknowledge', 'R6,R7', '--home', home(site), ...flags],
  );

it('three sites without a helper give the model of one file', async () => {
  const links = await created('masked');
  const dry = await joining(links, 'dream', '--dry-run');
  expect([dry.code, dry.stderr]).toEqual([0, expect.not.stringMatching(/masks:/)]);
  expect(readdirSync(home('dream')).filter((file) => file.startsWith('masks-'))).toEqual([]);
  const joined = await Promise.all(islands.map((site) => joining(links, site)));
  // What a person approves says who sees the numbers, and nothing else.
  expect(dry.stdout + dry.stderr).toMatch(/numbers that look random/);
  expect(dry.stdout + dry.stderr).not.toMatch(/in plain/);
  for (const { code, stderr } of joined) {
    expect([code, stderr]).toEqual([0, expect.stringMatching(/masks: 3 of 3 keys.*masks: done/s)]);
  }
  await served.coordinator.runDueWork();
  const { stdout } = await suffice('report', join(links, 'admin.link'), '--json', '--wait');
  const report = JSON.parse(stdout);
  const files = islands.map((site) => penguins(`${site}.csv`));
  const fit = await suffice('fit', join(folder, 'masked.json'), ...files, '--json');
  const { digest, terms } = JSON.parse(fit.stdout);
  expect({ digest: report.digest, terms: report.terms }).toEqual({ digest, terms });
  const [kept] = readdirSync(home('dream')).filter((name) => name.startsWith('masks-'));
  const path = join(home('dream'), kept);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  // Secrets are erased once they are not needed any more.
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
    secrets: { box: '', pair: '', own: '' },
    done: true,
  });
});

it('without a mask nothing is prepared: it says what helps', async () => {
  const links = await created('paged');
  const link = parseLink(readFileSync(join(links, 'dream.invitation'), 'utf8').trim()) as Link;
  const membership = await membershipAt(studyClient(link), link);
  const none = undefined as never;
  await expect(
    prepareJoin({ rows: { path: 'rows.csv' }, missing: 'drop' }, membership, none, none, none),
  ).rejects.toMatchObject({
    code: 'conflict',
    remedy: expect.stringMatching(/join with the invitation/),
  });
});

it('a site whose study has closed too early hears it, and has sent nothing more', async () => {
  const links = await created('early');
  const site = joining(links, 'dream', '--quiet');
  const link = parseLink(readFileSync(join(links, 'dream.invitation'), 'utf8').trim()) as Link;
  await eventually(async () =>
    expect(await studyClient(link).masks('keys')).toMatchObject({ arrived: 1 }),
  );
  const other = await joining(links, 'biscoe', '--home', home('dream'));
  expect(other).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(/biscoe by another key/),
  });
  const admin = parseLink(readFileSync(join(links, 'admin.link'), 'utf8').trim()) as Link;
  const soon = new Date(Date.now() + 300).toISOString();
  await studyClient(admin).extend(soon);
  await eventually(async () => {
    await served.coordinator.runDueWork();
    expect((await studyClient(admin).view()).state).toBe('closed');
  });
  expect(await site).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(/closed before the end of the stage of keys/),
  });
});

import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createHelperApp } from '../src/helper/http/helper-app.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { penguins, secureSetting } from './secure-setting.ts';

const folder = temporaryFolder();
const setting = await secureSetting(folder);
const { sites, helper } = setting;
const islands = sites.map((site) => penguins(`${site}.csv`));
const written = await suffice(
  ...[
    'study',
    'secure',
    penguins('study.json'),
    '--helper',
    helper.address,
    '--minimum-sites',
    '3',
  ],
  ...[
    '--roster',
    join(folder, 'roster.txt'),
    '--out',
    join(folder, 'study.json'),
    '--kem',
    'x-wing',
  ],
);
if (written.code !== 0) throw new Error(written.stderr);
const study = join(folder, 'study.json');
const digest = (await suffice('study', 'digest', study)).stdout.trim();
const statements = async () => (await helper.helper.statements(digest)).statements.length;

const acknowledged = ['--acknowledge', 'R6,R7', '--quiet'];
let outs = 0;
async function contributed(site: string, ...flags: readonly string[]) {
  const out = join(folder, `${++outs}.suffice`);
  const done = await suffice(
    ...['contribute', study, penguins(`${site}.csv`), '--out', out, ...acknowledged],
    ...['--home', setting.home(site), ...flags],
  );
  return { out, ...done };
}

/** The key of a site without its ledger, as in a copy made before. */
const copied = join(folder, 'copied-home');
cpSync(setting.home('dream'), copied, { recursive: true });

const files: string[] = [];
for (const site of sites) {
  const { code, stderr, out } = await contributed(site);
  if (code !== 0) throw new Error(stderr);
  files.push(out);
}

describe('contributions to a secure study as files', () => {
  it('suffice verify knows their signature and the roster', async () => {
    const { code, stdout } = await suffice('verify', files[0], '--study', study);
    expect([code, stdout]).toEqual([0, expect.stringContaining('biscoe')]);
    expect(stdout).not.toMatch(/dropped/);
    const wrong = join(folder, 'wrong-roster.json');
    const json = JSON.parse(readFileSync(study, 'utf8'));
    writeFileSync(wrong, JSON.stringify({ ...json, name: 'another' }));
    const refused = await suffice('verify', files[0], '--study', wrong);
    expect(refused.code).not.toBe(0);
    expect(refused.stdout + refused.stderr).toMatch(/another study/);
  });

  it.each<[string, () => readonly string[], RegExp]>([
    ['of too few sites', () => files.slice(1), /contributions of 2 sites, and minimumSites is 3/],
    [
      'with one that was changed',
      () => {
        const bytes = readFileSync(files[0]);
        bytes[bytes.length - 1] ^= 1;
        const path = join(folder, 'changed.suffice');
        writeFileSync(path, bytes);
        return [path, ...files.slice(1)];
      },
      /signature is not valid/,
    ],
  ])('suffice combine %s asks nobody', async (_, given, problem) => {
    const { code, stdout, stderr } = await suffice('combine', study, ...given(), '--json');
    expect([code === 0, stdout, stderr]).toEqual([false, '', expect.stringMatching(problem)]);
    expect(await statements()).toBe(0);
  });

  it('suffice combine asks the helper of the study, as often as wanted, for one set', async () => {
    const { stdout: pooled } = await suffice('fit', study, ...islands, '--json');
    const { digest: expected } = JSON.parse(pooled);
    for (let k = 0; k < 2; k++) {
      const { code, stdout, stderr } = await suffice('combine', study, ...files, '--json');
      expect([code, stderr]).toEqual([0, '']);
      const report = JSON.parse(stdout);
      expect(report.digest).toBe(expected);
      expect(report.sites).toEqual([...sites].sort().map((name) => ({ name })));
    }
    expect(await statements()).toBe(1);
    const { out } = await contributed('dream', '--home', copied);
    const again = await suffice('combine', study, files[0], out, files[2], '--json');
    expect([again.code === 0, again.stdout, again.stderr]).toEqual([
      false,
      '',
      expect.stringMatching(/answered: an earlier answer has other contributions of dream/),
    ]);
  });

  it.each<[string, () => ReturnType<typeof contributed>, RegExp]>([
    ['unsigned', () => contributed('dream', '--unsigned'), /unsigned contribution cannot be used/],
    [
      'with another key than the roster’s',
      () => contributed('dream', '--home', join(folder, 'another-home')),
      /dream by another key/,
    ],
    [
      'for a site that is not on the roster',
      () => contributed('dream', '--site', 'mallory'),
      /has no site mallory/,
    ],
  ])('suffice contribute writes nothing %s', async (_, made, problem) => {
    const { code, stderr, out } = await made();
    expect([code === 0, stderr]).toEqual([false, expect.stringMatching(problem)]);
    expect(existsSync(out)).toBe(false);
  });

  it('suffice join sends nothing with another key than the roster’s; suffice audit sends nothing at all', async () => {
    const links = await setting.create(penguins('study.json'), 'strangers');
    const { code, stderr } = await suffice(
      ...['join', join(links, 'dream.invitation'), penguins('dream.csv'), '--yes'],
      ...[...acknowledged, '--home', join(folder, 'third-home')],
    );
    expect([code === 0, stderr]).toEqual([false, expect.stringMatching(/dream by another key/)]);
    const { stdout } = await suffice('status', join(links, 'admin.link'), '--json');
    expect(JSON.parse(stdout).sites.map(({ state }: { state: string }) => state)).toEqual(
      Array.from(sites, () => 'invited'),
    );
    const audit = await suffice(
      'audit',
      study,
      penguins('dream.csv'),
      '--home',
      setting.home('dream'),
      '--quiet',
    );
    expect([audit.code, audit.stderr]).toEqual([0, '']);
  });

  it('a coordinator judges seals of x-wing without its code', async () => {
    vi.resetModules();
    const { agreement, readContribution } = await import('../src/federate.ts');
    const agreed = agreement(JSON.parse(readFileSync(study, 'utf8')));
    expect(readContribution(agreed, readFileSync(files[0]))).toHaveProperty('contribution');
    const { kemNames, kemSizes, loadKem } = await import('../src/cipher/kems.ts');
    for (const name of kemNames) expect(await loadKem(name)).toMatchObject(kemSizes[name]);
  });
});

describe('the address of a helper', () => {
  const at = (path: string, init: RequestInit = {}) => fetch(`${helper.address}${path}`, init);
  const json = { 'content-type': 'application/json' };
  const endless = () =>
    new ReadableStream<Uint8Array>({ start: (to) => to.enqueue(new Uint8Array(1)) });

  it.each<[string, () => Promise<Response>, number, string]>([
    ['another method', () => at('/sums'), 405, 'method-not-allowed'],
    [
      'another method on the keys',
      () => at('/helper', { method: 'POST' }),
      405,
      'method-not-allowed',
    ],
    ['another path', () => at('/studies'), 404, 'not-found'],
    ['a path with dots', () => at('/statements/..%2fhelper'), 400, 'bad-request'],
    [
      'no JSON',
      () => at('/sums', { method: 'POST', headers: json, body: '{' }),
      400,
      'bad-request',
    ],
    ['nothing', () => at('/sums', { method: 'POST', headers: json }), 400, 'bad-request'],
    [
      'another type',
      () => at('/sums', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' }),
      415,
      'unsupported-type',
    ],
    [
      'a body that is too large',
      () =>
        createHelperApp(helper.helper).fetch(
          new Request('http://localhost/sums', {
            method: 'POST',
            headers: { ...json, 'content-length': String(2 ** 29) },
            body: '{}',
          }),
        ),
      413,
      'too-large',
    ],
    [
      'a body that never ends',
      () =>
        createHelperApp(helper.helper, { patienceMs: 20 }).fetch(
          new Request('http://localhost/sums', {
            method: 'POST',
            headers: json,
            body: endless(),
            duplex: 'half',
          } as RequestInit),
        ),
      400,
      'bad-request',
    ],
  ])('refuses %s', async (_, ask, status, code) => {
    const response = await ask();
    expect([response.status, await response.json()]).toEqual([
      status,
      expect.objectContaining({ schema: 'suffice/problem@1', code }),
    ]);
    if (status === 405) expect(response.headers.get('allow')).toMatch(/^(GET|POST)$/);
  });

  it('gives each address its share, and says when to come back', async () => {
    const app = createHelperApp(helper.helper, { rate: { perSecond: 0.001, burst: 2 } });
    const ask = (address: string) =>
      app.fetch(new Request('http://localhost/helper'), { address, secure: false });
    const statuses = [await ask('one'), await ask('one'), await ask('one'), await ask('two')];
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429, 200]);
    expect(Number(statuses[2].headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('shows its log neither seals nor sums', async () => {
    const records: unknown[] = [];
    const app = createHelperApp(helper.helper, { observe: (record) => records.push(record) });
    const { slips, sum } = await asked(app);
    const text = JSON.stringify(records);
    expect(records).toMatchObject([
      { route: '/sums', status: 200 },
      { route: '/sums', status: 200 },
    ]);
    for (const { sealed, data, nonce } of slips) {
      for (const secret of [sealed, data, nonce]) expect(text).not.toContain(secret);
    }
    expect(text).not.toContain(sum.slice(0, 40));
  });
});

/** Asks for the sum of the files, then for one with a seal that cannot be opened. */
async function asked(app: ReturnType<typeof createHelperApp>) {
  const { agreement } = await import('../src/federate.ts');
  const { slipIn } = await import('../src/coordinator/helper-answer.ts');
  const agreed = agreement(JSON.parse(readFileSync(study, 'utf8')));
  const slips = files.map((file) => slipIn(agreed, readFileSync(file)));
  const send = async (contributions: typeof slips) => {
    const body = JSON.stringify({
      schema: 'suffice/sum-request@1',
      study: agreed.study,
      contributions,
    });
    const headers = { 'content-type': 'application/json' };
    const request = new Request('http://localhost/sums', { method: 'POST', headers, body });
    return (await app.fetch(request)).json() as Promise<{
      sums: { sum: string }[];
      unusable?: unknown;
    }>;
  };
  const {
    sums: [{ sum }],
  } = await send(slips);
  const broken = await send([{ ...slips[0], sealed: slips[1].sealed }, ...slips.slice(1)]);
  expect(JSON.stringify(broken.unusable)).not.toContain(slips[1].sealed);
  return { slips, sum };
}

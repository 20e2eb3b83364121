import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Receipt } from '../src/protocol/messages.ts';
import { type Outcome, suffice, temporaryFolder } from './cli.ts';
import { clients, interpreterEnvironment, pythonCommand, runPython } from './other-languages.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const penguins = join(root, 'examples/penguins');
const study = join(penguins, 'study.json');
const islands = ['biscoe', 'dream', 'torgersen'];

/** Runs `suffice` and fails with what it said where it does not succeed. */
async function done(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await suffice(...args);
  if (code !== 0) throw new Error(`suffice ${args[0]} ended with ${code}: ${stderr}`);
  return stdout;
}

function pythonSite(invitation: string, data: string): Outcome {
  const { status, stdout, stderr } = spawnSync(
    pythonCommand!,
    [join(clients, 'site.py'), invitation, data],
    { encoding: 'utf8', env: interpreterEnvironment },
  );
  return { code: status, stdout, stderr };
}

/** A coordinator in a process of its own; gives its address and the file of the operator's token. */
async function startCoordinator(
  data: string,
): Promise<{ process: ChildProcess; address: string; adminTokenFile: string }> {
  const main = join(root, 'dist/command/main.js');
  const child = spawn(
    process.execPath,
    [main, 'serve', '--data', data, '--port', '0', '--json', '--log', 'none'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  for await (const line of child.stdout!) {
    return { process: child, ...JSON.parse(String(line)) };
  }
  throw new Error('the coordinator did not start');
}

/** A penguin file with the given change to each of its lines but the first. */
function changed(from: string, to: string, change: (cells: string[]) => string[]): string {
  const [header, ...lines] = readFileSync(from, 'utf8').trimEnd().split('\n');
  const rows = lines.map((line) => change(line.split(',')).join(','));
  writeFileSync(to, `${[header, ...rows].join('\n')}\n`);
  return to;
}

describe.skipIf(pythonCommand === undefined)('site.py joins a study over HTTP', () => {
  const folder = temporaryFolder();
  const data = (island: string) => join(penguins, `${island}.csv`);
  const links = join(folder, 'links');
  const invitation = join(links, 'torgersen.invitation');
  const ownReceipts = (): Receipt[] =>
    [1, 2, 3]
      .map((number) => `${invitation}.receipt-${number}.json`)
      .filter((path) => existsSync(path))
      .map((path) => JSON.parse(readFileSync(path, 'utf8')));
  const log = async () => {
    const path = join(folder, `log-${Math.random()}.json`);
    await done('audit-log', 'export', join(links, 'admin.link'), '--out', path);
    return JSON.parse(readFileSync(path, 'utf8'));
  };
  const sent = async () =>
    (await log()).entries.filter(({ event }: { event: string }) => event === 'contributed').length;
  let coordinator: Awaited<ReturnType<typeof startCoordinator>>;

  beforeAll(async () => {
    coordinator = await startCoordinator(join(folder, 'data'));
    const { address, adminTokenFile } = coordinator;
    const sites = islands.flatMap((island) => ['--site', island]);
    const place = ['--coordinator', address, '--token-file', adminTokenFile, '--out', links];
    await done('study', 'create', study, ...place, ...sites);
  });

  afterAll(async () => {
    if (coordinator === undefined) return;
    const ended = new Promise((resolve) => coordinator.process.once('exit', resolve));
    coordinator.process.kill('SIGTERM');
    await ended;
  });

  it('tells nothing to a coordinator whose key is not the one in the invitation', async () => {
    const other = join(folder, 'other.invitation');
    const text = readFileSync(invitation, 'utf8').trim();
    writeFileSync(other, text.replace(/[^.]{43}$/, 'A'.repeat(43)));
    const { code, stderr } = pythonSite(other, data('torgersen'));
    expect(code).toBe(1);
    expect(stderr).toContain('another key');
    expect((await log()).entries.map(({ event }: { event: string }) => event)).not.toContain(
      'offer-accepted',
    );
  });

  it('sends no statistic of a file in the wrong unit', async () => {
    const grams = changed(data('torgersen'), join(folder, 'kilograms.csv'), (cells) =>
      cells.map((cell, k) => (k === 4 && cell !== 'NA' ? String(Number(cell) / 1000) : cell)),
    );
    const { code, stderr } = pythonSite(invitation, grams);
    expect(code).toBe(1);
    expect(stderr).toContain('body_mass');
    expect(stderr).toContain('nothing about its rows has left');
    expect(await sent()).toBe(0);
  });

  it('gives, beside two sites of ours, the report of the pooled rows', async () => {
    const { code, stdout, stderr } = pythonSite(invitation, data('torgersen'));
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toContain('47 rows, 5 left out');
    for (const island of ['biscoe', 'dream']) {
      const home = join(folder, island);
      mkdirSync(home);
      const link = join(links, `${island}.invitation`);
      const answers = ['--yes', '--acknowledge', 'R6'];
      await done('join', link, data(island), ...answers, '--quiet', '--home', home);
    }
    const report = JSON.parse(await done('report', join(links, 'admin.link'), '--wait', '--json'));
    expect(report.sites.map(({ name }: { name: string }) => name)).toEqual(islands);

    const lines = islands.map((island) => readFileSync(data(island), 'utf8').trimEnd().split('\n'));
    const pooled = join(folder, 'pooled.csv');
    const rows = lines.flatMap((own) => own.slice(1));
    writeFileSync(pooled, `${[lines[0][0], ...rows].join('\n')}\n`);
    const file = join(folder, 'pooled.suffice');
    await done(
      'contribute',
      study,
      pooled,
      '--out',
      file,
      '--unsigned',
      '--home',
      join(folder, 'pool'),
    );
    const whole = JSON.parse(await done('combine', study, file, '--json'));
    expect(report.digest).toBe(whole.digest);
    expect(report.terms).toEqual(whole.terms);
  });

  it('keeps its secret to itself and a receipt that has its place in the log', async () => {
    expect(statSync(`${invitation}.key`).mode & 0o777).toBe(0o600);
    const [receipt] = ownReceipts();
    expect(receipt).toMatchObject({ site: 'torgersen', sequence: 1, mode: 'add', late: false });
    const path = `${invitation}.receipt-1.json`;
    await done('audit-log', 'verify', join(links, 'admin.link'), '--receipt', path);
  });

  it('finds its receipt when run again, and sends nothing', async () => {
    const before = await sent();
    const { code } = pythonSite(invitation, data('torgersen'));
    expect(code).toBe(0);
    expect(await sent()).toBe(before);
    expect(ownReceipts()).toHaveLength(1);
  });

  it('replaces what it sent where the file has changed; after closing that is late', () => {
    const half = join(folder, 'half.csv');
    const lines = readFileSync(data('torgersen'), 'utf8').trimEnd().split('\n');
    writeFileSync(half, `${lines.slice(0, 20).join('\n')}\n`);
    expect(pythonSite(invitation, half)).toMatchObject({ code: 0 });
    expect(ownReceipts()[1]).toMatchObject({ sequence: 2, mode: 'replace', late: true });
  });

  it('can check the log and the resolution by what docs/protocol.md says', async () => {
    const resolution = join(folder, 'resolution.json');
    await done('report', join(links, 'admin.link'), '--out', resolution);
    const documents = [await log(), JSON.parse(readFileSync(resolution, 'utf8'))];
    const code = `
import base64, hashlib, json, sys, ed25519
from canonical_json import canonical
log, resolution = json.load(sys.stdin)
bytes64 = lambda text: base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
digest = lambda text: "sha256:" + hashlib.sha256(text.encode()).hexdigest()
seals = []
for document in (log, resolution):
    seal = document.pop("seal")
    seals.append(ed25519.is_signed(canonical(document).encode(), bytes64(seal["signature"]), bytes64(seal["key"])))
dumped = json.dumps(log, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
previous, chain = log["study"], []
for k, entry in enumerate(log["entries"]):
    rest = {name: value for name, value in entry.items() if name != "digest"}
    fits = entry["digest"] == digest(canonical({**rest, "study": log["study"]}))
    chain.append(fits and entry["previous"] == previous and entry["position"] == k + 1)
    previous = entry["digest"]
print(json.dumps({"seals": seals, "chain": all(chain), "length": len(chain), "plain": dumped == canonical(log),
                  "study": digest(canonical(resolution["study"])) == resolution["studyDigest"]}))
`;
    const answer = runPython(code, documents) as { length: number };
    expect(answer).toMatchObject({ seals: [true, true], chain: true, plain: true, study: true });
    expect(answer.length).toBeGreaterThan(8);
  });

  it('says what is wrong with an invitation of no use', () => {
    const copy = join(folder, 'used.invitation');
    copyFileSync(invitation, copy);
    const stranger = pythonSite(copy, data('torgersen'));
    expect(stranger.code).toBe(1);
    expect(stranger.stderr).toContain('refused (409)');
    writeFileSync(
      copy,
      readFileSync(invitation, 'utf8').replace(/sfi_.{43}/, `sfi_${'A'.repeat(43)}`),
    );
    expect(pythonSite(copy, data('torgersen')).stderr).toContain('refused (401)');
  });
});

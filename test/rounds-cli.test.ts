import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { linkText } from '../src/protocol/link.ts';
import type { StudyView } from '../src/protocol/messages.ts';
import type { TableStudy } from '../src/study/study.ts';
import { linkOf } from './busy-site.ts';
import { runSuffice, suffice, temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';
import { servedStudy } from './served-study.ts';
import { startSuffice } from './site-process.ts';
import { type Fate, watchingProxy } from './watching-proxy.ts';

const codebook = {
  sick: { type: 'number', range: [0, 1] },
  age: { type: 'number', range: [18, 100] },
} as const;
const study: TableStudy = {
  schema: 'suffice/study@1',
  name: 'rounds by command',
  formula: 'sick ~ age',
  codebook,
  fusion: { kind: 'glm', family: 'binomial', remainder: 'expected' },
  arithmetic: 'exact',
};
const sites = ['north', 'south'];
const root = temporaryFolder();
const at = (name: string) => join(root, name);
const files = sites.map((site, k) => {
  const rows = Array.from({ length: 200 }, (_, r) => {
    const age = 18 + ((r * 7 + k * 13) % 80);
    return `${age},${(r * 31 + k * 17) % 97 < age ? 1 : 0}`;
  });
  writeFileSync(at(`${site}.csv`), `age,sick\n${rows.join('\n')}\n`);
  return at(`${site}.csv`);
});

const json = (text: string) => JSON.parse(text);
const ok = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await runSuffice(args);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return { stdout, stderr };
};

describe('suffice study refine with the analyst’s link', () => {
  it('opens a round that the sites join with the invitations they have; one is killed in it', async () => {
    const served = await servedStudy(root, study, sites);
    const { address } = served.served;
    let onRequest = (_: string): Fate => 'pass';
    const proxy = await watchingProxy(address, ({ method, path }) =>
      onRequest(`${method} ${path}`),
    );
    const link = at('admin.link');
    writeFileSync(link, `${linkText(linkOf(served.created, address))}\n`);
    const invitations = [served.invitation('north'), served.invitation('south', proxy.address)];
    const join = (k: number) => [
      ...['join', invitations[k], files[k], '--home', at(sites[k])],
      ...['--yes', '--quiet', '--json', '--threads', '1'],
    ];
    /** The site in the south is killed while it sends, and what it sends has this fate. */
    const killed = async (fate: Fate) => {
      const { child, outcome } = startSuffice(join(1));
      onRequest = (request) => {
        if (!/^POST .*\/contributions$/.test(request)) return 'pass';
        child.kill('SIGKILL');
        return fate;
      };
      await outcome;
      expect(child.signalCode).toBe('SIGKILL');
    };
    const early = await suffice('study', 'refine', link);
    expect([early.code, early.stderr]).toEqual([5, expect.stringContaining('no resolution yet')]);
    expect(json((await ok(...join(0))).stdout)).not.toHaveProperty('round');
    // Where it is killed, it is received, and its receipt comes only with the next round.
    if (enduring) await killed('pass');
    else await ok(...join(1));
    const one = json((await ok('report', link, '--wait', '--json')).stdout);

    const refined = await ok('study', 'refine', link);
    expect(refined.stdout).toContain('round 2 is open');
    expect(refined.stdout).toContain('suffice join INVITATION FILE');
    const again = json((await ok('study', 'refine', link, '--json')).stdout);
    expect(again).toMatchObject({ schema: 'suffice/round@1', round: 2, state: 'open', sites });
    // Until it is resolved, the report is that of the first round.
    const before = await ok('report', link, '--json');
    expect(json(before.stdout).terms).toEqual(one.terms);
    expect(before.stderr).toContain('round 1 of the study; round 2 is open');

    const shown = await runSuffice(join(0).filter((flag) => flag !== '--quiet'));
    expect(shown.stderr + shown.stdout).toContain('round      2 of the study you were invited to');
    expect(json(shown.stdout.slice(shown.stdout.indexOf('{\n')))).toMatchObject({ round: 2 });
    if (enduring) await killed('cut-before');
    await killed('pass');
    onRequest = () => 'pass';
    expect(json((await ok(...join(1))).stdout)).toMatchObject({ round: 2, sequence: 1 });
    const twice = await runSuffice(join(1));
    expect([twice.code, twice.stderr]).toEqual([5, expect.stringContaining('already contributed')]);

    const two = await ok('report', link, '--wait', '--json');
    expect(two.stderr).toContain('round 2 of the study\n');
    writeFileSync(at('codebook.json'), JSON.stringify(codebook));
    const fit = ['fit', study.formula, ...files, '--codebook', at('codebook.json'), '--json'];
    const flags = ['--family', 'binomial', '--rounds', '2'];
    expect(json(two.stdout).terms).toEqual(json((await ok(...fit, ...flags)).stdout).terms);
    expect(json((await ok('report', link, '--round', '1', '--json')).stdout).terms).toEqual(
      one.terms,
    );
    const status = json((await ok('status', link, '--json')).stdout);
    expect(status.rounds.map(({ round, state }: StudyView) => [round, state])).toEqual([
      [1, 'resolved'],
      [2, 'resolved'],
    ]);
    expect(status.sites.map(({ n }: { n: number }) => n)).toEqual([200, 200]);
    expect((await ok('status', link)).stdout).toContain('rounds: 1 resolved, 2 resolved');
    expect((await suffice('report', link, '--round', '3')).code).toBe(2);

    // Both releases are in the ledger; each has one receipt, which verifies with the old link.
    const ledger = readFileSync(`${at('south')}/ledger.jsonl`, 'utf8')
      .trimEnd()
      .split('\n');
    expect(ledger.map((line) => json(line).outcome)).toEqual(['acknowledged', 'acknowledged']);
    const receipts = readdirSync(`${at('south')}/receipts`).filter((name) =>
      name.endsWith('.json'),
    );
    expect(receipts).toHaveLength(2);
    for (const name of receipts) {
      const path = `${at('south')}/receipts/${name}`;
      expect((await suffice('verify', path, '--link', invitations[1])).code).toBe(0);
    }
    const gone = json(
      (await ok('withdraw', invitations[1], '--home', at('south'), '--yes', '--json')).stdout,
    );
    expect(gone.erasures.map(({ erased }: { erased: string[] }) => erased.length)).toEqual([1, 1]);
  });
});

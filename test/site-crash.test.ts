import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fitStudy } from '../src/node/run/fit.ts';
import { silentProgress } from '../src/node/run/progress.ts';
import { postStudy, studyClient } from '../src/protocol/client.ts';
import { linkText } from '../src/protocol/link.ts';
import type { SealedReceipt, StudyCreated } from '../src/protocol/messages.ts';
import { isSealed } from '../src/protocol/signature.ts';
import { studyId } from '../src/protocol/study-part.ts';
import type { TableStudy } from '../src/study/study.ts';
import { linkOf } from './busy-site.ts';
import { type Chance, chanceOfTest } from './chance.ts';
import { type Outcome, suffice, temporaryFolder } from './cli.ts';
import { coordinatorHome, stablePort, startCoordinator } from './coordinator-process.ts';
import { chosen, enduring } from './endurance.ts';
import { hasContributed, startSuffice } from './site-process.ts';
import { eachStore } from './stores.ts';
import { type Fate, watchingProxy } from './watching-proxy.ts';

const study: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'days ~ age + treatment',
  codebook: {
    days: { type: 'number', range: [0, 120] },
    age: { type: 'number', range: [18, 100] },
    treatment: { type: 'category', levels: ['control', 'new'] },
  },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
};
/** `npm run endure` has five sites, each of which dies every death; the check's two share four of them. */
const sites = ['north', 'south', ...(enduring ? ['east', 'west', 'middle'] : [])];
const header = 'age,treatment,days';
const rowsOf = (site: number) =>
  Array.from({ length: 300 }, (_, r) => {
    const age = 18 + ((r * 7 + site * 13) % 80);
    return `${age},${r % 3 === 0 ? 'new' : 'control'},${(age / 4 + ((r * 5 + site) % 11)).toFixed(2)}`;
  });

/** When a run is killed: after a time, or at a request of its own, which then has this fate. */
type Death =
  | { readonly after: number }
  | { readonly at: RegExp; readonly fate: Fate; readonly after: number };

/** A run takes about this long. */
const RUN_MS = 900;
const sending = /^POST .*\/contributions$/;
const asking = /^GET .*\/contributions$/;

/** Before, during and after sending; then while what is known already is written down. */
function deaths({ below }: Chance): readonly Death[] {
  const sometime = () => ({ after: below(RUN_MS) });
  const all = [
    sometime(),
    { at: /^GET \/studies\/[^/]+$/, fate: 'pass', after: below(200) },
    sometime(),
    { at: sending, fate: 'cut-before', after: 0 },
    { at: sending, fate: 'pass', after: 0 },
    { at: asking, fate: 'pass', after: below(25) },
    { at: asking, fate: 'pass', after: below(50) },
    sometime(),
  ] as const;
  return chosen<Death>(all, 0, 3, 4, 5);
}

/** A site's machine: its file and its folder, and `suffice join` on it as often as it takes. */
interface Machine {
  readonly home: string;
  run(death?: Death): Promise<Outcome & { readonly killed: boolean }>;
}

async function machine(
  folder: string,
  created: StudyCreated,
  address: string,
  site: number,
): Promise<Machine> {
  const name = sites[site];
  let onRequest = (_: string): Fate => 'pass';
  const proxy = await watchingProxy(address, ({ method, path }) => onRequest(`${method} ${path}`));
  const home = join(folder, `home-${name}`);
  const invitation = join(folder, `${name}.invitation`);
  const file = join(folder, `${name}.csv`);
  writeFileSync(invitation, `${linkText(linkOf(created, proxy.address, name))}\n`);
  writeFileSync(file, `${[header, ...rowsOf(site)].join('\n')}\n`);
  return {
    home,
    async run(death) {
      const args = ['join', invitation, file, '--yes', '--quiet', '--home', home, '--threads', '1'];
      if (death === undefined && !enduring) {
        onRequest = () => 'pass';
        return { ...(await suffice(...args)), killed: false }; // nobody kills it: no process is needed
      }
      const { child, outcome } = startSuffice(args);
      const die = () => child.kill('SIGKILL');
      let timer: NodeJS.Timeout | undefined;
      onRequest = (request) => {
        if (death === undefined || !('at' in death) || !death.at.test(request)) return 'pass';
        if (death.after === 0) die();
        else timer = setTimeout(die, death.after);
        return death.fate;
      };
      if (death !== undefined && !('at' in death)) timer = setTimeout(die, death.after);
      const ended = await outcome;
      clearTimeout(timer);
      return { ...ended, killed: child.signalCode === 'SIGKILL' };
    },
  };
}

/** A site sees no store: the check has one, `npm run endure` both. */
const stores = enduring ? undefined : (['sqlite'] as const);

eachStore(
  'sites that are killed again and again',
  (_, place) => {
    const root = temporaryFolder();

    it('contribute once each, and have what proves it', async () => {
      const luck = chanceOfTest();
      const home = coordinatorHome(await place());
      const { address, ready } = startCoordinator(home, await stablePort());
      await ready;
      const created = await postStudy(address, home.operatorToken, { study, sites });
      const machines = await Promise.all(
        sites.map((_, site) => machine(root, created, address, site)),
      );
      let kills = 0;
      await Promise.all(
        machines.map(async ({ run }, k) => {
          const own = deaths(luck).filter((_, turn) => enduring || turn % sites.length === k);
          for (const death of [...own, undefined]) {
            const { killed, code, stderr } = await run(death);
            if (killed) kills++;
            else expect({ code, stderr }).toSatisfy(hasContributed);
          }
        }),
      );
      // The two deaths at sending are certain; the others may come after the end of a run.
      expect(kills).toBeGreaterThanOrEqual(enduring ? sites.length * 3 + 1 : 2);

      const admin = studyClient(linkOf(created, address));
      await expect.poll(async () => (await admin.view()).state).toBe('resolved');
      const pooled = join(root, 'pooled.csv');
      writeFileSync(
        pooled,
        `${[header, ...sites.flatMap((_, site) => rowsOf(site))].join('\n')}\n`,
      );
      const { report } = await fitStudy(study, [pooled], () => silentProgress);
      const [line, ...others] = await admin.resolutions();
      expect(others).toEqual([]);
      const resolution = await admin.resolution(line.number);
      expect(resolution.report.digest).toBe(report.digest);
      const { db } = await home.open();
      const stored = await db.selectFrom('contributions').select(['site', 'digest']).execute();
      for (const [k, { home, run }] of machines.entries()) {
        const site = sites[k];
        leaveDrafts(home);
        const { code, stderr } = await run();
        expect([code, stderr]).toEqual([5, expect.stringContaining('already contributed')]);
        const { digest } = expectInOrder(home, site, created);
        expect(stored.filter((row) => row.site === site)).toEqual([{ site, digest }]);
        expect(resolution.contributions).toContainEqual({ site, digests: [digest] });
      }
      expect(stored).toHaveLength(sites.length);
    });
  },
  stores,
);

/** What a kill in the middle of writing leaves, an hour ago; what kills have left is as old now. */
function leaveDrafts(home: string): void {
  const hourAgo = Date.now() / 1000 - 3600;
  for (const folder of [home, join(home, 'outbox'), join(home, 'receipts')]) {
    writeFileSync(join(folder, 'any.json.0123456789ab.draft'), '{"half');
    for (const name of readdirSync(folder).filter((name) => name.endsWith('.draft'))) {
      utimesSync(join(folder, name), hourAgo, hourAgo);
    }
  }
}

/** One line in the ledger, its receipt beside it, and nothing that waits or was left lying about. */
function expectInOrder(home: string, site: string, { digest, ...created }: StudyCreated) {
  const name = `${studyId(digest)}-${site}-1`;
  // A lock that a kill left is taken away by whoever needs it next.
  const files = readdirSync(home).filter((name) => name !== 'ledger.lock');
  const ledger = ['ledger.head', 'ledger.jsonl', 'ledger.secret'];
  expect(files.sort()).toEqual(['key.json', ...ledger, 'outbox', 'receipts', 'rows']);
  expect(readdirSync(join(home, 'outbox'))).toEqual([]);
  expect(readdirSync(join(home, 'receipts')).sort()).toEqual([`${name}.json`, `${name}.txt`]);
  const receipt: SealedReceipt = JSON.parse(
    readFileSync(join(home, 'receipts', `${name}.json`), 'utf8'),
  );
  expect(isSealed(receipt)).toBe(true);
  expect(receipt.seal.key).toBe(created.coordinatorKey);
  const text = readFileSync(join(home, 'receipts', `${name}.txt`), 'utf8');
  expect(text).toContain(receipt.digest);
  const lines = readFileSync(join(home, 'ledger.jsonl'), 'utf8').trimEnd().split('\n');
  const { bytes, sequence, mode } = receipt;
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { site, study: digest, digest: receipt.digest, bytes, sequence, mode, at: receipt.receivedAt },
  ]);
  return receipt;
}

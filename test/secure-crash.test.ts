import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { verifyAuditLog } from '../src/protocol/audit-chain.ts';
import { type StudyClient, studyClient } from '../src/protocol/client.ts';
import { helperClient } from '../src/protocol/helper-client.ts';
import { type Link, parseLink } from '../src/protocol/link.ts';
import { type Chance, chanceOfTest } from './chance.ts';
import { suffice, temporaryFolder } from './cli.ts';
import {
  type CoordinatorProcess,
  coordinatorHome,
  stablePort,
  startCoordinator,
} from './coordinator-process.ts';
import { enduring } from './endurance.ts';
import { penguins } from './secure-setting.ts';
import { hasContributed, startSuffice } from './site-process.ts';
import { eachStore, type StorePlace } from './stores.ts';

/** Studies, each with its own kills. `npm run endure` has all of them, on both stores, and kills the sites too. */
const ROUNDS = enduring ? 30 : 1;
const KILLS = enduring ? 4 : 2;
const PAUSE_MS = 700;
const SELDOM = { interval: 200 };
const islands = ['biscoe', 'dream', 'torgersen'];
const root = temporaryFolder();

/** A server that can be killed and started again on the same port and store. */
class Server {
  readonly address: string;
  readonly #start: () => CoordinatorProcess;
  #process: CoordinatorProcess;

  constructor(start: () => CoordinatorProcess) {
    this.#start = start;
    this.#process = start();
    this.address = this.#process.address;
  }

  ready(): Promise<void> {
    return this.#process.ready;
  }

  async kill(): Promise<void> {
    await this.#process.kill();
  }

  async restart(): Promise<void> {
    await this.kill();
    this.#process = this.#start();
  }
}

interface Setting {
  readonly folder: string;
  readonly coordinator: Server;
  readonly helper: Server;
  readonly token: string;
  home(site: string): string;
}

async function settingOn(place: () => Promise<StorePlace>): Promise<Setting> {
  const folder = mkdtempSync(join(root, 'crash-'));
  const own = coordinatorHome(await place());
  const others = coordinatorHome(await place());
  const ports = [await stablePort(), await stablePort()];
  const coordinator = new Server(() => startCoordinator(own, ports[0]));
  const helper = new Server(() => startCoordinator(others, ports[1], ['helper', 'serve']));
  await Promise.all([coordinator.ready(), helper.ready()]);
  const home = (site: string) => join(folder, `home-${site}`);
  const lines: string[] = [];
  for (const site of islands) {
    mkdirSync(home(site));
    lines.push(`${site} ${(await suffice('key', '--home', home(site))).stdout.trim()}`);
  }
  writeFileSync(join(folder, 'roster.txt'), lines.join('\n'));
  return { folder, coordinator, helper, token: own.operatorToken, home };
}

async function command(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await suffice(...args);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

/** A new secure study on the coordinator: its links, its digest and a client of its analyst. */
async function newStudy({ folder, coordinator, helper, token }: Setting, round: number) {
  const plain = JSON.parse(readFileSync(penguins('study.json'), 'utf8'));
  const named = join(folder, `named-${round}.json`);
  writeFileSync(named, JSON.stringify({ ...plain, name: `round ${round}` }));
  const study = join(folder, `study-${round}.json`);
  const links = join(folder, `links-${round}`);
  await command(
    ...['study', 'secure', named, '--helper', helper.address, '--minimum-sites', '3'],
    ...['--roster', join(folder, 'roster.txt'), '--out', study],
  );
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, token, { mode: 0o600 });
  await command(
    ...['study', 'create', study, '--coordinator', coordinator.address, '--out', links],
    ...['--token-file', tokenFile],
  );
  const digest = (await command('study', 'digest', study)).trim();
  const client = studyClient(
    parseLink(readFileSync(join(links, 'admin.link'), 'utf8').trim()) as Link,
    {
      retryFor: 20_000,
    },
  );
  return { links, digest, client };
}

/** The command of a site. Each study has a copy of its key, with an empty ledger. */
function joinOf({ home }: Setting, links: string, site: string): string[] {
  const own = join(links, `home-${site}`);
  cpSync(home(site), own, { recursive: true });
  return [
    ...['join', join(links, `${site}.invitation`), penguins(`${site}.csv`)],
    ...['--yes', '--quiet', '--acknowledge', 'R6,R7', '--home', own],
  ];
}

/** Runs a site until it is done. In `npm run endure` its first processes are killed on their way. */
async function site(args: readonly string[], luck: Chance): Promise<void> {
  for (let kills = enduring ? luck.below(3) : 0; kills > 0; kills--) {
    const { child, outcome } = startSuffice(args);
    await luck.pause(2 * PAUSE_MS);
    child.kill('SIGKILL');
    await outcome;
  }
  for (let tries = 0; ; tries++) {
    const outcome = enduring ? await startSuffice(args).outcome : await suffice(...args);
    if (hasContributed(outcome)) return;
    if (tries === 5) throw new Error(`${args[1]}: ${outcome.stderr}`);
  }
}

/** The study resolves, once, to the model of the rows, and the helper has answered for one set. */
async function expectResolved(
  { helper }: Setting,
  client: StudyClient,
  digest: string,
  terms: unknown,
): Promise<void> {
  await expect.poll(async () => (await client.view()).state, SELDOM).toBe('resolved');
  const resolution = await client.resolution('latest');
  expect(resolution.number).toBe(1);
  expect(resolution.contributions.map(({ site, digests }) => [site, digests.length])).toEqual(
    islands.map((name) => [name, 1]),
  );
  expect(JSON.parse(JSON.stringify(resolution.report)).terms).toEqual(terms);
  const { statements } = await helperClient(helper.address).statements(digest);
  expect(statements.map(({ sites, contributions }) => ({ sites, contributions }))).toEqual([
    { sites: islands, contributions: 3 },
  ]);
  const log = await client.auditLog();
  expect(verifyAuditLog(log, { studyDigest: digest })).toMatchObject({ ok: true });
  const answered = log.entries.filter(({ event }) => event === 'helper-answered');
  expect(answered.map(({ detail }) => detail.set)).toEqual([statements[0].set]);
  expect(log.entries.map(({ event }) => event)).not.toContain('unusable');
}

eachStore(
  'a secure study whose parties are killed',
  (_, place) => {
    it(
      'resolves to the model of all rows, or says who must come back',
      async () => {
        const luck = chanceOfTest();
        const setting = await settingOn(place);
        const { coordinator, helper } = setting;
        const fit = await command(
          'fit',
          penguins('study.json'),
          ...islands.map((name) => penguins(`${name}.csv`)),
          '--json',
        );
        const { terms } = JSON.parse(fit);

        const started = Date.now();
        for (let round = 0; round < ROUNDS; round++) {
          const { links, digest, client } = await newStudy(setting, round);
          const joins = () =>
            Promise.all(islands.map((name) => site(joinOf(setting, links, name), luck)));
          if (round === 0) {
            // The helper is away for the whole time: the study names it, and waits.
            await helper.kill();
            await joins();
            await expect
              .poll(async () => (await client.view()).problem, SELDOM)
              .toBe(
                `cannot reach the helper at ${helper.address}: no server listens at this address`,
              );
            await coordinator.restart();
            await helper.restart();
          } else {
            const sending = joins();
            for (let kills = 0; kills < KILLS; kills++) {
              await luck.pause(PAUSE_MS);
              const victim = luck.pick([coordinator, helper]);
              await victim.restart();
              if (luck.below(4) > 0) await victim.ready();
            }
            await sending;
          }
          await expectResolved(setting, client, digest, terms);
          if (enduring)
            console.info(
              `round ${round + 1} of ${ROUNDS}, ${Math.round((Date.now() - started) / 1000)} s`,
            );
        }
      },
      enduring ? 3_600_000 : 300_000,
    );
  },
  enduring ? undefined : ['sqlite'],
);

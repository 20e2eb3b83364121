import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { combineFiles } from '../src/node/run/combine.ts';
import { fitStudy } from '../src/node/run/fit.ts';
import { silentProgress } from '../src/node/run/progress.ts';
import { joinStudy } from '../src/node/site/join-files.ts';
import { openSiteFolder, type SiteFolder } from '../src/node/site/site-folder.ts';
import { postStudy, studyClient } from '../src/protocol/client.ts';
import type { Link } from '../src/protocol/link.ts';
import type { SealedResolution } from '../src/protocol/messages.ts';
import { signContribution } from '../src/protocol/signed-contribution.ts';
import { encodeContribution } from '../src/statistic/envelope.ts';
import { digestBytes } from '../src/study/digest.ts';
import type { TableStudy } from '../src/study/study.ts';
import { plainInk } from '../src/text/text-table.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { cases } from './endurance.ts';
import { agreement, contribution } from './linear.ts';
import type { Received } from './local-server.ts';
import { PATIENCE_MS } from './patience.ts';
import { servedStudy } from './served-study.ts';
import { anyFormula, anyTable, everyRow, studyOf, summaryOf, type Table } from './tables.ts';
import { watchingProxy } from './watching-proxy.ts';

const folder = temporaryFolder();

/** The given rows of a table as CSV, every number with all its digits. */
function csv({ codebook, cells }: Table, rows: readonly number[]): string {
  const names = Object.keys(codebook);
  const spell = (name: string, value: number) => {
    if (Number.isNaN(value)) return 'NA';
    const column = codebook[name];
    return column.type === 'category' ? column.levels[value] : String(value);
  };
  const lines = rows.map((r) => names.map((name) => spell(name, cells[name][r])).join());
  return `${[names.join(), ...lines].join('\n')}\n`;
}

const silent = {
  ink: plainInk,
  watch: () => silentProgress,
  show: () => {},
  notice: () => {},
  failure: () => {},
  explain: () => {},
  refuseUnattended: () => {},
  approve: async () => true,
};

function bodyOf({ headers, body }: Received): Uint8Array {
  return new Uint8Array(headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);
}

async function resolved(link: Link): Promise<SealedResolution | string> {
  const client = studyClient(link);
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; ) {
    const { state, problem } = await client.view();
    if (state === 'resolved') return client.resolution('latest');
    if (state === 'closed' && problem !== undefined) return problem;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('neither resolved nor a reason why not');
}

const choices = fc.constantFrom<Partial<TableStudy>>(
  { grid: 22 },
  { grid: 44 },
  { grid: 66 },
  { arithmetic: 'compact' },
  { grid: 44, weights: 'w' },
);

describe('the same rows and key give the same bytes', () => {
  it('over HTTP, offline and in one process; and one total', async () => {
    // One site, so that each study closes and resolves by itself.
    const running = await servedStudy(join(folder, 'served'), trivial, ['only']);
    const proxy = await watchingProxy(running.served.address);
    const operator = readFileSync(running.served.operatorTokenFile!, 'utf8').trim();
    const homePath = join(folder, 'home');
    const home = await openSiteFolder(homePath);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(anyTable(60), anyFormula, choices, async (table, formula, choice) => {
        const name = `run ${++run}`;
        const study: TableStudy = { ...trivial, ...studyOf(table, formula, choice), name };
        const agreed = agreement(study);
        const summary = summaryOf(agreed, table, everyRow(table));
        fc.pre(summary.rows > 0);
        const key = await home.key();
        const expected = encodeContribution(
          signContribution(contribution(agreed, 'north', summary), key),
        );
        const path = join(folder, 'rows.csv');
        writeFileSync(path, csv(table, everyRow(table)));

        const { id, coordinatorKey, invitations } = await postStudy(
          running.served.address,
          operator,
          { study, sites: ['north'] },
        );
        const [{ token }] = invitations;
        const place = { coordinator: proxy.address, study: id, coordinatorKey };
        const link: Link = { ...place, purpose: 'join', token };
        const { receipt } = await joinStudy({ link, path, missing: 'drop' }, home, silent);
        const sent = proxy.received.filter(({ path }) => path === `/studies/${id}/contributions`);
        expect(sent.map(bodyOf)).toEqual([expected]);
        expect(receipt.digest).toBe(digestBytes(expected));

        const offline = await offlineFile(study, path, home);
        expect(new Uint8Array(readFileSync(offline))).toEqual(expected);

        const [combined, fitted, answer] = await Promise.all([
          combineFiles(study, [offline], 'required').catch(String),
          fitStudy(study, [path], () => silentProgress).catch(String),
          resolved(link),
        ]);
        const digests = [combined, fitted, answer].map((one) =>
          typeof one === 'string' ? 'unsolved' : one.report.digest,
        );
        expect(new Set(digests).size).toBe(1);
      }),
      { numRuns: cases(8, 1 / 2), endOnFailure: true },
    );
  });

  it('of every site; and serve, combine and fit agree on the model', async () => {
    const islands = ['biscoe', 'dream', 'torgersen'];
    const paths = islands.map((name) => `examples/penguins/${name}.csv`);
    const running = await servedStudy(join(folder, 'islands'), penguins, islands);
    const proxy = await watchingProxy(running.served.address);
    const offline: string[] = [];
    for (const [k, site] of islands.entries()) {
      const home = await openSiteFolder(join(folder, site));
      const link = running.link(site, proxy.address);
      await joinStudy({ link, path: paths[k], missing: 'drop' }, home, silent);
      offline.push(await offlineFile(penguins, paths[k], home, site));
    }
    const sent = proxy.received.filter(({ method }) => method === 'POST').map(bodyOf);
    expect(sent).toEqual(offline.map((path) => new Uint8Array(readFileSync(path))));
    const combined = await suffice('combine', studyFile(penguins), ...offline, '--json');
    expect([combined.code, combined.stderr]).toEqual([0, '']);
    const { report } = await fitStudy(penguins, paths, () => silentProgress);
    const answer = await resolved(running.link('dream'));
    // Who may compare the sites also reads whether they disagree.
    const { disagreement, ...common } = JSON.parse(combined.stdout);
    expect(common).toEqual((answer as SealedResolution).report);
    expect(disagreement).toEqual(report.disagreement);
    expect(common.digest).toBe(report.digest);
  });
});

const trivial: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'y ~ 1',
  codebook: { y: { type: 'number', range: [0, 1] } },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
  disclosure: { profile: 'none' },
};

const penguins: TableStudy = {
  ...trivial,
  formula: 'body_mass ~ flipper_length + sex + species',
  codebook: {
    body_mass: { type: 'number', unit: 'g', range: [2000, 7000] },
    flipper_length: { type: 'number', unit: 'mm', range: [150, 250] },
    sex: { type: 'category', levels: ['female', 'male'] },
    species: { type: 'category', levels: ['Adelie', 'Chinstrap', 'Gentoo'] },
  },
};

function studyFile(study: TableStudy): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'study.json');
  writeFileSync(path, JSON.stringify(study));
  return path;
}

/** What the built command writes for a site; gives the path. */
async function offlineFile(
  study: TableStudy,
  path: string,
  home: SiteFolder,
  site = 'north',
): Promise<string> {
  const out = join(folder, `${site}.suffice`);
  const flags = ['--out', out, '--force', '--site', site, '--home', home.folder, '--quiet'];
  const rulesOff = ['--acknowledge', 'none'];
  const args = [studyFile(study), path, ...flags, ...rulesOff];
  const { code, stderr } = await suffice('contribute', ...args);
  expect([code, stderr]).toEqual([0, '']);
  return out;
}

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conclude } from '../src/conclude.ts';
import { newToken } from '../src/coordinator/access.ts';
import { createCoordinator } from '../src/coordinator/create-coordinator.ts';
import { createApp } from '../src/coordinator/http/app.ts';
import type { Store } from '../src/coordinator/store.ts';
import { contribution, readContribution } from '../src/federate.ts';
import { type Report, reportJson } from '../src/model/report.ts';
import { nodeHost } from '../src/node/compute/host.ts';
import { combineFiles } from '../src/node/run/combine.ts';
import { fitFiles, fitStudy } from '../src/node/run/fit.ts';
import { silentProgress } from '../src/node/run/progress.ts';
import { noiseForTotal } from '../src/node/site/published-totals.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import type { Problem, StudyCreated } from '../src/protocol/messages.ts';
import { Refusal } from '../src/protocol/refusal.ts';
import { createSigningKey, type SigningKey } from '../src/protocol/signature.ts';
import { signContribution } from '../src/protocol/signed-contribution.ts';
import { columnsToRead } from '../src/rows/read-rows.ts';
import { reduceRows } from '../src/rows/reduce-job.ts';
import { openSource } from '../src/rows/sources.ts';
import {
  type ContributionNumbering,
  encodeContribution,
  firstNumbering,
} from '../src/statistic/envelope.ts';
import { digestBytes } from '../src/study/digest.ts';
import type { Study, TableStudy } from '../src/study/study.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { fittingOffer } from './coordinator-study.ts';
import { jsonOf, request } from './http-study.ts';
import { agreement, collect } from './linear.ts';

const root = temporaryFolder();
const operator = newToken('operator');
const watch = () => silentProgress;

let store: Store;
beforeAll(async () => {
  store = await openSqliteStore(join(root, 'store.db'));
});
afterAll(() => store.close());

const base: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'y ~ x + z',
  codebook: {
    y: { type: 'number', range: [-20, 60] },
    x: { type: 'number', range: [0, 13] },
    z: { type: 'number', range: [0, 45] },
    b: { type: 'number', range: [0, 1] },
  },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
};

/** Lines of a table, one of them with a missing cell. */
const lines = Array.from({ length: 150 }, (_, r) => {
  const x = ((r * 104_729) % 97) / 8;
  const z = ((r * 1_299_709) % 89) / 2;
  const noise = ((r * 7919) % 101) / 10 - 5;
  return [2 * x - z / 4 + noise, r === 17 ? 'NA' : x, z, x + noise > 6 ? 1 : 0].join(',');
});

let folders = 0;

/** A CSV file of these lines, which is a site's. */
function written(site: string, from: number, to: number): string {
  const folder = join(root, `rows-${++folders}`);
  mkdirSync(folder);
  const path = join(folder, `${site}.csv`);
  writeFileSync(path, `${['y,x,z,b', ...lines.slice(from, to)].join('\n')}\n`);
  return path;
}

/** A signed contribution of a file, as `suffice contribute` writes it. */
async function contributed(
  study: Study,
  site: string,
  csv: string,
  key: SigningKey,
  turn: ContributionNumbering = firstNumbering,
): Promise<string> {
  const agreed = agreement(study);
  const { wholeFile } = agreed.method;
  const source = await openSource(nodeHost, { path: csv }, columnsToRead(agreed));
  const job = { kind: 'reduce', study, source, missing: 'drop', wholeFile } as const;
  const { sites } = await reduceRows({ ...job, site: { name: site } }, nodeHost, () => {});
  const made = contribution(agreed, site, sites[0].summary, turn);
  const path = join(root, `${site}-${++folders}.suffice`);
  writeFileSync(path, encodeContribution(signContribution(made, key)));
  return path;
}

/** Contributions of a site in order of their numbers. */
interface Sending {
  readonly site: string;
  readonly key: SigningKey;
  readonly files: readonly string[];
}

/** A study on a coordinator behind its app, to which these files were sent. */
async function coordinated(study: Study, sendings: readonly Sending[]) {
  const coordinator = await createCoordinator({ store, operatorToken: operator });
  const app = createApp(coordinator, { rateLimits: 'off' });
  const ask = (...asking: Parameters<typeof request>) => app.fetch(request(...asking));
  const sites = [...sendings.map(({ site }) => site), 'never']; // who never sends keeps it collecting
  const created = await jsonOf<StudyCreated>(
    ask('POST', '/studies', { token: operator, json: { study, sites } }),
  );
  const { id, adminToken: token } = created;
  for (const { site, key, files } of sendings) {
    const caller = { role: 'site', study: id, site } as const;
    await coordinator.offer(caller, id, fittingOffer(agreement(study), key));
    for (const file of files) await coordinator.contribute(caller, id, readFileSync(file));
  }
  await coordinator.close({ role: 'operator' }, id);
  const resolutions = `/studies/${id}/resolutions`;
  const resolved = () => ask('POST', resolutions, { token, json: { includeLate: false } });
  const known = () => ask('GET', resolutions, { token });
  return { coordinator, id, resolved, known };
}

/** Sends each file as a site of its own. */
async function sentBy(study: Study, paths: Readonly<Record<string, string>>): Promise<Sending[]> {
  const sendings: Sending[] = [];
  for (const [site, csv] of Object.entries(paths)) {
    const key = createSigningKey();
    sendings.push({ site, key, files: [await contributed(study, site, csv, key)] });
  }
  return sendings;
}

async function coordinatorReport(study: Study, sendings: readonly Sending[]): Promise<Report> {
  const { resolved } = await coordinated(study, sendings);
  return (await jsonOf<{ readonly report: Report }>(resolved())).report;
}

const combined = (study: Study, sendings: readonly Sending[], home = join(root, 'home')) =>
  combineFiles(
    study,
    sendings.flatMap(({ files }) => files),
    'required',
    { questions: [] },
    home,
  );

/** What a promise was refused with. */
async function refusalOf(promise: Promise<unknown>): Promise<Refusal> {
  const failure = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure instanceof Refusal) return failure;
  throw new Error('it was not refused', { cause: failure });
}

/** A report as its JSON says it, without what only the analyst is told. */
function publicReport(report: Report): unknown {
  const { flags: _, disagreement: __, ...rest } = JSON.parse(reportJson(report)) as Report;
  return rest;
}

describe('ten rows, which R2 does not let out', () => {
  const study: TableStudy = { ...base, name: 'ten rows' };
  const csv = { east: written('east', 0, 5), west: written('west', 5, 10) };
  const paths = Object.values(csv);
  const studyPath = join(root, 'ten.json');
  writeFileSync(studyPath, JSON.stringify(study));

  it('are refused by fit, combine and the coordinator in the same words', async () => {
    const sendings = await sentBy(study, csv);
    const byFit = await refusalOf(fitStudy(study, paths, watch, { threads: 1 }));
    const byCombine = await refusalOf(combined(study, sendings));
    const { coordinator, id, resolved, known } = await coordinated(study, sendings);
    const answer = await resolved();
    const { problem, remedy } = await jsonOf<Problem>(answer);
    expect(byFit.message).toMatch(/^the total does not pass the disclosure rules: .*R2 \(/);
    expect(byCombine.message).toBe(byFit.message);
    expect(byCombine.remedy).toBe(byFit.remedy);
    expect([answer.status, problem, remedy]).toEqual([409, byFit.message, byFit.remedy]);
    expect((await coordinator.view({ role: 'operator' }, id)).problem).toBe(byFit.message);
    expect(await jsonOf(known())).toMatchObject({ resolutions: [] });
    const held = store.db.selectFrom('resolutions').selectAll().where('study', '=', id);
    expect(await held.execute()).toEqual([]);
  });

  it('are refused by the commands with exit code 5, and nothing is printed or saved', async () => {
    const sendings = await sentBy(study, csv);
    const model = join(root, 'ten-model.json');
    const fit = await suffice('fit', studyPath, ...paths, '--json', '--save-model', model);
    const files = sendings.flatMap(({ files: own }) => own);
    const combine = await suffice('combine', studyPath, ...files, '--json');
    expect([fit.code, fit.stdout]).toEqual([5, '']);
    expect([combine.code, combine.stdout]).toEqual([5, '']);
    expect(fit.stderr).toContain('R2');
    expect(combine.stderr).toBe(fit.stderr);
    expect(existsSync(model)).toBe(false);
  });

  it('are their owner’s to look at: a formula over files has no disclosure rules', async () => {
    const { formula, codebook, fusion, arithmetic } = study;
    const asked = { formula, codebook, fusion, arithmetic, paths, threads: 1 };
    const reading = { missing: 'drop', decimal: '.', missingMarkers: [] } as const;
    const { report } = await fitFiles({ ...asked, ...reading }, watch);
    expect(report.n).toBe(10);
    const { code, stdout } = await suffice('fit', study.formula, ...paths, '--json');
    expect([code, JSON.parse(stdout).n]).toEqual([0, 10]);
  });
});

describe('one conclusion', () => {
  const csv = {
    east: written('east', 0, 40),
    north: written('north', 40, 90),
    west: written('west', 90, 150),
  };
  const exact: readonly (readonly [string, Partial<TableStudy>])[] = [
    ['least squares', {}],
    ['ridge by left-out sites', { fusion: { kind: 'ridge', ridge: 'leave-one-site-out' } }],
    ['clustered errors', { fusion: { kind: 'ridge', ridge: 0, errors: 'clustered' } }],
    ['logistic', { formula: 'b ~ x + z', fusion: { kind: 'glm', family: 'binomial' } }],
    ['average', { fusion: { kind: 'average', covariance: true } }],
    ['fesc', { fusion: { kind: 'fesc' } }],
  ];

  it.each(exact)('%s: fit, combine and the coordinator give one report', async (name, choices) => {
    const study: TableStudy = { ...base, ...choices, name };
    const sendings = await sentBy(study, csv);
    const fit = await fitStudy(study, Object.values(csv), watch, { threads: 1 });
    const combine = await combined(study, sendings.toReversed());
    const coordinator = await coordinatorReport(study, sendings);
    expect(coordinator.n).toBe(149);
    expect(coordinator).not.toHaveProperty('flags');
    expect(coordinator).not.toHaveProperty('disagreement');
    expect(publicReport(fit.report)).toEqual(publicReport(coordinator));
    expect(publicReport(combine.report)).toEqual(publicReport(coordinator));
    expect(fit.report.flags).toEqual(combine.report.flags);
    expect(fit.report.disagreement).toEqual(combine.report.disagreement);
  });

  const privacy = { epsilon: 8, delta: 1e-6, unit: 'row' } as const;

  it('private, noise at the sites: combine and the coordinator give one report', async () => {
    const study: TableStudy = {
      ...base,
      name: 'local',
      privacy: { ...privacy, placement: 'local' },
    };
    const sendings = await sentBy(study, csv);
    const { report } = await combined(study, sendings);
    expect(publicReport(report)).toEqual(publicReport(await coordinatorReport(study, sendings)));
  });

  it('private, noise on the total: the report of each is that of its keyed noise', async () => {
    const study: TableStudy = { ...base, name: 'central', privacy };
    const agreed = agreement(study);
    const sendings = await sentBy(study, csv);
    const files = sendings.flatMap(({ files: own }) => own.map((file) => readFileSync(file)));
    const sent = files.map((file) => {
      const decoded = readContribution(agreed, file);
      if ('refused' in decoded) throw new Error(decoded.refused);
      return decoded.contribution;
    });
    const home = join(root, 'home');
    const words = await noiseForTotal(
      agreed,
      files.map((file) => digestBytes(file)),
      home,
    );
    const sites = sendings.map(({ site }) => ({ name: site }));
    const found = conclude(agreed, collect(agreed, sent), {
      sites,
      random: words,
      audience: 'everyone',
    });
    if ('problem' in found) throw new Error(found.problem);
    const { report } = await combined(study, sendings, home);
    expect(publicReport(report)).toEqual(publicReport(found.report));
    const coordinator = await coordinatorReport(study, sendings);
    const fit = await fitStudy(study, Object.values(csv), watch, { threads: 1, force: true });
    for (const other of [coordinator, fit.report]) {
      expect(other.sites).toEqual(report.sites);
      expect(other.privacy?.sigma).toEqual(report.privacy?.sigma);
      expect(Object.keys(other)).toEqual(Object.keys(report));
      expect(other.digest).not.toBe(report.digest); // a noise of its own
    }
  });

  it('a contribution that replaces drops the same ones in combine and in the coordinator', async () => {
    const study: TableStudy = { ...base, name: 'replaced' };
    const key = createSigningKey();
    const turns = [
      [written('east', 0, 50), { sequence: 1, mode: 'add' }],
      [written('east', 50, 80), { sequence: 2, mode: 'replace' }],
      [written('east', 80, 100), { sequence: 3, mode: 'add' }],
    ] as const;
    const files: string[] = [];
    for (const [path, turn] of turns) files.push(await contributed(study, 'east', path, key, turn));
    const [other] = await sentBy(study, { west: written('west', 100, 150) });
    const sendings = [{ site: 'east', key, files }, other];
    const { report } = await combined(study, [
      other,
      { site: 'east', key, files: files.toReversed() },
    ]);
    expect(publicReport(report)).toEqual(publicReport(await coordinatorReport(study, sendings)));
    const pooled = { east: written('east', 50, 100), west: written('west', 100, 150) };
    const fit = await fitStudy(study, Object.values(pooled), watch, { threads: 1 });
    expect(publicReport(fit.report)).toEqual(publicReport(report));
    expect(report.n).toBe(100);
  });
});

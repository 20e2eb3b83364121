import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { audit } from '../src/disclosure/audit.ts';
import { thresholdsOf } from '../src/disclosure/profile.ts';
import { agreement, nextRound, reduction } from '../src/federate.ts';
import type { Report } from '../src/model/report.ts';
import { keptTraining, keptTrainingText } from '../src/network/kept-training.ts';
import { membershipOf } from '../src/network/membership.ts';
import type { KeptTraining, TrainingProgress } from '../src/network/training-progress.ts';
import { fitStudy } from '../src/node/run/fit.ts';
import { openSiteFolder } from '../src/node/site/site-folder.ts';
import { trainingKeeper } from '../src/site/training-keeper.ts';
import type { Summary } from '../src/statistic/cross-product.ts';
import type { Study } from '../src/study/study.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { contributionsTo, reportOn, rows, studyOver } from './fusion-rows.ts';
import { servedStudy } from './served-study.ts';
import { startSuffice } from './site-process.ts';

const folder = temporaryFolder();
for (const part of ['plain', 'packed']) mkdirSync(join(folder, part));
const example = (site: string) =>
  fileURLToPath(new URL(`../examples/digits/${site}-images.idx3-ubyte`, import.meta.url));
const sites = ['north', 'middle', 'south'] as const;
const classes = Array.from({ length: 10 }, (_, k) => String(k));
const layers = [{ kind: 'dense', units: 16 }, { kind: 'relu' }] as const;

/** The digits; classes with few rows at a site are public here, so the rules are off. */
const digits = (epochs: number): Study => ({
  schema: 'suffice/study@1',
  data: { kind: 'images', height: 8, width: 8, channels: 1, classes },
  fusion: { kind: 'fisher-diagonal', network: { layers }, training: { epochs } },
  arithmetic: 'exact',
  disclosure: { profile: 'none' },
});

const joined = (running: { invitation(site: string): string }, site: string) => [
  'join',
  running.invitation(site),
  example(site),
  ...['--yes', '--quiet', '--acknowledge', 'none', '--home', join(folder, `home-${site}`)],
];

/** The model and the total of a report. */
const modelOf = ({ digest, responses, network }: Report) => ({ digest, responses, network });

/** The file of an interrupted training in a site's folder, if there is one. */
function trainingFile(home: string): string | undefined {
  const [name] = existsSync(home)
    ? readdirSync(home).filter((one) => /^training-.*\.json$/.test(one))
    : [];
  return name === undefined ? undefined : join(home, name);
}

/** What a site has kept of its training, once it has kept anything. */
async function untilKept(home: string): Promise<KeptTraining> {
  return expect
    .poll(
      () => {
        const path = trainingFile(home);
        return path === undefined ? undefined : keptTraining(readFileSync(path, 'utf8'));
      },
      { interval: 10 },
    )
    .toBeDefined()
    .then(() => keptTraining(readFileSync(trainingFile(home)!, 'utf8'))!);
}

describe('networks of three sites over HTTP', () => {
  it('are those of one process; a killed site goes on; a site that leaves leaves the sums exact', async () => {
    const study = digits(200);
    const running = await servedStudy(join(folder, 'plain'), study, sites);
    for (const site of ['north', 'middle']) {
      const { code, stderr } = await suffice(...joined(running, site));
      expect([code, stderr]).toEqual([0, '']);
    }
    const args = joined(running, 'south');
    const first = startSuffice(args);
    const home = join(folder, 'home-south');
    const kept = await untilKept(home);
    first.child.kill('SIGKILL');
    await first.outcome;
    expect(kept.state.epoch).toBeGreaterThan(0);
    expect(kept.state.epoch).toBeLessThan(200);
    // Nothing of the killed site has reached the coordinator.
    const before = await running.admin.view();
    expect([
      before.state,
      before.sites.filter(({ state }) => state === 'contributed').length,
    ]).toEqual(['collecting', 2]);
    const { code } = await suffice(...args);
    expect([code, trainingFile(home)]).toEqual([0, undefined]);
    const whole = await fitStudy(study, sites.map(example));
    await expect.poll(async () => (await running.admin.view()).state).toBe('resolved');
    const { report } = await running.admin.resolution('latest');
    expect(modelOf(report)).toEqual(modelOf(whole.report));

    const middle = await openSiteFolder(join(folder, 'home-middle'));
    await middle.keepTraining?.(agreement(study).digest, 'middle', keptTrainingText(kept));
    const file = trainingFile(join(folder, 'home-middle'))!;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const left = await suffice(
      ...['withdraw', running.invitation('middle'), '--yes'],
      ...['--home', join(folder, 'home-middle')],
    );
    expect([left.code, existsSync(file)]).toEqual([0, false]);
    const rest = await fitStudy(study, [example('north'), example('south')]);
    await expect
      .poll(async () => (await running.admin.resolution('latest')).report.digest)
      .toBe(rest.report.digest);
  });
});

describe('compressed networks', () => {
  it('reach the coordinator packed, and give the model of one process', async () => {
    const study: Study = {
      ...digits(3),
      fusion: {
        kind: 'fisher-kfac',
        network: { layers },
        training: { epochs: 3 },
        compression: { bits: 11, factorBits: 7, rank: 4 },
      },
    };
    const two = ['north', 'middle'];
    const packed = await servedStudy(join(folder, 'packed'), study, two);
    for (const site of two) expect((await suffice(...joined(packed, site))).code).toBe(0);
    await expect.poll(async () => (await packed.admin.view()).state).toBe('resolved');
    const { report } = await packed.admin.resolution('latest');
    const whole = await fitStudy(study, two.map(example));
    expect(modelOf(report)).toEqual(modelOf(whole.report));
  });
});

const trained = {
  network: { layers: [{ kind: 'dense', units: 4 }, { kind: 'relu' }] },
  training: { epochs: 6, batch: 8 },
} as const;
const small = studyOver({ formula: 'g ~ x + z', fusion: { kind: 'network-average', ...trained } });

/** A site's reduction of rows that the laws use, with an eye on its training. */
function reducedWith(
  resume: KeptTraining | undefined,
  own = Array.from({ length: 60 }, (_, r) => r),
): { readonly heard: TrainingProgress[]; readonly summary: Summary } {
  const agreed = agreement(small);
  const heard: TrainingProgress[] = [];
  const site = reduction(agreed, {
    file: 'site.csv',
    missing: 'drop',
    training: { progress: (training) => heard.push(training), ...(resume && { resume }) },
  });
  const columns = agreed.columns.map(({ name }) =>
    Float64Array.from(own, (r) => rows.cells[name][r]),
  );
  site.add({ rows: own.length, columns }, (r) => r + 1);
  return { heard, summary: site.finish() };
}

describe('a training that was interrupted', () => {
  const whole = reducedWith(undefined);
  const { kept } = whole.heard[3];

  it('goes on from what was kept, and ends with the same bits', () => {
    const again = reducedWith(keptTraining(keptTrainingText(kept!)));
    expect(again.heard.map(({ epoch }) => epoch)).toEqual([5, 6]);
    expect(again.summary.statistic).toEqual(whole.summary.statistic);
  });

  it('starts anew where the rows are others, or what was kept is broken', () => {
    const others = reducedWith(
      kept,
      Array.from({ length: 60 }, (_, r) => r + 40),
    );
    expect(others.heard.map(({ epoch }) => epoch)).toEqual([1, 2, 3, 4, 5, 6]);
    const text = keptTrainingText(kept!);
    for (const broken of ['', '{}', text.slice(0, -9), text.replace('training@1', 'training@2')]) {
      expect(keptTraining(broken)).toBeUndefined();
    }
  });
});

describe('the state of a training', () => {
  const { kept } = reducedWith(undefined).heard[3];
  const { state } = kept!;

  it.each([
    ['the memory of another optimiser', { memory: [] }],
    ['too few weights', { weights: state.weights.subarray(1) }],
    ['a weight that is no number', { weights: state.weights.map(() => Number.NaN) }],
    ['a row that is not there', { row: 60 }],
    ['more epochs than the study has', { epoch: 7 }],
    ['no epoch', { epoch: Number.NaN }],
  ])('is not used with %s', (_, damage) => {
    const again = reducedWith({ of: kept!.of, state: { ...state, ...damage } });
    expect(again.heard.map(({ epoch }) => epoch)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('may be unreadable, and the disk full: the training goes on', async () => {
    const fails = () => Promise.reject(new Error('no space left'));
    const keeper = await trainingKeeper({ training: fails, keepTraining: fails }, 'study', 'site');
    expect(keeper.resume).toBeUndefined();
    keeper.hear({ epoch: 1, epochs: 6, loss: 1, kept: kept! });
    await keeper.stored();
  });
});

describe('rounds of networks', () => {
  it('go on from the fused network, and end with an exact last layer', () => {
    const planned = studyOver({
      formula: 'g ~ x + z',
      fusion: { kind: 'regmean', ...trained, rounds: 2, head: 'ridge' },
    });
    const next = (study: Study) => {
      const agreed = agreement(study);
      const made = nextRound(study, reportOn(agreed, contributionsTo(agreed)));
      if ('problem' in made) throw new Error(made.problem);
      return made;
    };
    expect(agreement(planned).method.rounds?.planned).toBe(2);
    const second = next(planned);
    expect(second.fusion).toMatchObject({ kind: 'regmean', at: expect.any(String), head: 'ridge' });
    expect(agreement(second).method.start?.decides).toBe('training');
    const last = next(second);
    expect(last.fusion).toEqual({ kind: 'ridge', ridge: 'gcv' });
    const report = reportOn(agreement(last), contributionsTo(agreement(last)));
    expect(report.ridge?.rule).toBe('gcv');
    expect(report.network?.dimension).toBe(4);
  });
});

describe('the audit of a network', () => {
  const standard = thresholdsOf(undefined);
  if (standard === 'none') throw new Error('there are rules by default');
  const judged = (network: Parameters<typeof audit>[0] extends infer Input ? Input : never) =>
    audit(network, standard).rules.flatMap(({ rule, outcome, verdicts }) =>
      verdicts.length > 0 || outcome === 'not-judged' ? [`${rule} ${outcome}`] : [],
    );
  const losses = (from: number, count: number) =>
    Float64Array.from({ length: count }, (_, k) => from + k / count);

  it('refuses small classes and many columns, and warns of what is remembered or made up', () => {
    const facts = { trained: 500, classes: [250, 250] };
    const quiet = membershipOf(losses(0, 500), losses(0, 100));
    expect(quiet.advantage).toBeLessThan(0.02);
    const input = { madeUp: false, classes: ['a', 'b'] };
    const of = (more: object, other: object = {}) =>
      judged({ rows: 500, network: { facts: { ...facts, ...more }, ...input, ...other } });
    expect(of({ membership: quiet })).toEqual([]);
    expect(of({})).toEqual(['R6 not-judged']);
    expect(of({ membership: quiet, classes: [498, 2] })).toEqual(['R3 block']);
    expect(of({ membership: quiet }, { products: 400 })).toEqual(['R1 block']);
    expect(of({ membership: quiet }, { madeUp: true })).toEqual(['R6 warn']);
    const some = membershipOf(losses(0, 500), losses(0.4, 100));
    expect(some.advantage).toBeCloseTo(0.4, 1);
    expect(of({ membership: some })).toEqual(['R6 warn']);
    expect(of({ membership: membershipOf(losses(0, 500), losses(2, 100)) })).toEqual(['R6 block']);
  });
});

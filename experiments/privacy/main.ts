import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { enableRelaxedSimd } from '../../src/node/compute/relaxed-simd.ts';
import { paperSetting } from '../data/generator.ts';
import {
  type Contestant,
  fedAverages,
  hybrids,
  labels,
  local,
  oneShotContestant,
  printed,
  untunedPlan,
} from './contestants.ts';
import { missedGoals } from './goals.ts';
import { markdown } from './markdown.ts';
import { delta, epsilons } from './paper.ts';
import type { Results, SettingResult } from './results.ts';
import { type Contest, runContest } from './run.ts';
import { prepare } from './trial.ts';
import { planFrom, tuneOnTest } from './tune.ts';

enableRelaxedSimd();

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '20' }, quick: { type: 'boolean', default: false } },
});
const most = values.quick ? 2 : Number(values.seeds);
if (!(Number.isInteger(most) && most >= 2)) {
  throw new RangeError(`--seeds must be a whole number from 2 on: ${values.seeds}`);
}
const seedsTo = (count: number) => Array.from({ length: Math.min(most, count) }, (_, k) => k + 1);

const begun = performance.now();
const elapsed = () => (performance.now() - begun) / 1000;
const progress = (text: string) =>
  process.stderr.write(`${elapsed().toFixed(0).padStart(4)} s  ${text}\n`);

/** Seeds whose test rows are used to tune DP-FedAvg's plan. */
const tuningSeeds = [1, 2];

function paperResult(): SettingResult {
  const honest: Contestant[] = [oneShotContestant, local, labels, hybrids([1, 4]), printed];
  const paper = { name: 'paper', setting: paperSetting, seeds: seedsTo(Number.POSITIVE_INFINITY) };
  const untuned = fedAverages('', untunedPlan);
  if (values.quick)
    return runContest({ ...paper, contestants: [...honest, untuned] }, epsilons, progress);
  const trials = tuningSeeds.map((seed) => prepare(paperSetting, seed));
  const tunedPlans = tuneOnTest(trials, epsilons, progress);
  const tuned = fedAverages('-tuned', planFrom(tunedPlans));
  const contestants = [...honest, untuned, tuned];
  return { ...runContest({ ...paper, contestants }, epsilons, progress), tunedPlans };
}

/** Settings in which one-shot becomes useful: fewer columns, or more rows. */
const further: readonly Contest[] = [
  {
    name: 'n=8,000 d=20',
    setting: { ...paperSetting, features: 20 },
    seeds: seedsTo(10),
    contestants: [oneShotContestant, local, hybrids([4])],
  },
  {
    name: 'n=80,000 d=100',
    setting: { ...paperSetting, trainRows: 4000, testRows: 500 },
    seeds: seedsTo(3),
    contestants: [oneShotContestant, local, hybrids([4])],
  },
  {
    name: 'n=800,000 d=100',
    setting: { ...paperSetting, sites: 16, trainRows: 50_000, testRows: 2500 },
    seeds: seedsTo(3),
    contestants: [oneShotContestant, local],
  },
];

const settings = [
  paperResult(),
  ...(values.quick ? [] : further.map((contest) => runContest(contest, epsilons, progress))),
];

const version = (file: string): string =>
  JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')).version;
const results: Results = {
  schema: 'suffice/experiment-privacy@1',
  date: new Date().toISOString().slice(0, 10),
  machine: `${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores, ${(totalmem() / 1e9).toFixed(0)} GB`,
  versions: { suffice: version('../../package.json'), node: process.versions.node },
  seconds: Math.round(elapsed()),
  cpuSeconds: Math.round(process.cpuUsage().user / 1e6),
  delta,
  epsilons,
  settings,
};
process.stdout.write(`${markdown(results)}\n`);
const missed = missedGoals(results);
if (values.quick || most !== 20) {
  progress('not the full run: experiments/results is left as it is');
} else {
  const folder = fileURLToPath(new URL('../results/', import.meta.url));
  writeFileSync(`${folder}privacy.json`, `${JSON.stringify(results, null, 1)}\n`);
  writeFileSync(`${folder}privacy.md`, markdown(results));
  progress(`written to ${folder}privacy.{json,md}; goals missed: ${missed.length}`);
  for (const { setting, method, epsilon, atMost, got } of missed) {
    progress(`  ${setting}, ${method}, ε = ${epsilon}: ${got.toPrecision(4)} > ${atMost}`);
  }
}

import { reproducibleKernels } from '../../src/numeric/kernels.ts';
import { type AffineRound, affineRounds, averageOf } from '../baselines/affine-rounds.ts';
import { baselineClient, type Client } from '../baselines/client.ts';
import type { ClientObjective } from '../baselines/local-steps.ts';
import { plainSeconds } from '../baselines/plain-seconds.ts';
import { drawSites, type GeneratorSetting, type Rows } from '../data/generator.ts';
import type { Experiment } from '../paper-result.ts';
import { pooled } from '../privacy/trial.ts';
import { ridgeStudy } from './exact.ts';
import { type RidgePlan, seedsOf, settingOf } from './plan.ts';
import { meanLossRidge, sharedRidge } from './readings.ts';
import { type SameBits, sameBits } from './same-bits.ts';
import type { ManyFound, ScaleFound } from './scale-statements.ts';
import { scaleResult } from './scale-tables.ts';
import { shuffled } from './shuffled.ts';
import { siteStream } from './site-stream.ts';
import { mseOf } from './test-loss.ts';
import { progressPart, type Work } from './work.ts';

/** Rounds of FedAvg: the table does not give them. */
const ROUNDS = 200;

/** Number of trials, small because of the size. */
const TRIALS = 2;

/** Clients that a round samples. */
const SAMPLED = 10;

/** Most sites whose held-out rows are used for testing; more rows would not fit in memory. */
const TESTED_SITES = 500;

/** Experiment 6: Table VI, Figure 5, and further on to 10,000 sites. */
export function* scalability(plan: RidgePlan): Experiment {
  const begun = performance.now();
  const seeds = seedsOf(plan, TRIALS);
  const bits = sameBits();
  const counts = [10, 20, 50, 100, 200, 500].filter((K) => !plan.quick || K <= 100);
  const many = plan.quick ? [200, 500] : [1000, 2000, 5000, 10_000];
  const setting = settingOf({ ...plan, rowsPerSite: 200 });
  const found: ScaleFound[][] = counts.map(() => []);
  for (const [t, seed] of seeds.entries()) {
    const span = [(0.6 * t) / seeds.length, (0.6 * (t + 1)) / seeds.length] as const;
    const what = `scalability: trial ${t + 1} of ${seeds.length}`;
    yield { done: span[0], what };
    const trial = yield* progressPart(span, what, trialOf(setting, seed, plan.ridge, counts, bits));
    for (const [i, one] of trial.entries()) found[i]!.push(one);
  }
  const small = { ...setting, features: Math.min(plan.features, MANY_FEATURES) };
  const manyFound = yield* progressPart(
    [0.6, 1],
    `scalability: ${many.at(-1)} sites, one by one`,
    manySites(small, plan.seed, plan.ridge, many, bits),
  );
  return scaleResult({
    plan,
    begun,
    rounds: ROUNDS,
    sampled: SAMPLED,
    counts,
    found,
    many: manyFound,
    features: small.features,
    bits: [bits.conclusion()],
  });
}

/** Number of features with thousands of sites: drawing the rows takes most of the time. */
const MANY_FEATURES = 50;

/** All numbers of sites in one pass: the first K sites of a seed do not depend on K. */
function* trialOf(
  setting: GeneratorSetting,
  seed: number,
  ridge: number,
  counts: readonly number[],
  bits: SameBits,
): Work<ScaleFound[]> {
  const most = counts.at(-1)!;
  const kernels = reproducibleKernels();
  const stream = siteStream(ridgeStudy(setting, ridge));
  const held: Rows[] = [];
  const clients: Client[] = [];
  const trained: Rows[] = [];
  const found: ScaleFound[] = [];
  for (const { train, test } of drawSites({ ...setting, sites: most }, seed)) {
    stream.add(train);
    held.push(test);
    trained.push(train);
    clients.push(baselineClient(kernels, train));
    const K = clients.length;
    if (counts.includes(K)) {
      const tested = pooled(held);
      const { weights, seconds } = stream.fused();
      const fused = { weights, mse: mseOf(tested, weights) };
      const central = stream.central();
      bits.compare(fused, { weights: central, mse: mseOf(tested, central) });
      const averages = yield* fedAverages(clients, ridge, seed, (K - 1) / most);
      found.push({
        fused: fused.mse,
        seconds,
        full: mseOf(tested, averages.full),
        meanLoss: mseOf(tested, averages.meanLoss),
        sampled: mseOf(tested, averages.sampled),
        tenth: mseOf(tested, averages.tenth),
        plain: plainSeconds(trained, ridge),
      });
    }
    if (K % 10 === 0) yield K / most;
  }
  return found;
}

/** FedAvg with all clients in every round, also with σ on the mean loss; with ten of them in each; and with a tenth. */
function* fedAverages(clients: readonly Client[], ridge: number, seed: number, done: number) {
  const shared = yield* roundsOf(clients, ridge, sharedRidge.objective, done);
  const heavier = yield* roundsOf(clients, ridge, meanLossRidge.objective, done);
  const start = new Float64Array(clients[0]!.moments.length);
  let [full, meanLoss, sampled, tenth] = [start, start, start, start];
  const tenthOf = Math.max(1, Math.round(clients.length / 10));
  for (let round = 1; round <= ROUNDS; round++) {
    const order = shuffled(clients.length, seed * 10_007 + round);
    const some = (count: number) => order.slice(0, count).map((k) => shared[k]!);
    full = averageOf(shared, full);
    meanLoss = averageOf(heavier, meanLoss);
    sampled = averageOf(some(SAMPLED), sampled);
    tenth = averageOf(some(tenthOf), tenth);
    if (round % 20 === 0) yield done;
  }
  return { full, meanLoss, sampled, tenth };
}

function* roundsOf(
  clients: readonly Client[],
  ridge: number,
  objective: ClientObjective,
  done: number,
): Work<AffineRound[]> {
  const rounds: AffineRound[] = [];
  for (const round of affineRounds(reproducibleKernels(), clients, ridge, { objective })) {
    rounds.push(round);
    if (rounds.length % 20 === 0) yield done;
  }
  return rounds;
}

function* manySites(
  setting: GeneratorSetting,
  seed: number,
  ridge: number,
  counts: readonly number[],
  bits: SameBits,
): Work<ManyFound[]> {
  const most = counts.at(-1)!;
  const stream = siteStream(ridgeStudy(setting, ridge));
  const held: Rows[] = [];
  const found: ManyFound[] = [];
  let K = 0;
  for (const { train, test } of drawSites({ ...setting, sites: most }, seed)) {
    stream.add(train);
    if (K < TESTED_SITES) held.push(test);
    K++;
    if (counts.includes(K)) {
      const tested = pooled(held);
      const { weights, seconds } = stream.fused();
      const fused = { weights, mse: mseOf(tested, weights) };
      const central = stream.central();
      bits.compare(fused, { weights: central, mse: mseOf(tested, central) });
      found.push({ sites: K, mse: fused.mse, seconds, held: stream.held() });
    }
    if (K % 20 === 0) yield K / most;
  }
  return found;
}

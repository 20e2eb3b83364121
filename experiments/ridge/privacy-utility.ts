import { normals } from '../../src/random/normals.ts';
import { scaledRows, shortSteps } from '../baselines/dp-fed-avg.ts';
import { dpFedAvgPrinted, dpFedAvgPrintedSteps } from '../baselines/dp-fed-avg-printed.ts';
import type { Rows } from '../data/generator.ts';
import type { Experiment } from '../paper-result.ts';
import { printedDeviation } from '../privacy/as-printed.ts';
import { averageModels, hybrids, oneShotContestant, printed } from '../privacy/contestants.ts';
import { noiseWords } from '../privacy/noise-words.ts';
import { delta, epsilons } from '../privacy/paper.ts';
import { type PrivacyTrial, prepare } from '../privacy/trial.ts';
import { meanCell } from './cells.ts';
import { clientsOneByOne, type Draw, drawnSiteBySite } from './draw.ts';
import { exactPair } from './exact-pair.ts';
import { type RidgePlan, seedsOf, settingOf } from './plan.ts';
import { type PrivateMethod, privacyResult } from './privacy-tables.ts';
import { sameBits } from './same-bits.ts';
import { mseOf } from './test-loss.ts';
import { progressPart, share, type Work } from './work.ts';

/** Rounds of DP-FedAvg. */
const ROUNDS = 100;

/** Indices of the methods’ noise streams: the same as in `npm run study:privacy`, so that a seed gives the same noise. */
const PLACES = {
  oneShot: 0,
  hybrid: 3,
  printed: 4,
  fedAvg: 5,
  fedAvgPrinted: 6,
  steps: 7,
} as const;

/** Experiment 5: Table V and Figure 4. */
export function* privacyUtility(plan: RidgePlan): Experiment {
  const begun = performance.now();
  const seeds = seedsOf(plan);
  const bits = sameBits();
  // One more column than budgets: without noise.
  const none = () => [...epsilons, Number.POSITIVE_INFINITY].map((): number[] => []);
  const found: Record<PrivateMethod, number[][]> = {
    oneShot: none(),
    hybrid: none(),
    fedAvg: none(),
    printedOneShot: none(),
    printedSteps: none(),
    printedRounds: none(),
  };
  const moved: number[] = [];
  const result = () => privacyResult(plan, begun, found, meanCell(moved), [bits.conclusion()]);
  for (const [t, seed] of seeds.entries()) {
    const at = (share: number) => (t + share) / seeds.length;
    const what = `privacy: trial ${t + 1} of ${seeds.length}`;
    yield { done: at(0), what };
    const draw = yield* progressPart(
      [at(0), at(0.05)],
      what,
      drawnSiteBySite(settingOf(plan), seed),
    );
    const pair = yield* progressPart([at(0.05), at(0.1)], what, exactPair(draw, plan.ridge));
    bits.compare(pair.fused, pair.central);
    moved.push(meanMove(draw.test));
    const add = (method: PrivateMethod, e: number, weights: Float64Array) =>
      found[method][e]!.push(mseOf(draw.test, weights));
    for (const method of ['oneShot', 'hybrid', 'printedOneShot'] as const) {
      add(method, epsilons.length, pair.fused.weights);
    }
    const trial = prepare(draw.setting, seed);
    yield* progressPart([at(0.2), at(1)], what, budgets(draw, trial, plan.ridge, add));
    yield { done: at(1), what, soFar: result() };
  }
  return result();
}

/** By how much a row of mean squared length moves the sums: G by aaᵀ and h by a·b. */
function meanMove({ count, features, response }: Rows): number {
  const square = (column: Float64Array) => column.reduce((sum, v) => sum + v * v, 0) / count;
  const length = features.reduce((sum, column) => sum + square(column), 0);
  return Math.sqrt(length * (length + square(response)));
}

/** Every method at every ε. */
function* budgets(
  draw: Draw,
  trial: PrivacyTrial,
  ridge: number,
  add: (method: PrivateMethod, e: number, weights: Float64Array) => void,
): Work<void> {
  const [once, steps, asPrinted] = [oneShotContestant(trial), hybrids([4])(trial), printed(trial)];
  const rows = scaledRows(trial.train());
  yield 0;
  const { clients } = yield* share(0, 0, clientsOneByOne(draw));
  const tau = printedDeviation(delta);
  const unprotected = { ridge, rounds: ROUNDS, deviation: 0 };
  const noiseless = dpFedAvgPrinted(clients, unprotected, () => 0);
  for (const method of ['fedAvg', 'printedRounds'] as const) {
    add(method, epsilons.length, noiseless);
  }
  yield 0;
  add(
    'printedSteps',
    epsilons.length,
    dpFedAvgPrintedSteps(clients, unprotected, () => 0),
  );
  yield 0;
  for (const [e, epsilon] of epsilons.entries()) {
    const random = (place: number) => noiseWords([trial.seed, e, place]);
    add('oneShot', e, once(epsilon, random(PLACES.oneShot)).cleaner!);
    yield (e + 0.3) / epsilons.length;
    add('hybrid', e, steps(epsilon, random(PLACES.hybrid))['hybrid-4']!);
    yield (e + 0.6) / epsilons.length;
    const central = { epsilon, placement: 'central', random: random(PLACES.fedAvg) } as const;
    add('fedAvg', e, averageModels(trial, rows, { ...shortSteps, rounds: ROUNDS }, central));
    yield (e + 0.8) / epsilons.length;
    add('printedOneShot', e, asPrinted(epsilon, random(PLACES.printed))['as-printed']!);
    const noise = { ridge, rounds: ROUNDS, deviation: tau / epsilon };
    const normal = normals(random(PLACES.fedAvgPrinted));
    add('printedRounds', e, dpFedAvgPrinted(clients, noise, normal));
    yield (e + 0.9) / epsilons.length;
    add('printedSteps', e, dpFedAvgPrintedSteps(clients, noise, normals(random(PLACES.steps))));
    yield (e + 1) / epsilons.length;
  }
}

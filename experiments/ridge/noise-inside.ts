import type { PlacementName } from '../../src/privacy/placement.ts';
import type { WordSource } from '../../src/random/words.ts';
import { wordsOf } from '../../src/statistic/layout.ts';
import { fractionBitsOf, packedIndex, predictorsOf } from '../../src/statistic/linear-layout.ts';
import { ringEntry } from '../../src/statistic/ring.ts';
import { type LinearStatistic, sumStatistics } from '../../src/statistic/statistic.ts';
import { scaledRows, shortSteps } from '../baselines/dp-fed-avg.ts';
import type { Experiment } from '../paper-result.ts';
import { averageModels } from '../privacy/contestants.ts';
import { noiseWords } from '../privacy/noise-words.ts';
import { hybrid, publishTotal, solved, termsOf } from '../privacy/one-shot.ts';
import { type PrivacyTrial, pooled, prepare, testError } from '../privacy/trial.ts';
import {
  type InsideMethod,
  type InsideTrials,
  insideResult,
  placements,
  strongEpsilons,
} from './noise-inside-tables.ts';
import { type RidgePlan, seedsOf, settingOf } from './plan.ts';
import { progressPart, type Work } from './work.ts';

/** Data sets for each trial of the plan: twenty where the paper's plan has five. */
const SETS_A_TRIAL = 4;

/** Where each method's noise comes from, by its place among the streams of a seed; 0 and 5 are those of experiment 5. */
const streams: Readonly<Record<InsideMethod, number>> = {
  central: 0,
  aggregators: 8,
  local: 9,
  hybrid: 10,
  'fedavg-central': 5,
  'fedavg-aggregators': 11,
  'fedavg-local': 12,
};

/** One-Shot and DP-FedAvg at ε below 0.5 by who adds the noise: the coordinator, both aggregators, or each site. */
export function* noiseInside(plan: RidgePlan): Experiment {
  const begun = performance.now();
  const seeds = seedsOf({ ...plan, trials: plan.trials * (plan.quick ? 1 : SETS_A_TRIAL) });
  const none = () => strongEpsilons.map((): number[] => []);
  const found: InsideTrials = {
    mse: Object.fromEntries(Object.keys(streams).map((method) => [method, none()])) as Record<
      InsideMethod,
      number[][]
    >,
    noise: { central: none(), aggregators: none(), local: none() },
    exact: [],
    zero: [],
  };
  for (const [t, seed] of seeds.entries()) {
    const what = `noise inside: data set ${t + 1} of ${seeds.length}`;
    yield { done: t / seeds.length, what };
    const trial = prepare(settingOf(plan), seed);
    found.exact.push(trial.nonPrivate);
    found.zero.push(testError(trial.test, new Float64Array(plan.features)).mse);
    const part = [(t + 0.2) / seeds.length, (t + 1) / seeds.length] as const;
    yield* progressPart(part, what, budgets(trial, found));
    yield { done: part[1], what, soFar: insideResult(plan, begun, found) };
  }
  return insideResult(plan, begun, found);
}

function* budgets(trial: PrivacyTrial, { mse, noise }: InsideTrials): Work<void> {
  const { statistics, seed } = trial;
  const exact = sumStatistics(statistics[0]!.layout, statistics);
  const train = trial.train();
  const [all, rows] = [[pooled(train)], scaledRows(train)];
  for (const [e, epsilon] of strongEpsilons.entries()) {
    const random = (method: InsideMethod): WordSource => noiseWords([seed, e, streams[method]]);
    const add = (method: InsideMethod, weights: Float64Array) =>
      mse[method][e]!.push(testError(trial.test, weights).mse);
    for (const placement of placements) {
      const terms = termsOf(epsilon, { placement });
      const published = publishTotal(statistics, terms, random(placement));
      noise[placement][e]!.push(gramNoise(published.total, exact));
      add(placement, solved(published, terms).estimates);
      const average: `fedavg-${PlacementName}` = `fedavg-${placement}`;
      const on = { epsilon, placement, random: random(average) };
      add(average, averageModels(trial, rows, shortSteps, on));
      yield (e + 0.2) / strongEpsilons.length;
    }
    const further = termsOf(epsilon, { placement: 'aggregators', rounds: 4 });
    add('hybrid', hybrid(all, statistics, further, random('hybrid')));
    yield (e + 1) / strongEpsilons.length;
  }
}

/** Root mean square of the noise in the Gram matrix of a total, for an entry of the diagonal. */
function gramNoise({ layout, values }: LinearStatistic, exact: LinearStatistic): number {
  const width = layout.columns.length;
  const size = wordsOf(layout);
  const unit = 2 ** fractionBitsOf(layout);
  let sum = 0;
  let count = 0;
  for (let i = 1; i < predictorsOf(layout); i++) {
    for (let j = i; j < predictorsOf(layout); j++) {
      const at = packedIndex(width, i, j);
      const moved = Number(ringEntry(values, size, at) - ringEntry(exact.values, size, at)) / unit;
      sum += (i === j ? 1 : 2) * moved * moved;
      count += 1;
    }
  }
  return Math.sqrt(sum / count);
}

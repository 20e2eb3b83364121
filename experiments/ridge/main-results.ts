import type { Experiment } from '../paper-result.ts';
import { drawOf } from './draw.ts';
import { mainResult } from './main-tables.ts';
import { type MainTrial, mainTrial } from './main-trial.ts';
import { type RidgePlan, seedsOf, settingOf } from './plan.ts';
import { ridgeMatters } from './readings.ts';
import { sameBits } from './same-bits.ts';
import { progressPart } from './work.ts';

/** Rows of a mini-batch, in the first trial only: they take long. */
const BATCHES: readonly number[] = [10, 2];

/** Experiment 1: Table II. */
export function* mainResults(plan: RidgePlan): Experiment {
  const begun = performance.now();
  const seeds = seedsOf(plan);
  const bits = sameBits();
  const trials: MainTrial[] = [];
  for (const [t, seed] of seeds.entries()) {
    const what = `baselines: trial ${t + 1} of ${seeds.length}`;
    yield { done: t / seeds.length, what };
    const draw = drawOf(settingOf(plan), seed);
    const span = [t / seeds.length, (t + 1) / seeds.length] as const;
    const batches = t === 0 ? BATCHES : [];
    trials.push(yield* progressPart(span, what, mainTrial(draw, { plan, bits, batches, seed })));
  }
  const exact = bits.theorem({
    matter: ridgeMatters.recovery,
    where: 'Theorem 2',
    claim: 'This equality is exact for any data distribution, any K, any partition',
  });
  return mainResult(plan, begun, trials, [exact, bits.conclusion()]);
}

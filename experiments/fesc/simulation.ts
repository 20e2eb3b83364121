import type { Experiment } from '../paper-result.ts';
import { lawNames } from './laws.ts';
import { mseResult } from './mse-result.ts';
import { noRuns } from './runs.ts';
import { type SimulatedNodes, simulatedNodes } from './simulated-nodes.ts';
import { gammas, mostRuns } from './streams.ts';
import { type FescPlan, type FescTrial, pooledGap, trial } from './trial.ts';

export type { FescPlan };

/** The paper's defaults, but with 200 runs instead of one. */
export const defaultSimulationPlan: FescPlan = {
  law: 'lognormal-low',
  nodes: 100,
  dimension: 10,
  runs: 200,
  seed: 1,
};

/** Milliseconds of work between two steps. */
const stepWork = 80;

/** The paper's demo: errors of the three estimators by γ, over many runs. */
export function* fescExperiment(plan: FescPlan): Experiment {
  checkSimulationPlan(plan);
  const start = performance.now();
  const runs = noRuns(plan.nodes);
  const nodes = simulatedNodes(plan.dimension);
  const gap = pooledGap(plan, nodes);
  const soFar = () => mseResult(plan, runs, gap, (performance.now() - start) / 1000);
  const clock = stepClock();
  for (let run = 0; run < plan.runs; run++) {
    const what = `run ${run + 1} of ${plan.runs}`;
    const trials = yield* oneRun(plan, run, nodes, () => {
      const done = run / plan.runs;
      return clock.due(() => ({ done, what, ...(run === 0 ? {} : { soFar: soFar() }) }));
    });
    runs.add(trials);
  }
  return soFar();
}

/** All γ of one run; yields a step whenever one is due. */
export function* oneRun<Step>(
  plan: FescPlan,
  run: number,
  nodes: SimulatedNodes,
  due: () => Step | undefined,
): Generator<Step, readonly FescTrial[], void> {
  const trials: FescTrial[] = [];
  for (let gamma = 0; gamma < gammas.length; gamma++) {
    trials.push(trial(plan, run, gamma, nodes));
    const step = due();
    if (step !== undefined) yield step;
  }
  return trials;
}

/** Makes a step when it is due: after enough work, and so rarely that steps take less than a tenth of the time. */
export function stepClock(): { due<Step>(make: () => Step): Step | undefined } {
  let last = performance.now();
  let cost = 0;
  return {
    due(make) {
      const now = performance.now();
      if (now - last < Math.max(stepWork, 10 * cost)) return undefined;
      const step = make();
      last = performance.now();
      cost = last - now;
      return step;
    },
  };
}

/** Refuses a plan that is too large for the streams or for a page. */
export function checkSimulationPlan(plan: FescPlan): void {
  if (!lawNames.includes(plan.law)) {
    throw new RangeError(`law must be one of ${lawNames.join(', ')}: ${plan.law}`);
  }
  checkWhole('nodes', plan.nodes, 2, 300);
  checkWhole('dimension', plan.dimension, 1, 100);
  checkWhole('runs', plan.runs, 1, mostRuns);
  checkWhole('seed', plan.seed, 0, 2 ** 32 - 1);
}

function checkWhole(name: string, value: number, least: number, most: number): void {
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new RangeError(`${name} must be a whole number from ${least} to ${most}: ${value}`);
  }
}

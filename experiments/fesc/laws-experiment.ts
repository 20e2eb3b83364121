import type { Experiment, ExperimentResult } from '../paper-result.ts';
import { lawNames } from './laws.ts';
import { type LawRuns, lawsResult } from './laws-result.ts';
import { noRuns } from './runs.ts';
import { simulatedNodes } from './simulated-nodes.ts';
import { checkSimulationPlan, oneRun, stepClock } from './simulation.ts';
import type { FescPlan } from './trial.ts';

/** Most runs per law: 13 laws then take about five times as long as the default experiment. */
const mostRunsOfLaw = 80;

/** All 13 laws in turn, whatever the plan's law: their means, and the smallest γ of both averages. */
export function* lawsExperiment(asked: FescPlan): Experiment {
  checkSimulationPlan(asked);
  const start = performance.now();
  const nodes = simulatedNodes(asked.dimension);
  const clock = stepClock();
  const count = Math.min(asked.runs, mostRunsOfLaw);
  const finished: LawRuns[] = [];
  const soFar = (): ExperimentResult =>
    lawsResult(asked, finished, (performance.now() - start) / 1000);
  for (const law of lawNames) {
    const plan = { ...asked, law, runs: count };
    const runs = noRuns(plan.nodes);
    for (let run = 0; run < count; run++) {
      const what = `${law}, run ${run + 1} of ${count}`;
      const done = (finished.length + run / count) / lawNames.length;
      const step = () => ({ done, what, ...(finished.length === 0 ? {} : { soFar: soFar() }) });
      runs.add(yield* oneRun(plan, run, nodes, () => clock.due(step)));
    }
    finished.push({ law, runs });
  }
  return soFar();
}

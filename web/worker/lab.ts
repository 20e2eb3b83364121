import type { FescPlan } from '../../experiments/fesc/simulation.ts';
import type { DigitOutcome, DigitPlan } from '../../experiments/fisher/digit-trial.ts';
import type { FisherPlan } from '../../experiments/fisher/plan.ts';
import type { ExperimentResult } from '../../experiments/paper-result.ts';
import type { RidgePlan } from '../../experiments/ridge/plan.ts';
import { PageFailureError, unloaded } from '../page-failure.ts';
import { followed, type LabProgress } from './followed.ts';
import type { Call } from './worker-messages.ts';

const simulation = () => import('../../experiments/fesc/simulation.ts');
const experiments = () => import('../../experiments/ridge/experiments.ts');

/** Loads the experiments, so that running one makes no request. */
export async function openLab(_: Call): Promise<void> {
  await Promise.all([simulation(), experiments()]).catch(() => {
    throw new PageFailureError(unloaded);
  });
}

/** One-shot averaging, plain and corrected, beside the exact fusion. */
export async function labFesc(call: Call<LabProgress>, plan: FescPlan): Promise<ExperimentResult> {
  return followed(call, (await simulation()).fescExperiment(plan));
}

/** An experiment of the ridge paper, by the id that `--experiment` takes. */
export async function labRidge(
  call: Call<LabProgress>,
  id: string,
  plan: RidgePlan,
): Promise<ExperimentResult> {
  const { ridgeExperiments } = await experiments();
  return followed(call, ridgeExperiments[id].run(plan));
}

/** Networks of several clients, fused. What it needs is loaded when it starts: few readers start it. */
export async function labDigits(
  call: Call<LabProgress<DigitOutcome>>,
  plan: DigitPlan,
): Promise<DigitOutcome> {
  const [{ digitTrial }, { exampleDigits }] = await Promise.all([
    import('../../experiments/fisher/digit-trial.ts'),
    import('./example-digits.ts'),
  ]).catch(() => {
    throw new PageFailureError(unloaded);
  });
  call.signal.throwIfAborted();
  return followed(call, digitTrial(exampleDigits(), plan));
}

/** Two-layer networks fused with all of their Fisher information, by their width. */
export async function labWidths(
  call: Call<LabProgress>,
  plan: FisherPlan,
): Promise<ExperimentResult> {
  const { theoryExperiment } = await import('../../experiments/fisher/theory.ts').catch(() => {
    throw new PageFailureError(unloaded);
  });
  return followed(call, theoryExperiment(plan));
}

import type { FescPlan } from '../../experiments/fesc/simulation.ts';
import type { Experiment, ExperimentResult } from '../../experiments/paper-result.ts';
import type { RidgePlan } from '../../experiments/ridge/plan.ts';
import { PageFailureError, unloaded } from '../page-failure.ts';
import type { Call } from './worker-messages.ts';

/** Progress of an experiment. */
export interface LabProgress {
  /** From 0 to 1. */
  readonly done: number;
  readonly what: string;
  /** Seconds since the start. */
  readonly seconds: number;
  /** Absent if nothing is new since the last update. */
  readonly soFar?: ExperimentResult;
}

/** Milliseconds between two updates. */
const UPDATE_PAUSE = 100;
/** Milliseconds of work after which a cancel message is let in. */
const LONGEST_WORK = 30;

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

/** Runs an experiment until it ends or is cancelled, and sends updates. */
async function followed(
  call: Call<LabProgress>,
  experiment: Experiment,
): Promise<ExperimentResult> {
  const began = performance.now();
  let [updated, paused] = [began, began];
  let soFar: ExperimentResult | undefined;
  for (;;) {
    const { done, value } = experiment.next();
    if (done === true) return value;
    soFar = value.soFar ?? soFar;
    const now = performance.now();
    if (now - updated >= UPDATE_PAUSE) {
      updated = now;
      const drawn = soFar === undefined ? {} : { soFar };
      call.update({ done: value.done, what: value.what, seconds: (now - began) / 1000, ...drawn });
      soFar = undefined;
    }
    if (now - paused < LONGEST_WORK) continue;
    await nextMessage();
    paused = performance.now();
    call.signal.throwIfAborted();
  }
}

/** Lets messages in. Browsers slow down a timer that is set again and again, so a message channel is used. */
function nextMessage(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

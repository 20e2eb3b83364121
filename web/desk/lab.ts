import type { FescPlan } from '../../experiments/fesc/simulation.ts';
import type { Experiment, ExperimentResult } from '../../experiments/paper-result.ts';
import type { RidgePlan } from '../../experiments/ridge/plan.ts';
import type { Call } from './conversation.ts';
import { DeskTrouble, unloaded } from './trouble.ts';

/** How far an experiment is. */
export interface LabNews {
  /** From 0 to 1. */
  readonly done: number;
  readonly what: string;
  /** Since it began. */
  readonly seconds: number;
  /** Absent where nothing has come since the last news. */
  readonly soFar?: ExperimentResult;
}

/** Milliseconds between news, and between two moments in which a cancel is heard. */
const PAUSE = 100;
const BREATH = 30;

const simulation = () => import('../../experiments/fesc/simulation.ts');
const experiments = () => import('../../experiments/ridge/experiments.ts');

/** Loads the experiments, so that nothing is fetched while one runs. */
export async function openLab(_: Call): Promise<void> {
  await Promise.all([simulation(), experiments()]).catch(() => {
    throw new DeskTrouble(unloaded);
  });
}

/** One-shot averaging, plain and corrected, beside the exact fusion. */
export async function labFesc(call: Call<LabNews>, plan: FescPlan): Promise<ExperimentResult> {
  return followed(call, (await simulation()).fescExperiment(plan));
}

/** An experiment of the ridge paper, by the id that `--experiment` takes. */
export async function labRidge(
  call: Call<LabNews>,
  id: string,
  plan: RidgePlan,
): Promise<ExperimentResult> {
  const { ridgeExperiments } = await experiments();
  return followed(call, ridgeExperiments[id].run(plan));
}

/** Runs an experiment to its end or to a cancel, and tells of it no more often than a page can draw. */
async function followed(call: Call<LabNews>, experiment: Experiment): Promise<ExperimentResult> {
  const began = performance.now();
  let [told, breathed] = [began, began];
  let soFar: ExperimentResult | undefined;
  for (;;) {
    const { done, value } = experiment.next();
    if (done === true) return value;
    soFar = value.soFar ?? soFar;
    const now = performance.now();
    if (now - told >= PAUSE) {
      told = now;
      const drawn = soFar === undefined ? {} : { soFar };
      call.tell({ done: value.done, what: value.what, seconds: (now - began) / 1000, ...drawn });
      soFar = undefined;
    }
    if (now - breathed < BREATH) continue;
    await breath();
    breathed = performance.now();
    call.signal.throwIfAborted();
  }
}

/** Lets messages in. A timer would do, but browsers hold back one that is set again and again. */
function breath(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

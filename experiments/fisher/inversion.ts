import type { ReadingExperiment } from '../paper-result.ts';
import { readDigits } from './inversion-data.ts';
import { inversionResult } from './inversion-result.ts';
import {
  type InversionSizes,
  type InversionTrial,
  inversionTrial,
  trainedOn,
} from './inversion-trial.ts';

/** What the experiment can be asked for. */
export interface InversionPlan {
  /** Of the first trial; the next has the next one. */
  readonly seed: number;
  readonly trials: number;
  readonly quick: boolean;
}

const usual: InversionSizes = {
  ...{ digits: 30_000, others: 500, auxiliary: 5000, epochs: 5, generatorEpochs: 20 },
  ...{ images: 24, steps: 150, unseen: 60 },
};
const quick: InversionSizes = {
  ...{ digits: 6000, others: 200, auxiliary: 1500, epochs: 6, generatorEpochs: 10 },
  ...{ images: 8, steps: 100, unseen: 20 },
};

const JUDGE_SEED = 99;
/** Share of the time that reading and the judge take. */
const BEFORE = 0.1;

/** Appendix E in a small form: what a server with auxiliary data sees of a class that only one client has. */
export async function* inversionExperiment(plan: InversionPlan): ReadingExperiment {
  const begun = performance.now();
  const sizes = plan.quick ? quick : usual;
  yield { done: 0, what: 'reading MNIST' };
  const digits = await readDigits('train', sizes.digits);
  const test = await readDigits('test', 2000);
  yield { done: BEFORE / 2, what: 'training the judge' };
  const all = Uint32Array.from(digits.labels, (_, row) => row);
  const judge = trainedOn(digits, all, sizes.epochs, JUDGE_SEED);
  const trials: InversionTrial[] = [];
  for (let k = 0; k < plan.trials; k++) {
    const steps = inversionTrial({ digits, test, judge, sizes, seed: plan.seed + k });
    let next = steps.next();
    for (; next.done !== true; next = steps.next()) {
      const { share, what } = next.value;
      yield { done: BEFORE + ((1 - BEFORE) * (k + share)) / plan.trials, what };
    }
    trials.push(next.value);
  }
  return inversionResult(trials, sizes, (performance.now() - begun) / 1000);
}

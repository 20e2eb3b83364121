import { DataError } from '../data-error.ts';
import { namedWords } from '../random/named-words.ts';
import type { FullDistillation } from './distillation.ts';
import { createEnsemble, type Ensemble, type EnsembleSlope } from './ensemble.ts';
import { averageNetwork, weightSums } from './fuse-average.ts';
import type { ValueRange } from './generated-inputs.ts';
import { createGenerator, type Generator } from './generator.ts';
import { planGenerator } from './generator-plan.ts';
import type { NetworkPlan } from './network-plan.ts';
import { orderedSites, type SiteWeights } from './site-weights.ts';
import { createStudent, type Lesson } from './student.ts';

/** Numbers of a generator's code. */
export const CODE_LENGTH = 64;

/** What else a distillation may be given. */
export interface DistillingOptions {
  readonly seed: number;
  /** Called with the share that is done, from 0 to 1. */
  onStep?(share: number): void;
}

/**
 * DENSE (Zhang et al. 2022) without rows at the coordinator: a generator makes inputs that the sites' networks name with certainty and
 * the student does not, and the student, the average at first, learns the averaged outputs. `ranges` are those of the channels
 * of an input. The last student counts: the paper's choice by validation needs rows.
 */
export function fuseDense(
  plan: NetworkPlan,
  sites: readonly SiteWeights[],
  ranges: readonly ValueRange[],
  terms: FullDistillation,
  { seed, onStep }: DistillingOptions,
): Float64Array {
  const { batches, batch, width, passes, temperature } = terms;
  const kept = orderedSites(sites);
  const start = Float32Array.from(averageNetwork(weightSums(kept)));
  const ensemble = createEnsemble(plan, kept, batch);
  const generator = createGenerator(planGenerator(plan.input, width, CODE_LENGTH), ranges, batch);
  const student = createStudent(plan, start, batch, temperature);
  const lessons: Lesson[] = [];
  for (let k = 0; k < batches; k++) {
    const name = `suffice dense ${seed} ${k}`;
    const words = namedWords(`${name} classes`);
    const classes = Uint16Array.from({ length: batch }, () =>
      Math.floor((words() * plan.outputs) / 2 ** 32),
    );
    ensemble.face(student.weights());
    generator.draw(name);
    lessons.push(
      bestBatch(generator, ensemble, classes, terms.steps, (share) =>
        onStep?.((k + share) / batches),
      ),
    );
    for (let pass = 0; pass < passes; pass++) student.learn(lessons, seed, k * passes + pass);
  }
  return Float64Array.from(student.weights());
}

/** The batch with the smallest loss on the way of a generator, and what the sites' networks say of it. */
function bestBatch(
  generator: Generator,
  ensemble: Ensemble,
  classes: Uint16Array,
  steps: number,
  onStep: (share: number) => void,
): Lesson {
  let best: (Lesson & Pick<EnsembleSlope, 'loss'>) | undefined;
  for (let step = 0; step < steps; step++) {
    const inputs = generator.forward();
    const { loss, outputs, gradient } = ensemble.slope(inputs, classes);
    if (!Number.isFinite(loss)) throw notFinite();
    if (best === undefined || loss < best.loss) best = { loss, inputs: inputs.slice(), outputs };
    generator.backward(gradient);
    generator.step();
    onStep((step + 1) / steps);
  }
  return best!;
}

function notFinite(): DataError {
  return new DataError(
    'the networks of the sites have outputs that are not finite',
    {},
    'ask the sites for smaller steps of their training',
  );
}

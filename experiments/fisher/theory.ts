import { createKernels } from '../../src/numeric/kernels.ts';
import type { Experiment } from '../paper-result.ts';
import type { FisherPlan } from './plan.ts';
import { theoryResult } from './theory-result.ts';
import { type TheoryLosses, type TheoryPoint, theoryTrial } from './theory-trial.ts';

/** One sweep of Figure 1: its points, and the seeds at each (Appendix D.1). */
interface Sweep {
  readonly seeds: number;
  readonly at: readonly (readonly [width: number, steps: number])[];
}

const STEPS = 2048;
const WIDTH = 512;

const whole: Record<'byWidth' | 'bySteps', Sweep> = {
  byWidth: { seeds: 50, at: atWidths(32, 64, 128, 256, 512, 1024, 2048) },
  bySteps: { seeds: 10, at: atSteps(16, 64, 256, 1024, 4096, 16384) },
};
const quick: typeof whole = {
  byWidth: { seeds: 20, at: atWidths(32, 128, 512) },
  bySteps: { seeds: 5, at: atSteps(16, 64, 256, 1024, 4096) },
};

function atWidths(...widths: readonly number[]): Sweep['at'] {
  return widths.map((width) => [width, STEPS]);
}

function atSteps(...counts: readonly number[]): Sweep['at'] {
  return counts.map((steps) => [WIDTH, steps]);
}

/** Figure 1: two-layer networks fused with the full Fisher information, by width and by local steps. */
export function* theoryExperiment(plan: FisherPlan): Experiment {
  const begun = performance.now();
  // The unfused build: the losses are the same on every engine.
  const kernels = createKernels({ fused: false });
  const sweeps = plan.quick ? quick : whole;
  const all = workOf(sweeps.byWidth) + workOf(sweeps.bySteps);
  let done = 0;
  function* points({ seeds, at }: Sweep): Generator<{ done: number; what: string }, TheoryPoint[]> {
    const found: TheoryPoint[] = [];
    for (const [width, steps] of at) {
      const losses: TheoryLosses[] = [];
      for (let k = 0; k < seeds; k++) {
        yield { done: done / all, what: `width ${width}, ${steps} steps, seed ${k + 1}` };
        losses.push(theoryTrial(kernels, width, steps, plan.seed + k));
        done += workAt(width, steps);
      }
      found.push({ width, steps, losses });
    }
    return found;
  }
  const byWidth = yield* points(sweeps.byWidth);
  const bySteps = yield* points(sweeps.bySteps);
  return theoryResult({ byWidth, bySteps, seconds: (performance.now() - begun) / 1000 });
}

/** How long a trial takes, about, beside the others: a part of it is the same for all steps. */
const workAt = (width: number, steps: number) => width * (steps + 1000);

function workOf({ seeds, at }: Sweep): number {
  return at.reduce((sum, [width, steps]) => sum + seeds * workAt(width, steps), 0);
}

import type { Draw } from './draw.ts';
import { type ExactFit, oneShotExperiment, oracle, ridgeStudy } from './exact.ts';
import { mseOf } from './test-loss.ts';
import { share, type Work } from './work.ts';

/** One-shot fusion and the centralised oracle on the same draw. */
export interface ExactPair {
  readonly fused: ExactFit & { readonly mse: number };
  readonly central: ExactFit & { readonly mse: number };
}

export function* exactPair({ sites, test, setting }: Draw, ridge: number): Work<ExactPair> {
  const study = ridgeStudy(setting, ridge);
  const fused = yield* share(0, 0.6, oneShotExperiment(study, sites));
  const central = yield* share(0.6, 1, oracle(study, sites));
  return {
    fused: { ...fused, mse: mseOf(test, fused.weights) },
    central: { ...central, mse: mseOf(test, central.weights) },
  };
}

import type { ChosenRidge } from '../solve/choose.ts';
import type { NormalEquations } from '../solve/normal-equations.ts';
import type { Solution } from '../solve/solution.ts';
import type { LinearModel } from './linear-model.ts';

/** Everything a total has to say: one model a response, and how far to trust it. */
export interface Fit {
  readonly equations: NormalEquations;
  readonly solution: Solution;
  readonly models: readonly LinearModel[];
  /** Names of columns that are combinations of the ones before them. */
  readonly aliased: readonly string[];
  readonly ridge: number;
  readonly chosen?: ChosenRidge;
  /** Significant digits vouched for; unknown where nothing was factored. */
  readonly digits?: number;
}

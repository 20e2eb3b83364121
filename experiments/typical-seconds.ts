import { type FescPlan, defaultPlan as usualFesc } from './fesc/simulation.ts';
import { type RidgePlan, defaultPlan as usualRidge } from './ridge/plan.ts';

/** What the ridge paper's experiments take on one core of a small server: with 5 trials, and quick. */
const ridge: Readonly<Record<string, readonly [whole: number, quick: number]>> = {
  '1': [18, 7],
  '2': [20, 8],
};

/** A Monte-Carlo run of FESC with the default plan, over all γ; of how many runs an experiment has. */
const RUN = 0.0135;
const fescRuns: Readonly<Record<string, (runs: number) => number>> = {
  mse: (runs) => runs,
  laws: (runs) => 13 * Math.min(runs, 80),
};

/** About how long an experiment takes: for bars, and for those who ask before. */
export function ridgeSeconds(id: string, plan: RidgePlan): number {
  const [whole, quick] = ridge[id] ?? [20, 5];
  return plan.quick ? quick : (whole * plan.trials) / usualRidge.trials;
}

/** Rows grow with the nodes to the power 1 + γ; each costs as much as θ is long. */
export function fescSeconds(id: string, plan: FescPlan): number {
  const rows = (plan.nodes / usualFesc.nodes) ** 2;
  const length = Math.max(1, plan.dimension / usualFesc.dimension);
  return RUN * (fescRuns[id]?.(plan.runs) ?? plan.runs) * rows * length;
}

import { type FescPlan, defaultPlan as usualFesc } from './fesc/simulation.ts';
import { type RidgePlan, defaultPlan as usualRidge } from './ridge/plan.ts';

/** What the ridge paper's experiments take on one core of a small server: with 5 trials, and quick. */
const ridge: Readonly<Record<string, readonly [whole: number, quick: number]>> = {
  '1': [20, 3],
  '2': [15, 7],
  '3': [22, 4],
  '4': [5, 3],
  '5': [20, 7],
  '6': [36, 6],
  '7': [50, 5],
  dropout: [6, 2],
  loso: [6, 4],
  gradient: [3, 1],
  crossover: [1, 0.5],
};

/** A Monte-Carlo run of FESC with the default plan, over all γ; of how many runs an experiment has. */
const RUN = 0.0135;
const fescRuns: Readonly<Record<string, (runs: number) => number>> = {
  mse: (runs) => runs,
  laws: (runs) => 13 * Math.min(runs, 80),
};

/** What sweeps over sites or features, so that the plan's own say little. */
const sweeps: readonly string[] = ['3', '6', 'crossover'];

/** About how long an experiment takes: for bars, and for those who ask before. */
export function ridgeSeconds(id: string, plan: RidgePlan): number {
  const [whole, quick] = ridge[id]!;
  if (plan.quick) return quick;
  // Table VII has ten times the features where the plan has the paper's.
  const paper = id === '7' && plan.features !== usualRidge.features ? 10 : 1;
  const features = plan.features / (paper * usualRidge.features);
  const rows = plan.rowsPerSite / usualRidge.rowsPerSite;
  const size = sweeps.includes(id) ? 1 : (plan.sites / usualRidge.sites) * rows * features ** 2;
  return Math.max(0.1, (whole * size * plan.trials) / usualRidge.trials);
}

/** Rows grow with the nodes to the power 1 + γ; each costs as much as θ is long. */
export function fescSeconds(id: string, plan: FescPlan): number {
  const rows = (plan.nodes / usualFesc.nodes) ** 2;
  const length = Math.max(1, plan.dimension / usualFesc.dimension);
  return RUN * (fescRuns[id]?.(plan.runs) ?? plan.runs) * rows * length;
}

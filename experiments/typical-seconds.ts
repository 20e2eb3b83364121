import { type FescPlan, defaultSimulationPlan as usualFesc } from './fesc/simulation.ts';
import { type FisherPlan, defaultFisherPlan as usualFisher } from './fisher/plan.ts';
import { type ImagePlan, defaultImagePlan as usualImages } from './images/plan.ts';
import { type RidgePlan, defaultRidgePlan as usualRidge } from './ridge/plan.ts';

/** Seconds of the ridge paper's experiments on one core of a small server: with 5 trials, and quick. */
const ridge: Readonly<Record<string, readonly [whole: number, quick: number]>> = {
  '1': [25, 3],
  '2': [12, 4],
  '3': [22, 2],
  '4': [6, 3],
  '5': [25, 8],
  '6': [50, 7],
  '7': [70, 6],
  dropout: [6, 2],
  loso: [6, 4],
  gradient: [3, 1],
  crossover: [1, 0.5],
  inside: [100, 5],
};

/** Seconds of a Monte-Carlo run of FESC with the default plan, over all γ; and the number of runs of an experiment. */
const RUN = 0.0135;
const fescRuns: Readonly<Record<string, (runs: number) => number>> = {
  mse: (runs) => runs,
  laws: (runs) => 13 * Math.min(runs, 80),
};

/** Seconds of the experiments on images, on one core: whole, and quick. */
const images: Readonly<Record<string, readonly [whole: number, quick: number]>> = {
  fashion: [220, 14],
  'fashion-backbone': [520, 130],
  mnist: [55, 7],
  cifar: [480, 16],
};

/** Seconds of the experiments on fused networks, on two cores: whole, and quick. */
const fisher: Readonly<Record<string, readonly [whole: number, quick: number]>> = {
  theory: [120, 9],
  time: [200, 40],
  fashion: [1200, 250],
  pretrained: [320, 60],
  compression: [250, 60],
  rounds: [1250, 180],
  clients: [1800, 250],
  inversion: [170, 20],
  cifar: [30_000, 6000],
};

/** The share of all work on CIFAR-10 that the backbone takes; it grows with the pixels. */
const CIFAR_BACKBONE = 0.8;

/** Experiments that sweep over sites or features, so that the plan's own numbers matter little. */
const sweeps: readonly string[] = ['3', '6', 'crossover'];

/** Approximate seconds of an experiment, for progress bars and for an estimate in advance. */
export function ridgeSeconds(id: string, plan: RidgePlan): number {
  const [whole, quick] = ridge[id]!;
  if (plan.quick) return quick;
  // Table VII has ten times the features if the plan has the paper's number.
  const paper = id === '7' && plan.features !== usualRidge.features ? 10 : 1;
  const features = plan.features / (paper * usualRidge.features);
  const rows = plan.rowsPerSite / usualRidge.rowsPerSite;
  const size = sweeps.includes(id) ? 1 : (plan.sites / usualRidge.sites) * rows * features ** 2;
  return Math.max(0.1, (whole * size * plan.trials) / usualRidge.trials);
}

/** Rows grow as nodes^(1 + γ), and each costs time proportional to the length of θ. */
export function fescSeconds(id: string, plan: FescPlan): number {
  const rows = (plan.nodes / usualFesc.nodes) ** 2;
  const length = Math.max(1, plan.dimension / usualFesc.dimension);
  return RUN * (fescRuns[id]?.(plan.runs) ?? plan.runs) * rows * length;
}

export function fisherSeconds(id: string, { quick, trials, epochs }: FisherPlan): number {
  const [whole, small] = fisher[id]!;
  if (quick) return small;
  if (id === 'theory' || id === 'time') return whole;
  const seeds = id === 'rounds' ? 1 : trials / usualFisher.trials;
  return whole * seeds * (0.3 + (0.7 * epochs) / usualFisher.epochs);
}

export function imageSeconds(id: string, { quick, pixels }: ImagePlan): number {
  const [whole, small] = images[id]!;
  if (quick) return small;
  const larger = (pixels / usualImages.pixels) ** 2 - 1;
  return id === 'cifar' ? whole * (1 + CIFAR_BACKBONE * larger) : whole;
}

import type { Setting } from './generator.ts';

/** What the experiments of the ridge paper are run with; sweeps replace what they sweep over. */
export interface RidgePlan {
  /** K. */
  readonly sites: number;
  /** n_k, of which a fifth is held out to test on. */
  readonly rowsPerSite: number;
  /** d. */
  readonly features: number;
  /** σ of the paper: what is added to the diagonal of G. */
  readonly ridge: number;
  /** γ. */
  readonly heterogeneity: number;
  readonly trials: number;
  /** Of the first trial; trial t has seed + t. */
  readonly seed: number;
  /** Fewer sites, features and trials and smaller sweeps, to look at. */
  readonly quick: boolean;
}

/** §V-A of arXiv 2601.08216. */
export const defaultPlan: RidgePlan = {
  sites: 20,
  rowsPerSite: 500,
  features: 100,
  ridge: 0.01,
  heterogeneity: 0.5,
  trials: 5,
  seed: 1,
  quick: false,
};

/** A plan as it is run: a quick one has ten sites and fifty features at most. */
export function planRun(plan: RidgePlan): RidgePlan {
  if (!plan.quick) return plan;
  return { ...plan, sites: Math.min(plan.sites, 10), features: Math.min(plan.features, 50) };
}

/** How rows of a plan are drawn. */
export function settingOf(plan: RidgePlan): Setting {
  const testRows = Math.max(1, Math.round(plan.rowsPerSite / 5));
  return {
    sites: plan.sites,
    trainRows: Math.max(1, plan.rowsPerSite - testRows),
    testRows,
    features: plan.features,
    heterogeneity: plan.heterogeneity,
    noise: 0.1,
  };
}

/** The seeds of a plan, at most so many: quick runs take two at most. */
export function seedsOf(
  { trials, seed, quick }: RidgePlan,
  most: number = Number.POSITIVE_INFINITY,
): readonly number[] {
  const count = Math.min(trials, most, quick ? 2 : Number.POSITIVE_INFINITY);
  return Array.from({ length: count }, (_, t) => seed + t);
}

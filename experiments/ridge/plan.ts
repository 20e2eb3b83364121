import type { GeneratorSetting } from '../data/generator.ts';

/** Settings of the ridge paper's experiments; a sweep replaces the setting it varies. */
export interface RidgePlan {
  /** K. */
  readonly sites: number;
  /** nₖ, of which a fifth is held out for testing. */
  readonly rowsPerSite: number;
  /** d. */
  readonly features: number;
  /** σ of the paper, added to the diagonal of G. */
  readonly ridge: number;
  /** γ. */
  readonly heterogeneity: number;
  readonly trials: number;
  /** Seed of the first trial; trial t has seed + t. */
  readonly seed: number;
  /** Whether to run fewer sites, features and trials and smaller sweeps, for a quick look. */
  readonly quick: boolean;
}

/** §V-A of arXiv 2601.08216. */
export const defaultRidgePlan: RidgePlan = {
  sites: 20,
  rowsPerSite: 500,
  features: 100,
  ridge: 0.01,
  heterogeneity: 0.5,
  trials: 5,
  seed: 1,
  quick: false,
};

/** Allowed values of a plan, by the names of the flags; whole numbers except γ and σ. */
const bounds = {
  sites: [2, 500],
  rows: [5, 100_000],
  features: [2, 1000],
  trials: [1, 1000],
  seed: [0, 2 ** 32 - 1001],
  heterogeneity: [0, 1],
  ridge: [1e-9, 1e9],
} as const;

/** Most numbers in memory at once: rows of all sites, and a matrix for each. */
const MOST_NUMBERS = 1e8;

/** Throws a RangeError for a plan that cannot be run. */
export function checkRidgePlan({ rowsPerSite: rows, ...plan }: RidgePlan): void {
  const values = { ...plan, rows };
  for (const [name, [least, most]] of Object.entries(bounds)) {
    const value = values[name as keyof typeof bounds];
    const whole = name !== 'heterogeneity' && name !== 'ridge';
    if (value >= least && value <= most && (!whole || Number.isInteger(value))) continue;
    const kind = whole ? 'a whole number' : 'a number';
    throw new RangeError(`${name} must be ${kind} from ${least} to ${most}: ${value}`);
  }
  const numbers = plan.sites * plan.features * Math.max(rows, plan.features);
  if (numbers > MOST_NUMBERS) {
    throw new RangeError(
      `sites × --features × --rows (or × --features) must be at most ${MOST_NUMBERS}: ${numbers}`,
    );
  }
}

/** The plan that is run: a quick one has at most ten sites, fifty features and two trials. */
export function planRun(plan: RidgePlan): RidgePlan {
  if (!plan.quick) return plan;
  return {
    ...plan,
    sites: Math.min(plan.sites, 10),
    features: Math.min(plan.features, 50),
    trials: Math.min(plan.trials, 2),
  };
}

/** The generator's settings for a plan. */
export function settingOf(plan: RidgePlan): GeneratorSetting {
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

/** The first seeds of a plan, at most `most`. */
export function seedsOf(
  { trials, seed }: RidgePlan,
  most: number = Number.POSITIVE_INFINITY,
): readonly number[] {
  return Array.from({ length: Math.min(trials, most) }, (_, t) => seed + t);
}

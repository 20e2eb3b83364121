/** What the experiments on fused networks can be asked for. */
export interface FisherPlan {
  /** Of the first trial; the next has the next one. */
  readonly seed: number;
  /** Initial networks and orders of the rows; the partition is the same for all. */
  readonly trials: number;
  /** Passes of a client over its images. */
  readonly epochs: number;
  readonly quick: boolean;
}

export const defaultFisherPlan: FisherPlan = { seed: 1, trials: 3, epochs: 30, quick: false };

/** What a quick run has instead, unless it is asked for more. */
export const quickFisherPlan = { trials: 1, epochs: 10 } as const;

const MOST_TRIALS = 50;
const MOST_EPOCHS = 1000;

export function checkFisherPlan({ seed, trials, epochs }: FisherPlan): void {
  if (!(trials >= 1 && trials <= MOST_TRIALS)) {
    throw new RangeError(`trials must be a whole number from 1 to ${MOST_TRIALS}: ${trials}`);
  }
  if (!(epochs >= 1 && epochs <= MOST_EPOCHS)) {
    throw new RangeError(`epochs must be a whole number from 1 to ${MOST_EPOCHS}: ${epochs}`);
  }
  if (!(seed < 2 ** 31)) throw new RangeError(`seed must be below 2147483648: ${seed}`);
}

/** The seeds of the trials. */
export function trialSeeds({ seed, trials }: FisherPlan): number[] {
  return Array.from({ length: trials }, (_, k) => seed + k);
}

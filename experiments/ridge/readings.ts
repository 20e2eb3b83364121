import {
  type ClientObjective,
  doubledMeanLoss,
  halvedObjective,
  heavierMeanLoss,
  meanLossObjective,
  sameObjective,
} from '../baselines/local-steps.ts';

/** What the statements of arXiv 2601.08216 are about; statements about one matter count as one. */
export const ridgeMatters = {
  recovery: 'Exact recovery',
  dropout: 'Clients that drop out',
  heterogeneity: 'Invariance to heterogeneity',
  upload: 'Numbers that a client sends',
  saving: 'Communication saved',
  crossover: 'Where rounds become dearer',
  speed: 'Speed',
  linear: 'Time by clients',
  stable: 'Accuracy by clients',
  rounds: 'Rounds to converge',
  sampling: 'Sampled clients',
  validation: 'Choice of σ',
  gradient: 'One gradient step',
  gap: 'FedAvg’s and FedProx’s gap',
  strongPrivacy: 'Strong privacy',
  moderatePrivacy: 'Moderate privacy',
  privacyCost: 'The cost of privacy',
  noiseInside: 'Noise on the sum alone',
  cause: 'Where a gap comes from',
  proximal: 'FedProx at γ = 1',
  tableFour: 'Bytes by dimension (Table IV)',
  guarantee: 'The privacy guarantee',
  manyClients: 'FedAvg with many clients (Table VI)',
  projection: 'Random projection (Table VII)',
} as const;

/** One way in which σ may enter the clients' loss. */
export interface ObjectiveReading {
  /** The reading in a sentence. */
  readonly as: string;
  /** Short, for a table or a figure. */
  readonly label: string;
  readonly objective: ClientObjective;
}

/** Every client minimises its part of equation (1). */
export const sharedRidge: ObjectiveReading = {
  as: 'σ shared out, so that the clients together minimise equation (1), steps along 2Aᵀr/nₖ + 2(σ/n)w',
  label: 'σ/n, 2Aᵀr/nₖ',
  objective: sameObjective,
};

/** The slip that gives the printed gap: eq. (2) divided by nₖ, but not its σ. */
export const meanLossRidge: ObjectiveReading = {
  as: 'σ added to each client’s mean loss, steps along Aᵀr/nₖ + σw',
  label: 'σ on the mean loss, Aᵀr/nₖ + σw',
  objective: meanLossObjective,
};

/** Every reading of the clients' loss that was tried; r = Aw − b. */
export const objectiveReadings: readonly ObjectiveReading[] = [
  sharedRidge,
  {
    as: 'σ shared out, half the loss, steps along Aᵀr/nₖ + (σ/n)w',
    label: 'σ/n, Aᵀr/nₖ',
    objective: halvedObjective,
  },
  meanLossRidge,
  {
    as: 'σ added to each client’s mean loss, steps along 2Aᵀr/nₖ + 2σw',
    label: 'σ on the mean loss, 2Aᵀr/nₖ + 2σw',
    objective: doubledMeanLoss,
  },
  {
    as: 'σ added to half of each client’s mean loss, steps along Aᵀr/nₖ + 2σw',
    label: 'σ on the mean loss, Aᵀr/nₖ + 2σw',
    objective: heavierMeanLoss,
  },
];

/** What follows from the readings of the clients' loss. */
export const objectiveRemark =
  'With one objective for all, FedAvg ends at the optimum but for client drift. The printed gap comes out where σ is added to each client’s mean loss: then the clients’ ridge is n times One-Shot’s, and FedAvg goes to the optimum of another objective. A gap below 0 is chance: test rows are not the training rows.';

/** What is beside the times that are judged. */
export const speedRemark =
  'Times are of this machine. Our own path also sums exactly and checks every contribution; its times stand beside these in the tables.';

/** How speed is judged. */
export const plainReading =
  'plain float64 against plain float64 (Gram matrices, their sum and one Cholesky solve; FedAvg’s steps over the rows)';

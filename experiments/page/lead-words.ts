import { fescMatters } from '../fesc/matters.ts';
import type { PaperName } from '../paper-result.ts';
import { ridgeMatters } from '../ridge/readings.ts';

/** What a page begins with: what the paper gets right, and a figure of it. */
export interface LeadWords {
  /** Shown if this matter was tried and holds. */
  readonly matter: string;
  readonly right: string;
  readonly experiment: string;
  readonly figure: string;
}

/** Of the papers whose statements are tried. */
export const leadWords: Readonly<Partial<Record<PaperName, LeadWords>>> = {
  ridge: {
    matter: ridgeMatters.recovery,
    right:
      'The paper’s method is right, and Suffice is built on it. Each client sends its Gram matrix and its moment vector once, and the server has the centralised ridge regression: the same model, not an approximation, however the rows are spread over the clients and whichever of them drop out. There is no step size to choose and no second round.',
    experiment: '4',
    figure: '3',
  },
  fesc: {
    matter: fescMatters.threshold,
    right:
      'The paper’s observation is right. An average of the nodes’ own estimates is as good as centralised training only where nodes have, in the mean, at least about as many rows as there are nodes. Below that, weights that correct for small nodes help, and the more so the more the sizes vary.',
    experiment: 'mse',
    figure: 'mse',
  },
};

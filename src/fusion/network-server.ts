import type { DrawnLabels } from '../network/fisher-seeds.ts';
import type { TrainedSite } from './network-kind.ts';
import type { FisherTerms } from './network-terms.ts';

/** Steps of plain gradient descent. */
export const DESCENT_STEPS = 2000;

/** How the coordinator finds the weights, in words. */
export function serverText({ server = 'damped', damping }: FisherTerms): string {
  if (server === 'paper')
    return '2,000 steps of the paper’s optimiser, without its validation rows';
  if (server === 'descent') return '2,000 steps of gradient descent from the average';
  return damping === undefined
    ? 'drawn to their average'
    : `drawn to their average with damping ${damping}`;
}

/** The labels that a site draws, where the study asks for drawn ones. */
export function drawnLabels(
  labels: FisherTerms['labels'],
  { seed }: TrainedSite,
): DrawnLabels | undefined {
  return labels === 'drawn' ? { seed } : undefined;
}

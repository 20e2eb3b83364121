import { DataError } from '../data-error.ts';
import { classSums, withClassWeights } from '../network/class-weighted.ts';
import type { Loss } from '../network/examples.ts';
import { vector } from '../statistic/segments.ts';
import { classCounts } from './kept-examples.ts';
import type { NetworkKind } from './network-kind.ts';
import { NETWORK_BITS } from './network-numbers.ts';
import type { NetworkTerms } from './network-terms.ts';

/** The segment of rows by class. */
export const CLASS_ROWS = 'rows by class';
const LAST_LAYER = 'last layer by class';

/** The same kind, where the outputs of each class are averaged by the rows of that class at each site. */
export function byClass<Terms extends NetworkTerms>(kind: NetworkKind<Terms>): NetworkKind<Terms> {
  return {
    ...kind,
    text: (terms) => `${kind.text(terms)}; the last layer is averaged by the rows of each class`,
    leaves: (plan, terms) => [
      ...kind.leaves(plan, terms),
      'Also how many rows of each class you have, and the last layer times these numbers.',
    ],
    segments(plan, terms) {
      const { rows, columns } = plan.blocks[plan.blocks.length - 1];
      return [
        ...kind.segments(plan, terms),
        vector(CLASS_ROWS, plan.outputs, NETWORK_BITS),
        vector(LAST_LAYER, rows * columns, NETWORK_BITS),
      ];
    },
    measure(site, terms) {
      const { plan, examples } = site;
      const counts = classCounts(examples.answers, plan.outputs) ?? [];
      const shares = Float64Array.from(counts, (count) => count / examples.rows);
      const weights = Float64Array.from(site.weights);
      const { lastLayerSum } = classSums(plan, [{ rows: 1, weights, classCounts: shares }]);
      return { ...kind.measure(site, terms), [CLASS_ROWS]: shares, [LAST_LAYER]: lastLayerSum };
    },
    fuse(sent, network, plan, terms, ranges) {
      const fused = kind.fuse(sent, network, plan, terms, ranges);
      // A network that has grown has weighted its last layer itself.
      if ('problem' in fused || fused.network !== network) return fused;
      const sums = {
        classCounts: sent.total.of(CLASS_ROWS),
        lastLayerSum: sent.total.of(LAST_LAYER),
      };
      return { network, weights: withClassWeights(plan, fused.weights, sums) };
    },
  };
}

/** Refuses it where there are no classes. */
export function refuseWithoutClasses(loss: Loss): void {
  if (loss === 'classes') return;
  throw new DataError(
    'the last layer can be averaged by class only where the response is a category',
    {},
    'leave out "lastLayer"',
  );
}

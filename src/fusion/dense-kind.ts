import { DataError } from '../data-error.ts';
import { fullDistillation } from '../network/distillation.ts';
import { CODE_LENGTH, fuseDense } from '../network/fuse-dense.ts';
import type { ValueRange } from '../network/generated-inputs.ts';
import { generatorBytes, planGenerator } from '../network/generator-plan.ts';
import type { ValueShape } from '../network/network-plan.ts';
import { fullTraining } from '../network/training.ts';
import { grouped } from '../text/number-text.ts';
import { sentWeights, siteWeights, weightSegment, weightsText } from './average-kind.ts';
import type { NetworkKind } from './network-kind.ts';
import type { DenseFusion } from './network-terms.ts';

/** Most memory of a generator; the kernels have twice as much. */
const MOST_BYTES = 2 ** 31;

/** Columns of a table are generated within this many deviations: a range may reach far beyond its rows. */
const MOST_DEVIATIONS = 3;

/** DENSE: a generator makes rows from the sites' networks, and a network learns what they say of these. */
export const denseKind: NetworkKind<DenseFusion> = {
  text: ({ distillation }) => {
    const { batches, batch } = fullDistillation(distillation);
    return `the average of the sites’ networks, trained on to say what they say together of ${grouped(batches * batch)} generated rows`;
  },
  leaves: (plan) => [weightsText(plan)],
  refuse({ input }, { distillation }, loss) {
    if (loss !== 'classes') {
      throw new DataError(
        'dense is for a category: its generator makes rows of a wanted class',
        {},
        'choose fisher-kfac, regmean or another fusion of networks',
      );
    }
    const { width, batch } = fullDistillation(distillation);
    const bytes = generatorBytes(planGenerator(input, width, CODE_LENGTH), batch);
    if (bytes <= MOST_BYTES) return;
    throw new DataError(
      `the generator would take ${grouped(Math.ceil(bytes / 2 ** 20))} MB of memory; at most ${grouped(MOST_BYTES / 2 ** 20)} are possible`,
      {},
      'choose a smaller "batch" or "width" of the distillation, or smaller images',
    );
  },
  needs: 'sites',
  segments: (plan) => [weightSegment(plan)],
  measure: sentWeights,
  fuse({ sites }, network, plan, { distillation, training }, ranges) {
    const { seed } = fullTraining(training);
    const near = generatedRanges(plan.input, ranges);
    const terms = fullDistillation(distillation);
    return { network, weights: fuseDense(plan, sites.map(siteWeights), near, terms, { seed }) };
  },
};

/** The ranges that are generated: all values of a pixel, and of a column those near its centre. */
function generatedRanges(
  { height, width }: ValueShape,
  ranges: readonly ValueRange[],
): readonly ValueRange[] {
  if (height * width > 1) return ranges;
  return ranges.map(({ low, high }) => {
    const near = { low: Math.max(low, -MOST_DEVIATIONS), high: Math.min(high, MOST_DEVIATIONS) };
    return near.low < near.high ? near : { low, high };
  });
}

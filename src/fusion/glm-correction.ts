import { wordsOf } from '../statistic/layout.ts';
import {
  fractionBitsOf,
  packedIndex,
  predictorsOf,
  triangleEntries,
} from '../statistic/linear-layout.ts';
import { ringDoubleDouble, ringEntry, setRingEntry } from '../statistic/ring.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';

/** The sums of a Fisher statistic beside its information and moments. */
export interface LikelihoodSums {
  /** The log-likelihood where each site's expansion is largest. */
  readonly logLik: number;
  readonly responseSum: number;
  /** The log-likelihood of a model with a parameter for each row. */
  readonly saturated?: number;
  /** The part of the log-likelihood that depends on the responses alone. */
  readonly base?: number;
  /** Σ over sites of the columns that are independent there. */
  readonly directions?: number;
  /** By column of the design, the constant first: the number of sites whose rows alone keep its coefficient finite. */
  readonly bounding?: readonly number[];
}

export function likelihoodSums({ layout, values }: LinearStatistic): LikelihoodSums {
  const first = triangleEntries(layout);
  const extra = (k: number) =>
    ringDoubleDouble(values, wordsOf(layout), first + k, fractionBitsOf(layout)).hi;
  const { remainder } = layout;
  const width = predictorsOf(layout);
  return {
    logLik: extra(1),
    responseSum: extra(2) * (layout.weightScale ?? 1) ** 2,
    ...(remainder === undefined ? {} : { saturated: extra(3), base: extra(4) }),
    ...(remainder === 'expected'
      ? {
          directions: extra(5),
          bounding: Array.from({ length: width }, (_, j) => Math.round(extra(6 + width + j))),
        }
      : {}),
  };
}

/**
 * The total less `share` times the expected remainder of its expansions. A site's optimum is off by δ of covariance about
 * H⁻¹, so its score at the answer lacks ½ Σ W′(xᵀδ)²x, on average ½ Σ W′ xᵀH⁻¹x x.
 */
export function withoutRemainder(total: LinearStatistic, share: number): LinearStatistic {
  const { layout } = total;
  const words = wordsOf(layout);
  const values = total.values.slice();
  const width = predictorsOf(layout);
  const first = triangleEntries(layout) + 6;
  const bits = 40;
  const factor = BigInt(Math.round(share * 2 ** bits));
  for (let j = 0; j < width; j++) {
    const moment = packedIndex(width + 1, j, width);
    const part = (factor * ringEntry(values, words, first + j)) >> BigInt(bits);
    setRingEntry(values, words, moment, ringEntry(values, words, moment) - part);
  }
  return { layout, values };
}

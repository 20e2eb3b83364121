import { defined } from '../defined.ts';
import { wordsOf } from '../statistic/layout.ts';
import {
  fractionBitsOf,
  type LinearLayout,
  linearShape,
  packedIndex,
  predictorsOf,
} from '../statistic/linear-layout.ts';
import { ringDoubleDouble, ringEntry, setRingEntry } from '../statistic/ring.ts';
import { entriesIn, findSegment } from '../statistic/segments.ts';
import { type LinearStatistic, rowCount } from '../statistic/statistic.ts';
import { likelihoodUnit } from './glm-expansion.ts';

/** The sums of a Fisher statistic beside its information and moments. */
export interface LikelihoodSums {
  /** The log-likelihood where each site's expansion is largest. */
  readonly logLik: number;
  /** Σ wy. */
  readonly responseSum: number;
  /** Σ w where rows are weighted. */
  readonly weightSum?: number;
  /** Where rows are weighted: the log-likelihood that R's AIC counts, at the coefficients of the expansions. */
  readonly counted?: number;
  /** With an offset: the log-likelihood of η without coefficients. */
  readonly alone?: number;
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
  const unit = likelihoodUnit(layout);
  const square = (layout.weightScale ?? 1) ** 2;
  const bits = fractionBitsOf(layout);
  const numbers = (name: string): number[] => {
    const found = findSegment(linearShape(layout), name);
    if (found === undefined) return [];
    return Array.from(
      { length: entriesIn(found.segment) },
      (_, k) => ringDoubleDouble(values, wordsOf(layout), found.start + k, bits).hi,
    );
  };
  const scaled = (name: string, by: number) => numbers(name).map((value) => value * by)[0];
  const bounding = numbers('sites that bound it').map(Math.round);
  return {
    logLik: scaled('log-likelihood', unit),
    responseSum: scaled('sum of the response', square),
    ...defined({
      saturated: scaled('saturated log-likelihood', unit),
      base: scaled('part of the response alone', unit),
      directions: scaled('directions', 1),
      weightSum: scaled('sum of the weights', square),
      counted: scaled('log-likelihood of whole weights', unit),
      alone: scaled('log-likelihood of the offset alone', unit),
      bounding: bounding.length === 0 ? undefined : bounding,
    }),
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
  const first = remainderPlace(layout);
  const bits = 40;
  const factor = BigInt(Math.round(share * 2 ** bits));
  for (let j = 0; j < width; j++) {
    const moment = packedIndex(width + 1, j, width);
    const part = (factor * ringEntry(values, words, first + j)) >> BigInt(bits);
    setRingEntry(values, words, moment, ringEntry(values, words, moment) - part);
  }
  return { layout, values };
}

function remainderPlace(layout: LinearLayout): number {
  return findSegment(linearShape(layout), 'expected remainder')!.start;
}

/** Σ w of the rows' own weights; their number where they are not weighted. */
export function priorSum(total: LinearStatistic): number {
  return likelihoodSums(total).weightSum ?? rowCount(total);
}

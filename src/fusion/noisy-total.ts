import { bytesOf, wordsOf } from '../statistic/layout.ts';
import {
  coefficientsOf,
  fractionBitsOf,
  type LinearLayout,
  packedIndex,
  triangleEntries,
} from '../statistic/linear-layout.ts';
import { ringEntry } from '../statistic/ring.ts';
import { type LinearStatistic, statisticBytes, wordsFromBytes } from '../statistic/statistic.ts';
import { fromBase64, toBase64 } from '../text/base64.ts';

/** A private total as numbers: over the predictors, without the constant where there is no intercept. */
export interface NoisyProducts {
  /** d × d, row-major. */
  readonly gram: Float64Array;
  readonly moment: Float64Array;
  /** Σ b̃². */
  readonly square: number;
  readonly rows: number;
}

export function noisyProducts(total: LinearStatistic): NoisyProducts {
  const { layout } = total;
  const width = layout.columns.length;
  const { first, columns: d } = predictorRange(layout);
  const entry = (i: number, j: number) => numberAt(total, packedIndex(width, i, j));
  const gram = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) {
      gram[i * d + j] = entry(first + i, first + j);
      gram[j * d + i] = gram[i * d + j];
    }
  }
  return {
    gram,
    moment: Float64Array.from({ length: d }, (_, i) => entry(first + i, width - 1)),
    square: entry(width - 1, width - 1),
    rows: numberAt(total, triangleEntries(layout)),
  };
}

/** Σ ã·r over the predictors. */
export function noisyGradient(total: LinearStatistic): Float64Array {
  const { first, columns } = predictorRange(total.layout);
  return Float64Array.from({ length: columns }, (_, i) => numberAt(total, first + i));
}

/** Which columns of z are predictors; the constant is one only with an intercept. */
export function predictorRange(layout: LinearLayout): {
  readonly first: number;
  readonly columns: number;
} {
  const first = layout.intercept ? 0 : 1;
  return { first, columns: coefficientsOf(layout) };
}

function numberAt({ layout, values }: LinearStatistic, index: number): number {
  return Number(ringEntry(values, wordsOf(layout), index)) * 2 ** -fractionBitsOf(layout);
}

/** The words of a total as base64. */
export function totalText(total: LinearStatistic): string {
  return toBase64(statisticBytes(total));
}

/** The total that `totalText` wrote, or undefined where it has another layout. */
export function totalFrom(layout: LinearLayout, text: string): LinearStatistic | undefined {
  const bytes = fromBase64(text);
  if (bytes.length !== bytesOf(layout)) return undefined;
  return { layout, values: wordsFromBytes(bytes) };
}

import { crossProducts } from '../solve/cross-products.ts';
import { wordsOf } from '../statistic/layout.ts';
import { packedIndex } from '../statistic/linear-layout.ts';
import { ringEntry } from '../statistic/ring.ts';
import type { LinearPart } from '../statistic/site-part.ts';
import { type LinearStatistic, rowCount } from '../statistic/statistic.ts';

/** Mean and spread of a column at one site, in the user's units. */
export interface Moments {
  readonly mean: number;
  /** Population SD; 0 where rounding explains all of it. */
  readonly sd: number;
}

/** What a site's sums say of its columns one by one. */
export interface SiteMoments {
  readonly site: string;
  readonly n: number;
  readonly statistic: LinearStatistic;
  /** Over the layout's columns but the constant. */
  readonly columns: readonly Moments[];
  /** Whether all values of a column are two, as far as its sums tell: 0 and 1, or the ends of its reference. */
  readonly twoValued: readonly boolean[];
}

const ROUNDING = 2 ** -40; // of the reference's scale: a spread below this is none

export function siteMoments({ site, statistic }: LinearPart): SiteMoments {
  const { layout, values } = statistic;
  const sums = crossProducts(statistic);
  const words = wordsOf(layout);
  const width = layout.columns.length;
  const weight = sums.hi[0];
  const exact = (i: number, j: number) => ringEntry(values, words, packedIndex(width, i, j));
  const own = layout.columns.slice(1).map((_, k) => {
    const { center, scale } = layout.references[k + 1];
    const u = sums.hi[k + 1] / weight;
    const square = sums.hi[(k + 1) * (width + 1)] / weight;
    const spread = Math.sqrt(Math.max(0, square - u * u));
    // The difference of squares holds half the digits; below that only a constant column is left.
    const sd = spread > 2 ** -20 * Math.abs(u) ? spread : fineSpread(exact, k + 1);
    return { mean: center + scale * u, sd: sd > ROUNDING ? sd * scale : 0 };
  });
  return {
    site,
    n: rowCount(statistic),
    statistic,
    columns: own,
    twoValued: own.map((_, k) => {
      const square = exact(k + 1, k + 1);
      return square === exact(0, k + 1) || square === exact(0, 0);
    }),
  };
}

/** The spread over the reference's scale, from long integers. */
function fineSpread(exact: (i: number, j: number) => bigint, column: number): number {
  const whole = exact(0, 0);
  if (!(whole > 0n)) return 0;
  const first = exact(0, column);
  const centred = exact(column, column) * whole - first * first;
  return Math.sqrt(Math.max(0, Number(centred))) / Number(whole);
}

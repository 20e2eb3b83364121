import { crossProducts } from '../solve/normal-equations.ts';
import { wordsOf } from '../statistic/layout.ts';
import { packedIndex } from '../statistic/linear-layout.ts';
import { ringEntry } from '../statistic/ring.ts';
import type { LinearSiteStatistic } from '../statistic/site-statistics.ts';
import { type LinearStatistic, rowCount } from '../statistic/statistic.ts';

/** Mean and spread of a column at one site, in the user's units. */
export interface Moments {
  readonly mean: number;
  /** Population SD; 0 where rounding explains all of it. */
  readonly sd: number;
}

/** Mean and spread of each column of a site, from its sums. */
export interface SiteMoments {
  readonly site: string;
  readonly n: number;
  readonly statistic: LinearStatistic;
  /** Over the layout's columns without the constant. */
  readonly columns: readonly Moments[];
  /** Whether a column has only two values, as far as its sums show: 0 and 1, or the ends of its reference. */
  readonly twoValued: readonly boolean[];
}

const ROUNDING = 2 ** -40; // of the reference's scale: a spread below this counts as 0

export function siteMoments({ site, statistic }: LinearSiteStatistic): SiteMoments {
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
    // The difference of squares keeps half the digits; smaller spreads need exact integers.
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

/** Above this number of sites, the median of all stands for that of the other sites. */
export const MANY_SITES = 30;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** Median distance from the median, times 1.4826: the SD of a normal; 0 for one value. */
export function robustSpread(values: readonly number[]): number {
  const middle = median(values);
  return 1.4826 * median(values.map((value) => Math.abs(value - middle)));
}

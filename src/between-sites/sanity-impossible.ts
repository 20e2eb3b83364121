import { defined } from '../defined.ts';
import { type Flag, siteFlag } from '../model/site-flag.ts';
import { wordsOf } from '../statistic/layout.ts';
import { fractionBitsOf, packedIndex } from '../statistic/linear-layout.ts';
import { ringEntry } from '../statistic/ring.ts';
import type { LinearSiteStatistic } from '../statistic/site-statistics.ts';

const QUESTION = 'ask the site to send again with the current program; no table gives such sums';
const NEAR = 1 - 1e-9; // correlations above this are checked in exact integers

/** Flags sums that no rows can have: the integers of correct sums obey Cauchy–Schwarz exactly. */
export function impossibleFlags(
  own: LinearSiteStatistic,
  sites: readonly LinearSiteStatistic[],
): Flag[] {
  const { site, statistic } = own;
  const { layout, values } = statistic;
  const width = layout.columns.length;
  const words = wordsOf(layout);
  const at = (i: number, j: number) => ringEntry(values, words, packedIndex(width, i, j));
  const flag = (reason: string, column?: string): Flag =>
    siteFlag({ site, kind: 'impossible', ...defined({ column }) }, reason, QUESTION);
  const whole = at(0, 0);
  if (layout.weightScale === null && BigInt.asUintN(fractionBitsOf(layout), whole) !== 0n) {
    return [flag('its number of rows is not whole')];
  }
  if (whole < 0n) return [flag('its number of rows, or sum of weights, is negative')];
  // Compact sums were rounded once each, so they may break the inequality by that much.
  const slack = layout.arithmetic === 'compact' ? whole >> 20n : 0n;
  const flags: Flag[] = [];
  const spreads: { column: number; size: bigint }[] = [];
  for (let i = 1; i < width; i++) {
    const name = layout.columns[i];
    const square = at(i, i);
    const first = at(0, i);
    const size = square * whole - first * first;
    if (square < 0n || size < -slack * whole) {
      flags.push(flag(`the variance of ${name} is negative`, name));
    } else if (square > whole + slack || first > whole + slack || -first > whole + slack) {
      flags.push(flag(`${name} lies outside the range of the codebook on average`, name));
    } else {
      spreads.push({ column: i, size });
    }
    if (square !== first && isIndicatorElsewhere(i, own, sites)) {
      flags.push(flag(`${name} is 0 or 1 at the other sites, and not here`, name));
    }
  }
  const roots = spreads.map(({ size }) => Math.sqrt(Math.max(0, Number(size))));
  spreads.forEach(({ column: i, size }, a) => {
    for (let b = a + 1; b < spreads.length; b++) {
      const j = spreads[b].column;
      const product = at(i, j) * whole - at(0, i) * at(0, j);
      if (!(Math.abs(Number(product)) > NEAR * roots[a] * roots[b])) continue;
      if (product * product <= (size + slack * whole) * (spreads[b].size + slack * whole)) continue;
      const names = `${layout.columns[i]} and ${layout.columns[j]}`;
      flags.push(flag(`the correlation of ${names} is beyond 1`, layout.columns[i]));
    }
  });
  return flags;
}

/** Whether Σd² = Σd, exactly, at every other site with rows, of which there are at least two. */
function isIndicatorElsewhere(
  column: number,
  own: LinearSiteStatistic,
  sites: readonly LinearSiteStatistic[],
): boolean {
  const { layout } = own.statistic;
  const { center, scale } = layout.references[column];
  if (center !== 0 || scale !== 1) return false;
  const width = layout.columns.length;
  const words = wordsOf(layout);
  const others = sites.filter(
    ({ site, statistic }) => site !== own.site && ringEntry(statistic.values, words, 0) > 0n,
  );
  return (
    others.length > 1 &&
    others.every(({ statistic: { values } }) => {
      const square = ringEntry(values, words, packedIndex(width, column, column));
      return square === ringEntry(values, words, column);
    })
  );
}

import { type Flag, siteFlag } from '../model/site-flag.ts';
import { wordsOf } from '../statistic/layout.ts';
import { packedIndex } from '../statistic/linear-layout.ts';
import { ringEntry } from '../statistic/ring.ts';
import type { LinearSiteStatistic } from '../statistic/site-statistics.ts';
import { type LinearStatistic, rowCount } from '../statistic/statistic.ts';
import { grouped } from '../text/number-text.ts';

const FEW_ROWS = 5;
const LARGEST_SHARE = 0.95;
/** Number of sums that must all be even before rows count as doubled: by chance once in 65,536 sites. */
const EVEN_SUMS = 16;

/** Flags sites with very few rows, with nearly all rows, with each row twice, or with the rows of another site. */
export function rowFlags(sites: readonly LinearSiteStatistic[]): Flag[] {
  const counts = sites.map(({ statistic }) => rowCount(statistic));
  const all = counts.reduce((sum, n) => sum + n, 0);
  const doubled = doubledSites(sites);
  const alike = new Map<number, LinearSiteStatistic[]>();
  for (const one of sites) {
    const print = fingerprint(one.statistic);
    alike.set(print, [...(alike.get(print) ?? []), one]);
  }
  return sites.flatMap(({ site, statistic }, k) => {
    const flags: Flag[] = [];
    const add = (reason: string, question: string) =>
      flags.push(siteFlag({ site, kind: 'rows' }, reason, question));
    const n = counts[k];
    if (n < FEW_ROWS) {
      const rows = n === 1 ? 'one row' : `${n} rows`;
      add(`it sent ${rows}`, 'ask whether the file is complete; so few rows can also be guessed');
    }
    if (sites.length > 1 && n > LARGEST_SHARE * all) {
      const share = `${((100 * n) / all).toFixed(1)} %`;
      add(
        `${grouped(n)} of ${grouped(all)} rows (${share}) are its own`,
        'ask whether it sent the pooled file; the others hardly count',
      );
    }
    if (doubled.has(site)) {
      add('every one of its sums is even, as if each row were there twice', 'ask for duplicates');
    }
    const twin = alike.get(fingerprint(statistic))?.find((other) => sameSums(other, statistic));
    if (twin !== undefined && twin.site !== site) {
      add(`its sums are those of ${twin.site}`, 'ask whether one file was sent under two names');
    }
    return flags;
  });
}

/** A hash: equal for equal statistics, and rarely equal for others. */
function fingerprint({ values }: LinearStatistic): number {
  return values.reduce((sum, word) => (Math.imul(sum, 31) + word) | 0, 0);
}

function sameSums({ statistic }: LinearSiteStatistic, { values }: LinearStatistic): boolean {
  return statistic.values.every((word, k) => word === values[k]);
}

/**
 * Sites whose sums of products are all even where other sites' are odd, after the power of two that a column's values
 * share: exact sums keep the parity of the rows' products, and doubled rows make every sum even. The sums of a column that
 * is constant at the site are multiples of others, so they are no evidence.
 */
function doubledSites(sites: readonly LinearSiteStatistic[]): Set<string> {
  if (sites.length < 2 || sites[0].statistic.layout.arithmetic === 'compact') return new Set();
  const { layout } = sites[0].statistic;
  const width = layout.columns.length;
  const words = wordsOf(layout);
  const power = ({ statistic: { values } }: LinearSiteStatistic, i: number, j: number) =>
    powerOfTwo(values, packedIndex(width, i, j) * words, words);
  // A sum of squares of odd numbers is divisible by 4 in one case of four, so the minimum over the sites is the shared power.
  const shared = layout.columns.map((_, j) =>
    j === 0 && layout.weightScale === null
      ? layout.grid
      : Math.min(...sites.map((one) => Math.floor(power(one, j, j) / 2))),
  );
  const constant = sites.map(({ statistic }) => constantColumns(statistic));
  const odd = sites.map(() => 0);
  const even = sites.map(() => 0);
  for (let i = 0; i < width; i++) {
    for (let j = i; j < width; j++) {
      if (j === i && i > 0) continue;
      const powers = sites.map((one) => power(one, i, j));
      const isOdd = powers.map((own) => own <= shared[i] + shared[j]);
      powers.forEach((own, k) => {
        if (constant[k].has(i) || constant[k].has(j)) return;
        if (isOdd[k]) odd[k]++;
        else if (own < Number.POSITIVE_INFINITY && isOdd.includes(true)) even[k]++;
      });
    }
  }
  const doubled = sites.filter((_, k) => odd[k] === 0 && even[k] >= EVEN_SUMS);
  return new Set(doubled.map(({ site }) => site));
}

/** Columns after the first whose square is that of their mean: (Σu)² = n Σu². */
function constantColumns({ layout, values }: LinearStatistic): Set<number> {
  const width = layout.columns.length;
  const at = (i: number, j: number) => ringEntry(values, wordsOf(layout), packedIndex(width, i, j));
  const columns = layout.columns.map((_, j) => j).slice(1);
  return new Set(columns.filter((j) => at(0, j) ** 2n === at(0, 0) * at(j, j)));
}

/** Trailing zero bits of an entry; infinite for 0. */
function powerOfTwo(values: Uint32Array, start: number, words: number): number {
  for (let k = 0; k < words; k++) {
    const word = values[start + k];
    if (word !== 0) return 32 * k + 31 - Math.clz32(word & -word);
  }
  return Number.POSITIVE_INFINITY;
}

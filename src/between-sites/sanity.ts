import { type Flag, flagsText } from '../model/site-flag.ts';
import type { LinearSiteStatistic } from '../statistic/site-statistics.ts';
import { type LinearStatistic, rowCount } from '../statistic/statistic.ts';
import { type Ink, plainInk } from '../text/text-table.ts';
import { columnFlags } from './sanity-columns.ts';
import { fitFlags } from './sanity-fit.ts';
import { impossibleFlags } from './sanity-impossible.ts';
import { rowFlags } from './sanity-rows.ts';
import { siteMoments } from './site-moments.ts';

/** Suspicious contributions, with the evidence; all of them count. */
export interface Sanity {
  readonly about: 'sanity';
  readonly flags: readonly Flag[];
}

/** Checks each site's sums alone and against the other sites; the thresholds are such that clean data raises no flag. */
export function sanity(total: LinearStatistic, sites: readonly LinearSiteStatistic[]): Sanity {
  const impossible = sites.flatMap((one) => impossibleFlags(one, sites));
  const broken = new Set(impossible.map(({ site }) => site));
  const sound = sites.filter(({ site, statistic }) => rowCount(statistic) > 0 && !broken.has(site));
  const moments = sound.map(siteMoments);
  const flags: Flag[] = [
    ...impossible,
    ...rowFlags(sound),
    ...columnFlags(moments),
    ...(broken.size > 0 ? [] : fitFlags(total, sound)),
  ];
  const order = new Map(sites.map(({ site }, k) => [site, k]));
  flags.sort((a, b) => (order.get(a.site) ?? 0) - (order.get(b.site) ?? 0));
  return { about: 'sanity', flags };
}

/** The flags, or that nothing looks wrong. */
export function sanityText({ flags }: Sanity, ink: Ink = plainInk): string {
  const body = flags.length === 0 ? 'Nothing looks wrong.' : flagsText(flags, ink);
  return `${ink.bold('Does anything about a site look wrong?')}\n${body}\n`;
}

/**
 * Whether `sanity` takes at most a second or two: the fit of each site costs a constant and the cube of the number of
 * columns.
 */
export function isQuicklyChecked(sites: number, columns: number): boolean {
  return sites * (150_000 + columns ** 3) <= 2.5e8;
}

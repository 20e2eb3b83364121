import { flagsText } from '../model/flags-text.ts';
import { type Ink, plainInk } from '../model/text-table.ts';
import type { LinearPart } from '../statistic/site-part.ts';
import { type LinearStatistic, rowCount } from '../statistic/statistic.ts';
import type { Flag } from './flag.ts';
import { columnFlags } from './sanity-columns.ts';
import { fitFlags } from './sanity-fit.ts';
import { impossibleFlags } from './sanity-impossible.ts';
import { rowFlags } from './sanity-rows.ts';
import { siteMoments } from './site-moments.ts';

/** What looks wrong about a site's contribution, with the evidence. Nothing is dropped for it. */
export interface Sanity {
  readonly about: 'sanity';
  readonly flags: readonly Flag[];
}

/** Looks at every site's sums by themselves and against the others'; lines are drawn so that clean data raises none. */
export function sanity(total: LinearStatistic, parts: readonly LinearPart[]): Sanity {
  const impossible = parts.flatMap((part) => impossibleFlags(part, parts));
  const broken = new Set(impossible.map(({ site }) => site));
  const sound = parts.filter(({ site, statistic }) => rowCount(statistic) > 0 && !broken.has(site));
  const moments = sound.map(siteMoments);
  const flags: Flag[] = [
    ...impossible,
    ...rowFlags(sound),
    ...columnFlags(moments),
    ...(broken.size > 0 ? [] : fitFlags(total, sound)),
  ];
  const order = new Map(parts.map(({ site }, k) => [site, k]));
  flags.sort((a, b) => (order.get(a.site) ?? 0) - (order.get(b.site) ?? 0));
  return { about: 'sanity', flags };
}

/** What looks wrong about the sites, or that nothing does. */
export function sanityText({ flags }: Sanity, ink: Ink = plainInk): string {
  const body = flags.length === 0 ? 'Nothing looks wrong.' : flagsText(flags, ink);
  return `${ink.bold('Does anything about a site look wrong?')}\n${body}\n`;
}

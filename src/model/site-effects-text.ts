import { chiSquareTailLog, fTailLog } from '../numeric/distributions.ts';
import { alignDecimals, grouped, probability, significant } from '../text/number-text.ts';
import { type Ink, layOut } from '../text/text-table.ts';
import type { SiteEffects } from './fit.ts';

const MOST_SITES = 20;

/** The sites' own intercepts: whether they matter, how much they vary, and each one. */
export function siteEffectsText(effects: SiteEffects, ink: Ink): string {
  const shown = effects.sites.slice(0, MOST_SITES);
  const known = shown.every((site) => site['std.error'] !== undefined);
  const columns = [
    ['Site', ...shown.map(({ site }) => site)],
    [
      effects.kind === 'fixed' ? 'from the mean site' : 'best predictor',
      ...alignDecimals(shown.map(({ estimate }) => significant(estimate))),
    ],
  ];
  if (known) {
    columns.push([
      'Std. Error',
      ...alignDecimals(shown.map((site) => significant(site['std.error'] ?? Number.NaN))),
    ]);
  }
  const rest = effects.sites.length - shown.length;
  return [
    ink.bold(titles[effects.kind]),
    testText(effects),
    ...varianceText(effects),
    ...layOut(columns, ink),
    ...(rest > 0 ? [ink.faint(`… and ${grouped(rest)} more sites`)] : []),
  ].join('\n');
}

const titles: Readonly<Record<SiteEffects['kind'], string>> = {
  fixed: 'An intercept for each site',
  random: 'A random intercept for each site (REML)',
  'random-ml': 'A random intercept for each site (ML)',
};

function testText(effects: SiteEffects): string {
  const { statistic, df, kind } = effects;
  const freedom = effects['df.residual'];
  if (kind === 'fixed' && freedom !== undefined) {
    const p = probability(fTailLog(statistic, df, freedom));
    return `F-statistic: ${significant(statistic, 4)} on ${grouped(df)} and ${grouped(freedom)} DF,  p-value: ${p}`;
  }
  const p = effects['p.value'];
  // Halved, because a variance of 0 is the edge of its range.
  const log = p > 0 ? Math.log(p) : chiSquareTailLog(statistic, df) - Math.LN2;
  return `Likelihood ratio against equal sites: ${significant(statistic, 4)},  p-value: ${probability(log)}`;
}

function varianceText({ variance, icc }: SiteEffects): string[] {
  if (variance === undefined) return [];
  return [
    `Variance between sites: ${significant(variance)}` +
      (icc === undefined ? '' : ` (${(100 * icc).toFixed(1)} % of all)`),
  ];
}

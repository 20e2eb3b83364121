import type { Fit } from '../model/fit.ts';
import type { Unsolved } from '../solve/solution.ts';
import type { SitePart } from '../statistic/site-part.ts';
import type { Statistic } from '../statistic/statistic.ts';
import type { Fusion } from '../study/study.ts';
import { resolveFisher } from './fisher.ts';
import { resolveRidge } from './ridge.ts';

/** The coordinator's half of a fusion; `parts` where each site's own statistic may be looked at, `mapped` columns by name. */
export function resolve(
  fusion: Fusion,
  total: Statistic,
  parts?: readonly SitePart[],
  mapped?: ReadonlySet<string>,
): Fit | Unsolved {
  switch (fusion.kind) {
    case 'ridge':
      return resolveRidge(total, fusion, parts);
    case 'fisher':
      return resolveFisher(total, fusion, mapped);
    case 'average':
    case 'fesc':
      return averaged;
  }
}

const averaged: Unsolved = {
  problem: 'the sites sent estimates of their own: there are no sums to solve',
  advice: 'findings(agreed, sent, sites) weights them and gives their report',
};

/** Whether a fusion cannot be resolved from the total alone. */
export function needsParts(fusion: Fusion): boolean {
  if (fusion.kind === 'fisher') return false;
  if (fusion.kind !== 'ridge') return true;
  return (
    fusion.ridge === 'leave-one-site-out' ||
    fusion.ridge === 'k-fold' ||
    fusion.lasso?.lambda === 'leave-one-site-out' ||
    fusion.errors === 'clustered' ||
    fusion.siteEffects !== undefined
  );
}

import type { Failure } from '../failure.ts';
import type { Fit } from '../model/fit.ts';
import type { SitePart } from '../statistic/site-part.ts';
import type { Statistic } from '../statistic/statistic.ts';
import { type Fusion, isGlm } from '../study/study.ts';
import { resolveGlm } from './glm.ts';
import { resolveRidge } from './ridge.ts';

/** The coordinator's half of a fusion; `parts` where each site's own statistic may be looked at. */
export function resolve(
  fusion: Fusion,
  total: Statistic,
  parts?: readonly SitePart[],
): Fit | Failure {
  switch (fusion.kind) {
    case 'ridge':
      return resolveRidge(total, fusion, parts);
    case 'glm':
    case 'fisher':
      return resolveGlm(total, fusion);
    case 'average':
    case 'fesc':
      return averaged;
  }
}

const averaged: Failure = {
  problem: 'the sites sent estimates of their own: there are no sums to solve',
  remedy: 'findings(agreed, sent, sites) weights them and gives their report',
};

/** Whether a fusion cannot be resolved from the total alone. */
export function needsParts(fusion: Fusion): boolean {
  if (isGlm(fusion)) return false;
  if (fusion.kind !== 'ridge') return true;
  return (
    fusion.ridge === 'leave-one-site-out' ||
    fusion.ridge === 'k-fold' ||
    fusion.lasso?.lambda === 'leave-one-site-out' ||
    fusion.errors === 'clustered' ||
    fusion.siteEffects !== undefined
  );
}

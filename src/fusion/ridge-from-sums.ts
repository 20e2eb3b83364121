import { defined } from '../defined.ts';
import type { Design } from '../features/design.ts';
import { errorsOf } from '../model/errors.ts';
import type { Fit } from '../model/fit.ts';
import { createReport } from '../model/report.ts';
import { FOLDS } from '../solve/choose.ts';
import type { RidgeFusion } from '../study/study.ts';
import { resolveAlternatives } from './choose-alternative.ts';
import { linearSums } from './linear-sums.ts';
import type { Method, Resolved } from './method.ts';
import { resolveRidge } from './ridge.ts';

/** A linear regression from sums. */
export function ridgeFromSums(
  fusion: RidgeFusion,
  design: Design | undefined,
): Pick<Method, 'needsSites' | 'groups' | 'resolve'> {
  return {
    needsSites: needsSites(fusion),
    ...defined({ groups: groupsOf(fusion) }),
    resolve(collected) {
      const fit = resolveAlternatives(design, linearSums(collected), ({ total, sites }) =>
        resolveRidge(total, fusion, sites),
      );
      return 'problem' in fit ? fit : resolvedFit(fit);
    },
  };
}

/** Whether a linear regression cannot be resolved from the total alone. */
export function needsSites({ ridge, lasso, errors, siteEffects }: RidgeFusion): boolean {
  return (
    ridge === 'leave-one-site-out' ||
    ridge === 'k-fold' ||
    lasso?.lambda === 'leave-one-site-out' ||
    errors === 'clustered' ||
    siteEffects !== undefined
  );
}

/** The groups of sites that a linear regression needs, if it needs nothing about single sites. */
function groupsOf(fusion: RidgeFusion): number | undefined {
  const { ridge, folds = FOLDS } = fusion;
  const alone = ridge === 'k-fold' && !needsSites({ ...fusion, ridge: 0 });
  return alone ? folds : undefined;
}

/** A fit of normal equations, with its report and coefficients. */
export function resolvedFit(fit: Fit): Resolved {
  return {
    fit,
    report: (context) => createReport(fit, context),
    models: fit.models.map(({ terms, estimates }, r) => ({
      terms,
      estimates,
      covariance: () => errorsOf(fit, r)?.covariance,
    })),
  };
}

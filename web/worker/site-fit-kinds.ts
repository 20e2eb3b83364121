import { defined } from '../../src/defined.ts';
import type { EstimateFusion, GlmFusion } from '../../src/study/study.ts';
import { type MethodKind, reading } from './method-kind.ts';

/** A generalised linear model, from the curvature of the likelihood at each site's own fit. */
function likelihood(
  family: GlmFusion['family'],
  texts: Pick<MethodKind, 'name' | 'label' | 'about'>,
): MethodKind {
  return {
    ...texts,
    fields: () => ['prior', 'weights', 'clustered'],
    toFusion(method, { optional }, unshown) {
      const prior = optional('method.prior', method.prior, { above: 0 });
      const { at, ridge, errors, without } = (unshown ?? {}) as Partial<GlmFusion>;
      return {
        kind: 'glm',
        family,
        ...defined({ prior, at, ridge, errors, without }),
        ...(method.clustered ? { errors: 'clustered' as const } : {}),
        ...(unshown === undefined || unshown.remainder !== undefined
          ? { remainder: 'expected' as const }
          : {}),
      };
    },
    fromFusion: reading<GlmFusion>(['glm', 'fisher'], (fusion) => {
      if (fusion.family !== family) return undefined;
      const { prior = 'firth', at, remainder, ridge, errors, without } = fusion;
      const clustered = errors === 'clustered';
      return {
        method: { prior: prior === 'firth' ? '' : String(prior), clustered },
        unshown: {
          ...defined({ at, remainder, ridge, without }),
          ...(clustered || errors === undefined ? {} : { errors }),
        },
      };
    }),
  };
}

/** Each site fits its own regression; the coefficients are combined. */
function ownEstimates(
  kind: EstimateFusion['kind'],
  texts: Pick<MethodKind, 'label' | 'about'>,
): MethodKind {
  return {
    name: kind,
    ...texts,
    fields: () => ['ownRidge', 'covariance'],
    toFusion({ ownRidge, covariance }, { optional }) {
      const ridge = optional('method.ownRidge', ownRidge, { from: 0 });
      return {
        kind,
        ...defined({ ridge }),
        ...(covariance ? { covariance } : {}),
      };
    },
    fromFusion: reading<EstimateFusion>([kind], ({ ridge = 0, covariance = false }) => ({
      method: { ownRidge: ridge === 0 ? '' : String(ridge), covariance },
    })),
  };
}

export const logistic: MethodKind = likelihood('binomial', {
  name: 'logistic',
  label: 'logistic',
  about:
    'One round, from each site’s own fit: close to the pooled model, but not exact. The response has two levels.',
});

export const poisson: MethodKind = likelihood('poisson', {
  name: 'poisson',
  label: 'Poisson',
  about:
    'For counts. One round, from each site’s own fit: close to the pooled model, but not exact.',
});

export const averageKind: MethodKind = ownEstimates('average', {
  label: 'each site’s own, averaged by rows',
  about:
    'Each site sends its own coefficients; they are averaged by number of rows. Far fewer bytes, but not the model of all rows together.',
});

export const fescKind: MethodKind = ownEstimates('fesc', {
  label: 'each site’s own, with FESC weights',
  about:
    'Each site sends its own coefficients; small sites get less weight than their number of rows. Far fewer bytes, but not the model of all rows together.',
});

import type { EstimateFusion, GlmFusion } from '../../src/study/study.ts';
import { type MethodKind, reading } from './method-kind.ts';

/** A likelihood's curvature at each site's own optimum. */
function likelihood(
  family: GlmFusion['family'],
  words: Pick<MethodKind, 'name' | 'label' | 'about'>,
): MethodKind {
  return {
    ...words,
    fields: () => ['prior'],
    toFusion(method, { optional }, unshown) {
      const prior = optional('method.prior', method.prior, { above: 0 });
      const at = unshown?.at as GlmFusion['at'];
      return {
        kind: 'glm',
        family,
        ...(prior === undefined ? {} : { prior }),
        ...(at === undefined ? {} : { at }),
      };
    },
    fromFusion: reading<GlmFusion>(['glm', 'fisher'], (fusion) => {
      if (fusion.family !== family) return undefined;
      const { prior = 'firth', at } = fusion;
      return {
        method: { prior: prior === 'firth' ? '' : String(prior) },
        ...(at === undefined ? {} : { unshown: { at } }),
      };
    }),
  };
}

/** A regression of each site's own, whose coefficients are combined. */
function ownEstimates(
  kind: EstimateFusion['kind'],
  words: Pick<MethodKind, 'label' | 'about'>,
): MethodKind {
  return {
    name: kind,
    ...words,
    fields: () => ['ownRidge', 'covariance'],
    toFusion({ ownRidge, covariance }, { optional }) {
      const ridge = optional('method.ownRidge', ownRidge, { from: 0 });
      return {
        kind,
        ...(ridge === undefined ? {} : { ridge }),
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
    'In one round, from each site’s own fit: close to pooling, not exact. The response has two levels.',
});

export const poisson: MethodKind = likelihood('poisson', {
  name: 'poisson',
  label: 'Poisson',
  about: 'For counts, in one round, from each site’s own fit: close to pooling, not exact.',
});

export const average: MethodKind = ownEstimates('average', {
  label: 'each site’s own, averaged by rows',
  about:
    'Each site sends its own coefficients, weighted by rows. Far fewer bytes, and not what all rows together would give.',
});

export const fesc: MethodKind = ownEstimates('fesc', {
  label: 'each site’s own, with FESC weights',
  about:
    'Each site sends its own coefficients; the smallest sites count less than by rows. Far fewer bytes, and not what all rows together would give.',
});

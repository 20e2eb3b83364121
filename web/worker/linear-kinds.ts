import { defined } from '../../src/defined.ts';
import type { RidgeFusion } from '../../src/study/study.ts';
import { type MethodKind, reading } from './method-kind.ts';
import type { MethodPlan } from './plan.ts';
import type { PlanReading } from './plan-problems.ts';

/** Least squares: exactly the model of all rows together. */
export const leastSquaresKind: MethodKind = {
  name: 'least-squares',
  label: 'linear, least squares',
  about: 'Exactly the model that all rows together would give.',
  fields: () => ['siteEffects', 'weights', 'clustered'],
  toFusion({ siteEffects, clustered }, { problems }) {
    if (clustered && siteEffects.startsWith('random')) {
      problems.push({
        field: 'method.siteEffects',
        problem: 'a random intercept already accounts for correlation within sites',
        remedy: 'take clustered errors or a random intercept, not both',
      });
    }
    const effects = siteEffects === 'none' ? {} : { siteEffects };
    return { kind: 'ridge', ridge: 0, ...errorsOf(clustered), ...effects };
  },
  fromFusion: reading<RidgeFusion>(['ridge'], (fusion) =>
    fusion.ridge === 0 && fusion.lasso === undefined ? { method: sharedFields(fusion) } : undefined,
  ),
};

/** A penalty on squared slopes. */
export const ridgeKind: MethodKind = {
  name: 'ridge',
  label: 'linear, ridge',
  about:
    'Exactly the model that all rows together would give, with the same penalty. The intercept is not penalised.',
  fields: ({ penalty }) => [
    'penalty',
    ...(penalty === 'value' ? (['ridge'] as const) : []),
    ...(penalty === 'k-fold' ? (['folds'] as const) : []),
    'weights',
    'standardize',
    ...(leavesOut(penalty) ? (['oneStandardError'] as const) : []),
    'clustered',
  ],
  toFusion: (method, reading) => penalised(method, ridgeOf(method, reading)),
  fromFusion: reading<RidgeFusion>(['ridge'], (fusion) => {
    const { ridge: given, lasso: other } = fusion;
    if (given === 0 || other !== undefined) return undefined;
    return {
      method: {
        ...sharedFields(fusion),
        ...(typeof given === 'number'
          ? { penalty: 'value', ridge: String(given) }
          : { penalty: given }),
      },
    };
  }),
};

/** A penalty under which slopes can become 0. */
export const lassoKind: MethodKind = {
  name: 'lasso',
  label: 'linear, lasso or elastic net',
  about: 'Exactly the model that all rows together would give. Coefficients can become 0.',
  fields: ({ lasso: penalty }) => [
    'lasso',
    ...(penalty === 'value' ? (['lambda'] as const) : []),
    'mix',
    'weights',
    'standardize',
    ...(leavesOut(penalty) ? (['oneStandardError'] as const) : []),
    'clustered',
  ],
  toFusion: (method, reading) => penalised(method, lassoOf(method, reading)),
  fromFusion: reading<RidgeFusion>(['ridge'], (fusion) => {
    if (fusion.lasso === undefined) return undefined;
    const { lambda, mix } = fusion.lasso;
    return {
      method: {
        ...sharedFields(fusion),
        ...(typeof lambda === 'number'
          ? { lasso: 'value', lambda: String(lambda) }
          : { lasso: lambda }),
        mix: mix === undefined ? '' : String(mix),
      },
    };
  }),
};

/** Fields of every linear regression. */
function sharedFields(fusion: RidgeFusion): Partial<MethodPlan> {
  const { folds } = fusion;
  return {
    standardize: fusion.standardize === true,
    clustered: fusion.errors === 'clustered',
    oneStandardError: fusion.prefer === 'one-standard-error',
    siteEffects: fusion.siteEffects ?? 'none',
    folds: folds === undefined ? '' : String(folds),
  };
}

type Penalty = Pick<RidgeFusion, 'ridge' | 'folds' | 'prefer' | 'lasso'>;

function penalised(
  { standardize, clustered }: MethodPlan,
  penalty: Penalty | undefined,
): RidgeFusion | undefined {
  if (penalty === undefined) return undefined;
  return {
    kind: 'ridge',
    ...penalty,
    ...(standardize ? { standardize } : {}),
    ...errorsOf(clustered),
  };
}

function ridgeOf(method: MethodPlan, reading: PlanReading): Penalty | undefined {
  const { penalty } = method;
  if (penalty === 'value') {
    const value = reading.number('method.ridge', method.ridge, { from: 0 });
    return value === undefined ? undefined : { ridge: value };
  }
  const folds =
    penalty === 'k-fold'
      ? reading.optional('method.folds', method.folds, { from: 2, whole: true })
      : undefined;
  return {
    ridge: penalty,
    ...defined({ folds }),
    ...(leavesOut(penalty) ? preference(method) : {}),
  };
}

function lassoOf(method: MethodPlan, reading: PlanReading): Penalty | undefined {
  const lambda =
    method.lasso === 'value'
      ? reading.number('method.lambda', method.lambda, { from: 0 })
      : method.lasso;
  const mix = reading.optional('method.mix', method.mix, { above: 0, to: 1 });
  if (lambda === undefined) return undefined;
  return {
    ridge: 0,
    ...(typeof lambda === 'number' ? {} : preference(method)),
    lasso: { lambda, ...defined({ mix }) },
  };
}

/** Whether the rule leaves out sites in turn. */
function leavesOut(rule: MethodPlan['penalty']): boolean {
  return rule === 'k-fold' || rule === 'leave-one-site-out';
}

function preference({ oneStandardError }: MethodPlan): Pick<RidgeFusion, 'prefer'> {
  return oneStandardError ? { prefer: 'one-standard-error' } : {};
}

function errorsOf(clustered: boolean): Pick<RidgeFusion, 'errors'> {
  return clustered ? { errors: 'clustered' } : {};
}

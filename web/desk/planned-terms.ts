import type { Column } from '../../src/study/codebook.ts';
import { DELTA_LIMIT } from '../../src/study/promise-doubts.ts';
import type { Fusion, PrivacyTerms, Quorum, RidgeFusion } from '../../src/study/study.ts';
import { type ColumnPlan, namesIn, type Plan } from './plan.ts';
import type { Reading } from './plan-problems.ts';

/** The method a plan asks for. */
export function plannedFusion({ method, more }: Plan, reading: Reading): Fusion | undefined {
  const { kind, clustered, siteEffects } = method;
  if (kind === 'logistic' || kind === 'poisson') {
    const prior = reading.optional('method.prior', method.prior, { above: 0 });
    const family = kind === 'logistic' ? 'binomial' : 'poisson';
    return { kind: 'glm', family, ...(prior === undefined ? {} : { prior }), ...more.fusion };
  }
  if (kind === 'average' || kind === 'fesc') {
    const ridge = reading.optional('method.ownRidge', method.ownRidge, { from: 0 });
    const covariance = method.covariance ? { covariance: true } : {};
    return { kind, ...(ridge === undefined ? {} : { ridge }), ...covariance, ...more.fusion };
  }
  const errors = clustered ? { errors: 'clustered' as const } : {};
  if (kind === 'least-squares') {
    if (clustered && siteEffects.startsWith('random')) {
      reading.problems.push({
        field: 'method.siteEffects',
        problem: 'a random intercept already accounts for correlation within sites',
        remedy: 'take clustered errors or a random intercept, not both',
      });
    }
    const effects = siteEffects === 'none' ? {} : { siteEffects };
    return { kind: 'ridge', ridge: 0, ...errors, ...effects, ...more.fusion };
  }
  const penalty = kind === 'ridge' ? ridgeOf(method, reading) : lassoOf(method, reading);
  if (penalty === undefined) return undefined;
  return {
    kind: 'ridge',
    ...penalty,
    ...(method.standardize ? { standardize: true } : {}),
    ...errors,
    ...more.fusion,
  };
}

type Penalty = Pick<RidgeFusion, 'ridge' | 'folds' | 'prefer' | 'lasso'>;

function ridgeOf(method: Plan['method'], reading: Reading): Penalty | undefined {
  const { penalty } = method;
  if (penalty === 'value') {
    const ridge = reading.number('method.ridge', method.ridge, { from: 0 });
    return ridge === undefined ? undefined : { ridge };
  }
  const folds =
    penalty === 'k-fold'
      ? reading.optional('method.folds', method.folds, { from: 2, whole: true })
      : undefined;
  return {
    ridge: penalty,
    ...(folds === undefined ? {} : { folds }),
    ...(penalty === 'k-fold' || penalty === 'leave-one-site-out' ? preference(method) : {}),
  };
}

function lassoOf(method: Plan['method'], reading: Reading): Penalty | undefined {
  const lambda =
    method.lasso === 'value'
      ? reading.number('method.lambda', method.lambda, { from: 0 })
      : method.lasso;
  const mix = reading.optional('method.mix', method.mix, { above: 0, to: 1 });
  if (lambda === undefined) return undefined;
  return {
    ridge: 0,
    ...(typeof lambda === 'number' ? {} : preference(method)),
    lasso: { lambda, ...(mix === undefined ? {} : { mix }) },
  };
}

function preference({ oneStandardError }: Plan['method']): Pick<RidgeFusion, 'prefer'> {
  return oneStandardError ? { prefer: 'one-standard-error' } : {};
}

/** The promise of a plan; undefined where it makes none, or where a number of it cannot be read. */
export function plannedPrivacy(
  { privacy, more }: Plan,
  reading: Reading,
): PrivacyTerms | undefined {
  if (privacy.kind === 'none') return undefined;
  const { unit, neighbours, placement, protects, solver, person } = privacy;
  const epsilon = reading.number('privacy.epsilon', privacy.epsilon, { above: 0, to: 1000 });
  const delta = reading.number('privacy.delta', privacy.delta, { above: 0, below: DELTA_LIMIT });
  const count = (key: 'releases' | 'rounds' | 'expectedRows', from: number, to?: number) =>
    reading.optional(`privacy.${key}`, privacy[key], { from, to, whole: true });
  const releases = count('releases', 1, 1000);
  const rounds = count('rounds', 0, 5);
  const expectedRows = count('expectedRows', 1);
  const rows =
    unit === 'person'
      ? reading.number('privacy.rowsPerPerson', privacy.rowsPerPerson, { from: 1, whole: true })
      : undefined;
  if (unit === 'person' && person === '') {
    reading.problems.push({
      field: 'privacy.person',
      problem: 'a column must say whose row it is',
      remedy: 'name it; nothing of it leaves a site',
    });
  }
  if (epsilon === undefined || delta === undefined) return undefined;
  return {
    epsilon,
    delta,
    unit,
    ...(unit === 'person' && rows !== undefined ? { person, rowsPerPerson: rows } : {}),
    ...(neighbours === 'add-remove' ? {} : { neighbours }),
    ...(placement === 'central' ? {} : { placement }),
    ...(protects === 'rows' ? {} : { protects }),
    ...(releases === undefined ? {} : { releases }),
    ...(rounds === undefined || rounds === 0 ? {} : { rounds }),
    ...(expectedRows === undefined ? {} : { expectedRows }),
    ...(solver === 'cleaner' ? {} : { solver }),
    ...more.privacy,
  };
}

export function plannedQuorum({ quorum, deadline }: Plan, reading: Reading): Quorum | undefined {
  const sites = reading.optional('quorum', quorum, { from: 1, whole: true });
  requireFuture('deadline', deadline, reading);
  if (sites === undefined && deadline === '') return undefined;
  return {
    ...(sites === undefined ? {} : { sites }),
    ...(deadline === '' ? {} : { deadline }),
  };
}

/** Complains of a time that has passed. */
export function requireFuture(field: string, time: string, { problems }: Reading): void {
  if (time === '' || Date.parse(time) > Date.now()) return;
  problems.push({ field, problem: 'that time has passed', remedy: 'choose a later one' });
}

/** A column as a codebook has it. */
export function plannedColumn(name: string, plan: ColumnPlan, reading: Reading): Column {
  const field = `columns.${name}`;
  const markers = plan.missing
    .split(',')
    .map((marker) => marker.trim())
    .filter((marker) => marker !== '');
  const missing = [...(plan.emptyIsMissing ? [''] : []), ...markers];
  const levels = namesIn(plan.levels);
  if (plan.type === 'id') return { type: 'id', missing };
  if (plan.type === 'category') {
    const { baseline } = plan;
    if (levels.length === 0) {
      reading.problems.push({
        field,
        problem: `${name} is a category without levels`,
        remedy: 'write its levels, one a line; the first is the baseline',
      });
    }
    return { type: 'category', levels, ...(baseline === '' ? {} : { baseline }), missing };
  }
  const number = (text: string, bounds = {}) => reading.optional(field, text, bounds);
  const [low, high] = [number(plan.low), number(plan.high)];
  if (low !== undefined && high !== undefined && low > high) {
    reading.problems.push({
      field,
      problem: `the range of ${name} must run from low to high`,
      remedy: 'swap its two ends',
    });
  }
  if ((low === undefined) !== (high === undefined)) {
    reading.problems.push({
      field,
      problem: `the range of ${name} has one end`,
      remedy: 'write both ends, or neither',
    });
  }
  const center = number(plan.center);
  const sd = number(plan.sd, { above: 0 });
  return {
    type: 'number',
    ...(plan.unit.trim() === '' ? {} : { unit: plan.unit.trim() }),
    ...(low === undefined || high === undefined ? {} : { range: [low, high] }),
    ...(center === undefined ? {} : { center }),
    ...(plan.scale === undefined ? {} : { scale: plan.scale }),
    ...(sd === undefined ? {} : { sd }),
    ...(levels.length === 0 ? {} : { levels }),
    missing,
    ...(plan.decimal === ',' ? { decimal: ',' } : {}),
  };
}

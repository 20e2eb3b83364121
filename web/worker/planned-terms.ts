import { defined } from '../../src/defined.ts';
import type { Column } from '../../src/study/codebook.ts';
import { DELTA_LIMIT } from '../../src/study/promise-doubts.ts';
import type { Fusion, PrivacyTerms, Quorum } from '../../src/study/study.ts';
import { methodKind } from './method-kinds.ts';
import { type ColumnPlan, namesIn, type StudyPlan } from './plan.ts';
import type { PlanReading } from './plan-problems.ts';

/** The fusion of a plan. */
export function plannedFusion(
  { method, more }: StudyPlan,
  reading: PlanReading,
): Fusion | undefined {
  return methodKind(method).toFusion(method, reading, more.fusion);
}

/** The privacy terms of a plan; undefined if there are none, or if a number cannot be read. */
export function plannedPrivacy(
  { privacy, more }: StudyPlan,
  reading: PlanReading,
): PrivacyTerms | undefined {
  if (privacy.kind === 'none') return undefined;
  const { unit, neighbours, placement, protects, solver, person } = privacy;
  const epsilon = reading.number('privacy.epsilon', privacy.epsilon, { above: 0, to: 1000 });
  const delta = reading.number('privacy.delta', privacy.delta, { above: 0, below: DELTA_LIMIT });
  const count = (key: 'releases' | 'rounds' | 'expectedRows', from: number, to?: number) =>
    reading.optional(`privacy.${key}`, privacy[key], { from, whole: true, ...defined({ to }) });
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
      problem: 'the column that identifies the person is missing',
      remedy: 'name it; its values never leave a site',
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
    ...defined({ releases }),
    ...(rounds === undefined || rounds === 0 ? {} : { rounds }),
    ...defined({ expectedRows }),
    ...(solver === 'cleaner' ? {} : { solver }),
    ...more.privacy,
  };
}

export function plannedQuorum(
  { quorum, deadline }: StudyPlan,
  reading: PlanReading,
): Quorum | undefined {
  const sites = reading.optional('quorum', quorum, { from: 1, whole: true });
  requireFuture('deadline', deadline, reading);
  if (sites === undefined && deadline === '') return undefined;
  return {
    ...defined({ sites }),
    ...(deadline === '' ? {} : { deadline }),
  };
}

/** Adds a problem if the time has passed. */
export function requireFuture(field: string, time: string, { problems }: PlanReading): void {
  if (time === '' || Date.parse(time) > Date.now()) return;
  problems.push({ field, problem: 'that time has passed', remedy: 'choose a later one' });
}

/** The codebook's column for the form's fields. */
export function plannedColumn(name: string, plan: ColumnPlan, reading: PlanReading): Column {
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
        remedy: 'write its levels, one on each line; the first is the baseline',
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
      problem: `the range of ${name} has only one end`,
      remedy: 'write both ends, or leave both empty',
    });
  }
  const center = number(plan.center);
  const sd = number(plan.sd, { above: 0 });
  return {
    type: 'number',
    ...(plan.unit.trim() === '' ? {} : { unit: plan.unit.trim() }),
    ...(low === undefined || high === undefined ? {} : { range: [low, high] }),
    ...defined({ center, scale: plan.scale, sd }),
    ...(levels.length === 0 ? {} : { levels }),
    missing,
    ...(plan.decimal === ',' ? { decimal: ',' } : {}),
  };
}

import type { Column } from '../../src/study/codebook.ts';
import { DELTA_LIMIT } from '../../src/study/promise-doubts.ts';
import type { Fusion, PrivacyTerms, Quorum } from '../../src/study/study.ts';
import { methodKind } from './method-kinds.ts';
import { type ColumnPlan, namesIn, type Plan } from './plan.ts';
import type { Reading } from './plan-problems.ts';

/** The method a plan asks for. */
export function plannedFusion({ method, more }: Plan, reading: Reading): Fusion | undefined {
  return methodKind(method).toFusion(method, reading, more.fusion);
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

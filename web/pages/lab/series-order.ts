import type { ResultSeries } from '../../../experiments/paper-result.ts';

const roles: readonly ResultSeries['role'][] = ['exact', 'other', 'oracle', 'printed'];

/** Ours first, what it is measured by last, and what the paper prints after all that was measured. */
export function inOrder(series: readonly ResultSeries[]): readonly ResultSeries[] {
  return series.toSorted((a, b) => roles.indexOf(a.role) - roles.indexOf(b.role));
}

/** Of what was measured itself; of printed values, what was measured of the same method, done as printed if it was. */
export function measuredOf(
  { name, role }: ResultSeries,
  series: readonly ResultSeries[],
): ResultSeries | undefined {
  const method = role === 'printed' ? name.split(',')[0] : name;
  const same = inOrder(series).filter(
    (one) => one.role !== 'printed' && one.name.startsWith(method),
  );
  return same.find((one) => one.name.startsWith(`${method} as printed`)) ?? same[0];
}

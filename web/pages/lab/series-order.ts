import type { ResultSeries } from '../../../experiments/paper-result.ts';

const roles: readonly ResultSeries['role'][] = ['exact', 'other', 'oracle', 'printed'];

/** The exact fusion first, the oracle last of the measured lines, then the printed values. */
export function inOrder(series: readonly ResultSeries[]): readonly ResultSeries[] {
  return series.toSorted((a, b) => roles.indexOf(a.role) - roles.indexOf(b.role));
}

/** The measured series: of a measured one, itself; of printed values, the series of the same method, "as printed" if there is one. */
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

import { twoSidedLog } from '../model/errors.ts';
import { probability } from '../text/number-text.ts';
import { alignedColumn, numberColumn } from '../text/text-table.ts';

/** An estimate and its test. */
interface Tested {
  readonly estimate: number;
  readonly 'std.error': number;
  readonly statistic: number;
}

/** Estimate, standard error, t and p as R heads them; z where there are no degrees of freedom. */
export function testedColumns(rows: readonly Tested[], freedom: number | undefined): string[][] {
  const letter = freedom === undefined ? 'z' : 't';
  return [
    numberColumn(
      'Estimate',
      rows.map(({ estimate }) => estimate),
    ),
    numberColumn(
      'Std. Error',
      rows.map((row) => row['std.error']),
    ),
    numberColumn(
      `${letter} value`,
      rows.map(({ statistic }) => statistic),
      4,
    ),
    alignedColumn(
      `Pr(>|${letter}|)`,
      rows.map(({ statistic }) =>
        probability(twoSidedLog(statistic, freedom ?? Number.POSITIVE_INFINITY)),
      ),
    ),
  ];
}

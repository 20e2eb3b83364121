import { DataError } from '../data-error.ts';
import type { ContributionNumbering } from '../statistic/envelope.ts';
import { impossibleSums } from '../statistic/impossibility.ts';
import { ringShare } from '../statistic/ring-share.ts';
import type { Statistic } from '../statistic/statistic.ts';
import type { Aggregation } from './aggregation.ts';

/** Refuses at the site what nobody can refuse later, because the numbers are hidden. */
export function refuseUncheckable(
  {
    aggregation: { mostShare },
    method,
  }: {
    readonly aggregation: Pick<Aggregation, 'mostShare'>;
    readonly method: { impossible?(statistic: Statistic): string | undefined };
  },
  released: Statistic,
  { sequence, mode }: ContributionNumbering,
): void {
  if (mostShare === undefined) return;
  // Σ 1/s² < 2: all that a site adds over time stays below two such shares.
  const most = mode === 'replace' ? mostShare : mostShare / sequence ** 2;
  const why =
    ringShare(released.layout, released.values) > most
      ? 'they are too large for a sum over this many sites'
      : (impossibleSums(released) ?? method.impossible?.(released));
  if (why === undefined) return;
  throw new DataError(
    `the sums of these rows leave the range of the study’s numbers: ${why}`,
    {},
    'send fewer rows, replace earlier contributions by one of all rows, or ask for a study with ranges that fit the columns',
  );
}

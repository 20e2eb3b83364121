import { withheldTotal } from '../conclude.ts';
import type { Failure } from '../failure.ts';
import type { Statistic } from '../statistic/statistic.ts';
import { collectActive } from './collect.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { heldBack, tooFewSites } from './minimum-sites.ts';
import { erasedFailure } from './retention.ts';
import { siteLines } from './site-statuses.ts';
import type { ActiveSet } from './stored-contributions.ts';

/** The sum over the sites of a region, and the number of rows that they left out. */
export interface RegionalSum {
  readonly total: Statistic;
  readonly dropped: number;
}

/**
 * The sum that a region may send on, or why it may send none: its quorum, `minimumSites` and the disclosure rules hold for what a
 * parent gets as they hold for what is published. It needs no model: a region may have too few rows for one. Undefined if the
 * contributions changed meanwhile.
 */
export async function regionalSum(
  context: CoordinatorContext,
  id: string,
  active: ActiveSet,
): Promise<RegionalSum | Failure | undefined> {
  const agreed = await context.agreed(id);
  const { quorum, erased_at } = await context.store.db
    .selectFrom('studies')
    .select(['quorum', 'erased_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const few =
    erasedFailure({ erased_at }) ??
    tooFewSites(agreed, active, quorum) ??
    (await heldBack(context, id, agreed, active));
  if (few !== undefined) return few;
  const { method } = agreed;
  const collected = await collectActive(context, id, agreed, active, { method, across: false });
  if (collected === undefined || 'problem' in collected) return collected;
  const { total } = collected;
  const dropped = siteLines(active).reduce((sum, site) => sum + (site.dropped ?? 0), 0);
  return withheldTotal(agreed, total) ?? { total, dropped };
}

import { collectorFor } from '../federate.ts';
import { Refusal } from '../protocol/refusal.ts';
import { storedEntries } from '../statistic/envelope.ts';
import { statisticView } from '../statistic/statistic.ts';
import { requireRunner } from './access.ts';
import { type ContributionReader, readContributions } from './collect.ts';
import type { Caller } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { readResolution } from './resolution-records.ts';
import { refuseErasedStudy } from './retention.ts';
import { activeBefore, changedSince } from './stored-contributions.ts';

/** The exact sum of a resolution, as bytes; its digest is in the signed report. */
export async function readTotal(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  number: number | 'latest',
): Promise<Uint8Array> {
  requireRunner(caller, id);
  const agreed = await context.agreed(id);
  if (agreed.method.noise !== undefined) {
    throw new Refusal(
      'conflict',
      'the study is private: its report is all there is to see',
      'read the report; nobody may see the total without noise',
    );
  }
  const { minimumSites } = agreed.aggregation;
  if (minimumSites !== undefined) {
    throw new Refusal(
      'conflict',
      `the study gives out nothing about fewer than ${minimumSites} sites, and no total`,
      'read the report, or ask questions about it',
    );
  }
  const resolution = await readResolution(context, caller, id, number);
  const { bySite } = await activeBefore(context.store.db, id, resolution);
  await refuseErasedStudy(context, id);
  const collector = collectorFor(agreed, 'total');
  const active = [...bySite.values()].flat();
  const take: ContributionReader = {
    whole: (site, body) => collector.add(site, { values: storedEntries(agreed.layout, body) }),
    part: (site, values, first) => collector.add(site, { values, first }),
  };
  if (!(await readContributions(context.store, id, agreed, active, take))) {
    throw changedSince(resolution.number);
  }
  const collected = collector.finish();
  if ('problem' in collected) {
    throw new Refusal('conflict', collected.problem, collected.remedy);
  }
  return statisticView(collected.total);
}

import { Refusal } from '../protocol/refusal.ts';
import { statisticBytes } from '../statistic/statistic.ts';
import { requireRunner } from './access.ts';
import type { Caller } from './coordinator.ts';
import { changedSince, countingStill } from './counting.ts';
import type { Desk } from './desk.ts';
import { readResolution } from './resolution-records.ts';
import { addParts } from './total.ts';

/** The words of the exact sum that a resolution was made of; its digest is in the signed report. */
export async function readTotal(
  desk: Desk,
  caller: Caller,
  id: string,
  number: number | 'latest',
): Promise<Uint8Array> {
  requireRunner(caller, id);
  const agreed = await desk.agreed(id);
  if (agreed.method.noise !== undefined) {
    throw new Refusal(
      'conflict',
      'the study is private: its report is all there is to see',
      'read the report; its total without noise is shown to nobody',
    );
  }
  const resolution = await readResolution(desk, caller, id, number);
  const { bySite } = await countingStill(desk.store.db, id, resolution);
  const collector = agreed.aggregation.collector(agreed.layout, 'total');
  const held = [...bySite.values()].flat();
  if (!(await addParts(desk.store, id, agreed, held, collector))) {
    throw changedSince(resolution.number);
  }
  const collected = collector.finish();
  if ('problem' in collected) {
    throw new Refusal('conflict', collected.problem, collected.remedy);
  }
  return statisticBytes(collected.total);
}

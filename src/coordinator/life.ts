import type { ExtendStudy, ReopenStudy } from '../protocol/messages.ts';
import { requireRunner } from './access.ts';
import type { Caller } from './coordinator.ts';
import type { Desk } from './desk.ts';
import { acceptLate } from './held-parts.ts';
import { refuseSpent } from './release.ts';
import { requireStep } from './steps.ts';
import { inStudy } from './study-session.ts';
import { futureTime } from './times.ts';

/** Lets sites contribute to a draft. */
export async function openStudy(desk: Desk, caller: Caller, id: string): Promise<void> {
  requireRunner(caller, id);
  await inStudy(desk, id, async (session) => {
    requireStep('open', session.study.state);
    session.change({ state: 'open' });
    session.record('opened', {});
  });
}

export async function closeStudy(desk: Desk, caller: Caller, id: string): Promise<void> {
  requireRunner(caller, id);
  await inStudy(desk, id, async (session) => {
    requireStep('close', session.study.state);
    session.close('asked');
  });
}

/** Collects again without end, or until the new deadline; what came late counts now. */
export async function reopenStudy(
  desk: Desk,
  caller: Caller,
  id: string,
  { deadline }: ReopenStudy = {},
): Promise<void> {
  requireRunner(caller, id);
  const erased = await inStudy(desk, id, async (session) => {
    requireStep('reopen', session.study.state);
    await refuseSpent(session.db, await desk.agreed(id), id);
    const until = deadline === undefined ? null : futureTime(deadline, session.at);
    const { counting, erased } = await acceptLate(session);
    session.change({
      state: counting.size > 0 ? 'collecting' : 'open',
      deadline: until,
      problem: null,
      due: 0,
    });
    session.record('reopened', until === null ? {} : { deadline: until });
    return erased;
  });
  if (erased > 0) await desk.store.scrub();
}

/** Moves the deadline of a study that is not over. */
export async function extendStudy(
  desk: Desk,
  caller: Caller,
  id: string,
  { deadline }: ExtendStudy,
): Promise<void> {
  requireRunner(caller, id);
  await inStudy(desk, id, async (session) => {
    requireStep('extend', session.study.state);
    const until = futureTime(deadline, session.at);
    session.change({ deadline: until });
    session.record('extended', { deadline: until });
  });
}

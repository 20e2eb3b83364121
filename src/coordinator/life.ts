import type { ExtendStudy, ReopenStudy, StudyState } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { requireRunner } from './access.ts';
import type { Caller } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { refuseReopening } from './mask-answer.ts';
import { endMaskStage } from './mask-exchange.ts';
import { maskStudy } from './mask-records.ts';
import { refuseSpent } from './release.ts';
import { refuseErased } from './retention.ts';
import { acceptLate } from './stored-contributions.ts';
import { inStudy } from './study-session.ts';

/** Requests that depend on the state of a study. */
export type StudyStep =
  | 'open'
  | 'close'
  | 'reopen'
  | 'extend'
  | 'contribute'
  | 'resolve'
  | 'refine';

const allowed: Readonly<Record<StudyStep, readonly StudyState[]>> = {
  open: ['draft'],
  close: ['open', 'collecting'],
  reopen: ['closed', 'resolved'],
  extend: ['draft', 'open', 'collecting'],
  contribute: ['open', 'collecting', 'closed', 'resolved'],
  resolve: ['closed', 'resolved'],
  refine: ['resolved'],
};

const remedies: Readonly<Record<StudyState, string>> = {
  draft: 'open it first',
  open: 'wait until it has closed, or close it',
  collecting: 'wait until it has closed, or close it',
  closed: 'reopen it first',
  resolved: 'reopen it first',
};

/** Refuses a step that a study's state does not allow. */
export function requireStep(step: StudyStep, state: StudyState): void {
  if (allowed[step].includes(state)) return;
  throw new Refusal('conflict', `the study is ${state}: it cannot ${step}`, remedies[state]);
}

/** A time in the form that sorts as text: ISO 8601 in UTC with milliseconds. */
export function normalTime(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) {
    throw new Refusal('bad-request', 'the time cannot be read', 'write it as 2027-01-31T12:00:00Z');
  }
  return time.toISOString();
}

/** A time in the future; refuses one that has passed. */
export function futureTime(text: string, now: string): string {
  const time = normalTime(text);
  if (time <= now) {
    throw new Refusal('bad-request', `the time has passed: ${time}`, 'choose a time in the future');
  }
  return time;
}

/** Opens a draft: sites may contribute. */
export async function openStudy(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
): Promise<void> {
  requireRunner(caller, id);
  await inStudy(context, id, async (session) => {
    requireStep('open', session.study.state);
    session.change({ state: 'open' });
    session.record('opened', {});
  });
}

/** Closes a study; in one whose sites agree on masks, first ends the stage that it is in. */
export async function closeStudy(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
): Promise<void> {
  requireRunner(caller, id);
  await inStudy(context, id, async (session) => {
    requireStep('close', session.study.state);
    const agreed = await context.agreed(id);
    if (agreed.aggregation.masks !== undefined) {
      if (await endMaskStage(session, maskStudy(agreed))) return;
    }
    session.close('asked');
  });
}

/** Collects again, until the new deadline if one is given. Late contributions become active. */
export async function reopenStudy(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  { deadline }: ReopenStudy = {},
): Promise<void> {
  requireRunner(caller, id);
  const erased = await inStudy(context, id, async (session) => {
    requireStep('reopen', session.study.state);
    refuseErased(session.study);
    await refuseReopening(session);
    await refuseSpent(context, session.db, await context.agreed(id), id);
    const until = deadline === undefined ? null : futureTime(deadline, session.at);
    const { active, erased } = await acceptLate(session);
    session.change({
      state: active.size > 0 ? 'collecting' : 'open',
      deadline: until,
      problem: null,
      due: 0,
    });
    session.record('reopened', until === null ? {} : { deadline: until });
    return erased;
  });
  if (erased > 0) await context.store.scrub();
}

/** Moves the deadline of a study that is not closed. */
export async function extendStudy(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  { deadline }: ExtendStudy,
): Promise<void> {
  requireRunner(caller, id);
  await inStudy(context, id, async (session) => {
    requireStep('extend', session.study.state);
    const until = futureTime(deadline, session.at);
    session.change({ deadline: until });
    session.record('extended', { deadline: until });
  });
}

import type { StudyState } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';

/** What can be asked of a study. */
export type Step = 'open' | 'close' | 'reopen' | 'extend' | 'contribute' | 'resolve';

const allowed: Readonly<Record<Step, readonly StudyState[]>> = {
  open: ['draft'],
  close: ['open', 'collecting'],
  reopen: ['closed', 'resolved'],
  extend: ['draft', 'open', 'collecting'],
  contribute: ['open', 'collecting', 'closed', 'resolved'],
  resolve: ['closed', 'resolved'],
};

const remedies: Readonly<Record<StudyState, string>> = {
  draft: 'open it first',
  open: 'wait until it has closed, or close it',
  collecting: 'wait until it has closed, or close it',
  closed: 'reopen it first',
  resolved: 'reopen it first',
};

/** Refuses a step that a study's state does not allow. */
export function requireStep(step: Step, state: StudyState): void {
  if (allowed[step].includes(state)) return;
  throw new Refusal('conflict', `the study is ${state}: it cannot ${step}`, remedies[state]);
}

/** Whether contributions that arrive now count without anybody's say. */
export function isCollecting(state: StudyState): boolean {
  return state === 'open' || state === 'collecting';
}
